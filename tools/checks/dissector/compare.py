# SPDX-License-Identifier: Apache-2.0
"""Compares what tshark shows with the dissector and what `iap2 decode --json` prints, record by record.

Every session is carried by link type USER10, the captures by USB, Bluetooth and TCP too.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

from . import sessions, transports

SEED = 20
# What tshark calls a number that has no name.
UNNAMED = "Unknown"
SYNCHRONIZATION = {
    "version": "version", "maxOutstandingPackets": "max_outstanding", "maxPacketLength": "max_length",
    "retransmissionTimeout": "retransmission_timeout", "cumulativeAckTimeout": "cumulative_ack_timeout",
    "maxRetransmissions": "max_retransmissions", "maxCumulativeAcks": "max_cumulative_acks",
}
# What the decoder's errors are to the dissector: an expert info to be counted, or nothing.
ERRORS = [
    (re.compile(r"(header|payload) checksum is wrong"), None),
    (re.compile(r"packet cut off|message cut off"), None),
    (re.compile(r": [^:]* (is missing|comes more than once|has more than \d+ parameters)$"), None),
    (re.compile(r"^(?P<damage>bytes that are no packet|iAP1 frame): (?P<bytes>\d+) bytes?$"), "damage"),
    (re.compile(r"^session \d+ (was not agreed|has an unknown type)$"), "iap2.session.bad"),
    (re.compile(r"^synchronization payload|datagram shorter than its prefix$"), "iap2.undecoded.bad"),
    (re.compile(r"that are no message$|^message length \d+ is smaller than its header$"), "iap2.undecoded.bad"),
    (re.compile(r": (?P<more>\d+) more errors? in this message$"), "iap2.parameter.bad"),
    (re.compile(r"(ends before its length|impossible length -?\d+|bytes? instead of \d+|is not UTF-8|groups)$"),
     "iap2.parameter.bad"),
    # Of several records together, which a dissector does not look at.
    (re.compile("not in the capture$"), None),
]


class Difference(Exception):
    """What the two say about the same thing."""


def expect(what, decoded, shown):
    if decoded != shown:
        raise Difference(f"{what}: decode says {decoded!r}, tshark shows {shown!r}")


class Record:
    """What one of the two says about one record."""

    def __init__(self):
        self.items = []
        self.experts = {}
        self.sides = set()

    def count(self, name, number=1):
        self.experts[name] = self.experts.get(name, 0) + number


# What the decoder prints.

def decoded_session(command, records, folder):
    """Records by number, and the damaged bytes of each kind."""
    path = os.path.join(folder, "session.txt")
    sessions.write_text(records, path)
    output = subprocess.run([command, "decode", path, "--json"], capture_output=True, check=False).stdout
    found, damage, cut_off = {}, {}, set()
    for line in map(json.loads, output.splitlines()):
        record = found.setdefault(line["record"], Record())
        # Behind a packet that the end cuts off only the decoder looks: a dissector does not know the end.
        if line["from"] in cut_off:
            continue
        if line["layer"] != "error":
            record.items.append(line)
            continue
        if line["message"].startswith("packet cut off"):
            cut_off.add(line["from"])
        add_error(line, record, damage)
    return found, damage


def add_error(line, record, damage):
    for pattern, name in ERRORS:
        match = pattern.search(line["message"])
        if not match:
            continue
        groups = match.groupdict()
        if name == "damage":
            damage[groups["damage"]] = damage.get(groups["damage"], 0) + int(groups["bytes"])
        elif name:
            record.count(name, int(groups.get("more") or 1))
        return
    raise Difference(f"an error this comparison does not know: {line['message']}")


# What tshark shows.

def dissect(dissector, path, *options):
    """The dissector's part of each frame."""
    arguments = ["tshark", "-X", f"lua_script:{dissector}", "-r", path, "-T", "pdml", "-o", "iap2.tcp:TRUE", *options]
    output = subprocess.run(arguments, capture_output=True, check=True, timeout=300).stdout.decode(errors="replace")
    # tshark writes characters that XML has no way to write.
    output = re.sub("[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "\uFFFD", output)
    return [[proto for proto in frame.iter("proto") if proto.get("name") == "iap2"]
            for frame in ElementTree.fromstring(output).iter("packet")]


def shown_frames(dissector, path):
    """As `dissect`, and the same when all is read before anything is shown, as Wireshark does."""
    frames = dissect(dissector, path)
    for index, (first, second) in enumerate(zip(frames, dissect(dissector, path, "-2"), strict=True), 1):
        if list(map(ElementTree.tostring, first)) != list(map(ElementTree.tostring, second)):
            raise Difference(f"frame {index}: the second pass shows something else than the first")
    return frames


def children(field, *names):
    return [child for child in field if child.get("name") in names]


def child(field, name):
    found = children(field, name)
    return found[0] if found else None


def number(field):
    return int(field.get("show"), 0)


def raw(field):
    return bytes.fromhex(field.get("value") or "")


def shown_record(protocols, damage):
    record = Record()
    for proto in protocols:
        record.sides.update(field.get("show") for field in children(proto, "iap2.from"))
        for field in proto:
            if field.get("name") == "iap2.undecoded":
                add_damage(field, damage)
            elif field.get("name") in ("iap2.packet", "iap2.detect"):
                record.items.append(field)
                for expert in field.iter("field"):
                    if expert.get("name").endswith(".bad") and expert.get("name") != "iap2.checksum.bad":
                        record.count(expert.get("name"))
    return record


def add_damage(field, damage):
    for expert in field.iter("field"):
        match = re.match(r"(.*): (\d+) bytes$", expert.get("show") or "")
        if expert.get("name") == "_ws.expert.message" and match:
            damage[match[1]] = damage.get(match[1], 0) + int(match[2])


# Both, side by side.

def compare_link(line, field):
    control = child(field, "iap2.control")
    bits = [bit.get("showname").split(" = ")[1].split(":")[0] for bit in control if bit.get("show") in ("1", "True")]
    expect("control bits", line["control"], bits)
    for key in ("length", "sequence", "acknowledgement", "session"):
        expect(key, line[key], number(child(field, f"iap2.{key}")))
    for key in ("header", "payload"):
        shown = child(field, f"iap2.{key}_checksum")
        state = "absent" if shown is None else child(shown, f"iap2.{key}_checksum.status").get("show")
        expect(f"{key} checksum", line[f"{key}Checksum"], state)


def compare_synchronization(line, field):
    for key, name in SYNCHRONIZATION.items():
        expect(key, line[key], number(child(field, f"iap2.syn.{name}")))
    entries = [
        {"id": number(entry[0]), "type": case_name(entry[1]), "version": number(entry[2])}
        for entry in children(field, "iap2.syn.session")
    ]
    lines = [{**entry, "type": UNNAMED if entry["type"].isdigit() else entry["type"]} for entry in line["sessions"]]
    expect("sessions", lines, entries)


def case_name(field):
    """The name a number is shown with: `Operation: start (0x01)`."""
    match = re.search(r": (.*) \((0x)?[0-9a-f]+\)$", field.get("showname"))
    return match[1] if match else None


def compare_message(line, field):
    expect("message id", int(line["id"], 16), number(child(field, "iap2.message.id")))
    name = child(field, "iap2.message.name")
    expect("message name", line["name"], None if name is None else name.get("show"))
    compare_parameters(line["parameters"], children(field, "iap2.parameter"), "iap2.")


def compare_parameters(nodes, fields, prefix):
    expect("parameter ids", [node["id"] for node in nodes],
           [number(child(field, "iap2.parameter.id")) for field in fields])
    for node, field in zip(nodes, fields):
        compare_parameter(node, field, prefix)


def compare_parameter(node, field, prefix):
    what = f"parameter {node['id']} {node['name'] or ''}".strip()
    values = [value for value in field
              if not value.get("name").startswith(("iap2.parameter.length", "iap2.parameter.id", "_ws."))]
    names = {value.get("name") for value in values}
    if names and names <= {"iap2.parameter.unknown", "iap2.parameter.undecoded"}:
        if node["name"] is not None:
            expect(what, {"iap2.parameter.undecoded"}, names)
        return expect(what, node["value"], raw(values[0]).hex())
    value = node["value"]
    if node["name"] is None or not (values or value == []):
        raise Difference(f"{what}: decode says {value!r}, tshark shows {sorted(names)}")
    for shown in values:
        expect(f"{what}, its name", node["name"], shown.get("showname").split(": ")[0])
        if not shown.get("name").startswith(prefix):
            raise Difference(f"{what}: its field is {shown.get('name')}, not in {prefix}")
    if isinstance(value, list) and node["type"] == "group":
        expect(f"{what}, groups", 1, len(values))
        return compare_parameters(value, children(values[0], "iap2.parameter"), values[0].get("name") + ".")
    if isinstance(value, list):
        return expect(what, list(map(int, value)), list(map(number, values)))
    expect(f"{what}, values", 1, len(values))
    compare_value(what, node, values[0])


def compare_value(what, node, field):
    value = node["value"]
    if node["type"] == "utf8" and not isinstance(value, bool):
        data = raw(field)
        expect(what, value, (data[:-1] if data.endswith(b"\0") else data).decode())
        if value.isprintable() and "\\" not in value:
            expect(f"{what}, as text", value, field.get("show"))
    elif node["type"] == "blob":
        expect(what, value, raw(field).hex())
    elif value is True and not field.get("value"):
        expect(what, "", field.get("show"))
    elif isinstance(value, bool):
        expect(what, value, field.get("show") in ("1", "True"))
    elif "case" in node and node["type"] != "utf8":
        expect(what, (value, node["case"] or UNNAMED), (number(field), case_name(field)))
    elif isinstance(value, str) and not field.get("show").lstrip("-").isdigit():
        # The other form of a parameter that comes in two.
        expect(what, value, field.get("show"))
    else:
        expect(what, int(value), number(field))


def compare_record(decoded, shown, counts):
    expect("expert infos", decoded.experts, shown.experts)
    lines = list(decoded.items)

    def next_is(layer):
        return lines and lines[0]["layer"] == layer

    for item in shown.items:
        if item.get("name") == "iap2.detect":
            expect("layer", "detect", lines.pop(0)["layer"] if lines else None)
            continue
        expect("layer", "link", lines[0]["layer"] if lines else None)
        compare_link(lines.pop(0), item)
        counts["packets"] += 1
        for field in item:
            name = field.get("name")
            if name == "iap2.syn" and next_is("synchronization"):
                compare_synchronization(lines.pop(0), field)
            elif name == "iap2.message" and next_is("control"):
                compare_message(lines.pop(0), field)
                counts["messages"] += 1
                counts["parameters"] += sum(1 for one in field.iter("field") if one.get("name") == "iap2.parameter")
            elif name == "iap2.ea.session" and next_is("externalAccessory"):
                line, data = lines.pop(0), child(item, "iap2.ea.data")
                expect("EA session", line["session"], number(field))
                expect("EA data", line["data"], raw(data).hex())
                counts["datagrams"] += 1
            elif name == "iap2.file.id" and next_is("fileTransfer"):
                line, operation = lines.pop(0), child(item, "iap2.file.operation")
                expect("file", line["file"], number(field))
                shown_name = case_name(operation)
                expect("operation", line["operation"], hex(number(operation)) if shown_name == UNNAMED else shown_name)
                expect("bytes", line["byteCount"], len(raw(child(item, "iap2.file.data"))))
                counts["datagrams"] += 1
            elif name in ("iap2.syn", "iap2.message", "iap2.ea.session", "iap2.file.id"):
                raise Difference(f"tshark shows {name}, decode says {lines[0]['layer'] if lines else 'nothing'}")
    expect("rest of the record", [], [line["layer"] for line in lines])


class Comparison:
    """Counts what was the same and keeps what was not."""

    def __init__(self, command, dissector, folder):
        self.command, self.dissector, self.folder = command, dissector, folder
        self.counts = {"records": 0, "packets": 0, "messages": 0, "parameters": 0, "datagrams": 0}
        self.differences = []

    def run(self, link_type, named, frames, knows_sides):
        """Compares sessions whose frames lie one behind the other; None stands for a frame without a record."""
        path = os.path.join(self.folder, "frames.pcap")
        transports.write(path, link_type, [frame for _, frame in frames])
        try:
            all_shown = shown_frames(self.dissector, path)
        except Difference as difference:
            self.differences.append(f"{named[0][0]}: {difference}")
            return
        shown = (frame for (has_record, _), frame in zip(frames, all_shown, strict=True) if has_record)
        for name, records in named:
            decoded, damage = decoded_session(self.command, records, self.folder)
            shown_damage = {}
            for index, (_, side, _) in enumerate(records, 1):
                record = shown_record(next(shown), shown_damage)
                self.counts["records"] += 1
                try:
                    if knows_sides or record.sides:
                        expect("side", {side}, record.sides)
                    compare_record(decoded.get(index, Record()), record, self.counts)
                except Difference as difference:
                    self.differences.append(f"{name}, record {index}: {difference}")
            if damage != shown_damage:
                self.differences.append(f"{name}: damaged bytes: decode says {damage}, tshark shows {shown_damage}")


def compare(command, dissector, captures, others, folder):
    """Compares captures over all transports, and others by USER10 alone; both are pairs of a name and a path.

    Returns the differences and the counts of what was compared. `folder` is for files of the comparison.
    """
    comparison = Comparison(command, dissector, folder)
    named = sessions.all_sessions(command, captures, SEED)
    named += [(name, sessions.text_records(path)) for name, path in others]
    frames = [frame for number, (_, records) in enumerate(named) for frame in transports.user10(records, number)]
    comparison.run(transports.USER10, named, frames, knows_sides=True)
    for title, link_type, carry in transports.OTHERS:
        for name, path in captures:
            records = sessions.split(sessions.text_records(path))
            comparison.run(link_type, [(f"{name} over {title}", records)], carry(records), knows_sides=False)
    return comparison.differences, comparison.counts
