# SPDX-License-Identifier: Apache-2.0
"""The table of findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from .harness import Outcome, Stage

Play = Callable[[Stage], Outcome]


@dataclass(frozen=True)
class Finding:
    """A named situation with the wanted behavior."""

    name: str
    section: str
    title: str
    limit: float
    play: Play


FINDINGS: dict[str, Finding] = {}


def finding(name: str, section: str, title: str, limit: float = 25) -> Callable[[Play], Play]:
    """Registers a function as a finding. `title` says what is wanted, `limit` is its time in seconds."""
    def register(play: Play) -> Play:
        if name in FINDINGS:
            raise ValueError(f"two findings are named {name}")
        FINDINGS[name] = Finding(name, section, title, limit, play)
        return play
    return register
