# SPDX-License-Identifier: Apache-2.0
"""The network interface of a role: byte streams and datagrams, by port number.

It is implemented by sockets, and in memory for tests.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Awaitable, Callable
from typing import Protocol

from .limits import Limits
from .problems import Problem

Accept = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Received = Callable[[bytes, int], None]  # datagram and the peer's port


class Listener(Protocol):
    """A listening port."""

    port: int

    def close(self) -> None:
        """Stops listening. Accepted connections continue."""


class Datagrams(Protocol):
    """A port of datagrams."""

    port: int

    def send(self, data: bytes, port: int) -> None:
        """Sends to a port of the peer."""

    def close(self) -> None:
        """Closes the port."""


class Network(Protocol):
    """One side's view of the network: its own ports, and the ports of one peer."""

    async def listen(self, accept: Accept, port: int = 0) -> Listener:
        """Listens for connections."""

    async def connect(self, port: int, limits: Limits) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connects to a port of the peer. Raises `OSError` or `Problem`."""

    async def datagrams(self, received: Received) -> Datagrams:
        """Opens a port."""


class SocketNetwork:
    """A network of sockets. `host` is the own address and, without `peer`, also the peer's."""

    def __init__(self, host: str = "127.0.0.1", peer: str | None = None):
        self.host, self.peer = host, peer or host

    async def listen(self, accept: Accept, port: int = 0) -> Listener:
        server = await asyncio.start_server(accept, self.host, port)
        return _Server(server)

    async def connect(self, port: int, limits: Limits) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            async with asyncio.timeout(limits.connect_wait):
                return await asyncio.open_connection(self.peer, port)
        except TimeoutError:
            raise Problem("requestTimeout", f"no connection to port {port}") from None

    async def datagrams(self, received: Received) -> Datagrams:
        loop = asyncio.get_running_loop()
        _, protocol = await loop.create_datagram_endpoint(
            lambda: _Protocol(received, self.peer), local_addr=(self.host, 0))
        return protocol

    def for_peer(self, writer: asyncio.StreamWriter) -> SocketNetwork:
        """Returns the network between the two addresses of an accepted connection."""
        return SocketNetwork(writer.get_extra_info("sockname")[0], writer.get_extra_info("peername")[0])


class _Server:
    def __init__(self, server: asyncio.Server):
        self._server = server
        self.address = server.sockets[0].getsockname()
        self.port = self.address[1]

    def close(self) -> None:
        self._server.close()


class _Protocol(asyncio.DatagramProtocol):
    """A socket that is not connected, because the peer's port may change. Datagrams of other hosts are ignored."""

    def __init__(self, received: Received, peer: str):
        self._received, self._peer = received, peer

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:
        self._transport = transport
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, address) -> None:
        if address[0] == self._peer:
            self._received(data, address[1])

    def error_received(self, _error: OSError) -> None:
        pass  # an ICMP answer of a closed port; silence has its own time limit

    def send(self, data: bytes, port: int) -> None:
        if not self._transport.is_closing():
            self._transport.sendto(data, (self._peer, port))

    def close(self) -> None:
        self._transport.close()


class PairNetwork:
    """Two sides in one event loop. Streams are socket pairs. Datagrams are calls, which `lose` may drop."""

    def __init__(self, lose: Callable[[bytes, int], bool] = lambda _data, _port: False):
        self._numbers = itertools.count(40_000)
        self._listeners: dict[int, Accept] = {}
        self._ports: dict[int, Received] = {}
        self._lose = lose
        self._accepting: set[asyncio.Task[None]] = set()

    async def listen(self, accept: Accept, port: int = 0) -> Listener:
        return _MemoryListener(self, port or next(self._numbers), accept)

    async def connect(self, port: int, limits: Limits) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        accept = self._listeners.get(port)
        if accept is None:
            raise ConnectionRefusedError(port)
        near, far = socket.socketpair()
        task = asyncio.create_task(self._accept(accept, far))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)
        return await asyncio.open_connection(sock=near)

    async def _accept(self, accept: Accept, far: socket.socket) -> None:
        await accept(*await asyncio.open_connection(sock=far))

    async def datagrams(self, received: Received) -> Datagrams:
        return _MemoryDatagrams(self, next(self._numbers), received)

    def for_peer(self, _writer: asyncio.StreamWriter) -> PairNetwork:
        """Returns itself: both sides share the port numbers."""
        return self


class _MemoryListener:
    def __init__(self, network: PairNetwork, port: int, accept: Accept):
        self._network, self.port = network, port
        self.address = ("memory", port)
        network._listeners[port] = accept

    def close(self) -> None:
        self._network._listeners.pop(self.port, None)


class _MemoryDatagrams:
    def __init__(self, network: PairNetwork, port: int, received: Received):
        self._network, self.port = network, port
        network._ports[port] = received

    def send(self, data: bytes, port: int) -> None:
        if not self._network._lose(data, port):
            asyncio.get_running_loop().call_soon(self._deliver, data, port)

    def _deliver(self, data: bytes, port: int) -> None:
        received = self._network._ports.get(port)
        if received is not None:
            received(data, self.port)

    def close(self) -> None:
        self._network._ports.pop(self.port, None)
