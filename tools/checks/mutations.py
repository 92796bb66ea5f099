# SPDX-License-Identifier: Apache-2.0
"""Each fault of tools/data/mutations.txt still has its line in the code, for `tools/proof mutations`."""
from __future__ import annotations

from .facts import Facts, run
from .report import Failure, Report


def check(facts: Facts) -> Report:
    """Lets `tools/proof` compare the list with the code."""
    try:
        said = run("tools/proof", "mutations", "--check", root=facts.root)
    except Failure as failure:
        return Report([str(failure)], "", "adapt tools/data/mutations.txt to the code")
    return Report([], (said.stdout + said.stderr).decode().strip().split("\n")[-1])
