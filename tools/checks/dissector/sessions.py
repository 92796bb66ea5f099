"""Sessions to compare by: captures, every message of the catalog, and damaged variants of both."""
# SPDX-License-Identifier: Apache-2.0

import json
import random
import struct
import subprocess

from peers.common.captures import ACCESSORY, read_text

SESSIONS = {"control": 1, "fileTransfer": 2, "externalAccessory": 3}


def text_records(path):
    """Records of the project's text form: (seconds, side, bytes)."""
    return [(time, "accessory" if direction == ACCESSORY else "device", data)
            for time, direction, data in read_text(path)]


def split(records):
    """The same bytes with every fourth record cut in two."""
    pieces = []
    for index, (time, side, data) in enumerate(records):
        cut = len(data) // 2 if index % 4 == 3 else 0
        pieces += [(time, side, piece) for piece in (data[:cut], data[cut:]) if piece]
    return pieces


def write_text(records, path):
    with open(path, "w", encoding="utf-8") as file:
        for time, side, data in records:
            file.write(f"{time} {'A>D' if side == 'accessory' else 'D>A'} {data.hex()}\n")


def checksum(data):
    return bytes([-sum(data) & 0xFF])


def packet(control, sequence, acknowledgement, session, payload=b""):
    length = 10 + len(payload) if payload else 9
    head = struct.pack(">BBHBBBB", 0xFF, 0x5A, length, control, sequence & 0xFF, acknowledgement & 0xFF, session)
    return head + checksum(head) + (payload + checksum(payload) if payload else b"")


def link_up():
    offer = offer_of((number, kind) for kind, number in enumerate(SESSIONS.values()))
    return [
        (0.0, "accessory", packet(0x80, 9, 0, 0, offer)),
        (0.0, "device", packet(0xC0, 99, 9, 0, offer)),
        (0.0, "accessory", packet(0x40, 9, 99, 0)),
    ]


def value_of(row, number):
    """A value for a parameter, another one each time."""
    kind = row["type"]
    if kind == "group":
        return parameters_of(row["parameters"], number)
    if kind == "utf8":
        return ["", "text", "Grüße, 世界", "a\"b\\c"][number % 4] + str(number)
    if kind == "blob":
        return "b10b" + number.to_bytes(2, "big").hex()
    if kind == "bool":
        return number % 2 == 0
    if kind == "void":
        return True
    if kind.startswith("array-of-"):
        return [number, number + 1, 0x5001]
    if kind in ("u64", "i64"):
        return str((1 << 62) + number if kind == "u64" else -(1 << 62) - number)
    if kind.startswith("i"):
        return -number % 100 - 100
    return number % (8 if kind == "enum" else 250)


def parameters_of(rows, number):
    all_parameters = []
    for row in rows:
        for _ in range(2 if row["count"].endswith("*") else 1):
            number += 1
            all_parameters.append({"id": row["id"], "value": value_of(row, number)})
    return all_parameters


def catalog(command):
    lines = subprocess.run([command, "messages", "--json"], check=True, capture_output=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def catalog_messages(command, entries):
    """Every message of the catalog with every parameter: (sender, bytes)."""
    wanted = [
        json.dumps({"id": entry["id"], "parameters": parameters_of(entry["parameters"], index)})
        for index, entry in enumerate(entries)
    ]
    made = subprocess.run(
        [command, "encode", "-"], input="\n".join(wanted).encode(), check=True, capture_output=True).stdout
    return [(entry["sender"], bytes.fromhex(line.decode())) for entry, line in zip(entries, made.split())]


def carry(messages, source=None):
    """A session whose control messages are these; with a source of chance, cut into packets and records by it."""
    records = link_up()
    sequence = {"accessory": 9, "device": 99}
    for side, message in messages:
        pieces = [message]
        if source and source.random() < 0.5:
            cut = source.randrange(1, max(len(message), 2))
            pieces = [piece for piece in (message[:cut], message[cut:]) if piece]
        for piece in pieces:
            sequence[side] += 1
            records.append((0.0, side, packet(0x40, sequence[side], 0, SESSIONS["control"], piece)))
    return records


SIZES = {"u8": 1, "u16": 2, "u64": 8, "i16": 2, "enum": 1}


def tlv(number, value):
    return struct.pack(">HH", 4 + len(value), number) + value


def message_of(number, body):
    return struct.pack(">HHH", 0x4040, 6 + len(body), number) + body


def joined(rows):
    """Parameters that may repeat, with their numbers joined in one, as one implementation writes them."""
    body = b""
    for row in rows:
        inner = joined(row.get("parameters") or [])
        if inner:
            body += tlv(row["id"], inner)
        elif row["count"].endswith("*") and row["type"] in SIZES:
            body += tlv(row["id"], bytes(range(1, 1 + 3 * SIZES[row["type"]])))
    return body


# Around every edge of UTF-8: overlong, surrogates, above the last code point, cut off; and good neighbors of each.
TEXTS = [
    "00", "", "7f00", "8000", "bf", "c080", "c1bf", "c280", "dfbf", "df", "e09fbf", "e0a080", "e0a0", "ed9fbf",
    "eda080", "edbfbf", "ee8080", "efbfbf", "f08fbfbf", "f0908080", "f0908000", "f48fbfbf", "f4908080", "f5808080",
    "ff", "610061", "c3a4c3", "e282ac00", "f09f9880", "61ff", "c2c280", "e1e18080",
]


def by_hand(entries):
    """Messages that `encode` does not make."""
    messages = []
    for entry in entries:
        body = joined(entry["parameters"])
        if body:
            messages.append((entry["sender"], message_of(int(entry["id"], 16), body)))
    for text in TEXTS:
        entry, number = next(
            (entry, row["id"]) for entry in entries for row in entry["parameters"] if row["type"] == "utf8")
        messages.append((entry["sender"], message_of(int(entry["id"], 16), tlv(number, bytes.fromhex(text)))))
    return messages


def offer_of(sessions):
    return bytes.fromhex("0105080005dc00491e03") + b"".join(bytes([*entry, 1]) for entry in sessions)


def link_by_hand():
    """What a link may carry beside messages, right and wrong."""
    numbers = iter(range(100, 256))

    def sent(control, payload=b"", session=0):
        return (0.0, "accessory", packet(control, next(numbers), 0, session, payload))

    older = bytes([0xFF, 0x55, 0x0D, *range(13)])
    older += checksum(older[2:])
    offers = [offer_of([]), offer_of([(1, 0), (1, 2), (9, 7)]), offer_of([(1, 0)])[:-1], b"\x01", b""]
    records = [(0.0, "accessory", older[:7]), (0.0, "accessory", older[7:])]
    records += [(0.0, "device", packet(0x40, 1, 0, 5, payload)) for payload in (b"stray", message_of(0x1D00, b""))]
    records += [sent(0xC0 if index % 2 else 0x80, offer) for index, offer in enumerate(offers)]
    records += [sent(0x40, b"\x01\x02\x03", session) for session in (1, 7, 9)]
    records += link_up()
    for operation in (*range(8), 0x40, 0x80, 0xC0, 0xC1):
        records.append(sent(0x40, bytes([128, operation]) + bytes(operation % 5), SESSIONS["fileTransfer"]))
    for data in (b"\0\x07", b"\xff\xff" + bytes(range(256)) * 3, b"\0"):
        records.append(sent(0x40, data, SESSIONS["externalAccessory"]))
    records += [sent(0x60, b"\x05\x06"), sent(0x20, b"\x07"), sent(0x08), sent(0x07), sent(0x10)]
    start = message_of(0xAE01, bytes(20))[:9]
    records += [sent(0x40, start, SESSIONS["control"]), sent(0x10), sent(0x40, b"@", SESSIONS["control"])]
    records += [sent(0x40, piece, SESSIONS["control"]) for piece in (b"@\0", b"\x06\x1d\0@", b"@\0\x05\0\0", b"@A")]
    return records


def sequences(source):
    """Packets that come again and out of turn, over the whole number space several times."""
    records, sequence = link_up(), 9
    for _ in range(400):
        sequence += source.choice([1, 1, 1, 1, 2, 5, 0, -1, -3, -90, 126, 127, 128, 129])
        message = message_of(0xAE01, b"")
        records.append((0.0, "accessory", packet(0x40, sequence, 0, SESSIONS["control"], message)))
    return records


def damage_message(message, source):
    """Some bytes of the body changed, its length kept: the packet around it is whole."""
    changed = bytearray(message)
    for _ in range(source.randrange(1, 4)):
        if len(changed) > 6:
            value = source.choice([0, 1, 3, 4, 5, 0x40, 0xFF, source.randrange(256)])
            changed[source.randrange(6, len(changed))] = value
    return bytes(changed)


def damage_records(records, source):
    """Bytes changed, lost and added, records sent again, cut in two and joined."""
    damaged = []
    for time, side, data in records:
        chance = source.random()
        place = source.randrange(len(data))
        if chance < 0.1:
            data = data[:place] + bytes([source.randrange(256)]) + data[place + 1:]
        elif chance < 0.15:
            data = data[:place] + data[place + 1:] or data
        elif chance < 0.2:
            stray = source.choice([b"\xff", b"\x55\x02", b"\xff\x55\x02\x00\xee\x10", b"\xff\x5a"])
            data = data[:place] + stray + data[place:]
        elif chance < 0.25:
            damaged.append((time, side, data))
        if source.random() < 0.3 and len(data) > 1:
            cut = source.randrange(1, len(data))
            damaged += [(time, side, data[:cut]), (time, side, data[cut:])]
        elif damaged and damaged[-1][1] == side and source.random() < 0.3:
            damaged[-1] = (time, side, damaged[-1][2] + data)
        else:
            damaged.append((time, side, data))
    return damaged


def all_sessions(command, captures, seed):
    """Named sessions: the captures as they are, the catalog, and variants."""
    source = random.Random(seed)
    sessions = [(name, text_records(path)) for name, path in captures]
    entries = catalog(command)
    messages = catalog_messages(command, entries)
    sessions += [
        ("every message", carry(messages)), ("messages by hand", carry(by_hand(entries), source)),
        ("sequence numbers", sequences(source)), ("link by hand", link_by_hand()),
    ]
    for number in range(4):
        bad = [(side, damage_message(message, source)) for side, message in messages]
        sessions.append((f"damaged messages {number}", carry(bad, source)))
    for name, records in sessions[: len(captures)]:
        sessions += [(f"{name}, damaged {number}", damage_records(records, source)) for number in range(12)]
    for number in range(3):
        part = source.sample(messages, 60)
        sessions.append((f"damaged link {number}", damage_records(carry(part, source), source)))
    return sessions
