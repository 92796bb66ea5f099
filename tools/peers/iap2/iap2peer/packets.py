# SPDX-License-Identifier: Apache-2.0
"""Bytes of the link layer: detect sequence, packets, checksums and the synchronization payload."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

DETECT = bytes.fromhex("ff550200ee10")
START = b"\xff\x5a"
HEADER_LENGTH = 9
MAX_PACKET = 65535

SYN, ACK, EAK, RST, SLP = 0x80, 0x40, 0x20, 0x10, 0x08

CONTROL, FILE_TRANSFER, EXTERNAL_ACCESSORY = 0, 1, 2
SESSION_TYPES = {CONTROL: "control", FILE_TRANSFER: "fileTransfer", EXTERNAL_ACCESSORY: "externalAccessory"}


class FormatError(ValueError):
    """Bytes that break the layout of the structure they are read as."""


def checksum(data: bytes) -> int:
    """Returns the byte that brings the sum of `data` to 0 modulo 256."""
    return -sum(data) & 0xFF


def forward_distance(newer: int, older: int) -> int:
    """Returns the number of steps from sequence number `older` to `newer`, 0 to 255."""
    return (newer - older) & 0xFF


@dataclass(frozen=True)
class Packet:
    """A link packet.

    `carries_checksum` is only needed for a packet of length 10: an empty payload with a payload checksum.
    """

    control: int
    sequence: int
    acknowledgement: int = 0
    session: int = 0
    payload: bytes = b""
    carries_checksum: bool = False

    def encode(self) -> bytes:
        """Returns the bytes of the packet, both checksums included."""
        has_payload = bool(self.payload) or self.carries_checksum
        length = HEADER_LENGTH + (len(self.payload) + 1 if has_payload else 0)
        if length > MAX_PACKET:
            raise FormatError(f"packet of {length} bytes, at most {MAX_PACKET} are possible")
        header = START + struct.pack(
            ">HBBBB", length, self.control, self.sequence, self.acknowledgement, self.session)
        data = header + bytes([checksum(header)])
        return data + self.payload + bytes([checksum(self.payload)]) if has_payload else data

    @staticmethod
    def decode(data: bytes) -> "Packet":
        """Reads exactly one packet, or raises `FormatError`."""
        if len(data) < HEADER_LENGTH or data[:2] != START:
            raise FormatError("no packet header")
        if checksum(data[:HEADER_LENGTH]):
            raise FormatError("wrong header checksum")
        length, control, sequence, acknowledgement, session = struct.unpack(">HBBBB", data[2:8])
        if length != len(data):
            raise FormatError(f"length field {length}, {len(data)} bytes")
        if length == HEADER_LENGTH:
            return Packet(control, sequence, acknowledgement, session)
        if checksum(data[HEADER_LENGTH:]):
            raise FormatError("wrong payload checksum")
        return Packet(control, sequence, acknowledgement, session, bytes(data[HEADER_LENGTH:-1]), True)

    @property
    def is_data(self) -> bool:
        """True for a packet that owns a sequence number on an established link."""
        return bool(self.payload) and not self.control & (SYN | EAK | RST)

    def __str__(self) -> str:
        names = [name for bit, name in ((SYN, "SYN"), (ACK, "ACK"), (EAK, "EAK"), (RST, "RST"), (SLP, "SLP"))
                 if self.control & bit]
        return (f"{'+'.join(names) or 'none'} sequence {self.sequence} acknowledgement {self.acknowledgement} "
                f"session {self.session}, {len(self.payload)} bytes")


@dataclass(frozen=True)
class Session:
    """A session of the synchronization payload."""

    id: int
    type: int
    version: int = 1


@dataclass(frozen=True)
class Synchronization:
    """The payload of SYN and SYN+ACK. Times are in milliseconds."""

    window: int = 32
    max_length: int = 4096
    retransmission_timeout: int = 2000
    acknowledgement_timeout: int = 22
    max_retransmissions: int = 30
    max_acknowledgements: int = 3
    sessions: tuple[Session, ...] = field(default_factory=lambda: (
        Session(1, CONTROL, 2), Session(2, FILE_TRANSFER, 2), Session(3, EXTERNAL_ACCESSORY, 1)))
    version: int = 1

    def encode(self) -> bytes:
        """Returns the payload's bytes."""
        fixed = struct.pack(">BBHHHBB", self.version, self.window, self.max_length, self.retransmission_timeout,
                            self.acknowledgement_timeout, self.max_retransmissions, self.max_acknowledgements)
        return fixed + b"".join(bytes([s.id, s.type, s.version]) for s in self.sessions)

    @staticmethod
    def decode(data: bytes) -> "Synchronization":
        """Reads a payload, or raises `FormatError`."""
        if len(data) < 10 or (len(data) - 10) % 3:
            raise FormatError(f"synchronization payload of {len(data)} bytes")
        version, window, max_length, retransmission, acknowledgement, retransmissions, acknowledgements = (
            struct.unpack(">BBHHHBB", data[:10]))
        sessions = tuple(Session(*data[i:i + 3]) for i in range(10, len(data), 3))
        return Synchronization(window, max_length, retransmission, acknowledgement, retransmissions,
                               acknowledgements, sessions, version)

    def session_id(self, session_type: int) -> int | None:
        """Returns the id of the first session of a type, or None."""
        return next((s.id for s in self.sessions if s.type == session_type), None)

    @property
    def is_zero_ack(self) -> bool:
        """True if this side offers the mode without retransmission."""
        return not (self.retransmission_timeout or self.acknowledgement_timeout
                    or self.max_retransmissions or self.max_acknowledgements)

    def with_values(self, **values: int) -> "Synchronization":
        """Returns a copy with other values."""
        return replace(self, **values)


@dataclass(frozen=True)
class Detect:
    """A detect sequence in the byte stream."""


@dataclass(frozen=True)
class Damaged:
    """A packet whose payload checksum is wrong, with all its bytes."""

    data: bytes


@dataclass(frozen=True)
class Skipped:
    """Bytes that belong to no packet and no detect sequence."""

    data: bytes


class StreamParser:
    """A parser that finds packets and detect sequences in a stream cut at any place.

    The buffer holds at most one incomplete packet, so at most `MAX_PACKET` bytes between two calls.
    """

    def __init__(self) -> None:
        self.buffer = bytearray()

    def feed(self, data: bytes) -> list[Packet | Detect | Damaged | Skipped]:
        """Returns everything that is complete with `data`, in stream order."""
        self.buffer += data
        items: list[Packet | Detect | Damaged | Skipped] = []
        position = skipped_from = 0
        while position < len(self.buffer):
            length = self._length_at(position)
            if length == 0:
                position += 1
                continue
            if length < 0:
                break
            if position > skipped_from:
                items.append(Skipped(bytes(self.buffer[skipped_from:position])))
            items.append(self._item(bytes(self.buffer[position:position + length])))
            position += length
            skipped_from = position
        if position > skipped_from:
            items.append(Skipped(bytes(self.buffer[skipped_from:position])))
        del self.buffer[:position]
        return items

    def _length_at(self, position: int) -> int:
        """Returns the length of the item at `position`; 0 if none begins there, -1 if more bytes are needed."""
        head = bytes(self.buffer[position:position + HEADER_LENGTH])
        if DETECT.startswith(head[:len(DETECT)]):
            return len(DETECT) if len(head) >= len(DETECT) else -1
        if not START.startswith(head[:2]):
            return 0
        if len(head) < HEADER_LENGTH:
            return -1
        length = head[2] << 8 | head[3]
        if checksum(head) or length < HEADER_LENGTH:
            return 0
        return length if len(self.buffer) - position >= length else -1

    @staticmethod
    def _item(data: bytes) -> Packet | Detect | Damaged:
        if data == DETECT:
            return Detect()
        try:
            return Packet.decode(data)
        except FormatError:
            return Damaged(data)
