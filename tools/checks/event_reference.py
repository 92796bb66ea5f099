# SPDX-License-Identifier: Apache-2.0
"""The event reference, EventReference.md, is what `iap2 events --markdown` prints."""
from __future__ import annotations

import difflib

from .facts import Facts
from .report import Report

PAGE = "Documentation/EventReference.md"
REPAIR = "tools/check --write event-reference"


def write(facts: Facts) -> None:
    """Writes the page."""
    facts.write(PAGE, facts.ask("events", "--markdown"))


def check(facts: Facts) -> Report:
    """Compares the page with the command."""
    old, new = facts.needed_text(PAGE).splitlines(), facts.ask("events", "--markdown").splitlines()
    return Report(list(difflib.unified_diff(old, new, PAGE, "iap2 events --markdown", n=0, lineterm="")),
                  f"{len(new)} lines", REPAIR)
