# SPDX-License-Identifier: Apache-2.0
"""Processes of a run: started with a mark in their environment, so that all of them can be ended together."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import BinaryIO, Callable

MARK = "IAP2_TEST_RUN"
# The seconds that processes have to end after each signal. The first lets scripts remove their temporary files.
PATIENCE = ((signal.SIGINT, 3), (signal.SIGTERM, 5), (signal.SIGKILL, 5))


def is_swiftpm(process: int) -> bool:
    """Whether a process is SwiftPM, which starts compilers."""
    try:
        return Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip() == "swift-build"
    except OSError:
        return False  # it has ended meanwhile


class Processes:
    """The processes of one run and their descendants."""

    def __init__(self, environment: dict[str, str]):
        self.mark = f"{os.getpid()}.{time.time_ns()}"
        self.environment = {**environment, MARK: self.mark}
        self.stopped = threading.Event()

    def run(self, command: list[str], cwd: Path, nice: int, log: BinaryIO,
            each: Callable[[bytes], None]) -> tuple[int, float]:
        """Runs a command to its end. Its output goes to the log and, line by line, to a function. Returns the status, and
        the seconds of CPU time of the command and all that it has waited for."""
        if self.stopped.is_set():
            return -signal.SIGINT, 0
        if nice:
            command = ["nice", "-n", str(nice), *command]
        # A session of its own: Ctrl-C on the terminal must not reach half of the processes.
        with subprocess.Popen(
                command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=self.environment, start_new_session=True) as process:
            assert process.stdout
            for line in process.stdout:
                log.write(line)
                each(line)
            log.flush()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_utime + used.ru_stime

    def living(self) -> list[int]:
        """The ids of all processes with the mark of this run, except this one."""
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                if wanted in Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                    found.append(int(entry))
            except OSError:
                continue  # it has ended meanwhile
        return found

    def end(self) -> None:
        """Ends all processes of the run."""
        self.stopped.set()
        for number, seconds in PATIENCE:
            end = time.monotonic() + seconds
            living = self.living()
            # SwiftPM must end by itself, after its compilers: else the next build begins anew (tools/shell/setup.sh).
            spared = {process for process in living if number == signal.SIGINT and is_swiftpm(process)}
            for process in set(living) - spared:
                try:
                    os.kill(process, number)
                except OSError:
                    continue
            while living and time.monotonic() < end:
                time.sleep(0.1)
                living = self.living()
            if not living:
                return
