# SPDX-License-Identifier: Apache-2.0
"""captures/formats: the session of captures/synthetic/worked-session.txt as other programs' captures of it."""
from __future__ import annotations

import struct

from common.captures import ACCESSORY, read_text

from . import ROOT
from .containers import (ACK, BULK, CONTROL, INTERRUPT, PUSH, SYN, Records, Transfer, acl, btsnoop, ip_packet, l2cap,
                         packet_logger, pcap, pcapng, rfcomm_frame, usbmon, usbpcap)

Session = list[tuple[int, bool, bytes]]  # nanoseconds, whether the accessory sends, bytes

DESCRIPTOR = bytes.fromhex(
    "090229000201008032" "09040000 02ff f00000".replace(" ", "") + "0705820200020007050202000200" "0904010000fff00100")
REPORTS_IN = {1: 5, 2: 9, 3: 13, 4: 17, 5: 25, 6: 49, 7: 95, 8: 193, 9: 257, 10: 385, 11: 513, 12: 767}
REPORTS_OUT = {13: 5, 14: 9, 15: 13, 16: 17, 17: 25, 18: 49, 19: 95, 20: 193, 21: 255}


def session() -> Session:
    """Returns the records of the session, ten milliseconds apart."""
    records = read_text(ROOT / "captures/synthetic/worked-session.txt")
    return [(index * 10_000_000, direction == ACCESSORY, data) for index, (_, direction, data) in enumerate(records)]


# USB

def bulk(records: Session) -> list[Transfer]:
    """Accessory to host on 82, host to accessory on 02; every second packet over two transfers."""
    out: list[Transfer] = []
    for time, from_accessory, data in records:
        endpoint = 0x82 if from_accessory else 0x02
        parts = [data] if len(out) % 2 else [data[:7], data[7:]]
        out += [Transfer(time + n * 200_000, BULK, endpoint, part) for n, part in enumerate(parts) if part]
    return out


def descriptors() -> list[Transfer]:
    """The question for the configuration, and its answer."""
    setup = struct.pack("<BBHHH", 0x80, 6, 0x200, 0, len(DESCRIPTOR))
    return [Transfer(0, CONTROL, 0x80, DESCRIPTOR, setup)]


def storage(records: Session) -> list[Transfer]:
    """Another device's bulk transfers between the others."""
    return [Transfer(time + 50_000, BULK, 0x81, b"USBS" + bytes(9), device=9) for time, _, _ in records]


def reports(records: Session, largest: int = 49) -> list[Transfer]:
    """HID reports of a phone in device mode: the accessory is the host. Reports no larger than `largest`."""
    out = []
    for time, from_accessory, data in records:
        table = {number: count for number, count in (REPORTS_OUT if from_accessory else REPORTS_IN).items()
                 if count <= largest}
        rest, first, part = data, True, 0
        while rest:
            fitting = [number for number, count in table.items() if count - 1 >= len(rest)]
            number = min(fitting) if fitting else max(table)
            room = table[number] - 1
            control = (0 if first else 1) | (2 if len(rest) > room else 0)
            report = bytes([number, control]) + rest[:room] + bytes(max(0, room - len(rest)))
            setup = struct.pack("<BBHHH", 0x21, 9, 0x200 | number, 2, len(report))
            when = time + part * 200_000
            out.append(Transfer(when, CONTROL, 0x00, report, setup) if from_accessory
                       else Transfer(when, INTERRUPT, 0x83, report))
            rest, first, part = rest[room:], False, part + 1
    return out


# Bluetooth: the phone logs, so what the device sends is "sent".

def rfcomm(records: Session) -> list[tuple[int, bool, bytes]]:
    """Returns nanoseconds, sent, and the ACL packet without its type byte. Long packets are in two pieces."""
    out = []
    for index, (time, from_accessory, data) in enumerate(records):
        address = 3 << 3 | (1 if from_accessory else 3)
        has_credits = index % 3 == 0
        frame = rfcomm_frame(address, 0xFF if has_credits else 0xEF, data, b"\x05" if has_credits else b"")
        packet, sent = l2cap(frame), not from_accessory
        pieces = [packet] if len(packet) < 30 else [packet[:20], packet[20:]]
        for number, piece in enumerate(pieces):
            flags = (0 if sent else 2) if number == 0 else 1
            out.append((time + number * 1000, sent, acl(piece, flags)))
        # What else is on the air.
        out.append((time + 5000, False, bytes.fromhex("2a20") + struct.pack("<HHH", 8, 4, 0x0004) + bytes(4)))
    return out


# TCP

def tcp(records: Session, wrap: int = 0xFFFFFF00) -> Records:
    """Returns nanoseconds and IP packets: the handshake, then segments; some twice, some out of turn."""
    sequence = {True: wrap, False: 1000}
    # What each end has of the other, which is all that was sent before.
    received = {True: 1000, False: wrap}

    def packet(from_accessory: bool, flags: int, at: int, data: bytes) -> bytes:
        return ip_packet(from_accessory, flags, at, received[from_accessory], data)

    out = [(0, packet(False, SYN, 999, b"")), (1000, packet(True, SYN | ACK, wrap - 1, b""))]
    for index, (time, from_accessory, data) in enumerate(records):
        at = sequence[from_accessory]
        sequence[from_accessory] += len(data)
        whole = [(at, data)] if len(data) < 12 else [(at, data[:5]), (at + 5, data[5:])]
        if index % 4 == 2 and len(whole) == 2:
            whole.reverse()
        if index % 5 == 3:
            whole.append(whole[0])
        out += [(time + 2000 + n * 1000, packet(from_accessory, PUSH | ACK, place, part))
                for n, (place, part) in enumerate(whole)]
        received[not from_accessory] = sequence[from_accessory]
    return out


# Text

def arrows(records: Session) -> bytes:
    """A dump with a time and an arrow a line."""
    return "".join(f"[{time / 1e9:.3f}] {'<-' if from_accessory else '->'} {data.hex(' ').upper()}\n"
                   for time, from_accessory, data in records).encode()


def log(records: Session) -> bytes:
    """A log with the time of day, a length and groups of four bytes."""
    lines = []
    for time, from_accessory, data in records:
        seconds = time / 1e9
        clock = f"2023-11-14 22:13:{20 + int(seconds):02d}.{int(seconds % 1 * 1e6):06d}"
        grouped = data.hex() if len(data) % 4 else data.hex(" ", -4)
        lines.append(f"{clock} iap: {'RX' if from_accessory else 'TX'} len={len(data)} <{grouped}>\n")
    return "".join(lines).encode()


def hexdump(records: Session) -> bytes:
    """A dump with sixteen bytes a line, as numbers and as text."""
    lines = []
    for _, from_accessory, data in records:
        lines.append(f"{'RX' if from_accessory else 'TX'}:")
        for start in range(0, len(data), 16):
            row = data[start:start + 16]
            text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
            lines.append(f"{start:08x}  {row.hex(' '):<48} |{text}|")
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def usb_files(records: Session) -> dict[str, bytes]:
    """The captures of USB."""
    both = sorted(usbmon(descriptors() + bulk(records)) + usbmon(storage(records)))
    return {
        "usbmon.pcap": pcap(usbmon(bulk(records), 48), 189),
        "usbmon-big-endian.pcap": pcap(usbmon(bulk(records), 48, ">"), 189, ">", nano=True),
        "usbmon.pcapng": pcapng([(220, 6, both)]),
        "usbmon-reports.pcap": pcap(usbmon(reports(records)), 220, nano=True),
        "usbpcap.pcapng": pcapng([(249, 9, usbpcap(descriptors() + bulk(records)))], ">"),
    }


def bluetooth_files(records: Session) -> dict[str, bytes]:
    """The captures of Bluetooth."""
    packets = rfcomm(records)

    def flagged(sent_flag: int, other: int, head: bytes = b"") -> list[tuple[int, int, bytes]]:
        return [(time, sent_flag if sent else other, head + packet) for time, sent, packet in packets]

    return {
        "rfcomm-h4.pcap": pcap([(time, b"\x02" + packet) for time, _, packet in packets], 187),
        "rfcomm-h4-direction.pcap": pcap(
            [(time, struct.pack(">I", flag) + packet) for time, flag, packet in flagged(0, 1, b"\x02")], 201),
        "rfcomm-monitor.pcap": pcap(
            [(time, struct.pack(">HH", 0, flag) + packet) for time, flag, packet in flagged(4, 5)], 254, ">"),
        "rfcomm-h4.btsnoop": btsnoop(1002, flagged(0, 1, b"\x02")),
        "rfcomm-h1.btsnoop": btsnoop(1001, flagged(0, 1)),
        "rfcomm-monitor.btsnoop": btsnoop(2001, [(0, 10, bytes(8))] + flagged(4, 5)),
        "rfcomm.pklg": packet_logger([(0, 0xFC, b"a note")] + flagged(2, 3), ">"),
        "rfcomm-little-endian.pklg": packet_logger(flagged(2, 3), "<"),
    }


def tcp_files(records: Session) -> dict[str, bytes]:
    """The captures of TCP."""
    packets = tcp(records)

    def behind(head: bytes) -> Records:
        return [(time, head + packet) for time, packet in packets]

    ethernet = behind(bytes(12) + b"\x08\x00")
    return {
        "tcp-ethernet.pcap": pcap(ethernet, 1),
        "tcp-vlan.pcapng": pcapng([(1, 9, behind(bytes(12) + b"\x81\x00\x00\x05\x08\x00"))]),
        "tcp-cooked.pcap": pcap(behind(bytes(14) + b"\x08\x00"), 113),
        "tcp-cooked2.pcap": pcap(behind(b"\x08\x00" + bytes(18)), 276),
        "tcp-raw.pcap": pcap(packets, 101),
        "tcp-loopback.pcap": pcap(behind(struct.pack("<I", 2)), 0),
        "two-sections.pcapng": pcapng([(1, 6, ethernet[:9]), (101, 9, packets[9:])]),
    }


def files(_: str) -> dict[str, bytes]:
    """Returns the content of each capture."""
    records = session()
    made = usb_files(records) | bluetooth_files(records) | tcp_files(records) | {
        "dump-arrows.txt": arrows(records), "dump-log.txt": log(records), "dump-hexdump.txt": hexdump(records)}
    return {f"formats/{name}": data for name, data in made.items()}
