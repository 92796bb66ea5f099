# SPDX-License-Identifier: Apache-2.0
"""Counts tests from the output of the programs that run them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Swift Testing begins its lines with a symbol, and writes colors wherever TERM allows them, also into a pipe.
COLOR = re.compile(r"\x1b\[[0-9;]*m")
RUN = re.compile(r"^[^A-Za-z]+ Test run with (\d+) tests?.* (?:passed|failed) after ", re.M)
FAILED = re.compile(r"^[^A-Za-z]+ Test (?!run with ).* failed after [0-9.]+ seconds? with \d+ .*$", re.M)
SKIPPED = re.compile(r'^[^A-Za-z]+ Test .*[")] skipped', re.M)
REPORTED = re.compile(r"^[^A-Za-z]+ Test (?!run with ).* (?:recorded an issue|failed after).*$", re.M)
DURATION = re.compile(
    r"^[^A-Za-z]+ Test (?!run with |case )(.+?) (?:passed|failed) after ([0-9.]+) seconds?", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests?", re.M)
# The heading of a failed test: `FAIL: test_name (module.Class.test_name)`. A failure outside a test has no dot there.
UNITTEST_FAILED = re.compile(r"^(?:FAIL|ERROR): \w+ \((\w+\.[\w.]+)\)", re.M)
LAST = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
# The lines of a failure that are printed again at the end, because the log of a whole run is long.
LINES, WIDTH = 40, 400


@dataclass
class Count:
    """The tests of a part, and the lines that explain its failures."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    lines: list[str] = field(default_factory=list)


def tail(text: str, count: int = 20) -> list[str]:
    return [line[:WIDTH] for line in text.rstrip().splitlines()[-count:]]


def whole(text: str, status: int) -> Count:
    """A part that passes or fails as a whole."""
    return Count(passed=1) if status == 0 else Count(failed=1, lines=[f"it ended with {status}", *tail(text)])


def swift_testing(text: str, status: int) -> Count:
    """The tests of one or more runs of Swift Testing."""
    text = COLOR.sub("", text)
    ran = sum(int(number) for number in RUN.findall(text))
    failed, skipped = len(FAILED.findall(text)), len(SKIPPED.findall(text))
    if status != 0 and failed == 0:
        # The tests did not compile, or crashed before they reported.
        return Count(max(0, ran - skipped), 1, skipped, [f"the tests ended with {status}", *tail(text)])
    if ran == 0:
        return Count(failed=1, lines=["no test ran", *tail(text)])
    # The count of the run includes skipped tests.
    lines = [line[:WIDTH] for line in REPORTED.findall(text)[:LINES]] if failed else []
    return Count(ran - failed - skipped, failed, skipped, lines)


def failed_unittests(text: str) -> list[str]:
    """The names of the failed tests of Python's unittest, as it takes them in its command line."""
    return list(dict.fromkeys(UNITTEST_FAILED.findall(text)))


def unittest(text: str, status: int) -> Count:
    """The tests of Python's unittest."""
    found = UNITTEST.search(text)
    last = re.fullmatch(r"OK(?: \(skipped=(\d+)\))?", text.rstrip().rpartition("\n")[2])
    if status != 0 or not found or int(found[1]) == 0 or not last:
        names = failed_unittests(text)
        passed = max(0, int(found[1]) - len(names)) if found and names else 0
        return Count(passed, max(1, len(names)), lines=[*tail(text, LINES), *(f"failed: {name}" for name in names)])
    skipped = int(last[1] or 0)
    return Count(int(found[1]) - skipped, 0, skipped)


def complete_unittest(text: str, status: int) -> Count:
    """The tests of Python's unittest. A skipped test is a failure: its package is missing."""
    count = unittest(text, status)
    if count.skipped:
        return Count(count.passed, count.skipped, 0, [f"{count.skipped} skipped", *tail(text, LINES)])
    return count


def last_line(text: str, status: int) -> Count:
    """A program whose last line is `N passed, N failed`, with `, N skipped` if it skipped something."""
    lines = text.rstrip().splitlines()
    found = LAST.match(lines[-1]) if lines else None
    if not found:
        return Count(failed=1, lines=[f"it ended with {status} and has not counted its tests", *tail(text)])
    passed, failed, skipped = (int(number or 0) for number in found.groups())
    if status != 0 and failed == 0:
        return Count(passed, 1, skipped, [f"it ended with {status}", *tail(text)])
    return Count(passed, failed, skipped, (failures(lines) or tail(text))[:LINES] if failed else [])


def failures(lines: list[str]) -> list[str]:
    """The lines that begin with `failed`, each with the indented lines below it, which give its reasons."""
    found, belongs = [], False
    for line in lines:
        belongs = bool(re.match(r"(?i)failed\b", line)) or belongs and line[:1] in (" ", "\t")
        if belongs:
            found.append(line[:WIDTH])
    return found


def durations(text: str) -> list[tuple[float, str]]:
    """The seconds and the name of each test of Swift Testing."""
    return [(float(seconds), name) for name, seconds in DURATION.findall(COLOR.sub("", text))]
