# SPDX-License-Identifier: Apache-2.0
"""The message reference, MessageReference.md, is what `iap2 messages --markdown` prints."""
from __future__ import annotations

import difflib

from .facts import Facts
from .report import Report

PAGE = "Sources/Protocol/IAP2/IAP2.docc/MessageReference.md"
REPAIR = "tools/check --write message-reference"


def write(facts: Facts) -> None:
    """Writes the page."""
    facts.write(PAGE, facts.ask("messages", "--markdown"))


def check(facts: Facts) -> Report:
    """Compares the page with the command."""
    old, new = facts.needed_text(PAGE).splitlines(), facts.ask("messages", "--markdown").splitlines()
    return Report(list(difflib.unified_diff(old, new, PAGE, "iap2 messages --markdown", n=0, lineterm="")),
                  f"{len(new)} lines", REPAIR)
