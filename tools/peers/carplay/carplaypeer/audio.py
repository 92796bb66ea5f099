# SPDX-License-Identifier: Apache-2.0
"""Audio packets over UDP in both directions (#audio-packet), their control packets, and buffered audio.

Buffered audio is #buffered-audio.
"""

from __future__ import annotations

import struct
from collections import OrderedDict, deque
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .keys import open_sealed, seal
from .limits import Limits
from .problems import Problem

HEADER, TAG, NONCE = 12, 16, 8
MAX_PAYLOAD = 1408  # [o], so that a packet of PCM fits one datagram
ASK_AGAIN = 16  # packets after which a retransmission counts as lost
SYNC, REQUEST, RESENT = 0x54, 0x55, 0x56  # without the marker bit


@dataclass(frozen=True)
class Format:
    """One bit of `audioFormat` (#audio-formats)."""

    bit: int
    codec: str
    rate: int
    channels: int
    bits: int = 16

    @property
    def name(self) -> str:
        """The name for events, such as `pcm/48000/16/2`."""
        return f"{self.codec}/{self.rate}/{self.bits}/{self.channels}"

    @property
    def frame_bytes(self) -> int:
        """The size of one PCM sample of all channels in bytes."""
        return self.channels * self.bits // 8


def _formats() -> dict[int, Format]:
    result = {}
    bit = 2
    for rate, depths in ((8000, (16,)), (16000, (16,)), (24000, (16,)), (32000, (16,)), (44100, (16, 24)),
                         (48000, (16, 24))):
        for depth in depths:
            for channels in (1, 2):
                result[bit] = Format(bit, "pcm", rate, channels, depth)
                bit += 1
    for bit, rate, depth in ((18, 44100, 16), (19, 44100, 24), (20, 48000, 16), (21, 48000, 24)):
        result[bit] = Format(bit, "alac", rate, 2, depth)
    for bit, codec, rate, channels in ((22, "aac-lc", 44100, 2), (23, "aac-lc", 48000, 2), (24, "aac-eld", 44100, 2),
                                       (25, "aac-eld", 48000, 2), (26, "aac-eld", 16000, 1), (27, "aac-eld", 24000, 1),
                                       (28, "opus", 16000, 1), (29, "opus", 24000, 1), (30, "opus", 48000, 1),
                                       (31, "aac-eld", 44100, 1), (32, "aac-eld", 48000, 1)):
        result[bit] = Format(bit, codec, rate, channels)
    return result


FORMATS = _formats()


def format_of(mask: int) -> Format:
    """Returns the format of a mask with exactly one bit. Raises `badPlist`."""
    bit = mask.bit_length() - 1
    if mask <= 0 or mask != 1 << bit or bit not in FORMATS:
        raise Problem("badPlist", f"audioFormat {mask:#x} is not one known bit")
    return FORMATS[bit]


class Crypto320:
    """ChaCha20-Poly1305 with the nonce in the packet."""

    overhead = TAG + NONCE

    def __init__(self, key: bytes):
        self._key, self._counter = key, 0

    def seal(self, header: bytes, payload: bytes) -> bytes:
        """Returns the bytes after the header."""
        nonce = self._counter.to_bytes(NONCE, "little")
        self._counter += 1
        return seal(self._key, bytes(4) + nonce, payload, header[4:]) + nonce

    def open(self, header: bytes, rest: bytes) -> bytes:
        """Returns the payload. Raises `ValueError`."""
        if len(rest) < self.overhead:
            raise ValueError("short")
        try:
            return open_sealed(self._key, bytes(4) + rest[-NONCE:], rest[:-NONCE], header[4:])
        except InvalidTag:
            raise ValueError("tag") from None

    @staticmethod
    def number(rest: bytes) -> int | None:
        """Returns the counter of the nonce."""
        return int.from_bytes(rest[-NONCE:], "little")


class CryptoOld:
    """Clear, or AES-128-CBC of whole blocks from `eiv` in every packet, as AirPlay 1 (#generation-old, unconfirmed)."""

    overhead = 0

    def __init__(self, session_key: bytes = b"", initial: bytes = b""):
        self._algorithm = algorithms.AES(session_key) if session_key else None
        self._initial = initial

    def _apply(self, data: bytes, encrypt: bool) -> bytes:
        if self._algorithm is None:
            return data
        cipher = Cipher(self._algorithm, modes.CBC(self._initial))
        context = cipher.encryptor() if encrypt else cipher.decryptor()
        whole = len(data) // 16 * 16
        return context.update(data[:whole]) + context.finalize() + data[whole:]

    def seal(self, _header: bytes, payload: bytes) -> bytes:
        """Returns the bytes after the header."""
        return self._apply(payload, encrypt=True)

    def open(self, _header: bytes, rest: bytes) -> bytes:
        """Returns the payload."""
        return self._apply(rest, encrypt=False)

    @staticmethod
    def number(_rest: bytes) -> int | None:
        """Returns None, because there is no nonce."""
        return None


class Sender:
    """Creates the packets of one stream and direction."""

    def __init__(self, kind: int, crypto: Crypto320 | CryptoOld, ssrc: int = 0, sequence: int = 0, timestamp: int = 0):
        self._kind, self._crypto, self._ssrc = kind, crypto, ssrc
        self.sequence, self.timestamp = sequence, timestamp

    def packet(self, payload: bytes, samples: int) -> bytes:
        """Returns the next packet. `samples` is its duration at the negotiated rate."""
        header = struct.pack(">BBHII", 0x80, self._kind, self.sequence, self.timestamp, self._ssrc)
        self.sequence = (self.sequence + 1) & 0xFFFF
        self.timestamp = (self.timestamp + samples) & 0xFFFF_FFFF
        return header + self._crypto.seal(header, payload)


@dataclass(frozen=True)
class Packet:
    """A received packet with a valid tag."""

    sequence: int
    timestamp: int
    payload: bytes


class Receiver:
    """Opens packets. An invalid one is dropped and counted, and the stream continues."""

    def __init__(self, crypto: Crypto320 | CryptoOld, limits: Limits = Limits()):
        self._crypto, self._window = crypto, limits.replay_window
        self._highest, self._seen = -1, 0
        self.received = 0
        self.dropped = {"malformed": 0, "tag": 0, "replay": 0}

    def open(self, data: bytes) -> Packet | None:
        """Returns the packet, or None after counting a drop."""
        if len(data) < HEADER + self._crypto.overhead or data[0] != 0x80:
            return self._drop("malformed")
        # The payload type is not compared: phones send another one than the stream's (#audio-packet).
        header, rest = data[:HEADER], data[HEADER:]
        number = self._crypto.number(rest)
        if number is not None and self._was_seen(number):
            return self._drop("replay")
        try:
            payload = self._crypto.open(header, rest)
        except ValueError:
            return self._drop("tag")
        if number is not None:
            self._remember(number)
        self.received += 1
        _, _, sequence, timestamp, _ = struct.unpack(">BBHII", header)
        return Packet(sequence, timestamp, payload)

    def _drop(self, reason: str) -> None:
        self.dropped[reason] += 1

    def _was_seen(self, number: int) -> bool:
        distance = self._highest - number
        return distance >= self._window or distance >= 0 and bool(self._seen >> distance & 1)

    def _remember(self, number: int) -> None:
        if number > self._highest:
            shift = min(number - self._highest, self._window)
            self._seen = (self._seen << shift | 1) & ((1 << self._window) - 1)
            self._highest = number
        else:
            self._seen |= 1 << (self._highest - number)


class Reorder:
    """Puts packets in order and finds the missing ones. It stores at most `reorder` packets."""

    def __init__(self, limits: Limits = Limits()):
        self._limit, self._resend = limits.reorder, limits.resend
        self._held: dict[int, Packet] = {}
        self._next: int | None = None
        self._asked: dict[int, int] = {}  # a missing sequence number → the packet count at its last request
        self._count = 0
        self.lost = 0

    def add(self, packet: Packet) -> list[Packet]:
        """Returns the packets that are now in order. A gap is given up when too many packets wait after it."""
        self._count += 1
        if self._next is None:
            self._next = packet.sequence
        ahead = (packet.sequence - self._next) & 0xFFFF
        if ahead >= 0x8000:
            return []  # late, or a duplicate
        self._held[packet.sequence] = packet
        result = self._take()
        while len(self._held) > self._limit or self._held and ahead > 2 * self._limit and not result:
            self.lost += 1
            self._skip()
            result += self._take()
        return result

    def _take(self) -> list[Packet]:
        result = []
        while self._next in self._held:
            self._asked.pop(self._next, None)
            result.append(self._held.pop(self._next))
            self._next = (self._next + 1) & 0xFFFF
        return result

    def _skip(self) -> None:
        self._asked.pop(self._next, None)
        self._next = min(self._held, key=lambda number: (number - self._next) & 0xFFFF)

    def flush(self) -> list[Packet]:
        """Returns all stored packets in order, at the end of a stream."""
        result = []
        while self._held:
            self.lost += 1
            self._skip()
            result += self._take()
        return result

    def missing(self) -> tuple[int, int] | None:
        """Returns first and count of a gap, at most `resend` packets.

        A sequence number is requested again after 16 packets.
        """
        if not self._held:
            return None
        first = self._next
        end = min(((number - first) & 0xFFFF) for number in self._held)
        wanted = [(first + step) & 0xFFFF for step in range(min(end, self._resend))]
        wanted = [number for number in wanted if self._count - self._asked.get(number, -ASK_AGAIN) >= ASK_AGAIN]
        if not wanted:
            return None
        self._asked.update((number, self._count) for number in wanted)
        return wanted[0], len(wanted)


class History:
    """The last packets of a sender, for retransmission."""

    def __init__(self, limits: Limits = Limits()):
        self._limit, self._resend = limits.resend_history, limits.resend
        self._packets: OrderedDict[int, bytes] = OrderedDict()

    def add(self, data: bytes) -> None:
        """Stores a packet."""
        self._packets[int.from_bytes(data[2:4], "big")] = data
        if len(self._packets) > self._limit:
            self._packets.popitem(last=False)

    def answers(self, request: bytes) -> list[bytes]:
        """Returns the answers to a retransmit request; an empty list for a malformed or too large request."""
        if len(request) != 8 or request[1] & 0x7F != REQUEST:
            return []
        first, count = struct.unpack(">HH", request[4:])
        if count > self._resend:
            return []
        numbers = [(first + step) & 0xFFFF for step in range(count)]
        return [bytes([0x80, 0x80 | RESENT]) + number.to_bytes(2, "big") + self._packets[number]
                for number in numbers if number in self._packets]


def sync_packet(now_heard: int, ntp: int, sent_next: int, first: bool) -> bytes:
    """Returns the 20 bytes that relate RTP time to the clock."""
    return struct.pack(">BBHIQI", 0x90 if first else 0x80, 0x80 | SYNC, 7, now_heard & 0xFFFF_FFFF, ntp,
                       sent_next & 0xFFFF_FFFF)


def read_sync(data: bytes) -> tuple[int, int, int] | None:
    """Returns RTP time heard now, NTP time and RTP time sent next; None for another packet."""
    if len(data) != 20 or data[1] & 0x7F != SYNC:
        return None
    return struct.unpack(">IQI", data[4:])


def resend_request(first: int, count: int) -> bytes:
    """Returns the 8 bytes that request a retransmission."""
    return struct.pack(">BBHHH", 0x80, 0x80 | REQUEST, 1, first, count)


def read_resent(data: bytes) -> bytes | None:
    """Returns the packet inside a retransmission; None for another packet."""
    return data[4:] if len(data) > 4 and data[1] & 0x7F == RESENT else None


def swap_bytes(pcm: bytes) -> bytes:
    """Changes 16-bit samples between the wire (big endian) and files (little endian)."""
    result = bytearray(pcm)
    result[0::2], result[1::2] = pcm[1::2], pcm[0::2]
    return bytes(result)


class BufferedFrames:
    """Frames of main buffered audio over TCP: u16 length, RTP header, sealed unit. The length includes itself."""

    def __init__(self, key: bytes, kind: int = 103, byte_order: str = "big"):
        # The byte order is AirPlay's [2 OA SP]; the observation of CarPlay does not state it.
        self._order = byte_order
        self._sender = Sender(kind, Crypto320(key))
        self._receiver = Receiver(Crypto320(key))
        self._pending = bytearray()

    def encode(self, unit: bytes, samples: int = 1024) -> bytes:
        """Returns the next frame."""
        packet = self._sender.packet(unit, samples)
        return (len(packet) + 2).to_bytes(2, self._order) + packet

    def feed(self, data: bytes) -> list[Packet]:
        """Returns the complete frames. Raises `badBuffered`, because a TCP stream cannot damage a frame."""
        self._pending += data
        result: deque[Packet] = deque()
        while len(self._pending) >= 2:
            length = int.from_bytes(self._pending[:2], self._order)
            if length < 2 + HEADER + TAG + NONCE:
                raise Problem("badBuffered", f"a frame of {length} bytes")
            if len(self._pending) < length:
                break
            packet = self._receiver.open(bytes(self._pending[2:length]))
            del self._pending[:length]
            if packet is None:
                raise Problem("badBuffered", "a frame that does not open")
            result.append(packet)
        return list(result)
