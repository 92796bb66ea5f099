# SPDX-License-Identifier: Apache-2.0
"""The public declarations of ExternalAccessory are those of the API that apps import.

The list is tools/data/external-accessory-api.txt: one declaration a line below the section of the API that it belongs
to. A declaration under NONE belongs to no part of the API, and is a fault. `--write` adds new declarations under NONE
and removes those that were removed.
"""
from __future__ import annotations

from . import api_lists
from .facts import Facts
from .report import Report

LIST = "tools/data/external-accessory-api.txt"
MODULE = "ExternalAccessory"
HEADER = "# The public declarations of ExternalAccessory by section of the API; see tools/check external-accessory-api."
REPAIR = "tools/check --write external-accessory-api; then move the new declarations to their sections"


def list_text(sections: dict[str, str]) -> str:
    """Returns the text of a list, with the declarations of no section last."""
    names = sorted(dict.fromkeys(sections.values()), key=lambda name: name == api_lists.NONE)
    return api_lists.list_text(HEADER, sections, names)


def write(facts: Facts) -> None:
    """Writes the declarations of the module into the list."""
    found = api_lists.declarations_of(facts.graphs[MODULE])
    sections = api_lists.read_list(facts.text(LIST) or "")
    facts.write(LIST, list_text(api_lists.updated(sections, found)))


def check(facts: Facts) -> Report:
    """Compares the module with the list."""
    found = api_lists.declarations_of(facts.graphs[MODULE])
    sections = api_lists.read_list(facts.needed_text(LIST))
    same = len(found & {line for line, name in sections.items() if name != api_lists.NONE})
    return Report(api_lists.faults_of(found, sections), f"{len(found)} declarations, {same} as listed", REPAIR)
