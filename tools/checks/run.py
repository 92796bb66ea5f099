# SPDX-License-Identifier: Apache-2.0
"""The command line of `tools/check`: selects the checks, runs them side by side and prints their results."""
from __future__ import annotations

import concurrent.futures
import importlib
import os
import pathlib
import signal
import sys
import tempfile
import time
import traceback
from types import ModuleType

from .facts import Facts
from .report import Failure, Report

# Checks that take long come first, so that they do not run alone at the end.
NAMES = [
    "wireshark", "discovery", "site", "articles", "layers", "pictures", "launcher", "explained", "doc-comments", "shapes-api",
    "carplay-api", "external-accessory-api", "command-pages", "message-reference", "event-reference", "gallery", "unit-tests",
    "citations", "texts", "message-comments", "car-cuts", "failures", "mutations", "random-numbers",
]
USAGE = 64
INTERRUPTED = 130


def module_of(name: str) -> ModuleType:
    """Returns the module of a check."""
    return importlib.import_module(f"checks.{name.replace('-', '_')}")


def sentence_of(name: str) -> str:
    """Returns what a check is for: the first line of its module's text."""
    return (module_of(name).__doc__ or "").strip().split("\n")[0]


def result_of(name: str, facts: Facts, writes: bool) -> Report:
    """Runs a check, after it has written what it compares if that is wanted."""
    try:
        module = module_of(name)
        if writes:
            module.write(facts)
        return module.check(facts)
    except Failure as failure:
        return Report([str(failure)], "no result")
    except Exception:  # pylint: disable=broad-exception-caught
        return Report([traceback.format_exc().rstrip()], "no result: this check has an error")


def timed(name: str, facts: Facts, writes: bool) -> tuple[Report, float]:
    """Runs a check and returns its report with the seconds it took."""
    started = time.monotonic()
    return result_of(name, facts, writes), time.monotonic() - started


def show(name: str, report: Report, seconds: float) -> None:
    """Prints the line of a check, and everything that it found if it failed."""
    print(f"{'failed' if report.faults else 'passed'}  {name:22} {seconds:6.1f} s  {report.summary}")
    for fault in report.faults:
        print("        " + fault.replace("\n", "\n        "))
    if report.faults and report.repair:
        print(f"        to repair: {report.repair}")
    sys.stdout.flush()


def run(names: list[str], writes: bool) -> int:
    """Runs checks and prints their results. Returns the exit status."""
    failed = 0
    # What ends the run ends it in order: the files of the run are removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    facts = Facts(pathlib.Path(tempfile.mkdtemp(prefix="iap2-check-")))
    # Checks that write change what others read, so they run one after the other.
    pool = concurrent.futures.ThreadPoolExecutor(1 if writes else min(os.cpu_count() or 1, len(names)))
    try:
        tasks = {pool.submit(timed, name, facts, writes): name for name in names}
        for task in concurrent.futures.as_completed(tasks):
            report, seconds = task.result()
            failed += bool(report.faults)
            show(tasks[task], report, seconds)
    except KeyboardInterrupt:
        # The programs that the checks started have got the same signal. Their threads may wait for them, so this ends
        # without a wait for the threads.
        print("check: interrupted; no result for the checks without a line, run them again", file=sys.stderr, flush=True)
        facts.remove_scratch()
        os._exit(INTERRUPTED)
    pool.shutdown()
    facts.remove_scratch()
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main(arguments: list[str], text: str) -> int:
    """Reads the command line. Returns the exit status."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(text.strip())
        return 0
    if arguments == ["--list"]:
        for name in sorted(NAMES):
            print(f"{name:22} {sentence_of(name)}{' (--write)' if hasattr(module_of(name), 'write') else ''}")
        return 0
    writes = arguments[:1] == ["--write"]
    names = list(dict.fromkeys(arguments[1:] if writes else arguments))
    for name in names:
        if name not in NAMES:
            what = "no such option" if name.startswith("-") else "no such check"
            print(f"check: {name}: {what}; tools/check --list names the checks", file=sys.stderr)
            return USAGE
        if writes and not hasattr(module_of(name), "write"):
            print(f"check: {name}: this check writes nothing; tools/check --list marks those that do", file=sys.stderr)
            return USAGE
    if writes and not names:
        print("check: --write needs the name of a check; tools/check --list marks those that write", file=sys.stderr)
        return USAGE
    return run(names or NAMES, writes)
