# SPDX-License-Identifier: Apache-2.0
"""The first line of the doc comment of each message field and enumeration value is what the schema says.

The sources are Sources/Protocol/IAP2/Control/Messages/*.swift. A field is a property that the struct's `parameters`
method passes. Its line has the id, the wire type, the unit, whether the field is required, and the confidence if it is
not high:

    /// Parameter 9: unsigned 16-bit integer, in mA. Required.
    /// Parameter 5 (`RangeWarning`): flag without a value. Confidence: low.

The name on the wire follows the id only if the property's name does not end with it, in upper or lower case. The
line of an enumeration value has the number: `/// Value 2.`

A line of this check is the first line of a doc comment and begins `/// Parameter N:`, or it is `/// Value N.` and
nothing else. All other lines are written by hand, stay below it and are kept. Other members of a message take their doc
comments from the protocols ParameterSchema, ControlMessage and OpenEnumeration.
"""
from __future__ import annotations

import re

from .facts import Facts
from .report import Failure, Report

SOURCES = "Sources/Protocol/IAP2/Control/Messages"
REPAIR = "tools/check --write message-comments"
WIDTH = 120

TYPE = re.compile(r"^( *)public (?:struct|enum) (\w+)(?:: ([\w, ]+))? \{$")
FIELD = re.compile(r"^ *public (?:internal\(set\) )?var (\w+): ([^ ={]+)(?: =|$)")
VALUE = re.compile(r"^ *public static let (\w+) = Self\(rawValue: (\w+)\)$")
PASS = re.compile(r"""try pass\(\s*(\d+),\s*"(\w+)",\s*&(\w+)(?:,\s*ParameterNote\(([^()]*)\))?\s*\)""")
NAMED = re.compile(r'\((\w+), "(\w+)"\)')
ALTERNATIVE = re.compile(r"static var shape: ParameterShape \{ \.alternative\((.+), (.+)\) \}")
GENERATED = re.compile(r"^ */// (?:Parameter \d+(?: \(`\w+`\))?: |Value \d+(?: \(`\w+`\))?\.$)")
INTEGER = re.compile(r"(U?)Int(8|16|32|64)")
SHAPES = {".void": "Presence", ".utf8": "String", ".bool": "Bool", ".blob": "Blob"}


class Declared:
    """A type of the message sources."""

    def __init__(self, file, line, indentation, name, conformances):
        self.file, self.line, self.indentation, self.name = file, line, indentation, name
        self.conformances = {name.strip() for name in (conformances or "").split(",")}
        self.fields, self.values = [], []  # (line index, name, type) and (line index, name, number)
        self.text = []  # without nested types
        self.line_of_text = []


def read_types(file, lines):
    """The types of a file. The format is that of `swift format`: a type ends at the brace under its first letter."""
    types, open_types = [], []
    for index, line in enumerate(lines):
        if match := TYPE.match(line):
            open_types.append(Declared(file, index, len(match[1]), match[2], match[3]))
            types.append(open_types[-1])
        elif open_types:
            current = open_types[-1]
            if line == " " * current.indentation + "}":
                open_types.pop()
                continue
            current.text.append(line)
            is_member = line.startswith(" " * (current.indentation + 2) + "public ")
            if is_member and (match := FIELD.match(line)):
                current.fields.append((index, match[1], match[2]))
            elif is_member and (match := VALUE.match(line)):
                current.values.append((index, match[1], int(match[2], 0)))
    return types


def plural(phrase):
    return phrase.replace("integer", "integers")


class Phrases:
    """The words for a wire type, from the Swift type (Control/Parameter.swift, Control/ParameterValues.swift)."""

    def __init__(self, types):
        self.types = types  # name: Declared

    def of_value(self, name):
        if match := INTEGER.fullmatch(name):
            return f"{'un' if match[1] else ''}signed {match[2]}-bit integer"
        if match := re.fullmatch(r"Packed<(\w+)>", name):
            return "packed " + plural(self.of_value(match[1]))
        simple = {"Bool": "Boolean", "String": "UTF-8 text with a final NUL", "Blob": "raw bytes",
                  "Presence": "flag without a value"}
        if name in simple:
            return simple[name]
        declared = self.types.get(name)
        if declared is None:
            raise Failure(f"the wire type of {name} is not known; add it to tools/checks/message_comments.py")
        if "OpenEnumeration" in declared.conformances:
            return f"enumeration ``{name}``"
        if "ParameterGroup" in declared.conformances:
            return f"group ``{name}``"
        if match := ALTERNATIVE.search("\n".join(declared.text)):
            return f"{self.of_shape(match[1])}, or {self.of_shape(match[2])}"
        raise Failure(f"{name} has no shape that tools/checks/message_comments.py can read")

    def of_shape(self, code):
        if match := re.fullmatch(r"\.packed\((.*)\)", code):
            return "packed " + plural(self.of_shape(match[1]))
        if match := re.fullmatch(r"\.([ui])(8|16|32|64)", code):
            return self.of_value(("UInt" if match[1] == "u" else "Int") + match[2])
        return self.of_value(SHAPES.get(code) or code.removesuffix(".shape"))

    def of_field(self, swift_type, note):
        """The wire type and the count, without the final dot, and whether the field is required."""
        if swift_type.endswith("?"):
            return self.of_value(swift_type[:-1]), False
        if match := re.fullmatch(r"\[(\w+)\]", swift_type):
            value = self.of_value(match[1])
            return f"{value}, repeated", "isRequired: true" in note
        declared = self.types.get(swift_type)
        is_optional = swift_type == "Presence" or declared and "Parameter" in declared.conformances and any(
            "count: ParameterCount { .optional }" in line for line in declared.text)
        return self.of_value(swift_type), not is_optional


def label(name, wire_name):
    """The wire name in parentheses if a reader would not guess it from the property's name."""
    return "" if name.lower().endswith(wire_name.lower()) else f" (`{wire_name}`)"


def field_line(number, wire_name, name, swift_type, note, phrases):
    phrase, is_required = phrases.of_field(swift_type, note)
    unit = re.search(r'unit: "([^"]+)"', note)
    confidence = re.search(r"\.(high|medium|low)\b", note)
    line = f"/// Parameter {number}{label(name, wire_name)}: {phrase}"
    if unit:
        line += f", in {unit[1]}"
    line += "."
    if is_required:
        line += " Required."
    if confidence and confidence[1] != "high":
        line += f" Confidence: {confidence[1]}."
    return line


def wanted_lines(declared, phrases):
    """Pairs of the index of a declaration's line and the first line of its doc comment."""
    text = "\n".join(declared.text)
    passed = {}
    for number, wire_name, name, note in PASS.findall(text):
        passed[name] = (int(number), wire_name, note)
    if len(passed) != text.count("try pass("):
        raise Failure(f"{declared.name}: {text.count('try pass(')} calls of `pass`, {len(passed)} of them can be read")
    fields = {name: (index, swift_type) for index, name, swift_type in declared.fields}
    for name, (number, wire_name, note) in passed.items():
        if name not in fields:
            raise Failure(f"{declared.name}: parameter {number} has no public property {name}")
        index, swift_type = fields[name]
        yield index, field_line(number, wire_name, name, swift_type, note, phrases)
    names = {int(number, 0): name for number, name in NAMED.findall(text)}
    for index, name, number in declared.values:
        yield index, f"/// Value {number}{label(name, names.get(number, name))}."


def comment_start(lines, index):
    """The index of the first line of the doc comment above a declaration, or the declaration's own index."""
    while index > 0 and lines[index - 1].lstrip().startswith(("///", "@")):
        index -= 1
    return index


def rewrite(lines, wanted):
    """The lines with the wanted comments, and the differences as (line number, found or None, wanted or None)."""
    result, differences = list(lines), []
    wanted += [(index, None) for index in range(len(lines)) if GENERATED.match(lines[index])
               and index not in {comment_start(lines, at) for at, _ in wanted}]
    for index, line in sorted(wanted, key=lambda pair: pair[0], reverse=True):
        if line is None:
            differences.append((index + 1, lines[index].strip(), None))
            del result[index]
            continue
        indentation = re.match(" *", lines[index])[0]
        line = indentation + line
        if len(line) > WIDTH:
            raise Failure(f"line {index + 1}: the comment is longer than {WIDTH} characters: {line.strip()}")
        start = comment_start(lines, index)
        found = lines[start] if start < index and GENERATED.match(lines[start]) else None
        if found == line:
            continue
        differences.append((index + 1, found.strip() if found else None, line.strip()))
        result[start:start + (found is not None)] = [line]
    return result, differences[::-1]


def difference(found, wanted):
    if found is None:
        return f"lacks '{wanted}'"
    return f"has '{found}', which is above no field" if wanted is None else f"has '{found}', expected '{wanted}'"


def rewritten(facts: Facts) -> tuple[dict[str, tuple[str, list]], int]:
    """Returns the text and the differences of each source by its name, and the number of fields and values."""
    files = {file: facts.needed_text(file).split("\n") for file in facts.below(SOURCES, ".swift")}
    types = [declared for file, lines in files.items() for declared in read_types(file, lines)]
    phrases = Phrases({declared.name: declared for declared in types})
    made, count = {}, 0
    for file, lines in files.items():
        try:
            wanted = [pair for declared in types if declared.file == file for pair in wanted_lines(declared, phrases)]
            count += len(wanted)
            result, differences = rewrite(lines, wanted)
        except Failure as failure:
            raise Failure(f"{file}: {failure}") from None
        made[file] = "\n".join(result), differences
    return made, count


def write(facts: Facts) -> None:
    """Writes the lines into the sources."""
    for file, (text, differences) in rewritten(facts)[0].items():
        if differences:
            facts.write(file, text)


def check(facts: Facts) -> Report:
    """Compares the lines in the sources with the schema."""
    made, count = rewritten(facts)
    faults = [f"{file}:{line}: {difference(found, text)}"
              for file, (_, differences) in made.items() for line, found, text in differences]
    return Report(faults, f"{count} fields and values", f"{REPAIR}; then commit {SOURCES}")
