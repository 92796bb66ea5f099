# SPDX-License-Identifier: Apache-2.0
"""The result of a check."""
from __future__ import annotations

import dataclasses


class Failure(Exception):
    """A reason, in one line, why a check or a fact has no result."""


@dataclasses.dataclass
class Report:
    """The faults that a check found, what it counted, and what to do about the faults."""

    faults: list[str]
    summary: str
    repair: str = ""
