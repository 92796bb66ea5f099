# SPDX-License-Identifier: Apache-2.0
"""An event loop whose clock advances only when no event is ready, so a time limit of 30 s takes no real time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Selector(selectors.DefaultSelector):
    advance = staticmethod(lambda _seconds: None)

    def select(self, timeout: float | None = None):
        ready = super().select(0)
        if not ready and timeout:
            # Socket pairs and loopback deliver immediately. If no socket is ready, only a timer can be next.
            self.advance(timeout)
        elif not ready and timeout is None:
            return super().select(1.0)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """The event loop."""

    def __init__(self) -> None:
        self._virtual = 1000.0
        selector = _Selector()
        super().__init__(selector)
        selector.advance = self._advance

    def time(self) -> float:
        return self._virtual

    def _advance(self, seconds: float) -> None:
        # A timer is due if it is within the clock's resolution.
        self._virtual += seconds + 1e-6


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)
