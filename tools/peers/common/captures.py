# SPDX-License-Identifier: Apache-2.0
"""Reads captures in the text form of captures/README.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

ACCESSORY, DEVICE = "A>D", "D>A"


def text_records(lines: Iterable[str]) -> Iterator[tuple[float, str, bytes]]:
    """Yields each record: the time in seconds (0 if the line has none), the direction, and the bytes."""
    for line in lines:
        words = line.partition("#")[0].split()
        if not words:
            continue
        seconds = 0.0 if words[0] in (ACCESSORY, DEVICE) else float(words.pop(0))
        yield seconds, words[0], bytes.fromhex("".join(words[1:]))


def read_text(path: str | Path) -> list[tuple[float, str, bytes]]:
    """Returns the records of a file."""
    return list(text_records(Path(path).read_text(encoding="utf-8").splitlines()))
