# SPDX-License-Identifier: Apache-2.0
"""Runs both roles in one event loop, over socket pairs and in virtual time."""

from __future__ import annotations

import asyncio
import dataclasses
from dataclasses import dataclass, field
from typing import Any

from carplaypeer import authsetup, info, screen
from carplaypeer.head_unit import HeadUnit, HeadUnitConfig
from carplaypeer.hostile import BEHAVIORS, HEAD_UNIT, Behavior
from carplaypeer.network import PairNetwork
from carplaypeer.phone import Phone, PhoneConfig

SPS, PPS = bytes.fromhex("6764c028ac56200d814fe59b81010101"), bytes.fromhex("28ee3cb0")
AUTHORITY, SIGNER = authsetup.make_test_authority()


def pictures(count: int, size: int = 500, period: int = 10) -> tuple[screen.Picture, ...]:
    """Returns pictures that no decoder can read, with an IDR at every `period`."""
    return tuple(screen.Picture(SPS, PPS, (bytes([0x41 if number % period else 0x65, 0x80])
                                           + number.to_bytes(2, "big") + b"\x55" * size,))
                 for number in range(count))


@dataclass
class Log:
    """The events of one side."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def emit(self, event: str, **values: Any) -> None:
        """Stores an event."""
        self.events.append({"event": event, **values})

    def named(self, event: str, **values: Any) -> list[dict[str, Any]]:
        """Returns the events with this name and these values."""
        return [entry for entry in self.events if entry["event"] == event
                and all(entry.get(key) == value for key, value in values.items())]


@dataclass
class Result:
    """The ends and events of both sides."""

    head_unit: str | None
    phone: str
    unit_log: Log
    phone_log: Log
    unit: HeadUnit
    session: Phone


async def meet(unit: dict[str, Any] | None = None, phone: dict[str, Any] | None = None,
               network: PairNetwork | None = None, behavior: Behavior | None = None) -> Result:
    """Runs one session. The head unit's cause is None if its connection has not ended a minute later."""
    network = network or PairNetwork()
    unit_config = HeadUnitConfig(**{"signer": SIGNER} | (unit or {}))
    phone_config = PhoneConfig(**{"trusted": [AUTHORITY], "pictures": pictures(20)} | (phone or {}))
    if behavior is not None and behavior.side == HEAD_UNIT:
        unit_config = dataclasses.replace(unit_config, behavior=behavior.fresh())
    elif behavior is not None:
        phone_config = dataclasses.replace(phone_config, behavior=behavior.fresh())
    unit_log, phone_log = Log(), Log()
    head_unit = HeadUnit(unit_config, network, unit_log.emit)
    await head_unit.listen()
    running = Phone(phone_config, network, phone_log.emit)
    cause = await running.run(head_unit.listener.port)
    try:
        ended = await asyncio.wait_for(head_unit.wait_for_end(), 60)
    except TimeoutError:
        ended = None
    await head_unit.close()
    await asyncio.sleep(1)
    return Result(ended, cause, unit_log, phone_log, head_unit, running)


def car(**values: Any) -> info.Car:
    """Returns a car with different values."""
    return dataclasses.replace(info.Car(), **values)


__all__ = ["BEHAVIORS", "Log", "Result", "car", "meet", "pictures"]
