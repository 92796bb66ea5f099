# SPDX-License-Identifier: Apache-2.0
"""The tests again and again on a busy machine: one that fails by chance shows itself."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from suite import parts
from suite.counts import COLOR
from suite.process import Processes

from .common import ROOT, build, die, say

PARTS = ("tests", "peers", "lab")
# Keeps a core busy until the starter has ended, however it ended.
LOOP = "import os\nstarter = os.getppid()\nwhile os.getppid() == starter:\n    sum(range(100000))"


def parts_of(names, pattern):
    """The parts of tools/test that run again and again."""
    found = []
    if "tests" in names:
        part = parts.tests()
        part.command += ["--filter", pattern] if pattern else []
        found.append(part)
    if "peers" in names:
        found += [part for part in parts.peers() if not part.name.endswith("its packages")]
    if "lab" in names:
        found.append(parts.lab())
    return found


def prepare(names):
    if subprocess.run([str(ROOT / "tools/iap2"), "--version"], stdout=sys.stderr).returncode:
        die("the command was not built, see above", 70)
    if "tests" in names and build(["--build-tests"]).returncode:
        die("the tests were not built, see above", 70)
    if "peers" in names:
        for part in parts.peers():
            if part.name.endswith("its packages") and subprocess.run(part.command, cwd=ROOT).returncode:
                die("the packages of the peers were not installed, see above", 69)


def chance(arguments):
    names = arguments.parts.split(",")
    if unknown := set(names) - set(PARTS):
        die(f"--parts: {', '.join(sorted(unknown))} is none of {', '.join(PARTS)}", 64)
    if arguments.runs < 1 or arguments.busy < 0:
        die("--runs: a number from 1; --busy: a number from 0", 64)
    prepare(names)
    logs = ROOT / ".build" / "test" / "chance"
    logs.mkdir(parents=True, exist_ok=True)
    processes = Processes(dict(os.environ))
    busy = [subprocess.Popen([sys.executable, "-c", LOOP], env=processes.environment,
                             stderr=subprocess.DEVNULL, start_new_session=True) for _ in range(arguments.busy)]
    done, failed = 0, 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for number in range(1, arguments.runs + 1):
            began = time.monotonic()
            faults = [text for part in parts_of(names, arguments.filter) if (text := play(part, processes, logs, number))]
            done += 1
            failed += bool(faults)
            print(f"run {number}: {'failed' if faults else 'passed'} in {time.monotonic() - began:.0f} s", flush=True)
            if faults:
                print("\n".join(faults), flush=True)
    except KeyboardInterrupt:
        say(f"interrupted in run {done + 1} of {arguments.runs}")
    finally:
        processes.end()
        for process in busy:
            process.wait()
    print(f"{done} runs, {failed} failed")
    if done < arguments.runs:
        sys.exit(130)
    sys.exit(1 if failed else 0)


def play(part, processes, logs: pathlib.Path, number):
    """Runs a part once. Returns the lines of its failures, or an empty text."""
    pieces = []
    path = logs / f"{''.join(letter if letter.isalnum() else '-' for letter in part.name)}-{number}.log"
    with open(path, "wb") as log:
        status, _ = processes.run(part.command, part.cwd or ROOT, 0, log, pieces.append)
    text = COLOR.sub("", b"".join(pieces).decode(errors="replace"))
    count = part.count(text, status)
    if not count.failed:
        # The logs of runs that passed are of no use.
        path.unlink()
        return ""
    return "\n".join([f"run {number}: {part.name}: {count.failed} failed, the whole output is in {path}",
                      *(f"  {line}" for line in count.lines)])
