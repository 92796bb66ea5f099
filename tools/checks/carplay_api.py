# SPDX-License-Identifier: Apache-2.0
"""The public declarations of CarPlay are those of the API that apps import, in the sections that the list names.

The list is tools/data/carplay-api.txt: one declaration a line below the section of the API that it belongs to, with the
versions of iOS that have it. Four sections are special:

    BEYOND      declarations that the API's description does not name, such as the properties of initialisers
    NOT BUILT   names of the API without a declaration, each with the reason: `NAME | REASON`
    STEP 91 %   names that 91 % of the uses in real apps need, as the symbol graph spells them
    NONE        declarations that belong to no section, which is a fault

A missing name of the step is a fault too, and so is it if fewer than 95 % of the names of the API are built. `--write`
adds new declarations under NONE and removes those that were removed.
"""
from __future__ import annotations

import pathlib
import re

from . import api_lists
from .api_lists import NONE
from .facts import Facts
from .report import Report

LIST = "tools/data/carplay-api.txt"
MODULE = "CarPlay"
BEYOND, NOT_BUILT, STEP = "BEYOND", "NOT BUILT", "STEP 91 %"
NEEDED = 95
HEADER = "# The public declarations of CarPlay by section of the API; see tools/check carplay-api."
REPAIR = "tools/check --write carplay-api; then move the new declarations to their sections"


def versions_of(symbol: dict) -> str:
    """Returns the versions of iOS with a declaration, as a suffix: introduced, or introduced and deprecated."""
    def text(version: dict) -> str:
        return ".".join(str(version[part]) for part in ("major", "minor") if part in version)
    for mark in symbol.get("availability", []):
        if mark.get("domain") == "iOS":
            return " // iOS " + "-".join(text(mark[key]) for key in ("introduced", "deprecated") if key in mark)
        if mark.get("isUnconditionallyUnavailable"):
            return " // unavailable"
    return ""


def declarations_of(folder: pathlib.Path) -> set[str]:
    """Returns the public declarations of a module with their versions, and what the types refine."""
    found = set()
    for graph in api_lists.graphs_in(folder):
        paths = {}
        for symbol in api_lists.symbols_in(graph):
            line = api_lists.line_of_symbol(symbol)
            if len(symbol["pathComponents"]) > 1:
                # The isolation of members is that of their type.
                line = line.replace("@MainActor ", "")
            found.add(line + versions_of(symbol))
            paths[symbol["identifier"]["precise"]] = ".".join(symbol["pathComponents"])
        for relation in graph["relationships"]:
            if relation["kind"] not in ("conformsTo", "inheritsFrom") or relation["source"] not in paths:
                continue
            target = paths.get(relation["target"], relation.get("targetFallback", "")).split(".")[-1]
            if target.startswith(("CP", "UI", "NSSecureCoding")):
                found.add(f"{paths[relation['source']]}: is a {target}")
    return found


def list_text(sections: dict[str, str]) -> str:
    """Returns the text of a list. The special sections come last."""
    special = [BEYOND, NOT_BUILT, STEP, NONE]
    order = list(dict.fromkeys(name for name in sections.values() if name not in special))
    return api_lists.list_text(HEADER, sections, order + [name for name in special if name in sections.values()])


def split(sections: dict[str, str]) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Returns the declarations of a list, the reasons of what is not built, and the names of the step."""
    declarations = {line: name for line, name in sections.items() if name not in (NOT_BUILT, STEP)}
    missing = dict((line.split(" | ", 1) + [""])[:2] for line, name in sections.items() if name == NOT_BUILT)
    return declarations, missing, [line for line, name in sections.items() if name == STEP]


def faults_of(found: set[str], sections: dict[str, str]) -> tuple[list[str], tuple[float, float]]:
    """Returns the faults, and two figures in percent: the built names of the step, and those of the API."""
    declarations, missing, step = split(sections)
    paths = {line.split(": ", 1)[0] for line in found}
    faults = api_lists.faults_of(found, declarations)
    faults += [f"has no reason: {name}" for name, reason in sorted(missing.items()) if not reason]
    faults += [f"is built: {name}" for name in sorted(missing) if name in paths | found]
    faults += [f"is missing in the step of 91 %: {name}" for name in sorted(step) if name not in paths]
    named = len([line for line, name in declarations.items() if name not in (BEYOND, NONE) and line in found])
    figures = (100 * len([name for name in step if name in paths]) / max(1, len(step)),
               100 * named / max(1, named + len(missing)))
    if figures[1] < NEEDED:
        faults.append(f"{figures[1]:.1f} % of the API are built, fewer than {NEEDED} %")
    return faults, figures


def write(facts: Facts) -> None:
    """Writes the declarations of the module into the list."""
    found = declarations_of(facts.graphs[MODULE])
    sections = api_lists.read_list(facts.text(LIST) or "")
    special = {line: name for line, name in sections.items() if name in (NOT_BUILT, STEP)}
    facts.write(LIST, list_text(api_lists.updated(sections, found) | special))


def check(facts: Facts) -> Report:
    """Compares the module with the list."""
    found = declarations_of(facts.graphs[MODULE])
    faults, figures = faults_of(found, api_lists.read_list(facts.needed_text(LIST)))
    return Report(faults, f"{len(found)} declarations, {figures[1]:.1f} % of the API, {figures[0]:.1f} % of the names "
                  "of the step of 91 %", REPAIR)
