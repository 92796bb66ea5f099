# SPDX-License-Identifier: Apache-2.0
"""Each test that Documentation/Tasks/CarPlayFailures.md names for a failure of CarPlay apps exists."""
from __future__ import annotations

import re

from .facts import Facts
from .report import Report

PAGE = "Documentation/Tasks/CarPlayFailures.md"
ROW = re.compile(r"^\| (\d+) \| [^|]+ \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
TEST = re.compile(r"@Test\b(?:[^{}]*?)\bfunc (\w+)", re.DOTALL)
COMMENT = re.compile(r"//.*\bFault (\d+)")


def faults_of(page: str, sources: dict[str, str]) -> tuple[list[str], int]:
    """Returns what is wrong with the rows of the page, and the number of its rows."""
    tests = {name for text in sources.values() for name in TEST.findall(text)}
    rows = [(int(number), re.findall(r"`(\w+)`", cell)) for number, cell in ROW.findall(page)]
    faults = [f"{PAGE}: row {place} has the number {number}" for place, (number, _) in enumerate(rows, 1)
              if number != place]
    for number, names in rows:
        if not names:
            faults.append(f"{PAGE}: failure {number} has no test")
        faults += [f"{PAGE}: failure {number}: there is no test {name}" for name in names if name not in tests]
    for file, text in sources.items():
        faults += [f"{file}: // Fault {number} is not in {PAGE}" for number in COMMENT.findall(text)
                   if int(number) not in dict(rows)]
    return faults, len(rows)


def check(facts: Facts) -> Report:
    """Looks for the tests in the tests of the apps and the examples."""
    files = facts.below("Tests/Apps", ".swift") + [file for file in facts.below("Examples", ".swift")
                                                    if "/Tests/" in file]
    faults, count = faults_of(facts.needed_text(PAGE), {file: facts.needed_text(file) for file in files})
    if not count:
        faults.append(f"{PAGE} has no rows that this check can read")
    return Report(faults, f"{count} failures")
