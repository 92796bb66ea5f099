# SPDX-License-Identifier: Apache-2.0
"""The head unit's ends of streams (#streams): screen, audio with microphone, buffered audio, data."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import audio, clock, datachannel, events, screen
from .frames import Opener, Sealer
from .keys import stream_keys, unsigned64
from .problems import Problem
from .conversation import READ

if TYPE_CHECKING:
    from .head_unit_session import HeadUnitSession


class Stream:
    """The base of all streams. `start` binds before the answer is sent; `stop` releases all resources."""

    def __init__(self, session: HeadUnitSession, entry: dict[str, Any]):
        self.session, self.entry = session, entry
        self.kind: int = entry["type"]
        self.raw_id = entry.get("streamConnectionID", entry.get("seed"))
        self.id = None if self.raw_id is None else unsigned64(self.raw_id)
        self.format = ""

    async def start(self) -> dict[str, Any]:
        """Binds the ports. Returns the entry of the answer."""
        raise NotImplementedError

    def stop(self) -> None:
        """Releases the ports."""
        raise NotImplementedError

    def feedback(self) -> dict[str, Any] | None:
        """Returns the entry of the answer to /feedback, if the stream has one."""
        return None

    def counts(self) -> dict[str, int]:
        """Returns the counts of the stream's content, for events."""
        return {}

    def matches(self, wanted: dict[str, Any]) -> bool:
        """Returns whether an entry of TEARDOWN names this stream: every given key must match (#teardown)."""
        if wanted.get("type") != self.kind:
            return False
        identifier = wanted.get("streamConnectionID")
        if identifier is not None and (not _is_integer(identifier) or unsigned64(identifier) != self.id):
            return False
        if "streamID" in wanted and wanted["streamID"] != self.answer_base().get("streamID"):
            return False
        return "uuid" not in wanted or wanted["uuid"] == self.entry.get("uuid")

    def answer_base(self) -> dict[str, Any]:
        """Returns the type and the echoed id, in its received form."""
        result: dict[str, Any] = {"type": self.kind}
        if "streamConnectionID" in self.entry:
            result["streamConnectionID"] = self.entry["streamConnectionID"]
        return result


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class _TCPStream(Stream):
    """A stream of one TCP connection. A second connection is refused."""

    _listener = None
    _writer: asyncio.StreamWriter | None = None

    async def _listen(self) -> int:
        self._listener = await self.session.network.listen(self._accept)
        return self._listener.port

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._writer is not None:
            writer.close()
            return
        self._writer = writer
        self.session.tasks.start(self._serve(reader))

    async def _serve(self, reader: asyncio.StreamReader) -> None:
        try:
            while data := await reader.read(READ):
                self.receive(data)
                if "stopReadingVideo" in self.session.behavior.flags and self.kind == 110:
                    await asyncio.Event().wait()  # until the session ends and cancels this task
            self.session.stream_ended(self, None)
        except (ConnectionError, OSError):
            self.session.stream_ended(self, None)
        except Problem as problem:
            self.session.stream_ended(self, problem)
        finally:
            if self._writer is not None:
                self._writer.close()

    def receive(self, data: bytes) -> None:
        """Handles bytes. Raises `Problem`."""
        raise NotImplementedError

    def stop(self) -> None:
        if self._listener is not None:
            self._listener.close()
        if self._writer is not None:
            self._writer.transport.abort()


class ScreenStream(_TCPStream):
    """Main or alternate screen. It writes Annex B to a file."""

    def __init__(self, session: HeadUnitSession, entry: dict[str, Any], path: Path | None):
        super().__init__(session, entry)
        if session.shared:
            cipher = screen.Cipher320(stream_keys(session.shared, self.id).phone_writes)
        else:
            cipher = screen.CipherOld(session.old.session_key, self.id)
        self.parser = screen.Parser(cipher, session.limits)
        self._file = path.open("wb") if path else None
        self.frames = self.key_frames = self.heartbeats = 0
        self._is_format_reported = False

    async def start(self) -> dict[str, Any]:
        return self.answer_base() | {"dataPort": await self._listen()}

    def receive(self, data: bytes) -> None:
        self.session.hear()
        self.parser.feed(data)
        while (message := self.parser.next()) is not None:
            header, content = message
            if header.kind == screen.CONFIG:
                self.format = content.codec
                self._write(content.parameter_sets)
                if not self._is_format_reported:
                    self._is_format_reported = True
                    self.session.emit("carPlayStream", **events.stream(self.kind), state="running", format=self.format)
            elif header.kind == screen.FRAME:
                self.frames += 1
                self.key_frames += any(self.parser.config.is_key(unit) for unit in content)
                self._write(content)
            elif header.kind in (screen.HEARTBEAT, screen.STATISTICS):
                self.heartbeats += 1

    def _write(self, units) -> None:
        if self._file:
            self._file.write(screen.annex_b(units))

    def counts(self) -> dict[str, int]:
        return {"frames": self.frames, "keyFrames": self.key_frames, "heartbeats": self.heartbeats}

    def stop(self) -> None:
        super().stop()
        if self._file:
            self._file.close()


class AudioStream(Stream):
    """Realtime audio, and on type 100 the microphone. PCM goes to a file, 16-bit little endian."""

    def __init__(self, session: HeadUnitSession, entry: dict[str, Any], path: Path | None, microphone: bytes | None):
        super().__init__(session, entry)
        self._format = audio.format_of(entry["audioFormat"])
        self.format = self._format.name
        if session.shared:
            keys = stream_keys(session.shared, self.id)
            self._incoming, self._outgoing = audio.Crypto320(keys.phone_writes), audio.Crypto320(keys.head_unit_writes)
        else:
            self._incoming = self._outgoing = session.old.audio_crypto()
        self._receiver = audio.Receiver(self._incoming, session.limits)
        self._reorder = audio.Reorder(session.limits)
        self._microphone = microphone
        self._file = path.open("wb") if path else None
        self.payload = 0  # bytes written in order
        self.syncs = 0
        self._first: tuple[int, float] | None = None  # RTP time and own time of the first good packet
        self._next_timestamp: int | None = None
        self._peer_control = entry.get("controlPort")
        self._data = self._control = None

    async def start(self) -> dict[str, Any]:
        network = self.session.network
        self._data = await network.datagrams(self._receive)
        self._control = await network.datagrams(self._receive_control)
        port = self.entry.get("dataPort")
        if self.kind == 100 and self.entry.get("input") is True and _is_integer(port) and self._microphone is not None:
            self.session.tasks.start(self._send_microphone(port))
        return self.answer_base() | {"dataPort": self._data.port, "controlPort": self._control.port}

    def _receive(self, data: bytes, _port: int) -> None:
        packet = self._receiver.open(data)
        if packet is None:
            return
        self.session.hear()
        if self._first is None:
            self._first = (packet.timestamp, self.session.now())
            self.session.emit("carPlayStream", **events.stream(self.kind), state="running", format=self.format)
        self._write(self._reorder.add(packet))
        gap = self._reorder.missing()
        if gap and _is_integer(self._peer_control):
            self._control.send(audio.resend_request(*gap), self._peer_control)

    def _receive_control(self, data: bytes, _port: int) -> None:
        resent = audio.read_resent(data)
        if resent is not None:
            self._receive(resent, 0)
        elif audio.read_sync(data):
            self.syncs += 1

    def _write(self, packets: list[audio.Packet]) -> None:
        size = self._format.frame_bytes
        is_pcm = self._format.codec == "pcm" and self._format.bits == 16
        for packet in packets:
            if is_pcm:
                gap = 0 if self._next_timestamp is None else (packet.timestamp - self._next_timestamp) & 0xFFFF_FFFF
                if 0 < gap <= self._format.rate:  # at most a second of silence for lost packets
                    self._store(bytes(gap * size))
                self._next_timestamp = (packet.timestamp + len(packet.payload) // size) & 0xFFFF_FFFF
            self._store(audio.swap_bytes(packet.payload) if is_pcm and len(packet.payload) % 2 == 0 else packet.payload)

    def _store(self, data: bytes) -> None:
        self.payload += len(data)
        if self._file:
            self._file.write(data)

    async def _send_microphone(self, port: int) -> None:
        sender = audio.Sender(self.kind, self._outgoing)  # SSRC 0, p
        frame = self._format.frame_bytes
        samples = min(self._format.rate // 50, audio.MAX_PAYLOAD // frame)
        period, begin, sent = samples / self._format.rate, self.session.now(), 0
        pcm = audio.swap_bytes(self._microphone[:len(self._microphone) // frame * frame])
        while True:
            piece = pcm[sent * samples * frame:(sent + 1) * samples * frame].ljust(samples * frame, b"\0")
            self._data.send(sender.packet(piece, samples), port)
            sent += 1
            await asyncio.sleep(max(0.0, begin + sent * period - self.session.now()))

    def feedback(self) -> dict[str, Any] | None:
        rate = self._format.rate
        entry = {"type": self.kind, "sampleRate": rate, "sr": float(rate), "streamConnectionID": self.raw_id}
        if self._first is None:
            return entry  # a phone ends a stream that the answer leaves out
        timestamp, begin = self._first
        now = self.session.now()
        latency = self.entry.get("audioLatencyMs", 0)
        latency = latency if _is_integer(latency) and 0 <= latency <= 60_000 else 0
        sample = timestamp + max(0, int((now - begin) * rate) - latency * rate // 1000)
        return entry | {"timestamp": self.session.clock.to_peer(clock.stamp(now)), "timestampRawNs": int(now * 1e9),
                        "sampleTime": sample & 0xFFFF_FFFF}

    def counts(self) -> dict[str, int]:
        return {"received": self._receiver.received, "lost": self._reorder.lost, "payload": self.payload,
                **self._receiver.dropped}

    def flush(self) -> None:
        """Drops queued audio."""
        self._reorder = audio.Reorder(self.session.limits)
        self._next_timestamp = None

    def stop(self) -> None:
        self._write(self._reorder.flush())
        for port in (self._data, self._control):
            if port is not None:
                port.close()
        if self._file:
            self._file.close()


class BufferedStream(_TCPStream):
    """Main buffered audio (#buffered-audio, one observation).

    The raw units go to a file, each after a u16 length.
    """

    def __init__(self, session: HeadUnitSession, entry: dict[str, Any], path: Path | None):
        super().__init__(session, entry)
        key = entry.get("shk")
        if not isinstance(key, bytes) or len(key) != 32:
            raise Problem("badPlist", "shk is not a key of 32 bytes")
        self.format = audio.format_of(entry["audioFormat"]).name
        self._frames = audio.BufferedFrames(key, self.kind)
        self._file = path.open("wb") if path else None
        self.units = 0
        self.anchor: dict[str, Any] | None = None

    async def start(self) -> dict[str, Any]:
        return self.answer_base() | {"dataPort": await self._listen(),
                                     "audioBufferSize": self.session.limits.audio_buffer}

    def receive(self, data: bytes) -> None:
        self.session.hear()
        for packet in self._frames.feed(data):
            if not self.units:
                self.session.emit("carPlayStream", **events.stream(self.kind), state="running", format=self.format)
            self.units += 1
            if self._file:
                self._file.write(len(packet.payload).to_bytes(2, "big") + packet.payload)

    def counts(self) -> dict[str, int]:
        return {"units": self.units}

    def set_rate(self, body: dict[str, Any]) -> None:
        """Starts or pauses. The anchor relates an RTP time to the session's clock."""
        if body.get("rate") in (1, 1.0):
            now = self.session.clock.to_peer(clock.stamp(self.session.now()))
            self.anchor = {"rtpTime": body.get("rtpTime", 0), "networkTimeSecs": now >> 32,
                           "networkTimeFrac": (now & 0xFFFF_FFFF) << 32, "rate": 1}
        elif self.anchor is not None:
            self.anchor = self.anchor | {"rate": 0}

    def stop(self) -> None:
        super().stop()
        if self._file:
            self._file.close()


class DataStream(_TCPStream):
    """Type 130. It stores the bodies of `sync` packages and answers each with `rply`."""

    def __init__(self, session: HeadUnitSession, entry: dict[str, Any]):
        super().__init__(session, entry)
        if not session.shared:
            raise Problem("badPlist", "a data stream without pairing has no keys")
        keys = stream_keys(session.shared, self.id)
        self._opener = Opener(keys.phone_writes, session.limits)
        self._sealer = Sealer(keys.head_unit_writes, session.limits)
        self._packages = datachannel.Parser(session.limits)
        self._sequence = 0
        self.format = "iAP2" if entry.get("clientTypeUUID") == datachannel.IAP2_CLIENT else "data"

    async def start(self) -> dict[str, Any]:
        return self.answer_base() | {"streamID": 1, "dataPort": await self._listen()}

    def answer_base(self) -> dict[str, Any]:
        return super().answer_base() | {"streamID": 1}

    def receive(self, data: bytes) -> None:
        self.session.hear()
        for kind, sequence, body in self._packages.feed(self._opener.feed(data)):
            if kind == datachannel.SYNC:
                self._write(datachannel.package(datachannel.REPLY, sequence))
            if kind != datachannel.REPLY and body and self.format == "iAP2":
                self.session.iap_received(body)

    def send(self, body: bytes) -> None:
        """Sends bytes as a `sync` package."""
        self._sequence += 1
        self._write(datachannel.package(datachannel.SYNC, self._sequence, body))

    def _write(self, plain: bytes) -> None:
        if self._writer is None:
            raise Problem("streamLost", "the phone has not connected the data stream")
        if self._writer.transport.get_write_buffer_size() > self.session.limits.data_package:
            raise Problem("streamLost", "the phone does not read the data stream")
        self._writer.write(b"".join(self._sealer.seal(plain)))
