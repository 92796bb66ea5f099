# SPDX-License-Identifier: Apache-2.0
"""The command line of the findings."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from common.command_line import INTERRUPTED, USAGE, Parser

from . import bounds, endings, explanations, liveness, listening  # noqa: F401  (each registers its findings)
from .harness import SetupFailed, Stage
from .registry import FINDINGS, Finding

EXAMPLES = """examples:
  tools/peers/iap2/findings/run --iap2 .build/release/iap2
  tools/peers/iap2/findings/run --iap2 .build/release/iap2 stopped-reader full-service
  tools/peers/iap2/findings/run --iap2 .build/release/iap2 --known tools/peers/iap2/findings/known.txt
  tools/peers/iap2/findings/run --list

exit status: 0 every finding is ok, or exactly the known ones remain; 1 otherwise; 64 wrong usage
"""


@dataclass
class Verdict:
    """The result of one finding: `ok`, `finding`, or `error` if the situation did not come about."""

    name: str
    section: str
    status: str
    seconds: float
    evidence: str


def play(finding: Finding, program: str) -> Verdict:
    """Plays one finding. Everything it started is ended when this returns."""
    started = time.monotonic()
    try:
        with Stage(program, finding.limit) as stage:
            outcome = finding.play(stage)
        status, evidence = ("ok" if outcome.ok else "finding"), outcome.evidence
    except SetupFailed as error:
        status, evidence = "error", str(error)
    except Exception as error:  # pylint: disable=broad-exception-caught
        status, evidence = "error", f"{type(error).__name__}: {error}"
    return Verdict(finding.name, finding.section, status, time.monotonic() - started, evidence)


def play_parallel(chosen: list[Finding], program: str, jobs: int) -> Iterator[Verdict]:
    """Plays several findings at a time, each in a process of its own, and yields verdicts as they come."""
    script = Path(__file__).with_name("run")
    waiting = list(chosen)
    running: dict[str, subprocess.Popen[bytes]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                name = waiting.pop(0).name
                running[name] = subprocess.Popen(  # pylint: disable=consider-using-with
                    [sys.executable, str(script), "--iap2", program, "--json", name], stdout=subprocess.PIPE)
            for name in [n for n, process in running.items() if process.poll() is not None]:
                process = running.pop(name)
                output = process.stdout.read() if process.stdout else b""
                if process.stdout:
                    process.stdout.close()
                try:
                    yield Verdict(**json.loads(output))
                except (ValueError, TypeError):
                    yield Verdict(name, FINDINGS[name].section, "error", 0, f"no verdict, exit {process.returncode}")
            time.sleep(0.05)
    finally:
        for process in running.values():
            process.terminate()
            process.wait()


def read_known(path: str) -> set[str]:
    """Returns the names in a list: one a line, `#` begins a comment."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return {name for line in lines if (name := line.partition("#")[0].strip())}


def judge(verdicts: list[Verdict], known: set[str]) -> list[str]:
    """Returns the differences from the list of known findings."""
    problems = []
    for verdict in verdicts:
        if verdict.status == "error":
            problems.append(f"{verdict.name}: no verdict, {verdict.evidence}")
        elif verdict.status == "finding" and verdict.name not in known:
            problems.append(f"{verdict.name}: new finding, {verdict.evidence}")
        elif verdict.status == "ok" and verdict.name in known:
            problems.append(f"{verdict.name}: ok now, remove it from the list of known findings")
    return problems


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    result = Parser(prog="tools/peers/iap2/findings/run", description=__doc__, epilog=EXAMPLES,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("names", nargs="*", metavar="NAME", help="findings to play (default: all)")
    result.add_argument("--iap2", metavar="PATH", help="the command to test")
    result.add_argument("--known", metavar="FILE", help="names of the findings that are expected to remain")
    result.add_argument("--section", metavar="A1", action="append", help="all findings of this section; repeatable")
    result.add_argument("--jobs", type=int, default=1, metavar="N", help="play N findings at a time (1)")
    result.add_argument("--json", action="store_true", help="one JSON object a line")
    result.add_argument("--list", action="store_true", help="print the findings and end")
    return result


def selected(arguments: argparse.Namespace, usage: argparse.ArgumentParser) -> list[Finding]:
    """Returns the findings that the command line names."""
    unknown = [n for n in arguments.names if n not in FINDINGS]
    if unknown:
        usage.exit(USAGE, f"unknown finding {', '.join(unknown)}; --list prints all\n")
    sections = arguments.section or []
    absent = [s for s in sections if all(f.section != s for f in FINDINGS.values())]
    if absent:
        usage.exit(USAGE, f"no finding of section {', '.join(absent)}; --list prints all\n")
    everything = not arguments.names and not sections
    chosen = [f for f in FINDINGS.values() if everything or f.name in arguments.names or f.section in sections]
    return sorted(chosen, key=lambda f: (f.section[0], int(f.section[1:])))


def main() -> int:
    """Runs the command line. A reader that closes the output ends it with 1."""
    try:
        return run()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # pylint: disable=consider-using-with
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def run() -> int:
    """Plays the findings of the command line."""
    usage = parser()
    arguments = usage.parse_args()
    chosen = selected(arguments, usage)
    if arguments.list:
        for finding in chosen:
            print(f"{finding.section:4} {finding.name:32} {finding.title}")
        return 0
    if not arguments.iap2 or not Path(arguments.iap2).is_file():
        usage.exit(USAGE, "--iap2 PATH is missing or no file\n")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    verdicts = []
    program = str(Path(arguments.iap2).resolve())
    plays = (play_parallel(chosen, program, arguments.jobs) if arguments.jobs > 1
             else (play(finding, program) for finding in chosen))
    for verdict in plays:
        verdicts.append(verdict)
        if arguments.json:
            print(json.dumps({**vars(verdict), "seconds": round(verdict.seconds, 1)}), flush=True)
        else:
            print(f"{verdict.section:4} {verdict.name:32} {verdict.status:8}{verdict.seconds:5.1f} s  "
                  f"{verdict.evidence}", flush=True)
    return conclude(verdicts, arguments)


def conclude(verdicts: list[Verdict], arguments: argparse.Namespace) -> int:
    """Prints the sum and returns the exit status."""
    counts = {status: sum(v.status == status for v in verdicts) for status in ("ok", "finding", "error")}
    if not arguments.json:
        print(f"\n{counts['ok']} ok, {counts['finding']} findings, {counts['error']} without a verdict")
    if not arguments.known:
        return 0 if counts["ok"] == len(verdicts) else 1
    problems = judge(verdicts, read_known(arguments.known))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0
