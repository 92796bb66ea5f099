# SPDX-License-Identifier: Apache-2.0
"""The phone: the client of the control connection, from the first connection to TEARDOWN (#order, #states)."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from cryptography import x509

from . import audio, authsetup, clock, events, modes, plists, screen, tlv8
from .conversation import Conversation, Ending, Tasks
from .hostile import GOOD, Behavior
from .info import HeadUnitFacts
from .keys import control_keys, event_keys, unsigned64
from .limits import Limits
from .modes import AUDIO, HEAD_UNIT, PHONE, SCREEN, Arbiter
from .pairing import Pairings, Random, setup_client, verify_client
from .phone_commands import answer_command
from .phone_content import Content, NoEcho
from .problems import Problem
from .rtsp import OCTETS, PAIRING, PLIST, Request, Response
from .senders import AudioSender, BufferedSender, DataSender, ScreenSender

Emit = Callable[..., None]


@dataclass
class PhoneConfig:
    """The options of a phone."""

    generation: int = 320
    pairs: bool = True  # applies to generation 280, if pairing is offered
    pairings: Pairings = field(default_factory=Pairings)
    trusted: list[x509.Certificate] | None = None  # None accepts every certificate
    authenticates: bool = True  # "every session"; it is unknown whether the newest phone skips a known head unit
    limits: Limits = field(default_factory=Limits)
    behavior: Behavior = field(default_factory=GOOD.fresh)
    random: Random = os.urandom
    features: tuple[str, ...] = ("viewAreas", "iAPChannel", "mainBuffered")
    name: str = "Python phone"
    device_id: str = "02:00:00:00:00:02"
    pairing_type: tuple[str, str] = ("0", "2")  # X-Apple-HKP of pair-setup and pair-verify; AirPlay test peers need 3
    padded_proof: bool = False
    config_form: str = "entry"  # bare, box or entry, see `screen.wrap_record`
    pictures: tuple[screen.Picture, ...] = ()
    picture_rate: float = 30.0
    music: bytes | None = None  # PCM of a file, 16-bit little endian
    music_format: int = 0x8000  # 48 kHz stereo
    wants_microphone: bool = False
    prompt: bytes | None = None  # PCM, 48 kHz mono, on type 101 with ducking
    buffered: tuple[bytes, ...] = ()  # units for type 103
    iap: tuple[bytes, ...] = ()  # sent on type 130
    iap_answers: Callable[[bytes], Iterable[bytes]] = lambda _data: ()
    tail: float = 0.3  # seconds after the last byte of a stream, for retransmission and for the reader
    seconds: float = 0.0  # minimum time of the session after it went live
    script: tuple[Callable[[Phone], Awaitable[None]], ...] = ()  # run in order when the session is live


class Phone:
    """One session of a phone. `run` returns its cause."""

    def __init__(self, config: PhoneConfig, network, emit: Emit):
        self.config, self.network, self.emit = config, network, emit
        self.ending = Ending()
        self.tasks = Tasks(self.ending)
        self.arbiter = Arbiter()
        self.shared: bytes | None = None
        self.session_key, self.initial = config.random(16), config.random(16)
        self.facts: HeadUnitFacts | None = None
        self.streams: dict[int, ScreenSender | AudioSender | BufferedSender | DataSender] = {}
        self.event: Conversation | None = None
        self._auth: authsetup.Agreed | None = None
        self._ids: dict[int, int] = {}
        self._ports: list[Any] = []
        self._last_heard = 0.0
        self._writing_modes = asyncio.Lock()
        self._is_ending = self._paired_now = False
        self.enabled: list[str] = []
        self.positions: dict[int, tuple[float, int]] = {}  # of the last /feedback with the type
        self.microphone = bytearray()  # PCM of files, at most the first second
        self.port = 0

    @staticmethod
    def now() -> float:
        """Returns the own monotonic time in seconds."""
        return asyncio.get_running_loop().time()

    @property
    def _pairs(self) -> bool:
        return self.config.generation == 320 or self.config.generation == 280 and self.config.pairs

    async def run(self, port: int) -> str:
        """Runs the whole session. Returns the cause of its end."""
        self.port = port
        main = self.tasks.start(self._run(port))
        try:
            await self.ending.wait()
        finally:
            self.ending.finish("stopped")
            main.cancel()
            await self.tasks.stop()
            self._close()
        self.emit("carPlayEnded", cause=self.ending.cause, detail=self.ending.detail)
        return self.ending.cause or ""

    async def _run(self, port: int) -> None:
        # A silent phone waits twice as long as the head unit, so that the head unit closes first.
        factor = 2 if "silent" in self.config.behavior.flags else 1
        try:
            async with asyncio.timeout(factor * self.config.limits.live_wait):
                await self._come_live(port)
        except TimeoutError:
            raise Problem("setupTimeout") from None
        begin = self.now()
        await Content(self).play()
        for step in self.config.script:
            await step(self)
        await asyncio.sleep(max(0.0, begin + self.config.seconds - self.now()))
        await self.end()

    async def end(self) -> None:
        """Ends the session in order."""
        self._is_ending = True
        await self.ask("TEARDOWN", self.url)
        self.ending.finish("teardown")

    def _close(self) -> None:
        for stream in self.streams.values():
            stream.stop()
        for port in self._ports:
            port.close()
        for connection in (self.event, getattr(self, "control", None)):
            if connection is not None:
                connection.abort()

    def lost(self, cause: str) -> None:
        """Raises the loss of a connection, unless the last TEARDOWN was sent and every connection may close."""
        if not self._is_ending:
            raise Problem(cause)

    # Setting up

    async def _come_live(self, port: int) -> None:
        self._state("dialing")
        reader, writer = await self.connect(port)
        limits, behavior = self.config.limits, self.config.behavior
        self.control = Conversation(reader, writer, "control", limits=limits, alter=behavior.alter)
        self.control.heard = self._hear
        self.url = f"rtsp://127.0.0.1/{int.from_bytes(self.config.random(4), 'big')}"
        self.tasks.start(self._serve_control())
        if "silent" in behavior.flags:
            await asyncio.Event().wait()
        if "earlySetup" in behavior.flags:
            await self._setup_session()
        if "authFirst" in behavior.flags:
            await self._authenticate()
        if self._pairs:
            await self._pair_and_verify()
        if (self.config.authenticates or not self.shared) and self._auth is None:
            await self._authenticate()
        await self._setup_session()
        self._state("sessionSetUp")
        self.facts = HeadUnitFacts.read(plists.decode_dictionary(
            (await self.ask("GET", "/info", wait=limits.info_wait)).body, limits))
        self._state("informed")
        await self.ask("RECORD", self.url)
        self._state("recording")
        self.tasks.start(self._beat())
        if "asksOnEvents" in behavior.flags:
            answer = await self.event.request(Request("GET", "/info"))
            if answer.status != 200:
                raise Problem("refused", f"a request on the event channel was answered {answer.status}")
        await self._first_modes()
        if self.config.pictures:
            await self._start_screen()
        self._state("live")

    def _state(self, state: str) -> None:
        self.emit("carPlaySession", state=state)

    async def connect(self, port: int):
        """Connects to a port of the head unit. Raises `controlLost` or `requestTimeout`."""
        try:
            return await self.network.connect(port, self.config.limits)
        except OSError as error:
            raise Problem("controlLost", f"no connection: {type(error).__name__}") from None

    async def _serve_control(self) -> None:
        await self.control.run()
        self.lost("controlLost")

    async def ask(self, method: str, target: str, body: bytes = b"", kind: str = "", wait: float | None = None,
                  headers: dict[str, str] | None = None) -> Response:
        """Sends a request of the control channel. Raises `Problem` for an answer that is not 200."""
        every = {"User-Agent": "AirPlay/950.7.1", "X-Apple-Client-Name": self.config.name} | (headers or {})
        if kind:
            every["Content-Type"] = kind
        response = await self.control.request(Request(method, target, every, body), wait)
        if response.status != 200:
            cause = {403: "notPaired", 453: "busy"}.get(response.status, "refused")
            raise Problem(cause, f"{method} {target} was answered {response.status}")
        return response

    async def _converse(self, path: str, client, header: str):
        """Runs a generator of pairing over the control channel. Returns the generator's result."""
        items = client.send(None)
        while True:
            response = await self.ask("POST", path, tlv8.encode(items), PAIRING, headers={"X-Apple-HKP": header})
            try:
                items = client.send(response.body)
            except StopIteration as result:
                return result.value

    async def _pair_and_verify(self) -> None:
        pairings = self.config.pairings
        if not pairings.peers:
            await self._pair()
        try:
            await self._verify()
        except Problem as problem:
            # The head unit removed this phone, or it is another head unit: pair, once, and verify again.
            if problem.cause not in ("pairingRefused", "unknownPeer") or self._paired_now:
                raise
            await self._pair()
            await self._verify()

    async def _pair(self) -> None:
        self._state("pairing")
        config = self.config
        if "wrongProofs" in config.behavior.flags:
            await self._try_wrong_proofs()
        client = setup_client(config.pairings, config.random, config.behavior.alter, config.padded_proof)
        identifier = await self._converse("/pair-setup", client, config.pairing_type[0])
        self._paired_now = True
        self.emit("carPlayPaired", identifier=identifier)

    async def _try_wrong_proofs(self) -> None:
        for _ in range(self.config.limits.wrong_proofs):
            for items in ([(tlv8.METHOD, b"\0"), (tlv8.STATE, b"\1")],
                          [(tlv8.STATE, b"\3"), (tlv8.PUBLIC_KEY, b"\2"), (tlv8.PROOF, bytes(64))]):
                await self.ask("POST", "/pair-setup", tlv8.encode(items), PAIRING)

    async def _verify(self) -> None:
        self._state("verifying")
        config = self.config
        client = verify_client(config.pairings, config.random, config.behavior.alter)
        self.shared, _ = await self._converse("/pair-verify", client, config.pairing_type[1])
        keys = control_keys(self.shared)
        self.control.secure(keys.head_unit_writes, keys.phone_writes)

    async def _authenticate(self) -> None:
        self._state("authenticating")
        client = authsetup.Client(self.config.trusted, self.config.random)
        response = await self.ask("POST", "/auth-setup", client.request, OCTETS)
        self._auth = client.finish(response.body)

    async def _setup_session(self) -> None:
        config = self.config
        self._clock_port = await self.network.datagrams(self._clock_received)
        self._ports.append(self._clock_port)
        body: dict[str, Any] = {
            "deviceID": config.device_id, "macAddress": config.device_id, "name": config.name, "model": "Python",
            "osName": "Python", "osVersion": "1", "osBuildVersion": "1", "sourceVersion": "950.7.1",
            "sessionUUID": str(uuid.UUID(bytes=config.random(16), version=4)).upper(),
            "timingPort": self._clock_port.port, "timingProtocol": "NTP", "statsCollectionEnabled": False,
            "keepAliveLowPower": True, "features": list(config.features)}
        if not self.shared and self._auth is not None:
            body |= {"et": 16, "ekey": self._auth.keystream.apply(self.session_key), "eiv": self.initial}
        body = config.behavior.alter("setup.request", body)
        response = await self.ask("SETUP", self.url, plists.encode(body), PLIST)
        answer = plists.decode_dictionary(response.body, config.limits)
        if "features" not in body and not answer.get("enabledFeatures"):
            raise Problem("badAnswer", "no features for a phone that names none")
        if not _is_port(answer.get("eventPort")):
            raise Problem("badAnswer", "SETUP without an eventPort")
        self.enabled = [name for name in answer.get("enabledFeatures", []) if name in config.features]
        self._last_heard = self.now()
        self.tasks.start(self._watch_clock())
        if _is_port(answer.get("keepAlivePort")):
            self.tasks.start(self._keep_alive(answer["keepAlivePort"]))
        await self._open_events(answer["eventPort"])

    async def _open_events(self, port: int) -> None:
        try:
            reader, writer = await self.connect(port)
        except Problem:
            await asyncio.sleep(0.5)  # the head unit may answer before it listens
            reader, writer = await self.connect(port)
        self.event = Conversation(reader, writer, "events", self._event_request, self.config.limits,
                                  self.config.behavior.alter)
        if self.shared:
            keys = event_keys(self.shared)
            self.event.secure(keys.head_unit_writes, keys.phone_writes)
        self.tasks.start(self._serve_events())

    async def _serve_events(self) -> None:
        await self.event.run()
        self.lost("eventLost")

    async def _event_request(self, request: Request) -> Response:
        if request.method != "POST" or request.path != "/command":
            return Response(501)
        try:
            return answer_command(self, plists.decode_dictionary(request.body, self.config.limits))
        except Problem as problem:
            return Response(problem.status)

    # Clock, heartbeat, keep-alive

    def _clock_received(self, data: bytes, port: int) -> None:
        now = clock.stamp(self.now())
        answer = clock.response(data, now, now)
        if answer is not None:
            self._hear()
            if "silentClock" not in self.config.behavior.flags:
                self._clock_port.send(answer, port)

    def _hear(self) -> None:
        """Records a sign of the head unit. Silence of its clock alone ends nothing (#clock-silence)."""
        self._last_heard = self.now()

    async def _watch_clock(self) -> None:
        while self.now() < self._last_heard + self.config.limits.clock_silence:
            await asyncio.sleep(self._last_heard + self.config.limits.clock_silence - self.now() + 0.001)
        raise Problem("clockSilent")

    async def _keep_alive(self, port: int) -> None:
        own = await self.network.datagrams(lambda _data, _port: None)
        self._ports.append(own)
        while True:
            own.send(b"\0", port)
            await asyncio.sleep(self.config.limits.keep_alive_period)

    async def _beat(self) -> None:
        limits, misses = self.config.limits, 0
        while "noFeedback" not in self.config.behavior.flags:
            begin = self.now()
            try:
                if "optionsForFeedback" in self.config.behavior.flags:
                    await self.ask("OPTIONS", "*", wait=limits.feedback_wait)
                else:
                    self._read_feedback(await self.ask("POST", "/feedback", wait=limits.feedback_wait))
                misses = 0
            except Problem as problem:
                if problem.cause != "requestTimeout":
                    raise
                misses += 1
                if misses >= limits.feedback_misses:
                    raise Problem("feedbackSilent") from None
            await asyncio.sleep(max(0.0, begin + limits.feedback_period - self.now()))

    def _read_feedback(self, response: Response) -> None:
        body = plists.decode_dictionary(response.body, self.config.limits) if response.body else {}
        streams = body.get("streams", [])
        self.positions.update(
            (entry.get("type"), (entry.get("sampleRate") or entry.get("sr"), entry.get("sampleTime")))
            for entry in (streams if isinstance(streams, list) else []) if isinstance(entry, dict))

    # Modes

    async def _first_modes(self) -> None:
        if self.facts.modes:
            self.arbiter.change(HEAD_UNIT, self.facts.modes)
        if self.facts.permanent.get(SCREEN) != HEAD_UNIT:
            self.arbiter.change(PHONE, {"resources": [modes.take(SCREEN, modes.NICE_TO_HAVE)]})
        await self.tell_modes()

    async def change_modes(self, **request: Any) -> bool:
        """Changes modes as the phone's own apps do. Returns whether the change was granted."""
        granted = self.arbiter.change(PHONE, request) == modes.GRANTED
        if granted:
            await self.tell_modes()
        return granted

    async def tell_modes(self) -> None:
        """Sends the complete state, in the order of changes, and stops music that lost the speakers."""
        async with self._writing_modes:
            params = self.arbiter.snapshot()
            view = modes.ModesView()
            view.update(params)
            self.emit("carPlayModes", **view.names())
            await self.command("modesChanged", params)
        if self.arbiter.resources[AUDIO].user == HEAD_UNIT and 100 in self.streams:
            await self.stop_stream(100)

    async def command(self, name: str, params: dict[str, Any] | None = None) -> Response:
        """Sends a command to the head unit."""
        self.emit("carPlayCommand", name=name, direction="toHeadUnit")
        body = {"type": name} | ({"params": params} if params is not None else {})
        return await self.ask("POST", "/command", plists.encode(body), PLIST)

    # Streams

    async def setup_stream(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Sets up one stream. Returns its answer. Raises `badAnswer`."""
        kind = entry["type"]
        entry = self.config.behavior.alter("stream.request", entry)
        entries = self.config.behavior.alter("stream.list", [entry])
        response = await self.ask("SETUP", self.url, plists.encode({"streams": entries}), PLIST)
        if "setsUpTwice" in self.config.behavior.flags and kind == 100:
            response = await self.ask("SETUP", self.url, plists.encode({"streams": entries}), PLIST)
        answers = plists.decode_dictionary(response.body, self.config.limits).get("streams")
        answer = answers[0] if isinstance(answers, list) and answers and isinstance(answers[0], dict) else {}
        if answer.get("type") != kind or not _is_port(answer.get("dataPort")):
            raise Problem("badAnswer", f"a stream SETUP of type {kind} without its type or port")
        echo = answer.get("streamConnectionID")
        if kind in (100, 101, 102) and (type(echo) is not int or unsigned64(echo) != entry["streamConnectionID"]):
            self.emit("carPlayStream", **events.stream(kind), state="noEcho", format="")
            await self._teardown_stream(kind, entry["streamConnectionID"])
            raise NoEcho()
        self.emit("carPlayStream", **events.stream(kind), state="setUp", format="")
        return answer

    async def stop_stream(self, kind: int) -> None:
        """Tears down one stream."""
        stream = self.streams.pop(kind, None)
        if stream is not None:
            await self._teardown_stream(kind, self._ids.get(kind))
            stream.stop()

    async def _teardown_stream(self, kind: int, identifier: int | None) -> None:
        entry = {"type": kind} | ({"streamConnectionID": identifier} if identifier is not None else {})
        entries = self.config.behavior.alter("stream.ends", [entry])
        await self.ask("TEARDOWN", self.url, plists.encode({"streams": entries}), PLIST)
        self.emit("carPlayStream", **events.stream(kind), state="stopped", format="")

    def new_id(self, kind: int) -> int:
        """Returns a new `streamConnectionID` for a type."""
        self._ids[kind] = int.from_bytes(self.config.random(8), "big")
        return self._ids[kind]

    async def _start_screen(self) -> None:
        display = self.facts.display(110)
        if display is None:
            raise Problem("badInfo", "no main display")
        identifier = self.new_id(110)
        answer = await self.setup_stream({"type": 110, "streamConnectionID": identifier, "uuid": display["uuid"],
                                          "latencyMs": 100})
        sender = ScreenSender(self, identifier, (display["widthPixels"], display["heightPixels"]))
        await sender.connect(answer["dataPort"])
        self.streams[110] = sender

    async def start_audio(self, kind: int, mask: int, audio_type: str) -> AudioSender:
        """Sets up an audio stream. Raises `badInfo` if the head unit does not offer the format."""
        if not self.facts.offers(kind, mask, audio_type):
            raise Problem("badInfo", f"the head unit does not offer format {mask:#x} on type {kind}")
        identifier = self.new_id(kind)
        sender = AudioSender(self, kind, identifier, mask)
        await sender.bind()
        entry = {"type": kind, "streamConnectionID": identifier, "audioFormat": mask, "audioType": audio_type,
                 "audioLatencyMs": 100, "framesPerPacket": 352, "controlPort": sender.control.port}
        if kind == 100 and self.config.wants_microphone:
            entry |= {"dataPort": sender.data.port, "input": True}
        try:
            sender.begin(await self.setup_stream(entry))
        except BaseException:
            sender.stop()
            raise
        self.streams[kind] = sender
        return sender

    def iap_received(self, data: bytes) -> None:
        """Handles iAP2 bytes of the head unit."""
        self.emit("carPlayIAP", direction="toPhone", bytes=data.hex())
        for answer in self.config.iap_answers(data):
            stream = self.streams.get(130)
            self.tasks.start(stream.send(answer) if stream else self.command("iAPSendMessage", {"data": answer}))

    def old_audio_crypto(self) -> audio.CryptoOld:
        """Returns the audio's encryption of the old generation."""
        is_clear = self.facts.features >> 22 & 1
        return audio.CryptoOld() if is_clear else audio.CryptoOld(self.session_key, self.initial)

def _is_port(value: Any) -> bool:
    return type(value) is int and 0 < value < 65_536
