# SPDX-License-Identifier: Apache-2.0
"""Reads Markdown as far as the checks need it: anchors, and text without code."""
from __future__ import annotations

import re

EXPLICIT_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def line_of(text: str, offset: int) -> int:
    """Returns the number of the line at an offset."""
    return text.count("\n", 0, offset) + 1


def without_code(text: str) -> str:
    """Blanks code blocks and code spans, and keeps every offset."""
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r"\s{0,3}(```+|~~~+)", line)
        if fence is not None or mark:
            if fence is None:
                fence = mark[1][:3]
            elif mark and mark[1].startswith(fence):
                fence = None
            line = " " * len(line)
        lines.append(line)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", lambda span: re.sub(r"[^\n]", " ", span[0]), "\n".join(lines))


def slug(heading: str) -> str:
    """Returns the anchor that GitHub makes of a heading."""
    heading = re.sub(r"<[^>]+>", "", heading)
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


class Page:
    """The anchors of a Markdown page."""

    def __init__(self, text: str):
        self.explicit: list[tuple[str, int]] = []  # anchor, line
        self.slugs: dict[str, int] = {}  # anchor: line
        plain = without_code(text).split("\n")
        for number, (line, original) in enumerate(zip(plain, text.split("\n")), 1):
            self.explicit += [(anchor, number) for anchor in EXPLICIT_ANCHOR.findall(line)]
            if heading := HEADING.match(original) if line.strip() else None:
                name, count = slug(heading[1]), 0
                while (name if not count else f"{name}-{count}") in self.slugs:
                    count += 1
                self.slugs[name if not count else f"{name}-{count}"] = number
        self.anchors = {anchor for anchor, _ in self.explicit} | set(self.slugs)
