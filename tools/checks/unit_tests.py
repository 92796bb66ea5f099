# SPDX-License-Identifier: Apache-2.0
"""The checks find the faults that they look for, in made-up files: the tests in tools/checks/tests."""
from __future__ import annotations

import re
import sys

from .facts import Facts, run
from .report import Failure, Report


def check(facts: Facts) -> Report:
    """Runs the tests of the checks."""
    try:
        said = run(sys.executable, "-B", "-m", "unittest", "discover", "--start-directory", "tools/checks/tests",
                   "--top-level-directory", "tools", root=facts.root).stderr.decode()
    except Failure as failure:
        return Report([str(failure)], "")
    found = re.search(r"^Ran (\d+) tests?", said, re.MULTILINE)
    count = int(found[1]) if found else 0
    return Report([] if count else ["no test ran in tools/checks/tests"], f"{count} tests")
