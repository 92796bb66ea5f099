# SPDX-License-Identifier: Apache-2.0
"""The processes and peers of one finding: started, served and always ended."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from iap2peer.authentication import KeyCredentials
from iap2peer.link import Faults
from iap2peer.packets import Synchronization
from iap2peer.roles import Accessory, AccessoryBehavior, Device, DeviceBehavior
from iap2peer.sessions import Peer, serve
from iap2peer.transport import Channel, Listener, connect

from common.command_line import events_of

STARTUP = 10
MEMORY_LIMIT = 1 << 30
MAX_EVENTS = 200_000
PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
PR_SET_PDEATHSIG = 1


class SetupFailed(Exception):
    """The situation of a finding could not be brought about, so there is no verdict."""


@dataclass
class Outcome:
    """The verdict of a finding: whether the behavior is the wanted one, and what was seen."""

    ok: bool
    evidence: str


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Command:
    """A running `iap2` with `--json`: its events, its memory, its processor time."""

    def __init__(self, program: str, arguments: list[str], directory: Path, number: int) -> None:
        self.arguments = arguments
        self.events: list[dict] = []
        self.exceeded = False
        self.memory_limit = MEMORY_LIMIT
        self.peak = 0
        self.output_path = directory / f"output-{number}"
        self.error_path = directory / f"error-{number}"
        with open(self.output_path, "wb") as output, open(self.error_path, "wb") as error:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [program, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=error, cwd=directory,
                preexec_fn=_end_with_parent, start_new_session=True)
        self.reader = open(self.output_path, "rb")  # pylint: disable=consider-using-with
        self.partial = b""
        self.first_memory = self.memory()

    def poll(self) -> None:
        """Reads new events and looks at the memory."""
        self.partial += self.reader.read(1 << 20)
        *lines, self.partial = self.partial.split(b"\n")
        for event in events_of(line.decode(errors="replace") for line in lines):
            if len(self.events) < MAX_EVENTS:
                self.events.append({**event, "_seen": time.monotonic()})
        self.peak = max(self.peak, self.memory())
        if self.peak > self.memory_limit and not self.exceeded:
            self.exceeded = True
            self.kill()

    def memory(self) -> int:
        """Returns the resident bytes, 0 after the end."""
        try:
            return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE
        except (OSError, IndexError):
            return 0

    def processor_time(self) -> float:
        """Returns the seconds of processor time used so far, 0 after the end."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / TICKS
        except (OSError, IndexError):
            return 0

    def descriptors(self) -> int:
        """Returns the number of open descriptors, 0 after the end."""
        try:
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return 0

    def select(self, event: str, since: int = 0, **values: object) -> list[dict]:
        """Returns the events of a kind with these values, from index `since` on."""
        return [e for e in self.events[since:] if e.get("event") == event
                and all(e.get(k) == v for k, v in values.items())]

    def saw(self, event: str, since: int = 0, **values: object) -> bool:
        """Returns whether there is such an event."""
        return bool(self.select(event, since, **values))

    def causes(self, since: int = 0) -> list[str]:
        """Returns the causes of all reported ends."""
        return [str(e.get("cause")) for e in self.select("disconnected", since)]

    @property
    def exit_status(self) -> int | None:
        """The exit status, or None while the command runs."""
        return self.process.poll()

    def interrupt(self) -> None:
        """Sends what Ctrl-C sends."""
        if self.exit_status is None:
            self.process.send_signal(signal.SIGINT)

    def errors(self) -> str:
        """Returns the last line of standard error."""
        lines = self.error_path.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def kill(self) -> None:
        """Ends the process at once."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Ends the process and lets go of its files."""
        self.kill()
        self.reader.close()


class Stage:
    """Everything one finding starts. Use as a context manager: nothing survives it."""

    def __init__(self, program: str, limit: float) -> None:
        self.program = program
        self.deadline = time.monotonic() + limit
        self.directory = Path(tempfile.mkdtemp(prefix="iap2peer-"))
        self.commands: list[Command] = []
        self.peers: list[Peer] = []
        self.others: list[Channel | Listener] = []

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        for peer in self.peers:
            peer.close()
        for other in self.others:
            other.close()
        for command in self.commands:
            command.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    # Commands

    def start(self, *arguments: str) -> Command:
        """Starts the command with any arguments."""
        command = Command(self.program, list(arguments), self.directory, len(self.commands))
        self.commands.append(command)
        return command

    @property
    def address(self) -> str:
        """The Unix socket on which the command listens."""
        return f"unix:{self.directory}/link"

    def listening(self, role: str, *arguments: str) -> Command:
        """Starts `headunit`, `phone` or `bridge` on `address` and waits until it listens."""
        json_option = [] if "--json" in arguments else ["--json"]
        command = self.start(role, "--transport", f"unix-listen:{self.directory}/link", *json_option, *arguments)
        self.need(lambda: (self.directory / "link").exists(), STARTUP, f"{role} does not listen", command)
        return command

    def headunit(self, *arguments: str, service: str = "echo") -> Command:
        """Starts a listening head unit with the EA protocol com.example.echo."""
        return self.listening("headunit", "--external-accessory", f"com.example.echo={service}", *arguments)

    def phone(self, *arguments: str) -> Command:
        """Starts a listening phone that trusts any accessory, unless the arguments name an authority."""
        trust = [] if "--authentication" in arguments else ["--authentication", "any"]
        return self.listening("phone", *trust, *arguments)

    # Peers

    def channel(self, receive_buffer: int | None = None) -> Channel:
        """Connects to the command without saying anything."""
        channel = connect(self.address, self.left(5), receive_buffer)
        self.others.append(channel)
        return channel

    def device(self, behavior: DeviceBehavior | None = None, offer: Synchronization | None = None,
               faults: Faults | None = None, receive_buffer: int | None = None, echo_offer: bool = False) -> Device:
        """Connects a device."""
        peer = Device(self.channel(receive_buffer), behavior, offer, faults, echo_offer=echo_offer)
        self.peers.append(peer)
        return peer

    def accessory(self, behavior: AccessoryBehavior | None = None, offer: Synchronization | None = None,
                  faults: Faults | None = None, receive_buffer: int | None = None) -> Accessory:
        """Connects an accessory. Without a behavior it sends a certificate and a signature that prove nothing."""
        peer = Accessory(self.channel(receive_buffer), behavior, offer, faults)
        self.peers.append(peer)
        return peer

    def listener(self, address: str = "127.0.0.1:0", backlog: int = 16) -> Listener:
        """Opens a socket of a service."""
        listener = Listener(address, backlog)
        self.others.append(listener)
        return listener

    # Time

    def left(self, wanted: float) -> float:
        """Returns `wanted` seconds, or fewer if the finding's own time ends before."""
        return max(0.05, min(wanted, self.deadline - time.monotonic()))

    def run(self, until: Callable[[], bool], timeout: float) -> bool:
        """Serves peers and commands. Returns whether `until` holds."""
        def poll() -> None:
            for command in self.commands:
                command.poll()

        def check() -> bool:
            poll()
            return until() or any(c.exceeded for c in self.commands)

        is_served = serve(self.peers, check, self.left(timeout))
        # A command may have written its last lines and ended after it was polled.
        poll()
        return is_served and until()

    def wait(self, seconds: float) -> None:
        """Serves peers and commands for a time."""
        self.run(lambda: False, seconds)

    def need(self, until: Callable[[], bool], timeout: float, what: str, command: Command | None = None) -> None:
        """Serves until `until` holds, or raises `SetupFailed`."""
        reason = command or (self.commands[0] if self.commands else None)
        self.run(lambda: until() or (reason is not None and reason.exit_status is not None), timeout)
        if not until():
            state = "" if reason is None else f" (exit {reason.exit_status}, {reason.errors()!r}, {reason.causes()})"
            raise SetupFailed(f"{what}{state}")

    def identify(self, peer: Peer, timeout: float = 8) -> None:
        """Serves until the peer is identified."""
        self.need(lambda: peer.identified, timeout, "the peer did not get identified")

    def identified_device(self, **arguments) -> Device:
        """Connects a device and serves until it is identified and the head unit reports it."""
        device = self.device(**arguments)
        self.identify(device)
        return device

    def identified_accessory(self, **arguments) -> Accessory:
        """Connects an accessory and serves until it is identified."""
        accessory = self.accessory(**arguments)
        self.identify(accessory)
        return accessory

    # Questions that many findings ask

    def disconnect_reported(self, command: Command, timeout: float, since: int = 0) -> dict | None:
        """Returns the next `disconnected`, or None if there is none in time."""
        self.run(lambda: command.saw("disconnected", since) or command.exit_status is not None, timeout)
        return next(iter(command.select("disconnected", since)), None)

    def serves_next(self, timeout: float, role: str = "device") -> bool:
        """Connects another good peer. Returns whether it gets identified in time."""
        try:
            peer = self.device() if role == "device" else self.accessory()
        except OSError:
            return False
        return self.run(lambda: peer.identified, timeout)

    def interrupted(self, command: Command, timeout: float = 5) -> float | None:
        """Sends Ctrl-C. Returns the seconds until the command ended, or None."""
        started = time.monotonic()
        command.interrupt()
        ended = self.run(lambda: command.exit_status is not None, timeout)
        return time.monotonic() - started if ended else None


def signing_behavior() -> AccessoryBehavior:
    """Returns an accessory that signs with the key of the tests' second authority."""
    return AccessoryBehavior(credentials=KeyCredentials())


def yes(value: object) -> str:
    """Returns `yes` or `no`."""
    return "yes" if value else "no"


def seconds(value: float | None, limit: float) -> str:
    """Returns a duration in words."""
    return f"after {value:.1f} s" if value is not None else f"not within {limit:.0f} s"


def mebibytes(value: float) -> str:
    """Returns a size in MiB."""
    return f"{value / (1 << 20):.0f} MiB"
