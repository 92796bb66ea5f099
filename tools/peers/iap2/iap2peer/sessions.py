# SPDX-License-Identifier: Apache-2.0
"""A peer: a link on a channel, with control, external accessory and file transfer sessions above it."""

from __future__ import annotations

import select
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Callable, Iterable, TextIO

from .catalog import name
from .control import ControlStream, Message, message, u8, u16, u64
from .link import ACCESSORY, Event, Link
from .packets import CONTROL, EXTERNAL_ACCESSORY, FILE_TRANSFER, FormatError
from .transport import Channel

MAX_LOG = 20_000
MAX_RECEIVED = 64 << 20
SLICE = 0.05

FILE_START, FILE_CANCEL, FILE_PAUSE, FILE_SETUP, FILE_SUCCESS, FILE_FAILURE = 1, 2, 3, 4, 5, 6
FILE_DATA, FILE_LAST, FILE_FIRST, FILE_ONLY = 0x00, 0x40, 0x80, 0xC0


@dataclass
class Entry:
    """A line of a peer's log."""

    time: float
    event: str
    detail: str = ""


@dataclass
class AppSession:
    """An EA session."""

    id: int
    protocol: str
    service: str = ""
    open: bool = True
    status: int | None = None
    received: bytearray = field(default_factory=bytearray)
    received_count: int = 0


@dataclass
class FileTransfer:
    """A file on the file transfer session, of either direction."""

    id: int
    size: int = 0
    content: bytearray = field(default_factory=bytearray)
    state: str = "offered"
    """`offered`, `sending`, `receiving`, `complete`, `failed` or `cancelled`."""


class TextCapture:
    """A capture in the text form of captures/README.md: SECONDS, direction, hex."""

    def __init__(self, file: TextIO, role: str) -> None:
        self.file, self.role, self.started = file, role, time.monotonic()

    def record(self, sent: bool, data: bytes) -> None:
        """Writes one record."""
        direction = "A>D" if sent == (self.role == ACCESSORY) else "D>A"
        self.file.write(f"{time.monotonic() - self.started:.6f} {direction} {data.hex()}\n")


class Peer:
    """One side of a connection. `Accessory` and `Device` add the reactions of each role."""

    def __init__(self, channel: Channel, link: Link, capture: TextCapture | None = None,
                 report: Callable[[str], None] | None = None) -> None:
        self.channel = channel
        self.link = link
        self.capture = capture
        self.report = report
        self.reading = True
        self.started = time.monotonic()
        self.log: deque[Entry] = deque(maxlen=MAX_LOG)
        self.messages: deque[Message] = deque(maxlen=MAX_LOG)
        self.control = ControlStream()
        self.apps: dict[int, AppSession] = {}
        self.files: dict[int, FileTransfer] = {}
        self.identified = False
        self.authenticated = False
        self.accept_files = True
        self.ended_noted = False
        self.budget = MAX_RECEIVED
        """The bytes of EA sessions and files that this peer still keeps. Later bytes are counted only."""

    # Running

    def run(self, until: Callable[[], bool], timeout: float, others: Iterable["Peer"] = ()) -> bool:
        """Serves this peer and others until `until` holds or `timeout` is over. Returns whether it holds."""
        return serve([self, *others], until, timeout)

    def step(self) -> None:
        """Reads, processes and writes what is possible without waiting."""
        now = time.monotonic()
        if self.reading and not self.channel.closed:
            for _ in range(16):
                data = self.channel.receive()
                if not data:
                    break
                if self.capture is not None:
                    self.capture.record(False, data)
                self.link.receive(data, now)
        self._work()
        if self.channel.ended and not self.ended_noted:
            self.ended_noted = True
            self.note("closed", self.channel.ended)
        self.link.poll(now)
        self._work()
        self.flush()

    def flush(self) -> None:
        """Writes the output of the link."""
        data = self.link.take_output()
        if data:
            if self.capture is not None:
                self.capture.record(True, data)
            self.channel.send(data)
        else:
            self.channel.flush()

    def close(self) -> None:
        """Closes the channel without a reset."""
        self.channel.close()

    # The log

    def note(self, event: str, detail: str = "") -> None:
        """Adds a line to the log."""
        entry = Entry(time.monotonic() - self.started, event, detail)
        self.log.append(entry)
        if self.report is not None:
            self.report(f"{entry.time:9.6f}  {event}{': ' + detail if detail else ''}")

    def saw(self, event: str) -> bool:
        """Returns whether the log has an event."""
        return any(e.event == event for e in self.log)

    def count(self, event: str) -> int:
        """Returns how many lines of the log are of an event."""
        return sum(e.event == event for e in self.log)

    def received(self, number: int) -> list[Message]:
        """Returns the received messages with an id."""
        return [m for m in self.messages if m.id == number]

    # Events of the link

    def _work(self) -> None:
        while self.link.events:
            event = self.link.events.popleft()
            if event.kind == "data":
                self._received_data(event)
            elif event.kind == "up":
                self.note("linkUp", str(self.link.agreed))
                self.link_up()
            else:
                self.note(event.kind, event.text or event.data[:16].hex())

    def _received_data(self, event: Event) -> None:
        agreed = self.link.agreed
        if event.session == agreed.session_id(CONTROL):
            try:
                messages = self.control.feed(event.data)
            except FormatError as error:
                self.note("malformed", str(error))
                return
            for received in messages:
                self.messages.append(received)
                self.note("received", name(received.id))
                self.handle(received)
        elif event.session == agreed.session_id(EXTERNAL_ACCESSORY) and len(event.data) >= 2:
            self._received_app_data(int.from_bytes(event.data[:2], "big"), event.data[2:])
        elif event.session == agreed.session_id(FILE_TRANSFER) and len(event.data) >= 2:
            self._received_file(event.data[0], event.data[1], event.data[2:])
        else:
            self.note("unknownSession", f"{event.session}, {len(event.data)} bytes")

    def link_up(self) -> None:
        """Called when the link is established."""

    def handle(self, received: Message) -> None:
        """Called for each control message."""

    # Sending

    def send(self, outgoing: Message) -> None:
        """Sends a control message, in several packets if it is too long for one."""
        self.note("sent", name(outgoing.id))
        self.send_control(outgoing.encode())

    def send_control(self, data: bytes) -> None:
        """Sends bytes on the control session, well-formed or not."""
        session = self.link.agreed.session_id(CONTROL)
        size = self.link.peer.max_length - 10
        for start in range(0, len(data), size):
            self.link.send(1 if session is None else session, data[start:start + size])

    @property
    def app_chunk(self) -> int:
        """The number of bytes that fit into one datagram of an EA or file transfer session."""
        return self.link.peer.max_length - 12

    def send_app(self, session_id: int, data: bytes, chunk: int | None = None) -> None:
        """Sends bytes of an EA session."""
        session = self.link.agreed.session_id(EXTERNAL_ACCESSORY)
        if session is None:
            raise FormatError("the link has no EA session")
        size = min(chunk or self.app_chunk, self.app_chunk)
        for start in range(0, len(data), size):
            self.link.send(session, u16(session_id) + data[start:start + size])

    def send_file_datagram(self, file_id: int, operation: int, data: bytes = b"") -> None:
        """Sends one datagram of the file transfer session."""
        session = self.link.agreed.session_id(FILE_TRANSFER)
        if session is None:
            raise FormatError("the link has no file transfer session")
        self.link.send(session, bytes([file_id, operation]) + data)

    def send_file(self, file_id: int, content: bytes, file_type: int = 2) -> FileTransfer:
        """Offers a file. Its content follows when the other side says Start."""
        transfer = self.files[file_id] = FileTransfer(file_id, len(content), bytearray(content))
        self.send_file_datagram(file_id, FILE_SETUP, u64(len(content)) + u16(file_type))
        return transfer

    # EA sessions

    def _received_app_data(self, session_id: int, data: bytes) -> None:
        app = self.apps.get(session_id)
        if app is None or not app.open:
            self.note("unknownApp", f"session {session_id}, {len(data)} bytes")
            return
        app.received_count += len(data)
        app.received += self._kept(data)
        if app.service == "echo":
            self.send_app(session_id, data)

    def _kept(self, data: bytes) -> bytes:
        """Returns the part of `data` that the budget allows to keep."""
        kept = data[:self.budget]
        self.budget -= len(kept)
        return kept

    # Files

    def _received_file(self, file_id: int, operation: int, data: bytes) -> None:
        transfer = self.files.get(file_id)
        if operation == FILE_SETUP:
            self._offered_file(file_id, data)
        elif transfer is None:
            self.note("unknownFile", f"{file_id}, operation {operation:02X}")
        elif operation == FILE_START and transfer.state in ("offered", "paused"):
            self._send_content(transfer)
        elif operation in (FILE_SUCCESS, FILE_FAILURE, FILE_CANCEL):
            transfer.state = {FILE_SUCCESS: "complete", FILE_FAILURE: "failed", FILE_CANCEL: "cancelled"}[operation]
            self.note("file", f"{file_id} {transfer.state}")
        elif operation == FILE_PAUSE:
            transfer.state = "paused"
        elif operation & 0x3F == 0 and transfer.state == "receiving":
            self._received_content(transfer, operation, data)

    def _offered_file(self, file_id: int, data: bytes) -> None:
        size = int.from_bytes(data[:8], "big")
        transfer = self.files[file_id] = FileTransfer(file_id, size)
        if not self.accept_files or size > MAX_RECEIVED or len(data) < 8:
            transfer.state = "cancelled"
            self.send_file_datagram(file_id, FILE_CANCEL)
            return
        transfer.state = "receiving"
        self.note("file", f"{file_id} offered, {size} bytes")
        self.send_file_datagram(file_id, FILE_START)

    def _received_content(self, transfer: FileTransfer, operation: int, data: bytes) -> None:
        kept = self._kept(data)
        transfer.content += kept
        if len(kept) < len(data) or 0 < transfer.size < len(transfer.content):
            transfer.state = "failed"
            self.send_file_datagram(transfer.id, FILE_FAILURE)
        elif operation & FILE_LAST:
            transfer.state = "complete"
            self.note("file", f"{transfer.id} complete, {len(transfer.content)} bytes")
            self.send_file_datagram(transfer.id, FILE_SUCCESS)

    def _send_content(self, transfer: FileTransfer) -> None:
        transfer.state = "sending"
        content = bytes(transfer.content)
        pieces = [content[i:i + self.app_chunk] for i in range(0, len(content), self.app_chunk)] or [b""]
        for index, piece in enumerate(pieces):
            operation = FILE_FIRST if index == 0 else FILE_DATA
            if index == len(pieces) - 1:
                operation |= FILE_LAST
            self.send_file_datagram(transfer.id, operation, piece)


def serve(peers: list[Peer], until: Callable[[], bool], timeout: float) -> bool:
    """Serves peers until `until` holds or `timeout` seconds are over. Returns whether it holds."""
    deadline = time.monotonic() + timeout
    while True:
        for peer in peers:
            peer.step()
        if until():
            return True
        now = time.monotonic()
        if now >= deadline:
            return False
        times = [t for t in (p.link.deadline() for p in peers) if t is not None]
        wait = max(0.0, min([deadline, now + SLICE, *times]) - now)
        open_peers = [p for p in peers if not p.channel.closed]
        readable = [p.channel for p in open_peers if p.reading and not p.channel.ended]
        writable = [p.channel for p in open_peers if p.channel.pending]
        select.select(readable, writable, [], max(wait, 0.001))


def stop_app_message(session_id: int) -> Message:
    """Returns EA01."""
    return message(0xEA01, (0, u16(session_id)))


def app_status_message(session_id: int, status: int) -> Message:
    """Returns EA03."""
    return message(0xEA03, (0, u16(session_id)), (1, u8(status)))
