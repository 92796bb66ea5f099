# SPDX-License-Identifier: Apache-2.0
"""Clients of listening commands: D4."""

from __future__ import annotations

import re
import socket
import time

from iap2peer.transport import Channel, TransportError, connect, parse_host_port

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


def burst(address: str, count: int) -> list[Channel]:
    """Begins many TCP connections at once, without waiting for any of them."""
    target = parse_host_port(address)
    channels = []
    for _ in range(count):
        stream = socket.socket()
        stream.setblocking(False)
        stream.connect_ex(target)
        channels.append(Channel(stream.fileno(), stream))
    return channels


def crowd(stage: Stage, count: int, content: bytes) -> tuple[int, int, bytes]:
    """Connects many clients. Returns how many were closed, how many of them without a byte, and the bytes of one."""
    _, address = coprocessor_server(stage)
    clients = burst(address, count)
    stage.others += clients
    received = {id(c): b"" for c in clients}
    if content:
        stage.wait(0.05)
        for client in clients:
            client.send(content)

    def read() -> bool:
        for client in clients:
            received[id(client)] += client.receive()
        return False

    stage.run(read, 1.5)
    closed = [c for c in clients if c.ended]
    reasons = [received[id(c)] for c in closed if received[id(c)]]
    return len(closed), len(closed) - len(reasons), next(iter(reasons), b"")[:24]


@finding("coprocessor-clients", "D4", "each client above the limit of coprocessor serve gets the reason", 40)
def coprocessor_clients(stage: Stage) -> Outcome:
    """500 clients connect at once, in up to twelve rounds; in every second round each writes a byte.

    The loss of the reason depends on timing, so the rounds go on until a client was closed without a byte.
    """
    closed = silent = rounds = 0
    reason = b""
    for rounds in range(1, 13):
        with Stage(stage.program, stage.left(8)) as inner:
            more, without, reason = crowd(inner, 500, b"\0" if rounds % 2 == 0 else b"")
        closed, silent = closed + more, silent + without
        if silent or stage.left(3) < 3:
            break
    return Outcome(not silent and closed > 0, f"{closed} clients closed in {rounds} rounds, {silent} of them without "
                                              f"a byte; others got {reason.hex()}")


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


@finding("coprocessor-full-backlog", "D4",
         "a coprocessor server with a full backlog is not reported as a chip's timeout")
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
