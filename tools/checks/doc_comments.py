# SPDX-License-Identifier: Apache-2.0
"""Every public declaration of the library products has a doc comment, and the core has few public declarations.

A member that implements a requirement of a protocol needs no comment of its own if the requirement has one, because the
compiler copies it into the symbol graph. Declarations that the compiler derives, such as `==`, do not count: they have
no place in the sources.
"""
from __future__ import annotations

import pathlib
import urllib.parse
from collections.abc import Iterator

from .api_lists import graphs_in, symbols_in
from .facts import Facts
from .report import Report

# The count of the core covers the public declarations in the sources of these modules, except
# - the typed messages in MESSAGES, which are data of the protocol,
# - enumeration cases, which are as public as their enumeration,
# - members that implement a requirement of a protocol, which must be public, and whose requirement is counted.
# A declaration that programs outside the package do not need is `package`. Lower the limit when the count falls.
CORE = ["IAP2", "IAP2Roles"]
MESSAGES = "/IAP2/Control/Messages/"
CORE_LIMIT = 371
REPAIR = ("write a `///` comment above each declaration, for fields of messages by tools/check --write "
          "message-comments; make declarations of the core `package` that programs outside the package do not need")


def symbols_of(folder: pathlib.Path) -> Iterator[tuple[dict, bool]]:
    """Yields the public declarations in the sources of a module, each with whether it implements a requirement."""
    for graph in graphs_in(folder):
        implementing = {relation["source"] for relation in graph["relationships"]
                        if "sourceOrigin" in relation or relation["kind"] == "defaultImplementationOf"}
        for symbol in symbols_in(graph):
            yield symbol, symbol["identifier"]["precise"] in implementing


def path_of(symbol: dict) -> str:
    """Returns the path of the source of a declaration."""
    return urllib.parse.unquote(urllib.parse.urlparse(symbol["location"]["uri"]).path)


def gaps_of(folder: pathlib.Path, root: pathlib.Path) -> tuple[list[tuple[str, int, str]], int]:
    """Returns file, line and name of the symbols of a folder without a doc comment, and the number of all symbols."""
    gaps, count = [], 0
    for symbol, _ in symbols_of(folder):
        count += 1
        lines = symbol.get("docComment", {}).get("lines", [])
        if any(line["text"].strip() for line in lines):
            continue
        path = pathlib.Path(path_of(symbol))
        name = path.relative_to(root) if path.is_relative_to(root) else path
        gaps.append((str(name), symbol["location"]["position"]["line"] + 1, ".".join(symbol["pathComponents"])))
    return sorted(set(gaps)), count


def core_counts(folder: pathlib.Path) -> tuple[int, int]:
    """Returns the number of a module's declarations that CORE_LIMIT counts, and of members that implement others."""
    found = [implements for symbol, implements in symbols_of(folder)
             if symbol["kind"]["identifier"] != "swift.enum.case" and MESSAGES not in path_of(symbol)]
    return found.count(False), found.count(True)


def check(facts: Facts) -> Report:
    """Reads the symbol graphs of all libraries."""
    results = [gaps_of(facts.graphs[module], facts.root) for module in facts.libraries]
    faults = [f"{file}:{line}: {name} has no doc comment" for gaps, _ in results for file, line, name in gaps]
    core = sum(core_counts(facts.graphs[module])[0] for module in CORE)
    if core > CORE_LIMIT:
        faults.append(f"{' and '.join(CORE)} have {core} public declarations outside the messages, at most "
                      f"{CORE_LIMIT} are allowed")
    count = sum(number for _, number in results)
    return Report(faults, f"{count} declarations of {len(facts.libraries)} libraries; core: {core} of {CORE_LIMIT}",
                  REPAIR)
