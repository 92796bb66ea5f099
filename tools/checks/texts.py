# SPDX-License-Identifier: Apache-2.0
"""Messages that the documentation and the tests of the lab quote are messages of the program.

CI runs only some tests of the lab, so a changed message would break the others unseen.
"""
from __future__ import annotations

import re
from collections.abc import Iterator

from .facts import Facts
from .report import Report

# Values in a message: a shell variable, a word with a digit, colon, slash or dot inside (addresses, times, protocols),
# what a guide leaves out. The words of a list can be values too.
VALUE = re.compile(r"\S*(?:[$:/\d…]|\.\w)\S*|[(),]|\^|\$")
EXPECTED = re.compile(r'\b(?:expect \d+|says (?:headunit|phone|last)\.err) "([^"]+)"')
# What the command prints, and a line of a role in the output of a session: time, role, message. What a scenario prints
# has the scenario's own words.
SHOWN = re.compile(r"    iap2: (?!\S+\.yaml:)(.+)|\| exit code \d+, `([^`]+)`|"
                   # The title of an event of CarPlay is made of its name.
                   r"    \s*\d+\.\d+s\s+(?:head unit|phone)\s+(?:CarPlay [a-z ]+: )?([^\s◄─].+)")


def quotations(facts: Facts) -> Iterator[tuple[str, int, str]]:
    """Yields the place and the text of each message that is quoted."""
    for file in facts.files:
        is_lab = file.startswith("tools/lab/") and not file.endswith(".py")
        is_page = file == "README.md" or file.startswith("Documentation/") and file.endswith(".md")
        for number, line in enumerate((facts.text(file) or "").splitlines(), 1) if is_lab or is_page else []:
            if is_lab:
                yield from ((file, number, match[1]) for match in EXPECTED.finditer(line))
            elif match := SHOWN.match(line):
                yield file, number, match[1] or match[2] or match[3]


def messages_of(sources: str) -> str:
    """Returns sources with each literal, and each text of several lines, as one line."""
    return re.sub(r"\s+", " ", re.sub(r'"\s*\+\s*"|\\\n\s*', "", sources))


def missing_parts(quotation: str, source: str) -> tuple[list[str], int]:
    """Returns the parts of a message that the sources do not have, and the number of all parts."""
    parts = [part.strip(" ;,") for part in VALUE.split(quotation)]
    parts = [part for part in parts if len(part) >= 4]
    return [part for part in parts if part not in source], len(parts)


def check(facts: Facts) -> Report:
    """Looks for each quoted message in Sources."""
    source = messages_of("\n".join(facts.needed_text(file) for file in facts.below("Sources", ".swift")))
    count, faults = 0, []
    for file, number, quotation in quotations(facts):
        missing, parts = missing_parts(quotation, source)
        count += parts
        faults += [f"{file}:{number}: no message in Sources contains: {part}" for part in missing]
    if not count:
        faults.append("no quoted message was found: the patterns of this check do not fit any more")
    return Report(faults, f"{count} quoted messages")
