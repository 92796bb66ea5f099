# SPDX-License-Identifier: Apache-2.0
"""The captures in captures/explained and captures/formats are what tools/captures/record makes."""
from __future__ import annotations

from .facts import Facts, run
from .report import Failure, Report

RECORD = "tools/captures/record"
REPAIR = "tools/check --write explained"


def write(facts: Facts) -> None:
    """Records the captures again."""
    run(RECORD, "explained", "formats", root=facts.root)


def check(facts: Facts) -> Report:
    """Plays the sessions again and compares them with the captures."""
    try:
        said = run(RECORD, "--check", "explained", "formats", root=facts.root)
    except Failure as failure:
        return Report([str(failure)], "", REPAIR)
    return Report([], said.stdout.decode().strip().split("\n")[-1])
