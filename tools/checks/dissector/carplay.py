# SPDX-License-Identifier: Apache-2.0
"""Compares what tshark shows of CarPlay sessions and what `iap2 decode --json` prints, record by record.

The captures are copies in the clear that `iap2 decode --decrypted` writes, and the encrypted captures themselves.
"""
from __future__ import annotations

import json
import os
import plistlib
import random
import re
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter

from .compare import Difference, child, children, expect, raw

SEED = 43
PREFERENCES = ["-o", "tcp.try_heuristic_first:TRUE", "-o", "udp.try_heuristic_first:TRUE"]
# The most time that tshark may take for a damaged file, in seconds; it takes less than two for a whole one.
LIMIT = 120
# Layers that only one of the two has: a dissector sees no segment without data, and nothing of Bonjour, which Wireshark
# shows itself.
ELSEWHERE = {"carPlayStream", "carPlayDiscovery"}
# Problems that a dissector does not report: a gap is shown by Wireshark, a missing key by nothing, and what follows bytes
# that cannot be read is shown as what it is.
SILENT = re.compile(
    r"bytes before these were not captured|^from here on the session is encrypted|^a connection to port|: read on "
    r"|: nothing behind the damage|^datagrams to port")


def tshark(dissector, path, *options):
    """The packets of tshark's PDML, and its complaints."""
    arguments = ["tshark", "-X", f"lua_script:{dissector}", "-r", path, "-T", "pdml", *PREFERENCES, *options]
    run = subprocess.run(arguments, capture_output=True, check=False, timeout=LIMIT)
    text = re.sub("[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\uFFFD",
                  run.stdout.decode(errors="replace"))
    complaints = [line for line in run.stderr.decode(errors="replace").splitlines() if "Lua" in line]
    if run.returncode:
        complaints.append(f"tshark ends with {run.returncode}")
    if "Lua Error" in text:
        complaints.append(text[max(0, text.index("Lua Error") - 200):][:600])
    return list(ElementTree.fromstring(text).iter("packet")) if not run.returncode else [], complaints


def protocols(packet, *names):
    return [proto for proto in packet.iter("proto") if proto.get("name") in names]


def show(field, name):
    found = child(field, name)
    return None if found is None else found.get("show")


# Bodies.

def entry_value(entry):
    """The value of a shown entry, as JSON has it."""
    parts = [part for part in children(entry, "carplay.body.entry")]
    for field in entry:
        kind = field.get("name").rpartition(".")[2]
        if kind == "group":
            return {show(part, "carplay.body.key"): entry_value(part) for part in parts}
        if kind == "list":
            return [entry_value(part) for part in parts]
        if kind == "flag":
            return field.get("show") in ("1", "True")
        if kind in ("integer", "unsigned"):
            return int(field.get("show"))
        if kind == "real":
            return float(field.get("show"))
        if kind == "text":
            return field.get("show")
        if kind == "data":
            return raw(field).hex()
    raise Difference(f"a value of an unknown kind: {[field.get('name') for field in entry]}")


def shown_body(proto):
    body = child(proto, "carplay.body")
    if body is None:
        payload = child(proto, "carplay.payload")
        return None if payload is None else raw(payload).hex()
    entries = children(body, "carplay.body.entry")
    if len(entries) == 1 and child(entries[0], "carplay.body.key") is None:
        return entry_value(entries[0])
    return {show(entry, "carplay.body.key"): entry_value(entry) for entry in entries}


# What needs secrets to be read, which a script of Wireshark has no ciphers for.
SECRET = {"opened", "signature", "encryptedSignature"}


def same(decoded, shown, path="body"):
    if isinstance(decoded, dict) and isinstance(shown, dict):
        expect(f"{path}, keys", sorted(set(decoded) - SECRET), sorted(set(shown) - SECRET))
        for key in set(decoded) - SECRET:
            same(decoded[key], shown[key], f"{path}.{key}")
    elif isinstance(decoded, list) and isinstance(shown, list):
        expect(f"{path}, values", len(decoded), len(shown))
        for index, (one, other) in enumerate(zip(decoded, shown)):
            same(one, other, f"{path}[{index}]")
    elif isinstance(decoded, bool) or isinstance(shown, bool):
        expect(path, decoded, shown)
    elif isinstance(shown, int) and isinstance(decoded, str):
        # JSON readers lose digits of larger numbers.
        expect(path, decoded, str(shown))
    elif isinstance(shown, (int, float)) and isinstance(decoded, (int, float)):
        if abs(decoded - shown) > 1e-9 * max(1, abs(decoded)):
            raise Difference(f"{path}: decode says {decoded!r}, tshark shows {shown!r}")
    elif not isinstance(decoded, str) or decoded.isprintable() and "\\" not in decoded:
        expect(path, decoded, shown)


def plain(value):
    """A value of Python's reader of property lists, as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.hex() if isinstance(value, bytes) else value


def compare_with_python(proto):
    """Python's own reader agrees about a property list. Returns whether the body is one."""
    body = child(proto, "carplay.body")
    if body is None or not raw(body).startswith(b"bplist00"):
        return False
    same(plain(plistlib.loads(raw(body))), shown_body(proto), "body in Python")
    return True


# Both, side by side.

def compare_message(line, proto):
    for key, name in (("method", "method"), ("path", "path"), ("cseq", "cseq"), ("procedure", "procedure")):
        expect(key, line.get(key), show(proto, f"carplay.{name}"))
    for key, name in (("statusCode", "status_code"), ("state", "state")):
        shown = show(proto, f"carplay.{name}")
        expect(key, line.get(key), None if shown is None else int(shown))
    headers = line.get("header", [])
    expect("headers", [headers] if isinstance(headers, str) else headers,
           [field.get("show") for field in children(proto, "carplay.header")])
    # A sealed identity without its key has a reason, too.
    if "procedure" not in line:
        expect("whether the body can be read", "reason" in line, child(proto, "carplay.reason") is not None)
    same(line.get("body"), shown_body(proto))


def compare_picture(line, proto):
    expect("kind", line["kind"], show(proto, "carplay.kind"))
    expect("bytes", line["byteCount"], int(show(proto, "carplay.byte_count")))
    key = show(proto, "carplay.is_key_frame")
    expect("key frame", line.get("isKeyFrame"), None if key is None else key in ("1", "True"))
    size = re.search(r", (\d+) × (\d+), flags 0x([0-9a-f]+)", line["text"])
    if size:
        shown = [int(float(show(proto, f"carplay.{name}"))) for name in ("width", "height")]
        expect("size", [int(size[1]), int(size[2])], shown)
        expect("flags", int(size[3], 16), int(show(proto, "carplay.flags"), 16))
    if "body" in line:
        same(line["body"], shown_body(proto))


def compare_clock(line, proto):
    expect("kind", line.get("kind"), show(proto, "carplay.kind"))
    if "clockDelay" in line:
        same(line["clockDelay"], float(show(proto, "carplay.clock_delay")), "clock delay")
    if "clockDifference" in line:
        times = [float(show(proto, f"carplay.clock.{name}")) for name in ("received", "reference")]
        # tshark prints 15 digits of seconds since 1900.
        if abs(times[0] - times[1] - line["clockDifference"]) > 1e-4:
            raise Difference(f"clock difference: decode says {line['clockDifference']}, tshark shows {times}")


def compare_data(line, proto):
    expect("kind", line["kind"], show(proto, "carplay.kind"))
    expect("bytes", line["byteCount"], int(show(proto, "carplay.byte_count")))
    expect("sequence number", int(re.search(r": \S+ (\d+)", line["text"])[1]), int(show(proto, "carplay.sequence")))
    if "body" in line:
        same(line["body"], shown_body(proto))


def compare_sound(line, proto):
    numbers = re.search(r": packet (\d+), sample (\d+), (\d+) bytes$", line["text"])
    if numbers:
        shown = [int(show(proto, f"carplay.{name}")) for name in ("sequence", "sample", "byte_count")]
        expect("packet of sound", [int(number) for number in numbers.groups()], shown)
    sample = re.search(r": synchronization, sample (\d+)", line["text"])
    if sample:
        expect("synchronization", int(sample[1]), int(show(proto, "carplay.sample")))


def compare_item(line, proto):
    layer = line["layer"]
    expect("layer", layer, show(proto, "carplay.layer"))
    expect("session", line["session"], int(show(proto, "carplay.session")))
    expect("side", line["from"], show(proto, "carplay.from"))
    for key in ("socket", "stream"):
        if key in line and layer != "carPlayProblem":
            expect(key, line[key], show(proto, f"carplay.{key}"))
    if layer in ("carPlayRequest", "carPlayAnswer"):
        compare_message(line, proto)
    elif layer == "carPlayPicture":
        compare_picture(line, proto)
    elif layer == "carPlayClock":
        compare_clock(line, proto)
    elif layer == "carPlayData":
        compare_data(line, proto)
    elif layer == "carPlaySound":
        compare_sound(line, proto)
    elif layer == "carPlaySealed":
        expect("bytes", line["byteCount"], int(show(proto, "carplay.byte_count")))


class Sound:
    """The packets of sound that one of the two says: decode counts those of a second."""

    def __init__(self):
        self.packets, self.bytes = Counter(), Counter()

    def add(self, session, stream, packets, count):
        self.packets[session, stream] += packets
        self.bytes[session, stream] += count


def is_marked(packet):
    """Whether a comment states that the bytes are as they were captured."""
    return any(field.get("name") == "frame.comment" and "swift-iap2: " in field.get("show", "")
               for field in packet.iter("field"))


def is_bare(packet):
    """Whether a packet is a segment of TCP without data."""
    return any(field.get("name") == "tcp.len" and field.get("show") == "0" for field in packet.iter("field"))


def decoded_lines(command, path, *options):
    output = subprocess.run([command, "decode", path, "--json", *options], capture_output=True, check=False).stdout
    return [json.loads(line) for line in output.splitlines()]


def compare_capture(command, dissector, path, counts, *options):
    """Compares one capture; returns the differences."""
    packets, complaints = tshark(dissector, path)
    again, more = tshark(dissector, path, "-2")
    complaints += more
    for number, (first, second) in enumerate(zip(packets, again), 1):
        pair = [[ElementTree.tostring(proto) for proto in protocols(packet, "carplay", "iap2")]
                for packet in (first, second)]
        if pair[0] != pair[1]:
            complaints.append(f"frame {number}: the second pass shows something else than the first")
    found, sound, links = {}, Sound(), Counter()
    for line in decoded_lines(command, path, *options):
        layer = line["layer"]
        if layer == "carPlaySound" and "lost" in line:
            sound.add(line["session"], line["stream"].removesuffix(", microphone"), line["packets"], line["byteCount"])
        elif layer in ("link", "detect"):
            links[line["record"]] += 1
        elif layer.startswith("carPlay") and layer not in ELSEWHERE and not SILENT.search(line["text"]):
            found.setdefault(line["record"], []).append(line)
    shown_sound = Sound()
    # decode knows that bytes are missing by the acknowledgement of those behind them.
    for number in [number for number in found if is_bare(packets[number - 1]) and number - 1 not in found]:
        found[number - 1] = found.pop(number)
        if number in links:
            links[number - 1] = links.pop(number)
    for number, packet in enumerate(packets, 1):
        items = protocols(packet, "carplay")
        time = next((float(field.get("show")) for field in packet.iter("field")
                     if field.get("name") == "frame.time_relative"), 0)
        rest = []
        for proto in items:
            is_datagram = show(proto, "carplay.layer") == "carPlaySound" and not protocols(packet, "tcp")
            if is_datagram and child(proto, "carplay.source") is not None:
                session, stream = int(show(proto, "carplay.session")), show(proto, "carplay.stream")
                # decode counts the header of 12 bytes, too.
                shown_sound.add(session, stream, 1, int(show(proto, "carplay.byte_count")) + 12)
            else:
                rest.append(proto)
        try:
            lines = found.pop(number, [])
            # Bytes behind damage are shown, and no finding.
            if not any(line["layer"] == "carPlaySealed" for line in lines) and is_marked(packet):
                rest = [proto for proto in rest if show(proto, "carplay.layer") != "carPlaySealed"]
            expect("findings", [line["layer"] for line in lines], [show(proto, "carplay.layer") for proto in rest])
            for line, proto in zip(lines, rest):
                if abs(line["time"] - time) > 1e-6:
                    raise Difference(f"time: decode says {line['time']}, tshark shows {time}")
                compare_item(line, proto)
                counts["findings of sessions"] += 1
                counts["property lists"] += compare_with_python(proto)
            shown = sum(field.get("name") in ("iap2.packet", "iap2.detect")
                        for proto in protocols(packet, "iap2") for field in proto)
            expect("units of iAP2", links.pop(number, 0), shown)
        except Difference as difference:
            complaints.append(f"frame {number}: {difference}")
    if found:
        complaints.append(f"only decode has findings in the frames {sorted(found)}")
    for what in ("packets", "bytes"):
        one, other = getattr(sound, what), getattr(shown_sound, what)
        if one != other:
            complaints.append(f"{what} of sound: decode says {dict(one)}, tshark shows {dict(other)}")
    counts["packets of sound"] += sum(shown_sound.packets.values())
    return complaints


# Wireshark's own dissector of RTSP.

RTSP_METHODS = {"OPTIONS", "RECORD", "SETUP", "TEARDOWN"}


def compare_with_rtsp(dissector, path, port):
    """Wireshark's RTSP has the same answers and requests on the control connection, in order, as far as it knows the
    methods."""
    run = subprocess.run(
        ["tshark", "-r", path, "-d", f"tcp.port=={port},rtsp", "-Y", "rtsp", "-T", "fields", "-e", "rtsp.method",
         "-e", "rtsp.url", "-e", "rtsp.status"], capture_output=True, text=True, check=True, timeout=LIMIT)
    # A line of a frame may have several messages, whose values have commas between them.
    theirs = [one for line in run.stdout.splitlines() for one in [tuple(line.split("\t"))] if any(one)]
    ours = []
    for packet in tshark(dissector, path)[0]:
        for proto in protocols(packet, "carplay"):
            if show(proto, "carplay.socket") != "control" or child(proto, "carplay.header") is None:
                continue
            status = show(proto, "carplay.status_code")
            request = (show(proto, "carplay.method"), show(proto, "carplay.path"), "")
            if status or request[0] in RTSP_METHODS:
                ours.append(("", "", status) if status else request)
    return [] if ours and ours == theirs else [f"Wireshark's RTSP: {theirs[:5]}…, this dissector: {ours[:5]}…"]


# Captures with a gap or a damaged bit.

def pcap_records(data):
    """The header and the records of a pcap file in little-endian form."""
    records, at = [], 24
    while at + 16 <= len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        records.append(data[at:at + 16 + length])
        at += 16 + length
    return data[:24], records


def lossy(data, number):
    """Variants of a capture on Ethernet, each without a packet of a stream or with a changed bit at the end of one."""
    header, records = pcap_records(data)
    # The connections of the phone behind those of control and events, in their order.
    ends = [record[50:54] for record in records if record[39] == 6 and record[63] == 2][2:]
    places = [place for place, record in enumerate(records)
              if record[39] == 6 and record[50:54] in ends
              and len(record) > 50 + (record[62] >> 4) * 4]
    for place in places[1:-1][::max(1, len(places) // number)]:
        yield f"without record {place + 1}", header + b"".join(records[:place] + records[place + 1:])
        changed = bytearray(records[place])
        changed[-1] ^= 1
        yield (f"a changed bit in record {place + 1}",
               header + b"".join(records[:place] + [bytes(changed)] + records[place + 1:]))


def lossy_faults(command, dissector, path, keys, folder, counts):
    """The differences for copies of captures that lack packets of streams, or have damaged ones."""
    faults = []
    with open(path, "rb") as file:
        data = file.read()
    for name, variant in lossy(data, 6):
        capture, copy = os.path.join(folder, "lossy.pcap"), os.path.join(folder, "lossy.pcapng")
        with open(capture, "wb") as file:
            file.write(variant)
        if os.path.exists(copy):
            os.remove(copy)
        subprocess.run([command, "decode", capture, "--json", "--key-log", keys, "--decrypted", copy],
                       capture_output=True, check=False)
        faults += [f"{name}: {one}" for one in compare_capture(command, dissector, copy, counts)]
        counts["captures with a gap or a damaged bit"] += 1
    return faults


# Damaged copies.

def blocks(data):
    at = 0
    while at + 12 <= len(data):
        length = struct.unpack_from("<I", data, at + 4)[0]
        yield data[at:at + length]
        at += length


def damaged(data, source):
    """A copy of a pcapng file with changed and cut payloads. The headers of IP and TCP stay."""
    result = []
    for block in blocks(data):
        if block[:4] == b"\x06\0\0\0":
            captured = struct.unpack_from("<I", block, 20)[0]
            packet = bytearray(block[28:28 + captured])
            start = 20 + (packet[32] >> 4) * 4 if packet[9] == 6 else 28
            if len(packet) > start and source.random() < 0.5:
                for _ in range(source.randrange(1, 12)):
                    value = source.choice([0, 1, 0x0F, 0x5F, 0xA1, 0xAF, 0xD1, 0xDF, 0xFF, source.randrange(256)])
                    packet[source.randrange(start, len(packet))] = value
            block = block[:28] + bytes(packet) + block[28 + captured:]
        result.append(block)
    whole = b"".join(result)
    return whole[:source.randrange(len(whole) // 2, len(whole))] if source.random() < 0.5 else whole


def cyclic_list(kind):
    """A property list whose only container has itself as each of its parts."""
    body = b"bplist00" + (bytes([0xAF, 0x10, 0x40]) + bytes(64) if kind == "array" else b"\xd2\x01\x01\0\0\x51a")
    offsets = [8] if kind == "array" else [8, 13]
    trailer = bytes(6) + bytes([1, 1]) + struct.pack(">QQQ", len(offsets), 0, len(body))
    return body + bytes(offsets) + trailer


def with_list(data, list_bytes):
    """A capture whose first packet with data is a request with a property list."""
    head = b"POST /command RTSP/1.0\r\nCSeq: 1\r\nContent-Length: %d\r\n\r\n" % len(list_bytes)
    result, is_done = [], False
    for block in blocks(data):
        if block[:4] == b"\x06\0\0\0" and not is_done:
            captured = struct.unpack_from("<I", block, 20)[0]
            packet = bytearray(block[28:28 + captured])
            start = 20 + (packet[32] >> 4) * 4
            if packet[9] == 6 and len(packet) > start:
                is_done = True
                packet = packet[:start] + head + list_bytes
                struct.pack_into(">H", packet, 2, len(packet))
                padded = bytes(packet) + bytes(-len(packet) % 4)
                length = 32 + len(padded)
                block = (struct.pack("<II", 6, length) + block[8:20] + struct.pack("<II", len(packet), len(packet))
                         + padded + struct.pack("<I", length))
        result.append(block)
    return b"".join(result)


def damaged_faults(dissector, path, folder, number):
    """The faults of tshark with damaged variants of a copy."""
    with open(path, "rb") as file:
        data = file.read()
    source = random.Random(SEED)
    variants = [(f"damaged {index}", damaged(data, source)) for index in range(number)]
    variants += [(f"a list in itself, {kind}", with_list(data, cyclic_list(kind))) for kind in ("array", "dictionary")]
    faults = []
    for name, variant in variants:
        other = os.path.join(folder, "damaged.pcapng")
        with open(other, "wb") as file:
            file.write(variant)
        try:
            # The end of a cut file is a complaint of tshark, but no fault.
            complaints = [one for one in tshark(dissector, other)[1] if not one.startswith("tshark ends with 2")]
        except subprocess.TimeoutExpired:
            complaints = [f"tshark has not ended after {LIMIT} s"]
        faults += [f"{name}: {one}" for one in complaints]
    return faults


def compare_sessions(command, dissector, captures, folder):
    """Compares captures with key logs, (name, path, key log), in the clear and as they are.

    Returns the differences and the counts.
    """
    counts, differences = Counter(), []
    for name, path, keys in captures:
        copy = os.path.join(folder, name.replace("/", "-") + ".pcapng")
        copied = subprocess.run([command, "decode", path, "--json", "--key-log", keys, "--decrypted", copy],
                                capture_output=True, check=False)
        # 65 says that nothing in the capture is encrypted; then there is no copy.
        if copied.returncode != (0 if os.path.exists(copy) else 65):
            differences.append(f"{name}: decode --decrypted ended with {copied.returncode}")
        for title, file in (("in the clear", copy), ("encrypted", path)):
            if os.path.exists(file):
                counts["captures of sessions"] += 1
                differences += [f"{name}, {title}: {one}"
                                for one in compare_capture(command, dissector, file, counts)]
        if name.endswith("peer-phone"):
            differences += [f"{name}: {one}" for one in compare_with_rtsp(dissector, copy, 7778)]
            differences += [f"{name}, {one}" for one in lossy_faults(command, dissector, path, keys, folder, counts)]
            differences += [f"{name}: {one}" for one in damaged_faults(dissector, copy, folder, 8)]
            counts["damaged copies"] += 10
    return differences, dict(counts)
