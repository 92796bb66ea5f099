# SPDX-License-Identifier: Apache-2.0
"""The head unit: server of control connections (#requests, #states)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import authsetup, info, plists
from .conversation import Conversation
from .head_unit_session import HeadUnitSession, OldKeys
from .hostile import GOOD, Behavior
from .keys import control_keys
from .limits import Limits
from .pairing import Pairings, Random, SetupServer, Tries, VerifyServer
from .problems import Problem
from .rtsp import OCTETS, PAIRING, PARAMETERS, PLIST, Request, Response

Emit = Callable[..., None]


@dataclass
class HeadUnitConfig:
    """The options of a head unit."""

    signer: authsetup.Signer
    car: info.Car = field(default_factory=info.Car)
    pairings: Pairings = field(default_factory=Pairings)
    limits: Limits = field(default_factory=Limits)
    behavior: Behavior = field(default_factory=GOOD.fresh)
    random: Random = os.urandom
    screen_file: Path | None = None
    audio_folder: Path | None = None
    microphone: bytes | None = b""  # PCM of files; silence after its end
    script: tuple[Callable[[HeadUnitSession], Awaitable[None]], ...] = ()  # started at RECORD
    unknown_command: int = 501  # #commands [o]; 200 is L's answer
    data_both_ways: bool = False  # #data-direction: two programs send on the event channel alone
    takes_screen_on_request: bool = True  # the answer to `requestUI` of the phone
    iap_answers: Callable[[bytes], Iterable[bytes]] = lambda _data: ()


# Route → the name of its handler. The path of SETUP, RECORD and TEARDOWN has no meaning.
PATHS = {("POST", "/pair-setup"): "pair_setup", ("POST", "/pair-verify"): "pair_verify",
         ("POST", "/pair-pin-start"): "pin_start", ("POST", "/auth-setup"): "auth_setup", ("GET", "/info"): "info",
         ("POST", "/info"): "info", ("POST", "/command"): "command", ("POST", "/feedback"): "feedback"}
METHODS = {"SETUP": "setup", "RECORD": "record", "TEARDOWN": "teardown", "FLUSH": "flush", "OPTIONS": "options",
           "GET_PARAMETER": "get_parameter", "SET_PARAMETER": "set_parameter", "SETRATE": "set_rate",
           "GETANCHOR": "get_anchor", "SETRATEANCHORTIME": "set_rate", "FLUSHBUFFERED": "flush_buffered"}
ALWAYS = {"info", "options", "feedback"}
PAIRS = {"pair_setup", "pair_verify", "pin_start"}
# State → the handlers that it accepts besides `ALWAYS` (#states). The body of a SETUP selects its handler.
TAKES = {
    "unpaired": PAIRS | {"auth_setup"},  # one phone proves the head unit first (#auth-setup-order)
    "open": PAIRS | {"auth_setup", "setup"},
    "verified": {"auth_setup", "setup"},
    "session": {"setup", "record", "teardown", "flush", "command", "get_parameter", "set_parameter", "set_rate",
                "get_anchor", "flush_buffered"},
}


class HeadUnit:
    """Serves phones. `wait_for_end` returns the cause of a session's or a connection's end."""

    def __init__(self, config: HeadUnitConfig, network, emit: Emit):
        faults = info.faults(info.build(config.car), config.car.features)
        if faults:
            raise ValueError("; ".join(faults))
        self.config, self.network, self.emit = config, network, emit
        self.session: HeadUnitSession | None = None
        self.owner: ControlConnection | None = None
        self.sessions = 0  # number of sessions that were set up
        self.causes: asyncio.Queue[str] = asyncio.Queue()
        self._connections: set[ControlConnection] = set()
        self._suspicion: Problem | None = None
        self.volume = 0.0
        self.listener = None

    async def listen(self, port: int = 0) -> None:
        """Opens the control port."""
        self.listener = await self.network.listen(self.accept, port)
        host, number = self.listener.address[:2]
        self.emit("carPlayListening", address=f"[{host}]:{number}" if ":" in host else f"{host}:{number}")

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one control connection to its end."""
        if len(self._connections) >= self.config.limits.connections:
            writer.close()
            return
        connection = ControlConnection(self, reader, writer)
        self._connections.add(connection)
        try:
            await connection.serve()
        finally:
            self._connections.discard(connection)

    def suspect(self, problem: Problem) -> None:
        """Stores the problem for which the phone is expected to leave. The first one becomes the cause of the end."""
        self._suspicion = self._suspicion or problem

    async def end_session(self, session: HeadUnitSession, cause: str | Problem) -> None:
        """Ends a session once, with one cause."""
        if cause not in ("teardown", "stopped") and self._suspicion is not None:
            cause = self._suspicion
        self._suspicion = None
        session.ending.finish(cause)
        await session.finish()
        if self.session is session:
            self.session = self.owner = None
        self.report(session.ending.cause, session.ending.detail)

    def report(self, cause: str, detail: str = "") -> None:
        """Emits the end of a session or a connection."""
        self.emit("carPlayEnded", cause=cause, detail=detail)
        self.causes.put_nowait(cause)

    async def wait_for_end(self) -> str:
        """Returns the next cause."""
        return await self.causes.get()

    async def close(self) -> None:
        """Ends all connections in order."""
        if self.listener is not None:
            self.listener.close()
        connections = list(self._connections)
        for connection in connections:
            await connection.stop("stopped")
        serving = [connection.serving for connection in connections if connection.serving is not None]
        if serving:
            _, stuck = await asyncio.wait(serving, timeout=2)
            for task in stuck:
                task.cancel()


class ControlConnection:
    """One control connection and its state."""

    def __init__(self, unit: HeadUnit, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.unit, self.config = unit, unit.config
        alter = self.config.behavior.alter
        self._conversation = Conversation(reader, writer, "control", self._handle, self.config.limits, alter)
        self._network = unit.network.for_peer(writer)
        self._setup_server = SetupServer(self.config.pairings, Tries(), self.config.random, alter,
                                         self.config.limits)
        self._verify_server = VerifyServer(self.config.pairings, self.config.random, alter)
        self._auth: authsetup.Agreed | None = None
        self._ends_with: str | None = None
        self._refused: Problem | None = None  # the last refusal of pairing
        self.serving: asyncio.Task[None] | None = None
        self._watches: list[asyncio.Task[None]] = []

    @property
    def _pairs(self) -> str:
        return {210: "never", 280: "offered", 320: "required"}[self.config.car.generation]

    @property
    def state(self) -> str:
        """The row of `TAKES`."""
        if self.unit.owner is self:
            return "session"
        if self._conversation.is_encrypted:
            return "verified"
        return "unpaired" if self._pairs == "required" else "open"

    async def serve(self) -> None:
        """Serves the connection until it ends, and its session."""
        self.serving = asyncio.current_task()
        self.unit.emit("carPlaySession", state="connected")
        self._watches.append(asyncio.create_task(self._watch_live()))
        cause: str | Problem = "controlLost"
        try:
            if "silent" in self.config.behavior.flags:
                await asyncio.Event().wait()
            cause = await self._run()
        except asyncio.CancelledError:
            cause = "stopped"
        finally:
            for watch in self._watches:
                watch.cancel()
            self._conversation.close()
            session = self.unit.session if self.unit.owner is self else None
            if session is not None:
                await self.unit.end_session(session, cause)
            else:
                problem = cause if isinstance(cause, Problem) else None
                self.unit.report(problem.cause if problem else str(cause), problem.detail if problem else "")

    async def _run(self) -> str | Problem:
        try:
            await self._conversation.run()
            return self._ends_with or self._refused or "controlLost"
        except Problem as problem:
            return problem
        except TimeoutError:
            return Problem("requestTimeout", "the phone does not read answers")

    async def _watch_live(self) -> None:
        """Ends a connection that does not go live in time.

        #states gives the limit, but not the side that applies it [o].
        """
        await asyncio.sleep(self.config.limits.live_wait)
        session = self.unit.session if self.unit.owner is self else None
        if session is None or not session.is_recording:
            await self.stop("setupTimeout")

    async def _watch_end(self, session: HeadUnitSession) -> None:
        await session.ending.wait()
        self._conversation.abort()

    async def stop(self, cause: str) -> None:
        """Ends the connection from this side."""
        self._ends_with = cause
        if self.unit.owner is self and self.unit.session is not None:
            self.unit.session.ending.finish(cause)
        self._conversation.abort()
        if "silent" in self.config.behavior.flags and self.serving is not None:
            self.serving.cancel()

    # Requests

    async def _handle(self, request: Request) -> Response:
        response = await self._answer(request)
        response.headers.setdefault("Server", f"AirTunes/{self.config.car.source_version}")
        if response.status >= 400:
            self.unit.emit("carPlayRefused", method=request.method, path=request.path, status=response.status,
                           detail=str(self._refused or ""))
        return response

    async def _answer(self, request: Request) -> Response:
        if self.unit.session is not None and self.unit.owner is not self:
            self._conversation.closes_after_answer = True
            self._ends_with = "busy"
            return Response(453)
        if self.unit.session is not None:
            self.unit.session.asked()
        name = METHODS.get(request.method) or PATHS.get((request.method, request.path))
        if name is None:
            if self.state == "unpaired":
                return Response(403)
            is_known = request.path in {path for _, path in PATHS}
            return Response(501 if is_known or request.method not in ("GET", "POST") else 404)
        if name in PAIRS and self._pairs == "never":
            return Response(404)
        if name not in ALWAYS and name not in TAKES[self.state]:
            return Response(403 if self.state == "unpaired" else 455)
        try:
            return await getattr(self, f"_{name}")(request)
        except Problem as problem:
            self._refused = self._refused or problem
            return Response(problem.status)
        except Exception as error:  # a bug of this program must not end a session
            self._refused = Problem("internal", f"{type(error).__name__}: {error}")
            return Response(500)

    async def _pin_start(self, _request: Request) -> Response:
        return Response()

    async def _pair_setup(self, request: Request) -> Response:
        body = self._setup_server.handle(request.body)
        self._note(self._setup_server.problem)
        if self._setup_server.paired:
            self.unit.emit("carPlayPaired", identifier=self._setup_server.paired)
            self._setup_server.paired = None
        return Response(headers={"Content-Type": PAIRING}, body=body)

    async def _pair_verify(self, request: Request) -> Response:
        body = self._verify_server.handle(request.body)
        self._note(self._verify_server.problem)
        if self._verify_server.shared is not None:
            keys = control_keys(self._verify_server.shared)
            self._conversation.keys_after_answer = (keys.phone_writes, keys.head_unit_writes)
            self._refused = None
            self.unit.emit("carPlaySession", state="verified")
        return Response(headers={"Content-Type": PAIRING}, body=body)

    def _note(self, problem: Problem | None) -> None:
        if problem is not None:
            self._refused = problem
            self.unit.emit("carPlayRefused", cause=problem.cause, detail=problem.detail)

    async def _auth_setup(self, request: Request) -> Response:
        if self._auth is not None:
            return Response(455)
        body, self._auth = authsetup.answer(request.body, self.config.signer, self.config.random,
                                            self.config.behavior.alter)
        self.unit.emit("carPlaySession", state="authenticated")
        return Response(headers={"Content-Type": OCTETS}, body=body)

    async def _info(self, _request: Request) -> Response:
        session = self.unit.session
        content = session.visible_info() if session else info.build(self.config.car)
        body = self.config.behavior.alter("info", content)
        return Response(headers={"Content-Type": PLIST}, body=body if isinstance(body, bytes) else plists.encode(body))

    async def _options(self, _request: Request) -> Response:
        return Response()

    async def _setup(self, request: Request) -> Response:
        body = plists.decode_dictionary(request.body, self.config.limits)
        if "streams" not in body:
            return await self._setup_session(body)
        if self.unit.owner is not self:
            return Response(455)
        entries = body["streams"]
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
            raise Problem("badValue", "streams is not an array of dictionaries")
        if not await self.unit.session.wait_for_event():
            return Response(455)
        return await self.unit.session.setup_streams(entries)

    async def _setup_session(self, body: dict[str, Any]) -> Response:
        if self.unit.owner is self:
            return Response(455)
        if "wantsBuild" in self.config.behavior.flags and not isinstance(body.get("osBuildVersion"), str):
            raise Problem("badValue", "SETUP without osBuildVersion")  # one program cannot read it (#set-up-today)
        shared = self._verify_server.shared
        old = None if shared else self._old_keys(body)
        session = HeadUnitSession(self.unit, self._network, body, shared, old)
        self.unit.session, self.unit.owner = session, self
        self.unit.sessions += 1
        self._watches.append(asyncio.create_task(self._watch_end(session)))
        try:
            answer = await session.start()
        except OSError:
            session.ending.finish("internal", "no port for the session")
            raise
        self.unit.emit("carPlaySession", state="sessionSetUp")
        return Response(headers={"Content-Type": PLIST}, body=plists.encode(answer))

    def _old_keys(self, body: dict[str, Any]) -> OldKeys:
        """Decrypts the session key with the keystream after the signature (#generation-old). Raises `badPlist`."""
        sealed, initial = body.get("ekey"), body.get("eiv")
        if self._auth is None or body.get("et") != 16 or not isinstance(sealed, bytes) or len(sealed) != 16:
            raise Problem("badPlist", "a session without pairing needs auth-setup, et 16 and ekey")
        if not isinstance(initial, bytes) or len(initial) != 16:
            raise Problem("badPlist", "eiv is not 16 bytes")
        return OldKeys(self._auth.keystream.apply(sealed), initial, self.config.car.clear_audio)

    async def _record(self, _request: Request) -> Response:
        return self.unit.session.record()

    async def _teardown(self, request: Request) -> Response:
        body = plists.decode_dictionary(request.body, self.config.limits) if request.body else {}
        if not body:
            self._conversation.closes_after_answer = True
            self._ends_with = "teardown"
            return Response()
        if not isinstance(body.get("streams"), list):
            raise Problem("badPlist", "TEARDOWN without an array of streams")
        return self.unit.session.teardown_streams(body["streams"])

    async def _flush(self, _request: Request) -> Response:
        for stream in self.unit.session.streams.values():
            if hasattr(stream, "flush"):
                stream.flush()
        return Response()

    async def _command(self, request: Request) -> Response:
        return self.unit.session.command_of_phone(request.body)

    async def _feedback(self, _request: Request) -> Response:
        if "silentFeedback" in self.config.behavior.flags:
            await asyncio.Event().wait()
        return self.unit.session.feedback() if self.unit.owner is self else Response()

    async def _get_parameter(self, request: Request) -> Response:
        if request.body.strip() != b"volume":
            return Response()
        return Response(headers={"Content-Type": PARAMETERS}, body=f"volume: {self.unit.volume}\r\n".encode())

    async def _set_parameter(self, request: Request) -> Response:
        name, _, value = request.body.decode("utf-8", "replace").strip().partition(":")
        if name == "volume":
            try:
                self.unit.volume = float(value)
            except ValueError:
                raise Problem("badRequest", "a volume that is not a number") from None
        return Response()

    def _buffered(self):
        stream = self.unit.session.streams.get(103)
        if stream is None:
            raise Problem("badRequest", "no buffered audio runs", status=455)
        return stream

    async def _set_rate(self, request: Request) -> Response:
        self._buffered().set_rate(plists.decode_dictionary(request.body, self.config.limits))
        return Response()

    async def _get_anchor(self, _request: Request) -> Response:
        # The public facts do not state the answer before an anchor exists. This one is an empty dictionary [o].
        return Response(headers={"Content-Type": PLIST}, body=plists.encode(self._buffered().anchor or {}))

    async def _flush_buffered(self, _request: Request) -> Response:
        self._buffered()
        return Response()
