# SPDX-License-Identifier: Apache-2.0
"""tools/iap2 builds the command if something that it is built from has changed, and only then."""
from __future__ import annotations

from .facts import Facts, run
from .report import Failure, Report


def check(facts: Facts) -> Report:
    """Runs the launcher in a small checkout, with a replacement of `swift` that records its calls."""
    try:
        said = run("bash", "tools/checks/launcher.sh", root=facts.root)
    except Failure as failure:
        return Report([str(failure)], "")
    return Report([], said.stdout.decode().strip().split("\n")[-1])
