# SPDX-License-Identifier: Apache-2.0
"""The command line: `python3 -m suite [--all]`, which tools/test starts after the set-up."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from . import parts, report
from .lanes import Run
from .process import Processes

IO, INTERRUPTED = 74, 130


def say(text: str) -> None:
    print(f"test: {text}", file=sys.stderr, flush=True)


def stop(*_: object) -> None:
    raise KeyboardInterrupt


def run(everything: bool, folder: str) -> int:
    # Tests and scripts put their temporary files here, so that an end at any time leaves none.
    environment = {**os.environ, "TMPDIR": folder, "PYTHONUNBUFFERED": "1"}
    processes = Processes(environment)
    lanes = parts.everything() if everything else parts.short()
    suite = Run(lanes, processes, parts.ROOT, Path(parts.ROOT / ".build/test"))
    try:
        suite.go()
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        running = sorted(suite.running)
        processes.end()
        say(f"interrupted in: {', '.join(running) or 'nothing'}; run it again, it goes on with what is built")
        return INTERRUPTED
    except BaseException:
        processes.end()
        raise
    outcomes = list(suite.outcomes.values())
    print(report.text(outcomes, max(outcome.ended for outcome in outcomes)), flush=True)
    return 1 if any(outcome.count.failed for outcome in outcomes) else 0


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    folder = None
    try:
        folder = tempfile.mkdtemp(prefix="t.")
        return run(sys.argv[1:] == ["--all"], folder)
    except KeyboardInterrupt:
        say("interrupted; run it again, it goes on with what is built")
        return INTERRUPTED
    except OSError as problem:
        if problem.errno == errno.ENOSPC:
            say(f"the disk of {parts.ROOT} or of {tempfile.gettempdir()} is full: free 4 GB, then run it again, it goes on "
                "with what is built")
        else:
            say(f"{problem.filename or 'a file'}: {problem.strerror}; mend this and run it again")
        return IO
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
