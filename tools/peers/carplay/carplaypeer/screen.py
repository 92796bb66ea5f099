# SPDX-License-Identifier: Apache-2.0
"""Messages of the screen stream (#screen-header): header, configuration records, sealed frames, Annex B files."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .keys import counter_nonce, old_screen_key, open_sealed, seal
from .limits import Limits
from .problems import Problem

HEADER = 128
FRAME, CONFIG, HEARTBEAT, FORCE_KEY_FRAME, IGNORE, STATISTICS = range(6)
KEY_FRAME = 0x10
FLAGS_H264, FLAGS_HEVC, FLAG_SLEEP = 0x0116, 0x011E, 0x0040
ENTRIES = {b"avcC": b"avc1", b"hvcC": b"hvc1"}


@dataclass(frozen=True)
class Header:
    """The 128 bytes before each message. `timestamp` is NTP 32.32 of the sender's uptime."""

    size: int
    kind: int
    key_frame: int = 0
    flags: int = 0
    timestamp: int = 0
    source: tuple[float, float] = (0, 0)
    origin: tuple[float, float] = (0, 0)
    picture: tuple[float, float] = (0, 0)

    def encode(self) -> bytes:
        """Returns the bytes."""
        return (struct.pack("<IBBHQ2f", self.size, self.kind, self.key_frame, self.flags, self.timestamp, *self.source)
                + bytes(16) + struct.pack("<6f", *self.source, *self.origin, *self.picture)).ljust(HEADER, b"\0")

    @staticmethod
    def decode(data: bytes) -> Header:
        """Reads 128 bytes."""
        size, kind, key_frame, flags, timestamp, width, height = struct.unpack_from("<IBBHQ2f", data)
        values = struct.unpack_from("<4f", data, 48)
        return Header(size, kind, key_frame, flags, timestamp, (width, height), values[:2], values[2:])


class Cipher320:
    """ChaCha20-Poly1305 over a frame, with the header as associated data and a counter of frames."""

    tag = 16

    def __init__(self, key: bytes):
        self._key, self.counter = key, 0

    def seal(self, header: bytes, body: bytes) -> bytes:
        """Seals the next frame."""
        self.counter += 1
        return seal(self._key, counter_nonce(self.counter - 1), body, header)

    def open(self, header: bytes, body: bytes) -> bytes:
        """Opens the next frame. Raises `badScreen`."""
        try:
            plain = open_sealed(self._key, counter_nonce(self.counter), body, header)
        except InvalidTag:
            raise Problem("badScreen", f"the tag of frame {self.counter} is wrong") from None
        self.counter += 1
        return plain


class CipherOld:
    """AES-128-CTR that continues across frames, without a tag (#generation-old)."""

    tag = 0

    def __init__(self, session_key: bytes, stream_id: int):
        key, initial = old_screen_key(session_key, stream_id)
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(initial)).encryptor()

    def seal(self, _header: bytes, body: bytes) -> bytes:
        """Encrypts the next frame."""
        return self._cipher.update(body)

    open = seal


@dataclass(frozen=True)
class Config:
    """A configuration record without its box."""

    record: bytes
    codec: str  # "h264" or "hevc"
    length_size: int
    parameter_sets: tuple[bytes, ...]

    def is_key(self, unit: bytes) -> bool:
        """Returns whether a NAL unit belongs to an IDR picture."""
        if not unit:
            return False
        return unit[0] & 0x1F == 5 if self.codec == "h264" else 16 <= unit[0] >> 1 & 0x3F <= 21


def read_config(body: bytes, flags: int) -> Config:
    """Finds the record in a config body (#video-configuration): bare, in its box, or in a sample entry.

    Raises `badScreen`.
    """
    for letters in ENTRIES:
        at = body.find(letters)
        if at < 0:
            continue
        size = int.from_bytes(body[at - 4:at], "big") if at >= 4 else 0
        if size < 8 or at - 4 + size > len(body):
            raise Problem("badScreen", "a box of the configuration does not fit")
        return _read_record(body[at + 4:at - 4 + size], "h264" if letters == b"avcC" else "hevc")
    return _read_record(body, "hevc" if flags & ~FLAG_SLEEP == FLAGS_HEVC else "h264")


def _read_record(record: bytes, codec: str) -> Config:
    reader = _Reader(record)
    sets: list[bytes] = []
    if codec == "h264":
        head = reader.take(6)
        length_size, counts = (head[4] & 3) + 1, [head[5] & 0x1F]
        sets += [reader.counted() for _ in range(counts[0])]
        sets += [reader.counted() for _ in range(reader.take(1)[0])]
    else:
        head = reader.take(23)
        length_size = (head[21] & 3) + 1
        for _ in range(head[22]):
            reader.take(1)
            sets += [reader.counted() for _ in range(int.from_bytes(reader.take(2), "big"))]
    if head[0] != 1 or length_size == 3 or not sets:
        raise Problem("badScreen", "a malformed configuration record")
    return Config(record, codec, length_size, tuple(sets))


class _Reader:
    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        piece = self._data[self._at:self._at + count]
        if len(piece) < count:
            raise Problem("badScreen", "a configuration record is too short")
        self._at += count
        return piece

    def counted(self) -> bytes:
        return self.take(int.from_bytes(self.take(2), "big"))


def make_record(sps: bytes, pps: bytes) -> bytes:
    """Returns an avcC record with units of 4-byte lengths."""
    return (b"\1" + sps[1:4] + b"\xff\xe1" + len(sps).to_bytes(2, "big") + sps
            + b"\1" + len(pps).to_bytes(2, "big") + pps)


def wrap_record(record: bytes, form: str, codec: str = "h264") -> bytes:
    """Returns a config body: `bare`, `box`, or `entry`, which has `colr` after the record as on iPhones."""
    if form == "bare":
        return record
    letters = b"avcC" if codec == "h264" else b"hvcC"
    box = (len(record) + 8).to_bytes(4, "big") + letters + record
    if form == "box":
        return box
    colr = (19).to_bytes(4, "big") + b"colrnclx" + bytes.fromhex("00010001000100")
    entry = bytes(6) + b"\0\1" + bytes(70) + box + colr
    return (len(entry) + 8).to_bytes(4, "big") + ENTRIES[letters] + entry


def split_units(body: bytes, length_size: int = 4) -> list[bytes]:
    """Splits a frame body into NAL units. Raises `badScreen` for a unit longer than its body."""
    units, at = [], 0
    while at < len(body):
        length = int.from_bytes(body[at:at + length_size], "big")
        unit = body[at + length_size:at + length_size + length]
        if at + length_size > len(body) or len(unit) < length:
            raise Problem("badScreen", "a unit is longer than its body")
        units.append(unit)
        at += length_size + length
    return units


def join_units(units: list[bytes]) -> bytes:
    """Returns a frame body with 4-byte lengths."""
    return b"".join(len(unit).to_bytes(4, "big") + unit for unit in units)


def annex_b(units) -> bytes:
    """Returns the units with start codes."""
    return b"".join(b"\0\0\0\1" + unit for unit in units)


@dataclass(frozen=True)
class Picture:
    """One access unit of a file and the parameter sets that are valid for it."""

    sps: bytes
    pps: bytes
    units: tuple[bytes, ...]

    @property
    def is_key(self) -> bool:
        """Whether the picture is an IDR."""
        return any(unit[0] & 0x1F == 5 for unit in self.units)


def read_annex_b(data: bytes) -> Iterator[Picture]:
    """Yields the pictures of an H.264 file. Parameter sets and delimiters are not part of their units."""
    sps = pps = b""
    units: list[bytes] = []
    has_slice = False
    for unit in _units_of(data):
        kind = unit[0] & 0x1F
        # first_mb_in_slice is ue(v): 0 is the single bit 1, the first bit after the type.
        begins = kind in (6, 7, 8, 9) or kind in (1, 5) and len(unit) > 1 and unit[1] & 0x80
        if has_slice and begins:
            yield Picture(sps, pps, tuple(units))
            units, has_slice = [], False
        if kind == 7:
            sps = unit
        elif kind == 8:
            pps = unit
        elif kind != 9:
            units.append(unit)
            has_slice = has_slice or kind in (1, 5)
    if has_slice:
        yield Picture(sps, pps, tuple(units))


def _units_of(data: bytes) -> Iterator[bytes]:
    start = data.find(b"\0\0\1")
    while start >= 0:
        end = data.find(b"\0\0\1", start + 3)
        unit = data[start + 3:end if end >= 0 else len(data)]
        unit = unit.rstrip(b"\0") if end >= 0 else unit
        if unit:
            yield unit
        start = end


class Parser:
    """Reads the messages of one stream, with limited memory. It stores at most one message."""

    def __init__(self, cipher: Cipher320 | CipherOld, limits: Limits = Limits()):
        self._cipher, self._limits = cipher, limits
        self._pending = bytearray()
        self.config: Config | None = None
        self.frames = 0

    @property
    def pending(self) -> int:
        """The number of bytes that are not yet a message."""
        return len(self._pending)

    def feed(self, data: bytes) -> None:
        """Adds bytes of the peer."""
        self._pending += data

    def next(self) -> tuple[Header, bytes | Config | list[bytes]] | None:
        """Returns the next message: units of a frame, a config, or the body of another type. Raises `badScreen`."""
        if len(self._pending) < HEADER:
            return None
        raw = bytes(self._pending[:HEADER])
        header = Header.decode(raw)
        if header.size > self._limits.screen_body:
            raise Problem("badScreen", f"a body of {header.size} bytes")
        if len(self._pending) < HEADER + header.size:
            return None
        body = bytes(self._pending[HEADER:HEADER + header.size])
        del self._pending[:HEADER + header.size]
        if header.kind == CONFIG:
            self.config = read_config(body, header.flags)
            return header, self.config
        if header.kind != FRAME:
            return header, body
        if self.config is None:
            raise Problem("badScreen", "a frame before the first configuration")
        units = split_units(self._cipher.open(raw, body), self.config.length_size)
        self.frames += 1
        return header, units


class Writer:
    """Creates the messages of one stream."""

    def __init__(self, cipher: Cipher320 | CipherOld, size: tuple[int, int], form: str = "bare",
                 join: Callable[[list[bytes]], bytes] = join_units):
        self._cipher, self._form, self._join = cipher, form, join
        self._size = (float(size[0]), float(size[1]))

    def config(self, record: bytes, timestamp: int, codec: str = "h264") -> bytes:
        """Returns a config message; its body is clear."""
        body = wrap_record(record, self._form, codec)
        flags = FLAGS_H264 if codec == "h264" else FLAGS_HEVC
        header = Header(len(body), CONFIG, 0, flags, timestamp, self._size, (0, 0), self._size)
        return header.encode() + body

    def frame(self, units: list[bytes], timestamp: int, key_frame: bool) -> bytes:
        """Returns a sealed frame. Each call uses one counter value, so a dropped frame must not be sealed."""
        body = self._join(units)
        header = Header(len(body) + self._cipher.tag, FRAME, KEY_FRAME if key_frame else 0, 0, timestamp).encode()
        return header + self._cipher.seal(header, body)

    def other(self, kind: int, body: bytes = b"", timestamp: int = 0) -> bytes:
        """Returns a message of another type; its body is clear."""
        return Header(len(body), kind, 0, 0, timestamp).encode() + body
