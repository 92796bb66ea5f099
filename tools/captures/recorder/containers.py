# SPDX-License-Identifier: Apache-2.0
"""Formats in which other programs keep captures, from the public descriptions of the formats.

Times are nanoseconds after START. The accessory is the USB device ACCESSORY, or listens at 10.0.0.2:7000.
"""
from __future__ import annotations

import struct
from dataclasses import dataclass

START = 1_700_000_000  # seconds since the Unix epoch
USB, ACCESSORY = 1, 5  # bus and device
BULK, CONTROL, INTERRUPT = 3, 2, 1
PENDING = -115  # the status of a submission
BTSNOOP_EPOCH = 0x00DCDDB30F2F8000  # microseconds from the year 0 to the Unix epoch
FIN, SYN, PUSH, ACK = 1, 2, 8, 16

Records = list[tuple[int, bytes]]


def clock(time: int) -> tuple[int, int]:
    """Returns the seconds of the Unix epoch, and the nanoseconds in the last one."""
    seconds, rest = divmod(time, 1_000_000_000)
    return START + seconds, rest


# Files

def pcap(records: Records, link: int, order: str = "<", nano: bool = False) -> bytes:
    """Returns a pcap file."""
    data = struct.pack(order + "IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, 262144, link)
    for time, packet in records:
        seconds, rest = clock(time)
        data += struct.pack(order + "IIII", seconds, rest if nano else rest // 1000, len(packet), len(packet)) + packet
    return data


def pcapng(sections: list[tuple[int, int, Records]], order: str = "<") -> bytes:
    """Returns a pcapng file. Each section has a link type, the exponent of its resolution, and records."""
    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        return struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(order + "I", len(body) + 12)

    def option(code: int, value: bytes) -> bytes:
        return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)

    data = b""
    for link, exponent, records in sections:
        head = struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)
        data += block(0x0A0D0D0A, head + option(2, b"made by hand") + bytes(4))
        data += block(0x0BAD, b"a block nobody knows")
        data += block(1, struct.pack(order + "HHI", link, 0, 0) + option(9, bytes([exponent])) + bytes(4))
        for time, packet in records:
            ticks = (START * 1_000_000_000 + time) // 10 ** (9 - exponent)
            body = struct.pack(order + "IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(packet), len(packet))
            data += block(6, body + packet + bytes(-len(packet) % 4) + option(1, b"a comment") + bytes(4))
    return data


def btsnoop(link: int, records: list[tuple[int, int, bytes]], limit: int | None = None) -> bytes:
    """Returns a btsnoop file. The second value of a record is its flags; `limit` is the most bytes of a record."""
    data = b"btsnoop\0" + struct.pack(">II", 1, link)
    for time, flags, packet in records:
        micro = START * 1_000_000 + time // 1000 + BTSNOOP_EPOCH
        kept = packet[:limit]
        data += struct.pack(">IIIIq", len(packet), len(kept), flags, 0, micro) + kept
    return data


def packet_logger(records: list[tuple[int, int, bytes]], order: str) -> bytes:
    """Returns a file of Apple's PacketLogger. The second value of a record is its type."""
    data = b""
    for time, kind, packet in records:
        seconds, rest = clock(time)
        data += struct.pack(order + "III", len(packet) + 9, seconds, rest // 1000) + bytes([kind]) + packet
    return data


# USB

@dataclass(frozen=True)
class Transfer:
    """A transfer of USB. A control transfer has its set-up packet; `identifier` is the kernel's name for it."""

    time: int
    kind: int
    endpoint: int
    data: bytes
    setup: bytes = b""
    device: int = ACCESSORY
    status: int = 0
    identifier: int | None = None

    @property
    def is_inward(self) -> bool:
        """Whether the data go to the host."""
        return self.endpoint & 0x80 != 0


def usbmon(transfers: list[Transfer], header: int = 64, order: str = "<") -> Records:
    """Returns a submission and a completion for each transfer, the bytes on the one that has them."""
    records = []
    for one in transfers:
        for mark, present in (("S", not one.is_inward), ("C", one.is_inward)):
            shown = one.data if present else b""
            time = one.time + (100_000 if mark == "C" else 0)
            seconds, rest = clock(time)
            identifier = 0x1000 + time if one.identifier is None else one.identifier
            setup = one.setup if mark == "S" else b""
            text = struct.pack(
                order + "QBBBBHBBqiiII", identifier, ord(mark), one.kind, one.endpoint, one.device, USB,
                0 if setup else ord("-"), 0 if shown else ord("<"), seconds, rest // 1000,
                PENDING if mark == "S" else one.status, len(one.data), len(shown))
            text += setup or bytes(8)
            if header == 64:
                text += bytes(16)
            records.append((time, text + shown))
    return records


def usbpcap(transfers: list[Transfer]) -> Records:
    """Returns the records of USBPcap, the bytes on the one that has them."""
    def header(one: Transfer, info: int, count: int, stage: int | None = None) -> bytes:
        text = struct.pack("<HQIHBHHBBI", 27 if stage is None else 28, 0x2000 + one.time, 0, 9, info, USB, ACCESSORY,
                           one.endpoint, one.kind, count)
        return text + (b"" if stage is None else bytes([stage]))

    records = []
    for one in transfers:
        if one.kind == CONTROL:
            records.append((one.time, header(one, 0, 8, 0) + one.setup))
            records.append((one.time + 50_000, header(one, 1, len(one.data), 3) + one.data))
        elif one.is_inward:
            records.append((one.time, header(one, 0, 0)))
            records.append((one.time + 100_000, header(one, 1, len(one.data)) + one.data))
        else:
            records.append((one.time, header(one, 0, len(one.data)) + one.data))
            records.append((one.time + 100_000, header(one, 1, 0)))
    return records


# Bluetooth

def frame_check(data: bytes) -> bytes:
    """Returns RFCOMM's frame check sequence (ETSI TS 07.10, 5.2.1.6)."""
    value = 0xFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xE0 if value & 1 else 0)
    return bytes([0xFF - value])


def rfcomm_frame(address: int, control: int, payload: bytes, credits: bytes = b"") -> bytes:
    """Returns an RFCOMM frame. Only those with data (control EF and FF) have no length in their check sequence."""
    head, size = bytes([address, control]), len(payload)
    length = bytes([size << 1 | 1]) if size < 128 else bytes([size << 1 & 0xFE, size >> 7])
    checked = head if control in (0xEF, 0xFF) else head + length
    return head + length + credits + payload + frame_check(checked)


def l2cap(frame: bytes, channel: int = 0x0041) -> bytes:
    """Returns a packet of L2CAP."""
    return struct.pack("<HH", len(frame), channel) + frame


def acl(piece: bytes, flags: int) -> bytes:
    """Returns an ACL packet of HCI without its type byte."""
    return struct.pack("<HH", 0x002A | flags << 12, len(piece)) + piece


# TCP over IPv4

ENDS = {True: (b"\x0a\0\0\x02", 7000), False: (b"\x0a\0\0\x01", 51000)}


def ip_packet(from_accessory: bool, flags: int, sequence: int, acknowledgement: int, data: bytes = b"") -> bytes:
    """Returns an IP packet with a TCP segment."""
    source, target = ENDS[from_accessory], ENDS[not from_accessory]
    header = struct.pack(">HHIIBBHHH", source[1], target[1], sequence & 0xFFFFFFFF, acknowledgement & 0xFFFFFFFF,
                         5 << 4, flags, 65535, 0, 0)
    total = 20 + len(header) + len(data)
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, total, 0, 0x4000, 64, 6, 0, source[0], target[0]) + header + data
