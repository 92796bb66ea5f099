# SPDX-License-Identifier: Apache-2.0
"""RTSP over one connection, clear or encrypted, with requests of either side (#request, #frames, #session-times)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from .frames import Opener, Sealer
from .limits import Limits
from .pairing import Alter, unchanged
from .problems import Problem
from .rtsp import Parser, Request, Response

Handler = Callable[[Request], Awaitable[Response]]
READ = 65_536


async def refuse(_request: Request) -> Response:
    """Answers 501 for a side that accepts no requests."""
    return Response(501)


class Conversation:
    """One connection. `run` reads until the end. `request` sends and waits for the answer with the same `CSeq`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str,
                 handler: Handler = refuse, limits: Limits = Limits(), alter: Alter = unchanged):
        self._reader, self._writer, self._name = reader, writer, name
        self._handler, self._limits, self._alter = handler, limits, alter
        self._parser = Parser(limits)
        self._opener: Opener | None = None
        self._sealer: Sealer | None = None
        self._next_sequence = 1
        self._waiting: dict[str, asyncio.Future[Response]] = {}
        self._writing = asyncio.Lock()
        self.closes_after_answer = False
        self.keys_after_answer: tuple[bytes, bytes] | None = None
        self.heard: Callable[[], None] = lambda: None  # called when bytes of the peer arrive

    @property
    def is_encrypted(self) -> bool:
        """Whether the connection uses encrypted frames."""
        return self._sealer is not None

    @property
    def pending(self) -> int:
        """The number of received bytes that are not yet a message."""
        return self._parser.pending + (self._opener.pending if self._opener else 0)

    def secure(self, read_key: bytes, write_key: bytes) -> None:
        """Starts encryption. Bytes that arrived after the last message are already frames."""
        rest = self._parser.take_rest()
        self._opener, self._sealer = Opener(read_key, self._limits), Sealer(write_key, self._limits)
        if rest:
            self._parser.feed(self._opener.feed(rest))

    async def run(self) -> None:
        """Serves until the peer closes. Raises `Problem` for bytes that end the connection."""
        try:
            while True:
                while (message := self._parser.next()) is not None:
                    if not await self._take(message):
                        return
                data = await self._reader.read(READ)
                if not data:
                    return
                self.heard()
                self._parser.feed(self._opener.feed(data) if self._opener else data)
        except (ConnectionError, OSError):
            return
        except Problem as problem:
            if problem.cause in ("badRequest", "tooLarge"):
                await self._send_quietly(Response(problem.status))
            raise
        finally:
            self._fail_waiting()
            self.close()

    async def _take(self, message: Request | Response) -> bool:
        """Handles one message. Returns False if the connection ends."""
        if isinstance(message, Response):
            self._answered(message)
            return True
        response = await self._handler(message)
        response.protocol = message.protocol
        if "cseq" in message.headers:
            response.headers = {"CSeq": message.headers["cseq"]} | response.headers
        await self._send(response.encode())
        if self.keys_after_answer is not None:
            keys, self.keys_after_answer = self.keys_after_answer, None
            self.secure(*keys)
        return not self.closes_after_answer

    def _answered(self, response: Response) -> None:
        # Every request of this program has a CSeq. An answer without one belongs to the oldest request.
        sequence = response.headers.get("cseq") or next(iter(self._waiting), "")
        waiting = self._waiting.pop(sequence, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(response)  # an answer without a waiting request is late and is dropped

    async def request(self, request: Request, wait: float | None = None) -> Response:
        """Sends a request and returns its answer. Raises `requestTimeout` or `ConnectionError`."""
        sequence = str(self._next_sequence)
        self._next_sequence += 1
        request.headers = {"CSeq": sequence} | request.headers
        waiting = self._waiting[sequence] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(wait or self._limits.request_wait):
                await self._send(request.encode())
                return await waiting
        except TimeoutError:
            raise Problem("requestTimeout", f"{request.method} {request.path}") from None
        finally:
            self._waiting.pop(sequence, None)

    async def _send(self, data: bytes) -> None:
        data = self._alter(f"message.{self._name}", data)
        # A sealed frame must be written before the next one is sealed.
        async with self._writing:
            frames = [data] if self._sealer is None else self._sealer.seal(data)
            for piece in self._alter(f"frames.{self._name}", frames):
                if self._writer.transport.is_closing():
                    raise ConnectionResetError(f"the {self._name} connection is closed")
                self._writer.write(piece)
                if len(frames) == 1 or self._writer.transport.get_write_buffer_size() > READ:
                    async with asyncio.timeout(self._limits.request_wait):
                        await self._writer.drain()
            await self._writer.drain()

    async def _send_quietly(self, response: Response) -> None:
        try:
            await self._send(response.encode())
        except (ConnectionError, OSError, TimeoutError):
            pass

    def send_raw(self, data: bytes) -> None:
        """Writes bytes that are not a message, for a hostile peer."""
        self._writer.write(data)

    def _fail_waiting(self) -> None:
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionResetError(f"the {self._name} connection ended"))
                waiting.exception()  # marks it as retrieved, because a cancelled requester does not retrieve it
        self._waiting.clear()

    def close(self) -> None:
        """Closes the connection."""
        self._writer.close()

    def abort(self) -> None:
        """Closes the connection without waiting for unsent bytes."""
        self._writer.transport.abort()


class Ending:
    """The single end of a session. The first cause counts."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.cause: str | None = None
        self.detail = ""

    def finish(self, cause: str | Problem, detail: str = "") -> bool:
        """Sets the cause. Returns False if a cause was set before."""
        if self.cause is not None:
            return False
        self.cause, self.detail = (cause.cause, cause.detail) if isinstance(cause, Problem) else (cause, detail)
        self._event.set()
        return True

    async def wait(self) -> str:
        """Returns the cause when it is set."""
        await self._event.wait()
        return self.cause or ""


class Tasks:
    """Tasks of a session. An error of one of them ends the session."""

    def __init__(self, ending: Ending):
        self._ending = ending
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """Starts a task."""
        task = asyncio.ensure_future(self._guard(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guard(self, work: Awaitable[Any]) -> None:
        try:
            await work
        except Problem as problem:
            self._ending.finish(problem)
        except (ConnectionError, OSError):
            self._ending.finish("controlLost")
        except TimeoutError:
            self._ending.finish("requestTimeout")
        except Exception as error:  # a bug of this program must not look like silence of the peer
            self._ending.finish("internal", f"{type(error).__name__}: {error}")

    async def stop(self) -> None:
        """Cancels all tasks except the caller's, and waits for them."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
