# SPDX-License-Identifier: Apache-2.0
"""Public declarations from symbol graphs, and lists of them by sections of an API, for the checks of APIs."""
from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator

NONE = "NONE"  # the section of declarations that belong to no section of the API


def symbols_in(graph: dict) -> Iterator[dict]:
    """Yields the public declarations of a symbol graph that stand in the sources."""
    for symbol in graph["symbols"]:
        if (symbol["accessLevel"] in ("public", "open") and symbol["kind"]["identifier"] != "swift.extension"
                and "::SYNTHESIZED::" not in symbol["identifier"]["precise"] and "location" in symbol):
            yield symbol


def graphs_in(folder: pathlib.Path) -> Iterator[dict]:
    """Yields the symbol graphs of a module: its own, and those of its extensions of other modules."""
    for file in sorted(folder.glob("*.symbols.json")):
        yield json.loads(file.read_text(encoding="utf-8"))


def line_of_symbol(symbol: dict) -> str:
    """Returns a declaration as `PATH: DECLARATION`."""
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    return ".".join(symbol["pathComponents"]) + ": " + re.sub(r"\s+", " ", text).strip()


def declarations_of(folder: pathlib.Path) -> set[str]:
    """Returns the public declarations of a module."""
    return {line_of_symbol(symbol) for graph in graphs_in(folder) for symbol in symbols_in(graph)}


def read_list(text: str) -> dict[str, str]:
    """Returns the section of each declaration of a list."""
    sections, current = {}, NONE
    for line in text.split("\n"):
        if line.startswith("## "):
            current = line[3:].strip()
        elif line and not line.startswith("#"):
            sections[line] = current
    return sections


def list_text(header: str, sections: dict[str, str], order: list[str]) -> str:
    """Returns the text of a list with its sections in an order."""
    lines = [header]
    for name in order:
        lines += ["", f"## {name}", *sorted(line for line, section in sections.items() if section == name)]
    return "\n".join(lines) + "\n"


def updated(sections: dict, found: set) -> dict:
    """Returns a list without declarations that are not there, and with new ones in no section."""
    kept = {line: name for line, name in sections.items() if line in found}
    return kept | {line: NONE for line in found - kept.keys()}


def faults_of(found: set[str], sections: dict[str, str]) -> list[str]:
    """Returns the differences between a module and its list."""
    return ([f"not in the list: {line}" for line in sorted(found - sections.keys())]
            + [f"missing in the module: {line}" for line in sorted(sections.keys() - found)]
            + [f"belongs to no section of the API: {line}" for line, name in sorted(sections.items()) if name == NONE])
