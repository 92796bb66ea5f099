# SPDX-License-Identifier: Apache-2.0
"""The tables of Documentation/Tasks/WhatACarCuts.md are the limits and rules in Sources/Apps/CarPlayPlatform.

A table stands between `<!-- NAME: made by tools/check --write car-cuts -->` and `<!-- end of NAME -->`. Its rows come
from the doc comments and the defaults in the source, so the page and the emulated car cannot differ.
"""
from __future__ import annotations

import difflib
import re
from collections.abc import Callable

from .facts import Facts
from .report import Failure, Report

PAGE = "Documentation/Tasks/WhatACarCuts.md"
SOURCES = "Sources/Apps/CarPlayPlatform"
REPAIR = "tools/check --write car-cuts"
Source = Callable[[str], str]
MEMBER = re.compile(r"((?:^ +/// .*\n)+)^ +(?:public (?:var|static let|static func)|case) (.*)", re.M)
VERSION = re.compile(r"IOSVersion\((\d+)(?:, (\d+))?\)")


def source_in(facts: Facts) -> Source:
    """Returns a function that returns the text of a source by its name."""
    def source(name: str) -> str:
        for file in facts.below(SOURCES, "/" + name):
            return facts.needed_text(file)
        raise Failure(f"{SOURCES} has no file {name}")
    return source


def body(text, start):
    """The declaration that begins with a text, to the brace in its column."""
    at = text.find(start)
    if at < 0:
        raise Failure(f"{SOURCES} has no declaration that begins: {start}")
    indent = " " * (at - text.rfind("\n", 0, at) - 1)
    return text[at:text.index(f"\n{indent}}}", at)]


def members(text):
    """Pairs of a declaration and its doc comment as one line."""
    for match in MEMBER.finditer(text):
        yield match.group(2), " ".join(line.strip()[4:] for line in match.group(1).strip().splitlines())


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
                      *("| " + " | ".join(row).replace("``", "`") + " |" for row in rows)])


def counts(source: Source):
    rows = []
    for declaration, doc in members(body(source("CarLimits.swift"), "public struct CarLimits")):
        if match := re.fullmatch(r"(\w+)(?:: Int\?| = (\d+))", declaration):
            rows.append([match.group(2) or "see right", doc, f"`{match.group(1)}`"])
    return table(["Default", "Meaning and source", "Setting in `limits`"], rows)


def sizes(source: Source):
    rows = []
    for declaration, doc in members(body(source("CarLimits.swift"), "public struct CarImageSizes")):
        if match := re.fullmatch(r"(\w+) = CGSize\(width: (\d+), height: (\d+)\)", declaration):
            rows.append([f"{match.group(2)} × {match.group(3)}", doc, f"`{match.group(1)}`"])
    return table(["Points", "Meaning and source", "Setting in `imageSizes`"], rows)


def kinds(source: Source):
    names = re.findall(r"^  case (\w+)$", body(source("TemplateKind.swift"), "public enum TemplateKind"), re.M)
    return {name: f"CP{name[0].upper()}{name[1:]}Template" for name in names}


def first_versions(source: Source):
    """The first version of each category."""
    versions = {}
    for names, major, minor in re.findall(r"case ([^:]+): IOSVersion\((\d+)(?:, (\d+))?\)",
                                          body(source("AppCategory.swift"), "public var firstVersion")):
        for name in re.findall(r"\.(\w+)", names):
            versions[name] = f"{major}.{minor}" if minor else major
    return versions


def lists(text):
    return re.findall(r"\.(\w+)", text)


def templates(source: Source):
    rules = source("TemplateRules.swift")
    common = lists(re.search(r"let common: \[TemplateKind\] = \[(.*?)\]", rules).group(1))
    later = re.search(r"let later = from\(IOSVersion\((\d+), (\d+)\), \[(.*?)\]\)", rules)
    cases = re.findall(r"case ([^:]+):\s*return (.+)", body(rules, "private static func table("))
    versions = first_versions(source)
    columns, cells = [], {name: {} for name in kinds(source)}
    for names, value in cases:
        if value == "[]":
            continue
        granted = {}
        rest = value
        for match in re.finditer(r"from\((first|IOSVersion\((\d+)\)), (common \+ )?\[(.*?)\]\)", value):
            rest = rest.replace(match.group(), "", 1)
            for kind in (common if match.group(3) else []) + lists(match.group(4)):
                granted[kind] = match.group(2) or "yes"
        if "+ later" in rest:
            rest = rest.replace("later", "", 1)
            granted |= {kind: f"{later.group(1)}.{later.group(2)}" for kind in lists(later.group(3))}
        if rest.strip(" +"):
            raise Failure(f"TemplateRules.table has a row of another form: {value}")
        for category in lists(names):
            columns.append(category)
            for kind in cells:
                cells[kind][category] = granted.get(kind, "–")
    rows = [[f"`{name}`", *(cells[kind][column] for column in columns)] for kind, name in kinds(source).items()]
    rows.append(["from iOS", *(versions[column] for column in columns)])
    depths = depth_of(source, columns)
    rows.append(["depth", *(depths[column] for column in columns)])
    return table(["Template", *columns], rows)


def depth_of(source: Source, categories):
    text = body(source("TemplateRules.swift"), "public static func depth(")
    default = re.search(r"default: (\d+)", text).group(1)
    depths = dict.fromkeys(categories, default)
    for names, value in re.findall(r"case ([^:]+): (\d+)", text):
        depths |= {name: value for name in lists(names)}
    return depths


def places(source: Source):
    text = body(source("TemplateRules.swift"), "public static func places(")
    names, rows = kinds(source), []
    for cases, value in re.findall(r"case ([^:]+): \[(.*?)\]", text):
        for kind in lists(cases):
            given = lists(value)
            rows.append([f"`{names[kind]}`", *("yes" if place in given else "–"
                                               for place in ("root", "tab", "pushed", "presented"))])
    return table(["Template", "root", "tab", "pushed", "presented"], sorted(rows))


def exceptions(source: Source):
    text = body(source("CarPlayException.swift"), "public struct CarPlayException")
    names = {"generic": "NSGenericException", "invalidArgument": "NSInvalidArgumentException",
             "internalInconsistency": "NSInternalInconsistencyException"}
    rows = []
    for match in re.finditer(r"((?:^  ///[^\n]*\n)+)^  public static (?:let|func) (\w+)(.*?)(?=\n\n|\Z)", text,
                             re.M | re.S):
        doc, name, rest = match.groups()
        value = re.search(r"name: (\w+),\s*reason: ((?:\"[^\"]*\"|\s*\+\s*|text)+)", rest)
        if not value:
            continue
        doc = re.split(r" - Parameters?", " ".join(line.strip()[3:].strip() for line in doc.splitlines()))[0].strip()
        reason = "".join(re.findall(r'"([^"]*)"', value.group(2))) or "<text>"
        reason = re.sub(r"\\\((\w+(?:\.\w+)?)[^)]*\)", r"<\1>", reason)
        rows.append([doc, f"`{names[value.group(1)]}`", f"`{reason}`"])
    return table(["Cause and source", "Exception", "Text"], rows)


def reports(source: Source):
    rows = [[f"`{declaration}`", doc] for declaration, doc in
            members(body(source("CarDiagnostic.swift"), "public enum Kind")) if re.fullmatch(r"\w+", declaration)]
    return table(["Kind", "Meaning"], rows)


TABLES = {"counts": counts, "sizes": sizes, "templates": templates, "places": places, "exceptions": exceptions,
          "reports": reports}


def with_tables(facts: Facts) -> tuple[str, str]:
    """Returns the page as it is, and with the tables of the source."""
    old = new = facts.needed_text(PAGE)
    for name, make in TABLES.items():
        start = f"<!-- {name}: made by {REPAIR} -->\n"
        block = re.compile(rf"({re.escape(start)}).*?(<!-- end of {name} -->)", re.S)
        made = make(source_in(facts))
        if made.count("\n") < 3:
            raise Failure(f"the table {name} has no rows: the source has another form")
        new, count = block.subn(lambda match, made=made: f"{match.group(1)}\n{made}\n\n{match.group(2)}", new)
        if count != 1:
            raise Failure(f"{PAGE} has {count} places for the table {name}; one is needed, after {start.strip()}")
    return old, new


def write(facts: Facts) -> None:
    """Writes the tables into the page."""
    facts.write(PAGE, with_tables(facts)[1])


def check(facts: Facts) -> Report:
    """Compares the tables of the page with the source."""
    old, new = with_tables(facts)
    difference = difflib.unified_diff(old.splitlines(), new.splitlines(), PAGE, "source", n=0, lineterm="")
    return Report(list(difference), f"{len(TABLES)} tables", REPAIR)
