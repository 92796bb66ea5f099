# SPDX-License-Identifier: Apache-2.0
"""The captures of captures/failures that show a transport: USB, TCP and RFCOMM."""
from __future__ import annotations

import dataclasses
import struct

from common.captures import ACCESSORY, DEVICE, text_records

from .containers import (ACK, BULK, CONTROL, FIN, PUSH, Transfer, acl, btsnoop, ip_packet, l2cap, pcap, rfcomm_frame,
                         usbmon)
from .script import CERTIFICATE, Script, message, parameter, plain

# What the host sees of enumeration (CaptureFormats.md#usbmon; USB.md#host-mode, RoleSwitch.md#requests).
INTERFACE = bytes.fromhex("0902200001010080320904000002fff0000007058202000200" "07050202000200")
STORAGE = bytes.fromhex("090220000101008032090400000208065000" "07058202000200" "07050202000200")
STALL, DISCONNECTED = -32, -108  # statuses of a transfer


def microseconds(seconds: float) -> int:
    """Returns whole microseconds, as nanoseconds."""
    return int(seconds * 1_000_000) * 1000


def transfer(seconds: float, kind: int, endpoint: int, data: bytes, setup: bytes = b"", device: int = 5,
             status: int = 0) -> Transfer:
    """Returns a transfer without an identifier."""
    return Transfer(microseconds(seconds), kind, endpoint, data, setup, device, status)


def usbmon_file(transfers: list[Transfer]) -> bytes:
    """Returns a pcap file of transfers, which the kernel numbers."""
    numbered = [dataclasses.replace(one, identifier=0x1000 + number) for number, one in enumerate(transfers)]
    return pcap(usbmon(numbered), 220)


def request(kind: int, number: int, value: int, length: int) -> bytes:
    """Returns the set-up packet of a control transfer."""
    return struct.pack("<BBHHH", kind, number, value, 0, length)


def describe(seconds: float, configuration: bytes) -> Transfer:
    """The question for the configuration, and its answer."""
    return transfer(seconds, CONTROL, 0x80, configuration, request(0x80, 6, 0x200, len(configuration)))


def query(seconds: float, answer: int) -> Transfer:
    """The question whether the device switches roles."""
    return transfer(seconds, CONTROL, 0x80, struct.pack("<I", answer), request(0xC0, 0x53, 0, 4), device=4)


def switch(seconds: float, status: int = 0) -> Transfer:
    """The request to switch roles."""
    return transfer(seconds, CONTROL, 0x00, b"", request(0x40, 0x51, 1, 0), device=4, status=status)


def usb() -> dict[str, list[Transfer]]:
    """Captures of enumeration by name."""
    return {
        "interface-silent": [describe(0, INTERFACE)],
        "role-switch-not-asked": [query(0, 1)],
        "role-switch-refused": [query(0, 1), switch(0.01, STALL)],
        "role-switch-silent": [query(0, 1), switch(0.01)],
        "interface-missing": [query(0, 1), switch(0.01), describe(1.5, STORAGE)],
        "not-iap2": [describe(0, INTERFACE), transfer(0.1, BULK, 0x82, b"hello, host"),
                     transfer(0.2, BULK, 0x02, b"hello, device")],
    }


def tcp(script: Script, closer: str) -> bytes:
    """Returns a pcap file with the records of a script as segments, then FIN from `closer`."""
    sequence = {ACCESSORY: 1000, DEVICE: 2000}
    packets = []

    def add(seconds: float, side: str, flags: int, data: bytes) -> None:
        packet = ip_packet(side == ACCESSORY, flags, sequence[side], 1, data)
        packets.append((round(seconds * 1_000_000) * 1000, packet))
        sequence[side] += len(data)

    for seconds, side, data in text_records(script.lines):
        add(seconds, side, PUSH | ACK, data)
    add(script.time, closer, FIN | ACK, b"")
    return pcap(packets, 101)


def over_usb(script: Script) -> list[Transfer]:
    """Returns the records of a script as bulk transfers, then a read that fails because the device is disconnected."""
    transfers = [transfer(0.1 + seconds, BULK, 0x82 if side == ACCESSORY else 0x02, data)
                 for seconds, side, data in text_records(script.lines)]
    last = transfer(0.2 + script.time, BULK, 0x82, b"", status=DISCONNECTED)
    return [describe(0, INTERFACE), *transfers, last]


def rfcomm(script: Script, closer: str, limit: int | None = None) -> bytes:
    """Returns an HCI log of the accessory with the records of a script as RFCOMM frames, then DISC from `closer`.

    `limit` is the most bytes of a record.
    """
    def record(seconds: float, side: str, control: int, data: bytes) -> tuple[int, int, bytes]:
        is_sent = side == ACCESSORY
        packet = l2cap(rfcomm_frame(3 << 3 | (3 if is_sent else 1), control, data))
        return (round(seconds * 1_000_000) * 1000, 0 if is_sent else 1, b"\x02" + acl(packet, 0 if is_sent else 2))

    records = [record(seconds, side, 0xEF, data) for seconds, side, data in text_records(script.lines)]
    return btsnoop(1002, records + [record(script.time, closer, 0x53, b"")], limit)


def files() -> dict[str, bytes]:
    """Returns the content of each capture."""
    short = Script().up().ask(plain(0xAA00)).tell(CERTIFICATE).ask(message(0xAA02, parameter(0, bytes(20))))
    return {f"{name}.pcap": usbmon_file(transfers) for name, transfers in usb().items()} | {
        "transport-closed.pcap": tcp(short.wait(0.2), ACCESSORY),
        # Detect is whole; of a packet, there are ten bytes.
        "records-cut.btsnoop": rfcomm(short, ACCESSORY, 22),
        "detect-unanswered.rfcomm.btsnoop": rfcomm(Script().detect(2).wait(3), DEVICE),
        "transport-closed.usb.pcap": usbmon_file(over_usb(Script().up().ask(plain(0xAA00)).ack())),
    }
