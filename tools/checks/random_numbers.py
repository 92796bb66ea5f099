# SPDX-License-Identifier: Apache-2.0
"""Tests take random numbers from a generator with a seed.

Every run then has the same cases: a test that fails in one run of many cannot be repaired. Cases that nobody has
thought of are found by tools/fuzz and tools/proof.
"""
from __future__ import annotations

import re

from .facts import Facts
from .markdown import line_of
from .report import Report

# A call that takes the system's generator: without the label `using`, also over several lines.
UNSEEDED = re.compile(
    r"SystemRandomNumberGenerator|(?:(?<!\.)\.random|randomElement|shuffled?)\((?:[^()]|\([^()]*\))*\)")


def faults_of(file: str, text: str) -> tuple[list[str], int]:
    """Returns the calls without a seed in a source, and the number of all calls."""
    calls = list(UNSEEDED.finditer(text))
    return [f"{file}:{line_of(text, call.start())}: {call[0]}: use SeededGenerator"
            for call in calls if "using:" not in call[0]], len(calls)


def check(facts: Facts) -> Report:
    """Reads the sources of all tests."""
    found = [faults_of(file, facts.needed_text(file)) for file in facts.below("Tests", ".swift")]
    count = sum(number for _, number in found)
    faults = [fault for faults, _ in found for fault in faults]
    if not count:
        faults.append("no random number was found in Tests: the pattern of this check does not fit any more")
    return Report(faults, f"{count} random numbers in tests")
