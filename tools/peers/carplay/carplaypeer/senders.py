# SPDX-License-Identifier: Apache-2.0
"""The phone's ends of streams (#streams): screen, audio with microphone, buffered audio, data."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import audio, clock, datachannel, events, plists, screen
from .frames import Opener, Sealer
from .keys import stream_keys
from .problems import Problem
from .conversation import READ

if TYPE_CHECKING:
    from .phone import Phone

FULL = 256 * 1024  # bytes that wait in the program; above this size whole frames are dropped
SAMPLES = {"aac-lc": 1024, "aac-eld": 480}


class ScreenSender:
    """Sends pictures of a file. If a head unit does not read, it loses whole frames and later the session.

    The time limit is in #session-times.
    """

    kind = 110

    def __init__(self, phone: Phone, stream_id: int, size: tuple[int, int]):
        self._phone, limits = phone, phone.config.limits
        if phone.shared:
            cipher = screen.Cipher320(stream_keys(phone.shared, stream_id).phone_writes)
        else:
            cipher = screen.CipherOld(phone.session_key, stream_id)
        join = screen.annex_b if "startCodes" in phone.config.behavior.flags else screen.join_units
        self._messages = screen.Writer(cipher, size, phone.config.config_form, join)
        self._limits = limits
        self.wants_config = True
        self.sent = self.dropped = 0
        self._progress = phone.now()
        self._waiting = 0
        self._sets: tuple[bytes, bytes] | None = None

    async def connect(self, port: int) -> None:
        """Connects to the head unit's port."""
        reader, self._writer = await self._phone.network.connect(port, self._limits)
        self._writer.transport.set_write_buffer_limits(high=FULL)
        self._phone.tasks.start(self._watch(reader))
        self._phone.tasks.start(self._beat())

    async def _watch(self, reader: asyncio.StreamReader) -> None:
        """Reads until the connection ends, which ends the session. The head unit sends no data here."""
        try:
            while await reader.read(READ):
                pass
        except (ConnectionError, OSError):
            pass
        self._phone.lost("streamLost")

    def _write(self, message: bytes) -> None:
        if not self._writer.transport.is_closing():  # `_watch` reports the end of the connection
            self._writer.write(self._phone.config.behavior.alter("screen.message", message))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._limits.heartbeat_period)
            self._check_progress()
            if self._waiting > FULL:
                continue
            if self._phone.facts.statistics:
                counts = {"sentFrames": self.sent, "droppedFrames": self.dropped}
                self._write(self._messages.other(screen.STATISTICS, plists.encode(counts)))
            else:
                self._write(self._messages.other(screen.HEARTBEAT))

    def _check_progress(self) -> None:
        waiting = self._writer.transport.get_write_buffer_size()
        if waiting < self._waiting or not waiting:
            self._progress = self._phone.now()
        self._waiting = waiting
        if waiting and self._progress + self._limits.video_stall <= self._phone.now():
            raise Problem("videoStalled")

    async def play(self, pictures: Iterable[screen.Picture], rate: float) -> None:
        """Sends the pictures at a rate, and returns when the head unit has read all of them."""
        begin = self._phone.now()
        is_skipping = False
        for number, picture in enumerate(pictures):
            await asyncio.sleep(max(0.0, begin + number / rate - self._phone.now()))
            self._check_progress()
            # The counter counts only sealed frames, so a frame is dropped before it is sealed.
            is_skipping = self._waiting > FULL or is_skipping and not picture.is_key
            if is_skipping:
                self.dropped += 1
                continue
            self._send(picture)
        while self._writer.transport.get_write_buffer_size():
            self._check_progress()
            await asyncio.sleep(0.05)
        await asyncio.sleep(self._phone.config.tail)

    def _send(self, picture: screen.Picture) -> None:
        timestamp = clock.ntp(self._phone.now())
        sets = (picture.sps, picture.pps)
        if picture.is_key and (self.wants_config or sets != self._sets):
            self.wants_config, self._sets = False, sets
            self._write(self._messages.config(screen.make_record(*sets), timestamp))
        self._write(self._messages.frame(list(picture.units), timestamp, picture.is_key))
        self.sent += 1

    def stop(self) -> None:
        """Closes the connection."""
        self._writer.transport.abort()


class AudioSender:
    """Realtime audio over UDP, with sync and retransmission, and the microphone of the other direction."""

    def __init__(self, phone: Phone, kind: int, stream_id: int, mask: int):
        self.kind, self._phone = kind, phone
        self.format = audio.format_of(mask)
        self._limits = phone.config.limits
        if phone.shared:
            keys = stream_keys(phone.shared, stream_id)
            outgoing, incoming = audio.Crypto320(keys.phone_writes), audio.Crypto320(keys.head_unit_writes)
        else:
            outgoing = incoming = phone.old_audio_crypto()
        self._sender = audio.Sender(kind, outgoing, ssrc=int.from_bytes(phone.config.random(4), "big"),
                                    sequence=int.from_bytes(phone.config.random(2), "big"),
                                    timestamp=int.from_bytes(phone.config.random(4), "big"))
        self._receiver = audio.Receiver(incoming, self._limits)
        self._history = audio.History(self._limits)
        self.resent = 0
        self._remote = self._remote_control = 0
        self._is_stopped = False

    async def bind(self) -> None:
        """Binds the ports that the request names."""
        self.data = await self._phone.network.datagrams(self._receive)
        self.control = await self._phone.network.datagrams(self._receive_control)

    def begin(self, answer: dict[str, Any]) -> None:
        """Stores the head unit's ports and starts the sync packets."""
        self._remote, self._remote_control = answer["dataPort"], answer.get("controlPort", 0)
        self._phone.tasks.start(self._sync())

    async def _sync(self) -> None:
        is_first = True
        while self._remote_control and not self._is_stopped:
            time = self._sender.timestamp
            self.control.send(audio.sync_packet(time, clock.ntp(self._phone.now()), time, is_first),
                              self._remote_control)
            is_first = False
            await asyncio.sleep(self._limits.sync_period)

    def _receive(self, data: bytes, _port: int) -> None:
        packet = self._receiver.open(data)
        if packet is None:
            return
        if not self._receiver.received - 1:
            self._phone.emit("carPlayStream", **events.stream(self.kind), state="microphone", format=self.format.name)
        room = self.format.rate * self.format.frame_bytes - len(self._phone.microphone)
        self._phone.microphone += audio.swap_bytes(packet.payload[:max(0, room) // 2 * 2])

    def _receive_control(self, data: bytes, port: int) -> None:
        for answer in self._history.answers(data):
            self.resent += 1
            self.control.send(answer, port)

    async def play(self, pcm: bytes) -> None:
        """Sends PCM of a file, 16-bit little endian, in real time."""
        frame = self.format.frame_bytes
        samples = min(audio.MAX_PAYLOAD // frame, 352 if self.format.channels == 2 else self.format.rate // 50)
        wire, begin = audio.swap_bytes(pcm[:len(pcm) // frame * frame]), self._phone.now()
        for number, start in enumerate(range(0, len(wire), samples * frame)):
            await asyncio.sleep(max(0.0, begin + number * samples / self.format.rate - self._phone.now()))
            if self._is_stopped:
                return
            piece = wire[start:start + samples * frame]
            packet = self._sender.packet(piece, len(piece) // frame)
            self._history.add(packet)
            for data in self._phone.config.behavior.alter("audio.packet", [packet]):
                self.data.send(data, self._remote)
        await asyncio.sleep(self._phone.config.tail)  # time for retransmissions

    def stop(self) -> None:
        """Closes the ports."""
        self._is_stopped = True
        self.data.close()
        self.control.close()


class BufferedSender:
    """Main buffered audio over TCP. TCP provides the backpressure."""

    kind = 103

    def __init__(self, phone: Phone, key: bytes):
        self._phone = phone
        self._frames = audio.BufferedFrames(key, self.kind)

    async def connect(self, port: int) -> None:
        """Connects to the head unit's port."""
        _, self._writer = await self._phone.network.connect(port, self._phone.config.limits)

    async def play(self, units: list[bytes]) -> None:
        """Sends units of 1024 samples as fast as the head unit reads."""
        try:
            for unit in units:
                self._writer.write(self._phone.config.behavior.alter("buffered.frame", self._frames.encode(unit)))
                async with asyncio.timeout(self._phone.config.limits.request_wait):
                    await self._writer.drain()
        except ConnectionError:
            self._phone.lost("streamLost")

    def stop(self) -> None:
        """Closes the connection after the written bytes."""
        self._writer.close()


class DataSender:
    """The data stream, type 130, for iAP2 inside the session."""

    kind = 130

    def __init__(self, phone: Phone, seed: int):
        keys = stream_keys(phone.shared, seed)
        limits = phone.config.limits
        self._phone = phone
        self._sealer, self._opener = Sealer(keys.phone_writes, limits), Opener(keys.head_unit_writes, limits)
        self._packages = datachannel.Parser(limits)
        self._sequence = 0
        self._replies: dict[int, asyncio.Event] = {}

    async def connect(self, port: int) -> None:
        """Connects to the head unit's port."""
        reader, self._writer = await self._phone.network.connect(port, self._phone.config.limits)
        self._phone.tasks.start(self._serve(reader))

    async def _serve(self, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(READ):
            for kind, sequence, body in self._packages.feed(self._opener.feed(data)):
                if kind == datachannel.REPLY:
                    if waiting := self._replies.pop(sequence, None):
                        waiting.set()
                    continue
                self._write(datachannel.package(datachannel.REPLY, sequence))
                self._phone.iap_received(body)
        self._phone.lost("streamLost")

    async def send(self, body: bytes) -> None:
        """Sends bytes and waits for the reply, which only a `sync` has. Raises `requestTimeout`."""
        self._sequence += 1
        waiting = self._replies[self._sequence] = asyncio.Event()
        package = datachannel.package(datachannel.SYNC, self._sequence, body)
        package = self._phone.config.behavior.alter("data.package", package)
        self._write(package)
        if package[4:8] != datachannel.SYNC:
            return
        try:
            async with asyncio.timeout(self._phone.config.limits.request_wait):
                await waiting.wait()
        except TimeoutError:
            raise Problem("requestTimeout", "a package of the data stream") from None

    def _write(self, plain: bytes) -> None:
        self._writer.write(b"".join(self._sealer.seal(plain)))

    def stop(self) -> None:
        """Closes the connection."""
        self._writer.transport.abort()
