# SPDX-License-Identifier: Apache-2.0
"""Frames of the encrypted channels: control, events and data stream (#frames)."""

from __future__ import annotations

from cryptography.exceptions import InvalidTag

from .keys import counter_nonce, open_sealed, seal
from .limits import Limits
from .problems import Problem

TAG = 16


class Sealer:
    """Seals plaintext into frames. Its counter starts at 0."""

    def __init__(self, key: bytes, limits: Limits = Limits()):
        self._key, self._limit, self.counter = key, limits.frame_send, 0

    def seal(self, plain: bytes) -> list[bytes]:
        """Returns one frame for each piece of at most `frame_send` bytes."""
        return [self.seal_one(plain[start:start + self._limit])
                for start in range(0, max(len(plain), 1), self._limit)]

    def seal_one(self, plain: bytes) -> bytes:
        """Returns a single frame. A frame of length 0 is legal and increments the counter."""
        length = len(plain).to_bytes(2, "little")
        sealed = seal(self._key, counter_nonce(self.counter), plain, length)
        self.counter += 1
        return length + sealed


class Opener:
    """Opens a stream of frames. It stores at most one incomplete frame."""

    def __init__(self, key: bytes, limits: Limits = Limits()):
        self._key, self._limit, self.counter = key, limits.frame_accept, 0
        self._pending = bytearray()

    @property
    def pending(self) -> int:
        """The number of bytes of the incomplete frame."""
        return len(self._pending)

    def feed(self, data: bytes) -> bytes:
        """Returns the plaintext of all complete frames. Raises `badFrame`; the opener is then unusable."""
        self._pending += data
        result, position = bytearray(), 0
        while len(self._pending) - position >= 2:
            head = bytes(self._pending[position:position + 2])
            length = int.from_bytes(head, "little")
            if length > self._limit:
                raise Problem("badFrame", f"a frame of {length} bytes")
            end = position + 2 + length + TAG
            if len(self._pending) < end:
                break
            try:
                result += open_sealed(self._key, counter_nonce(self.counter),
                                      bytes(self._pending[position + 2:end]), head)
            except InvalidTag:
                raise Problem("badFrame", f"frame {self.counter}") from None
            self.counter += 1
            position = end
        del self._pending[:position]
        return bytes(result)
