# SPDX-License-Identifier: Apache-2.0
"""Clock packets over UDP and the estimate of the peer's clock (#clock). Times are NTP 32.32 and opaque to the peer."""

from __future__ import annotations

import struct
from collections import deque

REQUEST, RESPONSE = 0xD2, 0xD3
LAYOUT = struct.Struct(">BBHIQQQ")
MASK = 0xFFFF_FFFF_FFFF_FFFF
EPOCH = 2_208_988_800  # from 1900 to 1970, in seconds


def ntp(seconds: float) -> int:
    """Converts seconds to NTP 32.32."""
    return int(seconds * 4_294_967_296) & MASK


def stamp(seconds: float) -> int:
    """Converts seconds since the start of this machine to the time of a clock packet, which counts from 1900."""
    return (ntp(seconds) + (EPOCH << 32)) & MASK


def seconds(value: int) -> float:
    """Converts NTP 32.32 to seconds."""
    return value / 4_294_967_296


def request(sent: int) -> bytes:
    """Returns a request. Its reference and received times may be zero."""
    return LAYOUT.pack(0x80, REQUEST, 7, 0, 0, 0, sent)


def response(asked: bytes, received: int, sent: int) -> bytes | None:
    """Returns the answer to a request; None if it is not one."""
    if len(asked) != LAYOUT.size or asked[0] != 0x80 or asked[1] != REQUEST:
        return None
    return LAYOUT.pack(0x80, RESPONSE, 7, 0, LAYOUT.unpack(asked)[6], received, sent)


def read_response(data: bytes) -> tuple[int, int, int] | None:
    """Returns reference, received and sent; None if it is not a response."""
    if len(data) != LAYOUT.size or data[0] != 0x80 or data[1] != RESPONSE:
        return None
    return LAYOUT.unpack(data)[4:]


def _signed(value: int) -> int:
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Estimate:
    """The peer's clock minus the own clock. Of the last 8 samples, the one with the least delay counts [1 L]."""

    def __init__(self, step: float = 0.128, slew: float = 0.125):
        self._step, self._slew = ntp(step), slew
        self._samples: deque[tuple[int, int]] = deque(maxlen=8)
        self.offset: int | None = None

    def add(self, t1: int, t2: int, t3: int, t4: int) -> None:
        """Adds a sample: request sent, received, answer sent, received. A negative delay is ignored."""
        delay = _signed(_signed(t4 - t1) - _signed(t3 - t2))
        if delay < 0:
            return
        self._samples.append((delay, (_signed(t2 - t1) + _signed(t3 - t4)) // 2))
        best = min(self._samples)[1]
        if self.offset is None or abs(best - self.offset) > self._step:
            self.offset = best
        else:
            self.offset += int((best - self.offset) * self._slew)

    def to_peer(self, own: int) -> int:
        """Converts an own time to the peer's clock."""
        return (own + (self.offset or 0)) & MASK
