# SPDX-License-Identifier: Apache-2.0
"""The shapes, modules with parts of UIKit, MapKit and others, have no more than CarPlay apps need, and hide nothing.

The shapes are the targets that ShapesTests tests. The list is tools/data/shapes-api.txt: one declaration a line below a
heading with the module, and with what apps use it for. A declaration under NONE has no use, and is a fault. Each declaration has a doc comment. `--write` adds new declarations under NONE and
removes those that were removed.

A source that tests `canImport(UIKit)` would be compiled as if it were on iOS whenever a shape is built before it. So no
target of this package, and none of the packages that it depends on, may do that. No target may have the name of a
module that sources of apps test for, and only products of CarPlay build a shape.
"""
from __future__ import annotations

import re

from . import api_lists
from .api_lists import NONE
from .doc_comments import gaps_of
from .facts import Facts, dependencies_of
from .markdown import line_of
from .report import Failure, Report
from .swift_source import code_of

LIST = "tools/data/shapes-api.txt"
HEADER = "# The public declarations of the shapes, by module and by what apps use them for; see tools/check shapes-api."
REPAIR = "for the list: tools/check --write shapes-api; then move the new declarations to their sections"
# The products that build shapes.
CAR = re.compile(r"CarPlay")
# Apps and packages test for these modules and then use what a shape of them would not have.
FORBIDDEN = {"os", "OSLog", "Combine", "CoreData"}
CHECKOUTS = ".build/checkouts"
CAN_IMPORT = re.compile(r"(?<![\w`.])canImport\s*\(\s*`?(\w+)")
Sections = dict[tuple[str, str], str]


def read_list(text: str) -> Sections:
    """Returns the section of each pair of a module and a declaration."""
    sections, module, section = {}, "", NONE
    for line in text.split("\n"):
        if line.startswith("## "):
            module, _, section = line[3:].strip().partition(": ")
        elif line and not line.startswith("#"):
            sections[module, line] = section
    return sections


def list_text(sections: Sections) -> str:
    """Returns the text of a list, with the declarations of no section last in their module."""
    headings = list(dict.fromkeys((module, section) for (module, _), section in sections.items()))
    headings.sort(key=lambda heading: (heading[0], heading[1] == NONE, heading[1]))
    lines = [HEADER]
    for module, section in headings:
        lines += ["", f"## {module}: {section}",
                  *sorted(line for (name, line), other in sections.items() if (name, other) == (module, section))]
    return "\n".join(lines) + "\n"


def faults_of_list(found: set[tuple[str, str]], sections: Sections) -> list[str]:
    """Returns the differences between the modules and their list."""
    return ([f"not in the list: {module}: {line}" for module, line in sorted(found - sections.keys())]
            + [f"missing in the module: {module}: {line}" for module, line in sorted(sections.keys() - found)]
            + [f"belongs to no section: {module}: {line}"
               for (module, line), section in sorted(sections.items()) if section == NONE])


def faults_of_source(file: str, text: str, modules: set[str]) -> list[str]:
    """Returns the lines of a file that test `canImport` of a module, outside of comments and texts."""
    if "canImport" not in text:
        return []
    code = code_of(text)
    return [f"{file}:{line_of(code, match.start())}: tests canImport({match.group(1)}), which is a shape"
            for match in CAN_IMPORT.finditer(code) if match.group(1) in modules]


def faults_of_sources(facts: Facts, modules: set[str]) -> list[str]:
    """Returns the faults of all sources of the package and of the packages that it depends on."""
    checkouts = facts.root / CHECKOUTS
    if not checkouts.is_dir():
        raise Failure(f"{CHECKOUTS} does not exist, so dependencies are not read; run swift package resolve")
    faults = []
    for file in facts.below("Sources", ".swift") + facts.below("Tests", ".swift"):
        faults += faults_of_source(file, facts.needed_text(file), modules)
    for path in sorted(checkouts.rglob("*.swift")):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            faults += faults_of_source(str(path.relative_to(facts.root)), text, modules)
    return faults


def faults_of_package(package: dict, shapes: set[str]) -> list[str]:
    """Returns the products that build a shape and are none of CarPlay, and the targets with a forbidden name."""
    targets = {target["name"]: target for target in package["targets"]}
    faults = [f"Package.swift: no target may be named {name}" for name in sorted(FORBIDDEN & targets.keys())]
    for product in package["products"]:
        if CAR.match(product["name"]):
            continue
        built, open_names = set(), list(product["targets"])
        while open_names:
            name = open_names.pop()
            if name in targets and name not in built:
                built.add(name)
                open_names += dependencies_of(targets[name])
        faults += [f"Package.swift: the product {product['name']} builds the shape {name}"
                   for name in sorted(built & shapes)]
    return faults


def found_in(facts: Facts) -> set[tuple[str, str]]:
    """Returns the public declarations of all shapes."""
    return {(module, line) for module in facts.shapes for line in api_lists.declarations_of(facts.graphs[module])}


def write(facts: Facts) -> None:
    """Writes the declarations of the modules into the list."""
    facts.write(LIST, list_text(api_lists.updated(read_list(facts.text(LIST) or ""), found_in(facts))))


def check(facts: Facts) -> Report:
    """Compares the modules with the list, and reads the sources."""
    found = found_in(facts)
    gaps = [gap for module in sorted(facts.shapes) for gap in gaps_of(facts.graphs[module], facts.root)[0]]
    faults = (faults_of_list(found, read_list(facts.needed_text(LIST)))
              + [f"{file}:{line}: {name} has no doc comment" for file, line, name in gaps]
              + faults_of_sources(facts, facts.shapes | {"CarPlay"}) + faults_of_package(facts.package, facts.shapes))
    return Report(faults, f"{len(found)} declarations of {len(facts.shapes)} shapes", REPAIR)
