# SPDX-License-Identifier: Apache-2.0
"""Binary plist bodies (#property-lists).

`plistlib` reads them after a check without recursion has limited its work.
"""

from __future__ import annotations

import plistlib
from typing import Any

from .limits import Limits
from .problems import Problem

MAGIC = b"bplist00"
TRAILER = 32


def encode(value: Any) -> bytes:
    """Returns a binary plist. Keys keep their order."""
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)


def decode(data: bytes, limits: Limits = Limits()) -> Any:
    """Returns the value. Raises `badPlist`."""
    _Check(data, limits).run()
    try:
        return _whole(plistlib.loads(data, fmt=plistlib.FMT_BINARY))
    except Exception as error:  # plistlib raises many kinds of errors for a malformed object
        raise Problem("badPlist", type(error).__name__) from None


def _whole(value: Any) -> Any:
    """Returns the value with real numbers without a fraction as integers: some senders write all as reals."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return value


def decode_dictionary(data: bytes, limits: Limits = Limits()) -> dict[str, Any]:
    """Returns the root dictionary. Raises `badPlist`."""
    value = decode(data, limits)
    if not isinstance(value, dict):
        raise Problem("badPlist", "the root is not a dictionary")
    return value


class _Check:
    """Walks from the root, counts depth and objects after expansion, and rejects references outside of the table."""

    def __init__(self, data: bytes, limits: Limits):
        if len(data) > limits.body or len(data) < len(MAGIC) + TRAILER or not data.startswith(MAGIC):
            raise Problem("badPlist", "not bplist00 within the limit")
        self._data, self._limits = data, limits
        trailer = data[-TRAILER:]
        self._offset_size, self._reference_size = trailer[6], trailer[7]
        self._count, self._root, self._table = (int.from_bytes(trailer[at:at + 8], "big") for at in (8, 16, 24))
        self._end = len(data) - TRAILER
        if not (1 <= self._offset_size <= 8 and 1 <= self._reference_size <= 8):
            raise Problem("badPlist", "sizes in the trailer")
        if (self._table < len(MAGIC) or self._table > self._end
                or self._count * self._offset_size > self._end - self._table):
            raise Problem("badPlist", "an offset table that does not fit")

    def run(self) -> None:
        budget = self._limits.plist_objects
        pending = [(self._root, 1)]
        while pending:
            reference, depth = pending.pop()
            budget -= 1
            if budget < 0:
                raise Problem("badPlist", f"more than {self._limits.plist_objects} objects")
            children = self._children(reference, budget - len(pending))
            if children is None:
                continue
            if depth > self._limits.plist_depth:
                raise Problem("badPlist", f"deeper than {self._limits.plist_depth}")
            pending.extend((child, depth + 1) for child in children)

    def _children(self, reference: int, budget: int) -> list[int] | None:
        """Returns the references of a container, None for another object."""
        if reference >= self._count:
            raise Problem("badPlist", "a reference out of the table")
        at = self._table + reference * self._offset_size
        position = int.from_bytes(self._data[at:at + self._offset_size], "big")
        if not len(MAGIC) <= position < self._table:
            raise Problem("badPlist", "an offset out of the objects")
        kind = self._data[position] >> 4
        if kind not in (0xA, 0xD):
            return None
        length, position = self._length(position)
        total = length * (2 if kind == 0xD else 1)
        if total > budget:
            raise Problem("badPlist", f"more than {self._limits.plist_objects} objects")
        if position + total * self._reference_size > self._table:
            raise Problem("badPlist", "a container that does not fit")
        children = [int.from_bytes(self._data[start:start + self._reference_size], "big")
                    for start in range(position, position + total * self._reference_size, self._reference_size)]
        if kind == 0xD:
            for key in children[:length]:
                self._require_string(key)
        return children

    def _length(self, position: int) -> tuple[int, int]:
        nibble = self._data[position] & 0xF
        if nibble != 0xF:
            return nibble, position + 1
        marker = self._data[position + 1]
        size = 1 << (marker & 0xF)
        if marker >> 4 != 1 or size > 8 or position + 2 + size > self._table:
            raise Problem("badPlist", "a malformed count")
        return int.from_bytes(self._data[position + 2:position + 2 + size], "big"), position + 2 + size

    def _require_string(self, reference: int) -> None:
        if reference >= self._count:
            raise Problem("badPlist", "a reference out of the table")
        at = self._table + reference * self._offset_size
        position = int.from_bytes(self._data[at:at + self._offset_size], "big")
        if not len(MAGIC) <= position < self._table or self._data[position] >> 4 not in (0x5, 0x6):
            raise Problem("badPlist", "a key that is not a string")
