# SPDX-License-Identifier: Apache-2.0
"""Runs parts in lanes: those of a lane one after another, the lanes side by side."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from . import counts
from .counts import Count
from .process import Processes


@dataclass
class Part:
    """A command whose tests are counted."""

    name: str
    command: list[str]
    count: Callable[[str, int], Count] = counts.whole
    # The names of parts that must have passed before. If one of them failed, this part does not run.
    needs: tuple[str, ...] = ()
    # The names of parts that must have ended before, however they ended.
    after: tuple[str, ...] = ()
    nice: int = 0
    cwd: Path | None = None
    # Makes the command of a second attempt from the output of the first; None for no second attempt.
    again: Callable[[str], list[str] | None] | None = None


@dataclass
class Outcome:
    """The result of a part. `began` and `ended` are seconds since the begin of the run, `used` is CPU time in seconds."""

    part: Part
    began: float
    ended: float
    count: Count
    used: float = 0
    text: str = field(repr=False, default="")


class Screen:
    """The output of the run. One part at a time writes to it directly; the output of others waits in their logs."""

    def __init__(self, begin: float):
        self.begin = begin
        self.owner: str | None = None
        self.lock = threading.Lock()

    def write(self, text: str) -> None:
        with self.lock:
            self.put(text)

    def put(self, text: str) -> None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            pass  # the reader has left; the results count all the same

    def open(self, name: str) -> bool:
        """Whether the part may write directly."""
        with self.lock:
            self.put(f"\n== {name}" + ("\n" if self.owner is None else f": in the background, beside {self.owner}\n"))
            if self.owner is None:
                self.owner = name
            return self.owner == name

    def close(self, outcome: Outcome, shown: bool) -> None:
        count, name = outcome.count, outcome.part.name
        with self.lock:
            if shown:
                self.owner = None
            else:
                self.put(f"\n== {name}: its output\n{outcome.text}" + ("" if outcome.text.endswith("\n") else "\n"))
            seconds = outcome.ended - outcome.began
            self.put(f"== {name}: {count.passed} passed, {count.failed} failed in {seconds:.0f} s\n")


class Run:
    """All parts of a run."""

    def __init__(self, lanes: list[list[Part]], processes: Processes, root: Path, logs: Path):
        self.lanes, self.processes, self.root, self.logs = lanes, processes, root, logs
        self.begin = time.monotonic()
        self.screen = Screen(self.begin)
        self.outcomes: dict[str, Outcome] = {}
        self.running: set[str] = set()
        self.changed = threading.Condition()
        self.error: BaseException | None = None
        names = [part.name for lane in lanes for part in lane]
        unknown = {name for lane in lanes for part in lane for name in part.needs + part.after} - set(names)
        if unknown or len(names) != len(set(names)):
            raise ValueError(f"no part, or two, of a name: {sorted(unknown) or names}")

    def go(self) -> None:
        """Runs all parts. KeyboardInterrupt leaves the parts running; the caller ends their processes."""
        self.logs.mkdir(parents=True, exist_ok=True)
        threads = [threading.Thread(target=self.lane, args=(lane,), daemon=True) for lane in self.lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(1)
        if self.error:
            raise self.error

    def lane(self, parts: list[Part]) -> None:
        try:
            for part in parts:
                failed = self.wait_for(part)
                if self.processes.stopped.is_set():
                    return
                self.finish(self.leave_out(part, failed) if failed else self.play(part))
        except BaseException as error:  # pylint: disable=broad-exception-caught
            with self.changed:
                self.error = self.error or error
            self.processes.stopped.set()
            with self.changed:
                self.changed.notify_all()

    def wait_for(self, part: Part) -> list[str]:
        """Waits for the parts that must come before. Returns those that failed and are needed."""
        wanted = set(part.needs + part.after)
        with self.changed:
            while not (wanted <= self.outcomes.keys() or self.processes.stopped.is_set()):
                self.changed.wait(1)
            return [name for name in part.needs if name in self.outcomes and self.outcomes[name].count.failed]

    def finish(self, outcome: Outcome) -> None:
        with self.changed:
            self.outcomes[outcome.part.name] = outcome
            self.changed.notify_all()

    def leave_out(self, part: Part, failed: list[str]) -> Outcome:
        now = time.monotonic() - self.begin
        self.screen.write(f"\n== {part.name}: not run, because this failed: {', '.join(failed)}\n")
        return Outcome(part, now, now, Count(failed=1, lines=[f"not run, because this failed: {', '.join(failed)}"]))

    def play(self, part: Part) -> Outcome:
        with self.changed:
            self.running.add(part.name)
        shown = self.screen.open(part.name)
        began = time.monotonic() - self.begin
        text, status, used = self.attempt(part, part.command, shown, "wb")
        count = part.count(text, status)
        if count.failed and part.again and (command := part.again(text)) and not self.processes.stopped.is_set():
            if shown:
                self.screen.write(f"\n== {part.name}: second attempt\n")
            more, status, more_used = self.attempt(part, command, shown, "ab")
            used += more_used
            second = part.count(more, status)
            text += more
            count = Count(count.passed + second.passed, second.failed, count.skipped + second.skipped, second.lines)
        outcome = Outcome(part, began, time.monotonic() - self.begin, count, used, text)
        if not self.processes.stopped.is_set():
            self.screen.close(outcome, shown)
            with self.changed:
                self.running.discard(part.name)
        return outcome

    def attempt(self, part: Part, command: list[str], shown: bool, mode: str) -> tuple[str, int, float]:
        pieces: list[bytes] = []

        def each(line: bytes) -> None:
            pieces.append(line)
            if shown and not self.processes.stopped.is_set():
                self.screen.write(line.decode(errors="replace"))

        name = "".join(letter if letter.isalnum() else "-" for letter in part.name)
        with open(self.logs / f"{name}.log", mode) as log:
            status, used = self.processes.run(command, part.cwd or self.root, part.nice, log, each)
        return b"".join(pieces).decode(errors="replace"), status, used
