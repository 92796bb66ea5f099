# SPDX-License-Identifier: Apache-2.0
"""Byte streams: TCP, Unix sockets, ptys and memory, all without blocking."""

from __future__ import annotations

import errno
import os
import select
import socket
import time
import tty
from typing import Callable

from common.command_line import host_and_port

READ_SIZE = 1 << 16
MAX_PENDING = 64 << 20


class TransportError(OSError):
    """An address that cannot be used, or a stream with too many pending bytes."""


class Channel:
    """A stream of bytes over a file descriptor.

    `send` never blocks: bytes that the kernel does not accept at once wait in `pending`, at most `MAX_PENDING` bytes.
    """

    def __init__(self, descriptor: int, owner: socket.socket | None = None) -> None:
        self.descriptor = descriptor
        self.owner = owner
        self.pending = bytearray()
        self.closed = False
        self.ended: str | None = None
        """Why no further byte can come: `end of file` or the error's name; None while the stream is open."""
        os.set_blocking(descriptor, False)

    def fileno(self) -> int:
        """The descriptor, for `select`."""
        return self.descriptor

    def receive(self) -> bytes:
        """Returns the bytes that can be read now, possibly none."""
        if self.closed or self.ended:
            return b""
        try:
            data = os.read(self.descriptor, READ_SIZE)
        except BlockingIOError:
            return b""
        except OSError as error:
            self.ended = errno.errorcode.get(error.errno or 0, str(error))
            return b""
        if not data:
            self.ended = "end of file"
        return data

    def send(self, data: bytes) -> None:
        """Queues bytes and writes as many as the kernel accepts."""
        if self.closed:
            return
        self.pending += data
        if len(self.pending) > MAX_PENDING:
            raise TransportError(f"more than {MAX_PENDING} bytes wait to be written")
        self.flush()

    def flush(self) -> None:
        """Writes as many of the pending bytes as the kernel accepts."""
        while self.pending and not self.closed:
            try:
                written = os.write(self.descriptor, memoryview(self.pending)[:READ_SIZE])
            except BlockingIOError:
                return
            except OSError as error:
                self.pending.clear()
                self.ended = self.ended or errno.errorcode.get(error.errno or 0, str(error))
                return
            del self.pending[:written]

    def half_close(self) -> None:
        """Ends the own direction of a socket: the other side reads an end of file."""
        if self.owner is not None and not self.closed:
            try:
                self.owner.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def close(self) -> None:
        """Closes the stream. Bytes that are still pending are lost."""
        if self.closed:
            return
        self.closed = True
        self.pending.clear()
        if self.owner is not None:
            self.owner.close()
        else:
            os.close(self.descriptor)


def parse_host_port(text: str) -> tuple[str, int]:
    """Reads HOST:PORT."""
    try:
        return host_and_port(text)
    except ValueError as error:
        raise TransportError(str(error)) from None


def connect(address: str, timeout: float = 5, receive_buffer: int | None = None) -> Channel:
    """Opens HOST:PORT, unix:PATH, or a terminal (serial:DEVICE). Retries while no socket listens, until `timeout`."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            return _connect(address, max(0.1, deadline - time.monotonic()), receive_buffer)
        except (ConnectionRefusedError, FileNotFoundError) as error:
            if time.monotonic() >= deadline:
                raise TransportError(f"{address}: {error.strerror}") from error
            time.sleep(0.02)


def _connect(address: str, timeout: float, receive_buffer: int | None) -> Channel:
    if address.startswith("serial:"):
        descriptor = os.open(address.removeprefix("serial:"), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(descriptor)
        return Channel(descriptor)
    if address.startswith("unix:"):
        stream, target = socket.socket(socket.AF_UNIX), address.removeprefix("unix:")
    else:
        target = parse_host_port(address)
        stream = socket.socket(socket.AF_INET6 if ":" in target[0] else socket.AF_INET)
    try:
        if receive_buffer is not None:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        stream.settimeout(timeout)
        stream.connect(target)
    except BaseException:
        stream.close()
        raise
    return Channel(stream.fileno(), stream)


class Listener:
    """A listening socket at HOST:PORT (port 0: a free one) or unix:PATH."""

    def __init__(self, address: str, backlog: int = 16) -> None:
        self.path: str | None = None
        if address.startswith("unix:"):
            self.path = address.removeprefix("unix:")
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(self.path)
            self.address = address
        else:
            host, port = parse_host_port(address)
            self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.bind((host, port))
            self.address = f"{host}:{self.socket.getsockname()[1]}"
        self.socket.listen(backlog)
        self.socket.setblocking(False)

    def fileno(self) -> int:
        """The descriptor, for `select`."""
        return self.socket.fileno()

    def accept(self, timeout: float = 0) -> Channel | None:
        """Returns the next connection, or None after `timeout` seconds."""
        if timeout and not select.select([self.socket], [], [], timeout)[0]:
            return None
        try:
            stream, _ = self.socket.accept()
        except BlockingIOError:
            return None
        return Channel(stream.fileno(), stream)

    def close(self) -> None:
        """Closes the listener and removes the socket's path."""
        self.socket.close()
        if self.path is not None and os.path.exists(self.path):
            os.unlink(self.path)


def open_pty() -> tuple[Channel, str, Callable[[], None]]:
    """Creates a pty. Returns its own end, the path of the other end, and a function that closes the other end."""
    own, other = os.openpty()
    tty.setraw(other)
    path = os.ttyname(other)
    return Channel(own), path, lambda: os.close(other)


def pair() -> tuple[Channel, Channel]:
    """Returns the two ends of a stream inside this process."""
    left, right = socket.socketpair()
    return Channel(left.fileno(), left), Channel(right.fileno(), right)
