# SPDX-License-Identifier: Apache-2.0
"""The end of a run: a table of its parts, the slowest tests, the failures, and one line with all counts."""

from __future__ import annotations

from . import counts
from .lanes import Outcome

SLOWEST = 10


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def table(outcomes: list[Outcome]) -> list[str]:
    """The parts in the order of their begins, with the time since the begin of the run, the time they took and
    their CPU time."""
    rows = [("part", "began", "took", "CPU", "passed", "failed", "skipped")]
    for outcome in sorted(outcomes, key=lambda outcome: outcome.began):
        count = outcome.count
        rows.append((outcome.part.name, clock(outcome.began), clock(outcome.ended - outcome.began),
                     clock(outcome.used), str(count.passed), str(count.failed), str(count.skipped or "")))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0]), *(word.rjust(width) for word, width in zip(row[1:], widths[1:]))]).rstrip()
            for row in rows]


def slowest(outcomes: list[Outcome]) -> list[str]:
    """The tests of Swift Testing that took longest."""
    tests = [(seconds, name, outcome.part.name) for outcome in outcomes if outcome.part.count is counts.swift_testing
             for seconds, name in counts.durations(outcome.text)]
    return [f"{seconds:8.1f} s  {name}" + ("" if part == "tests" else f" ({part})")
            for seconds, name, part in sorted(tests, reverse=True)[:SLOWEST]]


def failures(outcomes: list[Outcome]) -> list[str]:
    lines = []
    for outcome in outcomes:
        if outcome.count.failed:
            lines.append(f"failed: {outcome.part.name}")
            lines += [f"  {line}" for line in outcome.count.lines]
    return lines


def summary(outcomes: list[Outcome]) -> str:
    """The last line of a run."""
    passed, failed, skipped = (
        sum(getattr(outcome.count, name) for outcome in outcomes) for name in ("passed", "failed", "skipped"))
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def text(outcomes: list[Outcome], seconds: float) -> str:
    lines = ["", *table(outcomes), f"all parts took {clock(seconds)}, and "
             f"{clock(sum(outcome.used for outcome in outcomes))} of CPU time"]
    if tests := slowest(outcomes):
        lines += ["", "the slowest tests:", *tests]
    if failed := failures(outcomes):
        lines += ["", *failed]
    return "\n".join([*lines, "", summary(outcomes)])
