"""Records as frames of a capture: our own link type, USB, Bluetooth RFCOMM, TCP.

Each function gives (has a record, bytes of the frame) in order.
"""
# SPDX-License-Identifier: Apache-2.0

import struct

USER10, USBMON_MMAPPED, USBMON, HCI_H4, RAW_IP = 157, 220, 189, 201, 101


def write(path, link_type, frames):
    """A pcap file, one frame a millisecond."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, link_type))
        for index, frame in enumerate(frames):
            stamp = (index // 1000, index % 1000 * 1000)
            file.write(struct.pack("<IIII", *stamp, len(frame), len(frame)) + frame)


def user10(records, connection):
    """Version 1, sender, connection; then the bytes."""
    return [(True, struct.pack(">BBH", 1, side == "device", connection) + data) for _, side, data in records]


def usb(records, tail=b""):
    """usbmon: the accessory is the USB device, so its bytes are completed reads."""
    frames = []
    for index, (_, side, data) in enumerate(records):
        event, endpoint, status = ("C", 0x81, 0) if side == "accessory" else ("S", 0x02, -115)
        head = struct.pack("<QBBBBHBBqiiII", index, ord(event), 3, endpoint, 5, 1, ord("-"), 0, 0, 0, status,
                           len(data), len(data))
        frames.append((True, head + bytes(8) + tail + data))
    return frames


def usb_mmapped(records):
    return usb(records, bytes(16))


def rfcomm(records):
    """HCI with the opening of L2CAP channel 3 and of RFCOMM channel 1 by the accessory, as the device sees it."""
    ours, theirs, dlci = 0x41, 0x40, 2

    def acl(side, channel, payload):
        packet = struct.pack("<HH", len(payload), channel) + payload
        direction = struct.pack(">I", side == "accessory")
        return direction + b"\x02" + struct.pack("<HH", 0x200B, len(packet)) + packet

    def frame(side, number, control, data=b""):
        head = bytes([number << 2 | (2 if side == "accessory" else 0) | 1, control])
        length = bytes([len(data) << 1 | 1]) if len(data) < 128 else struct.pack("<H", len(data) << 1)
        check = head if data else head + length
        return acl(side, theirs if side == "accessory" else ours, head + length + data + frame_check(check))

    frames = [
        (False, acl("accessory", 1, bytes([2, 1, 4, 0]) + struct.pack("<HH", 3, ours))),
        (False, acl("device", 1, bytes([3, 1, 8, 0]) + struct.pack("<HHHH", theirs, ours, 0, 0))),
    ]
    for number in (0, dlci):
        frames += [(False, frame("accessory", number, 0x3F)), (False, frame("device", number, 0x73))]
    return frames + [(True, frame(side, dlci, 0xEF, data)) for _, side, data in records]


def frame_check(data):
    """RFCOMM's frame check sequence (ETSI TS 07.10, 5.2.1.6)."""
    value = 0xFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xE0 if value & 1 else 0)
    return bytes([0xFF - value])


def tcp(records):
    frames, sent = [], {"accessory": 1000, "device": 9000}
    for _, side, data in records:
        other = "device" if side == "accessory" else "accessory"
        ends = [(b"\x0a\0\0\x01", 40000), (b"\x0a\0\0\x02", 50123)]
        source, target = ends if side == "accessory" else reversed(ends)
        numbers = (source[1], target[1], sent[side], sent[other])
        segment = struct.pack(">HHIIBBHHH", *numbers, 0x50, 0x18, 8192, 0, 0) + data
        sent[side] += len(data)
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment), 0, 0, 64, 6, 0)
        frames.append((True, head + source[0] + target[0] + segment))
    return frames


OTHERS = [
    ("USB", USBMON_MMAPPED, usb_mmapped), ("USB without mmap", USBMON, usb), ("RFCOMM", HCI_H4, rfcomm),
    ("TCP", RAW_IP, tcp),
]
