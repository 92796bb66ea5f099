# SPDX-License-Identifier: Apache-2.0
"""Clients of listening commands: D4."""

from __future__ import annotations

import re
import time

from iap2peer.transport import Channel, TransportError, connect

from .harness import Command, Outcome, Stage, seconds
from .registry import finding


@finding("silent-clients", "D4", "three silent clients keep a good peer waiting for at most 16 s")
def silent_clients(stage: Stage) -> Outcome:
    """Three clients connect and say nothing; a fourth one is a good device."""
    command = stage.headunit()
    for _ in range(3):
        stage.channel()
    started = time.monotonic()
    device = stage.device()
    served = stage.run(lambda: device.identified, 20)
    took = time.monotonic() - started
    return Outcome(served and took <= 17, f"good peer identified {seconds(took if served else None, 20)}; "
                                          f"causes so far: {command.causes() or 'none'}")


@finding("silent-clients-phone", "D4", "three silent clients of a phone keep a good accessory waiting for at most 16 s")
def silent_clients_phone(stage: Stage) -> Outcome:
    """Three clients connect to a listening phone and say nothing; a fourth one is a good accessory."""
    command = stage.phone()
    for _ in range(3):
        stage.channel()
    started = time.monotonic()
    accessory = stage.accessory()
    served = stage.run(lambda: accessory.identified, 20)
    took = time.monotonic() - started
    return Outcome(served and took <= 17, f"good peer identified {seconds(took if served else None, 20)}; "
                                          f"causes so far: {command.causes() or 'none'}")


def coprocessor_server(stage: Stage) -> tuple[Command, str]:
    """Starts `coprocessor serve` with the emulated chip. Returns it and its address."""
    command = stage.start("coprocessor", "serve", "--authenticator", "emulated", "--listen", "127.0.0.1:0")
    pattern = re.compile(r"127\.0\.0\.1:(\d+)")

    def found() -> re.Match[str] | None:
        text = command.output_path.read_text(errors="replace") + command.error_path.read_text(errors="replace")
        return next((m for m in pattern.finditer(text) if m[1] != "0"), None)

    stage.need(lambda: found() is not None, 8, "coprocessor serve does not listen", command)
    match = found()
    assert match is not None
    return command, match[0]


@finding("coprocessor-clients", "D4", "each client above the limit of coprocessor serve gets the reason")
def coprocessor_clients(stage: Stage) -> Outcome:
    """300 clients connect. Those that are closed must have got bytes that say why."""
    _, address = coprocessor_server(stage)
    clients: list[Channel] = []
    refused = 0
    for _ in range(300):
        try:
            channel = connect(address, 2)
        except (OSError, TransportError):
            refused += 1
            continue
        clients.append(channel)
        stage.others.append(channel)
    received = {id(c): b"" for c in clients}

    def read() -> bool:
        for client in clients:
            received[id(client)] += client.receive()
        return False

    stage.run(read, 3)
    closed = [c for c in clients if c.ended]
    silent = [c for c in closed if not received[id(c)]]
    reasons = {received[id(c)] for c in closed if received[id(c)]}
    sample = next(iter(reasons), b"")[:60]
    return Outcome(not silent and not refused,
                   f"{len(clients)} clients: {len(closed)} closed, {len(silent)} of them without a reason, "
                   f"{refused} refused; reason {sample!r}")


@finding("coprocessor-clients-at-once", "D4", "a client above the limit that already wrote still gets the reason")
def coprocessor_clients_at_once(stage: Stage) -> Outcome:
    """The clients write a byte as soon as they are connected: a close with unread bytes must not lose the reason."""
    _, address = coprocessor_server(stage)
    clients: list[Channel] = []
    for _ in range(200):
        channel = connect(address, 2)
        channel.send(b"\x00")
        clients.append(channel)
        stage.others.append(channel)
    received = {id(c): b"" for c in clients}

    def read() -> bool:
        for client in clients:
            received[id(client)] += client.receive()
        return False

    stage.run(read, 3)
    closed = [c for c in clients if c.ended]
    silent = [c for c in closed if not received[id(c)]]
    return Outcome(not silent, f"{len(clients)} clients that wrote: {len(closed)} closed, {len(silent)} of them "
                               f"without a reason ({', '.join(sorted({str(c.ended) for c in silent})) or 'none'})")


@finding("coprocessor-closing", "D4", "a coprocessor server that closes at once is reported at once")
def coprocessor_closing(stage: Stage) -> Outcome:
    """The server accepts each connection and closes it."""
    service = stage.listener()
    command = stage.start("coprocessor", "--authenticator", f"tcp:{service.address}")
    started = time.monotonic()
    calls = 0

    def close_all() -> bool:
        nonlocal calls
        while (channel := service.accept()) is not None:
            channel.close()
            calls += 1
        return command.exit_status is not None

    ended = stage.run(close_all, 15)
    took = time.monotonic() - started
    return Outcome(ended and took < 2, f"ended {seconds(took if ended else None, 15)} after {calls} calls: "
                                       f"{command.errors()!r}")


@finding("coprocessor-full-backlog", "D4", "a coprocessor server with a full backlog is not reported as a chip's timeout")
def coprocessor_full_backlog(stage: Stage) -> Outcome:
    """The server listens and never accepts; its backlog is full, so that a SYN stays unanswered."""
    service = stage.listener(backlog=0)
    for _ in range(4):
        try:
            stage.others.append(connect(service.address, 0.3))
        except (OSError, TransportError):
            break
    command = stage.start("coprocessor", "--authenticator", f"tcp:{service.address}")
    started = time.monotonic()
    ended = stage.run(lambda: command.exit_status is not None, 18)
    took = time.monotonic() - started
    text = command.errors()
    named = ended and took < 12 and "timeout" not in text.lower() and "timed out" not in text.lower()
    return Outcome(named, f"ended {seconds(took if ended else None, 18)}: {text!r}")
