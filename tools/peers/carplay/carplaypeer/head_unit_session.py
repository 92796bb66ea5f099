# SPDX-License-Identifier: Apache-2.0
"""The head unit's session, from its SETUP to its end: events, clock, streams, commands.

Facts: #set-up-request to #teardown, #streams, #commands.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import clock, events, info, plists
from .audio import CryptoOld
from .conversation import Conversation, Ending, Tasks
from .keys import event_keys
from .modes import ModesView
from .problems import Problem
from .receivers import AudioStream, BufferedStream, DataStream, ScreenStream, Stream
from .rtsp import PLIST, Request, Response

if TYPE_CHECKING:
    from .head_unit import HeadUnit

SCREENS, AUDIO, BUFFERED, DATA = (110, 111), (100, 101, 102), 103, 130
# `hidSetInputMode` is p.
KNOWN_COMMANDS = {"modesChanged", "duckAudio", "unduckAudio", "disableBluetooth", "requestUI", "suggestUI",
                  "hidSetInputMode", "iAPSendMessage"}


@dataclass(frozen=True)
class OldKeys:
    """Keys of a session without pairing (#generation-old)."""

    session_key: bytes = field(repr=False)
    initial: bytes
    clear_audio: bool

    def audio_crypto(self) -> CryptoOld:
        """Returns the audio's encryption."""
        return CryptoOld() if self.clear_audio else CryptoOld(self.session_key, self.initial)


class HeadUnitSession:
    """One session. `ending` has its only cause."""

    def __init__(self, unit: HeadUnit, network, body: dict[str, Any], shared: bytes | None, old: OldKeys | None):
        self._unit, self.network, self.body = unit, network, body
        self.shared, self.old = shared, old
        self.limits, self.behavior, self.emit = unit.config.limits, unit.config.behavior, unit.emit
        self.ending, self.clock = Ending(), clock.Estimate()
        self.tasks = Tasks(self.ending)
        self.streams: dict[int, Stream] = {}
        self.modes = ModesView()
        self.ducking: tuple[float, float] | None = None
        wanted = body.get("features", [])
        wanted = wanted if isinstance(wanted, list) else []
        # A phone that names no features gets all (#enabled-features).
        self.enabled = [name for name in unit.config.car.features if "features" not in body or name in wanted]
        self.is_recording = False
        self._early: deque[dict[str, Any]] = deque()
        self._event: Conversation | None = None
        self._event_connected = asyncio.Event()
        self._has_clock = (isinstance(body.get("timingPort"), int) and not isinstance(body.get("timingPort"), bool)
                           and body.get("timingProtocol") != "None" and 0 < body["timingPort"] < 65_536)
        self._last_request = self._last_heard = self.now()
        self.keep_alives = 0
        self._numbers: dict[int, int] = {}
        self._ports: list[Any] = []

    @staticmethod
    def now() -> float:
        """Returns the own monotonic time in seconds."""
        return asyncio.get_running_loop().time()

    async def start(self) -> dict[str, Any]:
        """Binds the ports. Returns the body of the answer."""
        events = await self.network.listen(self._accept_event)
        self._ports.append(events)
        if "lateEvents" in self.behavior.flags:
            # Answers before it listens, as one receiver of AirPlay does (#event-channel).
            events.close()
            self.tasks.start(self._listen_late(events.port))
        answer: dict[str, Any] = {"eventPort": events.port, "enabledFeatures": self.enabled}
        if self._has_clock:
            self._clock_port = await self.network.datagrams(self._clock_received)
            self._ports.append(self._clock_port)
            answer["timingPort"] = self._clock_port.port
            self.tasks.start(self._ask_clock())
        if self.body.get("keepAliveLowPower") is True:
            keep_alive = await self.network.datagrams(self._keep_alive_received)
            self._ports.append(keep_alive)
            answer["keepAlivePort"] = keep_alive.port
        return self.behavior.alter("setup.answer", answer)

    async def _listen_late(self, port: int) -> None:
        await asyncio.sleep(0.3)
        self._ports.append(await self.network.listen(self._accept_event, port))

    async def finish(self) -> None:
        """Releases all resources. The cause must be set before."""
        await self.tasks.stop()
        for stream in list(self.streams.values()):
            self._remove(stream)
        for port in self._ports:
            port.close()
        if self._event is not None:
            self._event.abort()

    # Event channel

    async def _accept_event(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._event is not None or self.ending.cause is not None:
            writer.close()
            return
        self._event = Conversation(reader, writer, "events", self._event_request, self.limits, self.behavior.alter)
        self._event.heard = self.hear
        if self.shared:
            keys = event_keys(self.shared)
            self._event.secure(keys.phone_writes, keys.head_unit_writes)
        self._event_connected.set()
        self.tasks.start(self._serve_event(self._event))
        self._send_early()

    async def _serve_event(self, event: Conversation) -> None:
        await event.run()
        await asyncio.sleep(self.limits.event_grace)
        self.ending.finish("eventLost")

    async def _event_request(self, request: Request) -> Response:
        if request.method == "POST" and request.path == "/command":
            return self.command_of_phone(request.body)
        return Response()  # older phones stall without it (#event-channel)

    async def wait_for_event(self) -> bool:
        """Waits for the event connection, which a stream SETUP needs (#event-channel)."""
        try:
            async with asyncio.timeout(self.limits.event_hold):
                await self._event_connected.wait()
            return True
        except TimeoutError:
            return False

    def command(self, command: dict[str, Any]) -> None:
        """Sends a command of the head unit. Commands before RECORD wait for it."""
        if len(self._early) >= self.limits.early_commands:
            raise Problem("requestTimeout", "too many commands are held")
        self._early.append(command)
        self._send_early()

    def _send_early(self) -> None:
        if not self.is_recording or self._event is None:
            return
        while self._early:
            self.tasks.start(self._send_command(self._early.popleft()))

    async def _send_command(self, command: dict[str, Any]) -> None:
        self.emit("carPlayCommand", name=command["type"], direction="toPhone")
        try:
            response = await self._event.request(Request(
                "POST", "/command", {"Content-Type": PLIST}, plists.encode(command)))
        except ConnectionError:
            return  # the loss of the event connection has its own time limit
        body = plists.decode_dictionary(response.body, self.limits) if response.body else {}
        if command["type"] == "changeModes":
            self.emit("carPlayCommand", name="changeModes", direction="answer", status=body.get("status"))

    def hear(self) -> None:
        """Records a sign of the phone. Silence of its clock alone ends nothing (#clock-silence)."""
        self._last_heard = self.now()

    def asked(self) -> None:
        """Records a request of the phone. Any request is a heartbeat, not only /feedback (#clock-silence)."""
        self._last_request = self.now()
        self.hear()

    # Clock

    async def _ask_clock(self) -> None:
        while "silentClock" not in self.behavior.flags:
            if self._last_heard + self.limits.clock_silence <= self.now():
                raise Problem("clockSilent")
            self._clock_port.send(clock.request(clock.stamp(self.now())), self.body["timingPort"])
            await asyncio.sleep(self.limits.clock_period)

    def _clock_received(self, data: bytes, port: int) -> None:
        now = clock.stamp(self.now())
        answer = clock.response(data, now, now)
        if answer is not None:
            self._clock_port.send(answer, port)
        elif times := clock.read_response(data):
            self.hear()
            self.clock.add(times[0], times[1], times[2], now)

    def _keep_alive_received(self, _data: bytes, _port: int) -> None:
        self.keep_alives += 1

    # Requests of the phone

    def record(self) -> Response:
        """Answers RECORD; a second one has no effect. The waiting commands follow the answer."""
        if "refusesRecord" in self.behavior.flags:
            return Response(400)
        if not self.is_recording:
            self.tasks.start(self._begin_recording())
        return Response()

    async def _begin_recording(self) -> None:
        if self.is_recording:
            return
        self.is_recording = True
        self.emit("carPlaySession", state="recording")
        self.tasks.start(self._watch_feedback())
        if "sendsCommand" in self.behavior.flags:
            self.command({"type": "setNightMode", "params": {"nightMode": True}})
        self._send_early()
        for step in self._unit.config.script:
            self.tasks.start(step(self))

    async def _watch_feedback(self) -> None:
        while True:
            await asyncio.sleep(self.limits.feedback_period)
            if self._last_request + self.limits.feedback_silence <= self.now():
                raise Problem("feedbackSilent")

    def feedback(self) -> Response:
        """Answers the heartbeat."""
        entries = [entry for stream in self.streams.values() if (entry := stream.feedback())]
        if not entries:
            return Response()
        return Response(headers={"Content-Type": PLIST}, body=plists.encode({"streams": entries}))

    def command_of_phone(self, body: bytes) -> Response:
        """Answers a /command. Raises `badPlist`."""
        command = plists.decode_dictionary(body, self.limits)
        name, params = command.get("type"), command.get("params", {})
        if not isinstance(name, str) or not isinstance(params, dict):
            raise Problem("badPlist", "a command without a type, or with params that are not a dictionary")
        self.emit("carPlayCommand", name=name, direction="toHeadUnit")
        if name not in KNOWN_COMMANDS:
            return Response(self._unit.config.unknown_command)
        if name == "modesChanged":
            self.modes.update(params)
            self.emit("carPlayModes", **self.modes.names())
        elif name == "iAPSendMessage":
            if not isinstance(params.get("data"), bytes):
                raise Problem("badPlist", "iAPSendMessage without data")
            self.iap_received(params["data"])
        elif name in ("duckAudio", "unduckAudio"):
            self._duck(name, params)
        elif name == "requestUI" and "url" not in params and self._unit.config.takes_screen_on_request:
            self.command({"type": "changeModes", "params": {"reasonStr": "car", "resources": [
                {"resourceID": 1, "transferType": 1, "transferPriority": 500, "takeConstraint": 100,
                 "borrowConstraint": 100}]}})
        return Response()

    def _duck(self, name: str, params: dict[str, Any]) -> None:
        volume, duration = params.get("volume", -20), params.get("durationMs", 300)
        if not isinstance(volume, (int, float)) or not isinstance(duration, (int, float)) or volume > 0:
            raise Problem("badPlist", "duckAudio with a volume over 0 dB or without numbers")
        self.ducking = (float(volume), float(duration)) if name == "duckAudio" else None

    def iap_received(self, data: bytes) -> None:
        """Handles iAP2 bytes of the phone, from a command or the data stream."""
        self.emit("carPlayIAP", direction="toHeadUnit", bytes=data.hex())
        for answer in self._unit.config.iap_answers(data):
            self.send_iap(answer)

    def send_iap(self, data: bytes) -> None:
        """Sends iAP2 bytes on the data stream if it exists and carries both directions, else on the event channel."""
        stream = self.streams.get(DATA)
        if isinstance(stream, DataStream) and self._unit.config.data_both_ways:
            stream.send(data)
        else:
            self.command({"type": "iAPSendMessage", "params": {"data": data}})

    # Streams

    async def setup_streams(self, entries: list[dict[str, Any]]) -> Response:
        """Answers a stream SETUP with the entries that it takes (#stream-refused). A type that runs is set up anew.

        Raises the first problem if it takes none.
        """
        streams: list[Stream] = []
        answers, problems = [], []
        try:
            for entry in entries:
                try:
                    if any(stream.kind == entry.get("type") for stream in streams):
                        raise Problem("badValue", "a type twice in one SETUP")
                    stream = self._make(entry)
                except Problem as problem:
                    problems.append(problem)
                    continue
                if (old := self.streams.get(stream.kind)) is not None:
                    self._remove(old)
                streams.append(stream)
                answers.append(self.behavior.alter("stream.answer", await stream.start()))
        except BaseException:
            for stream in streams:
                stream.stop()
            raise
        if not streams:
            raise problems[0]
        for stream in streams:
            self.streams[stream.kind] = stream
            self.emit("carPlayStream", **events.stream(stream.kind), state="setUp", format=stream.format)
        return Response(headers={"Content-Type": PLIST}, body=plists.encode({"streams": answers}))

    def _make(self, entry: dict[str, Any]) -> Stream:
        kind, config = entry.get("type"), self._unit.config
        if type(kind) is not int:
            raise Problem("badValue", "a stream without a type")
        makers: dict[int, Callable[[], Stream]] = {
            110: lambda: ScreenStream(self, entry, self._path(kind, config.screen_file)),
            111: lambda: ScreenStream(self, entry, None),
            BUFFERED: lambda: BufferedStream(self, entry, self._audio_path(kind, "units")),
            DATA: lambda: DataStream(self, entry),
        } | {number: lambda: AudioStream(self, entry, self._audio_path(kind, "pcm"), config.microphone)
             for number in AUDIO}
        if kind not in makers:
            raise Problem("badValue", f"stream type {kind}")
        self._check(entry)
        return makers[kind]()

    def _check(self, entry: dict[str, Any]) -> None:
        kind = entry["type"]
        key = "seed" if kind == DATA else "streamConnectionID"
        integers = [key] if kind != BUFFERED else []
        integers += ["audioFormat"] if kind in (*AUDIO, BUFFERED) else []
        for name in integers:
            if not isinstance(entry.get(name), int) or isinstance(entry[name], bool):
                raise Problem("badValue", f"stream type {kind} without {name}")
        if kind in SCREENS:
            displays = {display.kind: display.uuid for display in self._unit.config.car.displays}
            if entry.get("uuid", displays.get(kind)) != displays.get(kind) or kind not in displays:
                raise Problem("badValue", "a screen of an unknown display")
        needed = {111: "altScreen", BUFFERED: "mainBuffered", DATA: "iAPChannel"}.get(kind)
        is_iap = entry.get("clientTypeUUID") == "E9459FD0-BCAD-4C45-820F-1E72447EF2F2"
        if needed and needed not in self.enabled and (kind != DATA or is_iap):
            raise Problem("badValue", f"stream type {kind} without the feature {needed}")

    def _audio_path(self, kind: int, suffix: str):
        folder = self._unit.config.audio_folder
        if folder is None:
            return None
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return folder / f"{kind}-{self._numbers[kind]}.{suffix}"

    def _path(self, kind: int, path):
        if path is None:
            return None
        self._numbers[kind] = number = self._numbers.get(kind, 0) + 1
        return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")

    def teardown_streams(self, entries: list[Any]) -> Response:
        """Stops exactly the named streams. An entry that names none of the running ones stops nothing (#teardown)."""
        for entry in entries:
            stream = self.streams.get(entry.get("type")) if isinstance(entry, dict) else None
            if stream is not None and stream.matches(entry):
                self._remove(stream)
        return Response()

    def _remove(self, stream: Stream) -> None:
        if self.streams.pop(stream.kind, None) is not None:
            stream.stop()
            self.emit("carPlayStream", **events.stream(stream.kind), state="stopped", format=stream.format, counts=stream.counts())

    def stream_ended(self, stream: Stream, problem: Problem | None) -> None:
        """Handles the end of a stream's connection. Only this stream stops.

        A problem becomes the cause of the session's later end.
        """
        if self.streams.get(stream.kind) is not stream:
            return
        if problem is not None:
            self.emit("carPlayStream", **events.stream(stream.kind), state="failed", format=stream.format, cause=problem.cause)
            self._unit.suspect(problem)
        self._remove(stream)

    def visible_info(self) -> dict[str, Any]:
        """Returns /info with only the keys of enabled features."""
        return info.limited(info.build(self._unit.config.car), self.enabled)
