# SPDX-License-Identifier: Apache-2.0
"""The form of the peers' command lines: exit statuses, addresses, and events as lines of JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

USAGE, NO_FILE, UNAVAILABLE, INTERRUPTED = 64, 66, 69, 130


class Parser(argparse.ArgumentParser):
    """A parser that ends with the exit status of the other commands for a wrong command line."""

    def error(self, message: str):
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def host_and_port(text: str) -> tuple[str, int]:
    """Reads HOST:PORT, with brackets around an IPv6 address. Raises `ValueError`. Without a host it is 127.0.0.1."""
    host, separator, port = text.rpartition(":")
    if not separator or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ValueError(f"{text!r} is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


def events_of(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Returns the events among the lines that a command printed: the JSON objects."""
    events = []
    for line in lines:
        try:
            event = json.loads(line) if line.startswith("{") else None
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events
