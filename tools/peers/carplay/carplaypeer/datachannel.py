# SPDX-License-Identifier: Apache-2.0
"""Packages of the data stream, type 130 (#data-package), inside the frames of #frames."""

from __future__ import annotations

import struct

from .limits import Limits
from .problems import Problem

IAP2_CLIENT = "E9459FD0-BCAD-4C45-820F-1E72447EF2F2"  # [1 L]
HEADER = struct.Struct(">I12s4sQI")
SYNC, REPLY, COMMAND = b"sync", b"rply", b"comm"


def package(kind: bytes, sequence: int, body: bytes = b"", command: bytes = COMMAND) -> bytes:
    """Returns a package with its 32-byte header. The size includes the header."""
    return HEADER.pack(HEADER.size + len(body), kind, command, sequence, 0) + body


class Parser:
    """Splits the plaintext of the stream into packages. It stores at most one."""

    def __init__(self, limits: Limits = Limits()):
        self._limit, self._pending = limits.data_package, bytearray()

    def feed(self, data: bytes) -> list[tuple[bytes, int, bytes]]:
        """Returns type, sequence and body of each complete package. Raises `badData`."""
        self._pending += data
        result = []
        while len(self._pending) >= HEADER.size:
            size, kind, _command, sequence, _zero = HEADER.unpack_from(self._pending)
            kind = kind.rstrip(b"\0")
            if not HEADER.size <= size <= self._limit:
                raise Problem("badData", f"a package of {size} bytes, type {kind[:4]!r}")
            if len(self._pending) < size:
                break
            result.append((kind, sequence, bytes(self._pending[HEADER.size:size])))
            del self._pending[:size]
        return result
