# SPDX-License-Identifier: Apache-2.0
"""The content that a phone sends in a session: picture, music, prompt, buffered music, iAP2, and two hostile orders."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING

from . import events, modes, plists
from .conversation import Conversation
from .datachannel import IAP2_CLIENT
from .modes import AUDIO
from .problems import Problem
from .rtsp import PLIST, Request
from .senders import BufferedSender, DataSender

if TYPE_CHECKING:
    from .phone import Phone


class NoEcho(Exception):
    """A head unit did not echo the id of an audio stream. The stream is torn down and the session continues."""


class Content:
    """Sends the content of a phone's configuration."""

    def __init__(self, phone: Phone):
        self._phone = phone

    async def play(self) -> None:
        """Sends the whole content of the configuration, then the prompt."""
        parts = [self._play_screen(), self._play_music(), self._play_buffered(), self._send_iap()]
        if "secondConnection" in self._phone.config.behavior.flags:
            parts.append(self._dial_again())
        if "pipelined" in self._phone.config.behavior.flags:
            parts.append(self._pipeline())
        try:
            async with asyncio.TaskGroup() as group:
                for part in parts:
                    group.create_task(part)
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        await self._play_prompt()

    async def _play_screen(self) -> None:
        sender = self._phone.streams.get(110)
        if sender is not None:
            await sender.play(self._phone.config.pictures, self._phone.config.picture_rate)
            self._phone.emit("carPlayStream", **events.stream(110), state="sent", format="h264", frames=sender.sent,
                             dropped=sender.dropped)

    async def _play_music(self) -> None:
        if self._phone.config.music is None:
            return
        if not await self._phone.change_modes(reasonStr="music", resources=[modes.take(AUDIO)]):
            return  # the head unit keeps the speakers
        try:
            sender = await self._phone.start_audio(100, self._phone.config.music_format, "media")
        except NoEcho:
            return
        await sender.play(self._phone.config.music)
        self._phone.emit("carPlayStream", **events.stream(100), state="sent", format=sender.format.name, resent=sender.resent)
        await self._phone.stop_stream(100)

    async def _play_prompt(self) -> None:
        if self._phone.config.prompt is None:
            return
        await self._phone.command("duckAudio", {"durationMs": 300, "volume": -20.0})
        sender = await self._phone.start_audio(101, 1 << 14, "default")
        await sender.play(self._phone.config.prompt)
        await self._phone.stop_stream(101)
        await self._phone.command("unduckAudio", {"durationMs": 500})

    async def _play_buffered(self) -> None:
        if not self._phone.config.buffered or "mainBuffered" not in self._phone.enabled:
            return
        key, identifier = self._phone.config.random(32), self._phone.new_id(103)
        answer = await self._phone.setup_stream({
            "type": 103, "ct": 4, "audioFormat": 1 << 22, "spf": 1024, "isMedia": True, "clientID": "music",
            "streamConnectionID": identifier, "shk": key})
        sender = BufferedSender(self._phone, key)
        await sender.connect(answer["dataPort"])
        self._phone.streams[103] = sender
        await self._phone.ask("SETRATE", self._phone.url, plists.encode({"rtpTime": 0, "rate": 1}), PLIST)
        await sender.play(list(self._phone.config.buffered))
        await asyncio.sleep(self._phone.config.tail)
        response = await self._phone.ask("GETANCHOR", self._phone.url, plists.encode({"rate": 1}), PLIST)
        anchor = plists.decode_dictionary(response.body, self._phone.config.limits)
        self._phone.emit("carPlayStream", **events.stream(103), state="anchor", format="", rtpTime=anchor.get("rtpTime"))
        await self._phone.ask("SETRATEANCHORTIME", self._phone.url, plists.encode({"rate": 0}), PLIST)
        await self._phone.stop_stream(103)

    async def _send_iap(self) -> None:
        if not self._phone.config.iap or not self._phone.shared or "iAPChannel" not in self._phone.enabled:
            return
        seed = int.from_bytes(self._phone.config.random(8), "big")
        answer = await self._phone.setup_stream({
            "type": 130, "clientTypeUUID": IAP2_CLIENT, "clientUUID": str(uuid.uuid4()).upper(), "channelID": "iap",
            "controlType": 2, "seed": seed, "wantsDedicatedSocket": True})
        sender = DataSender(self._phone, seed)
        await sender.connect(answer["dataPort"])
        self._phone.streams[130] = sender
        for data in self._phone.config.iap:
            await sender.send(data)

    async def _dial_again(self) -> None:
        reader, writer = await self._phone.connect(self._phone.port)
        other = Conversation(reader, writer, "second", limits=self._phone.config.limits)
        reading = self._phone.tasks.start(other.run())
        response = await other.request(Request("OPTIONS", "*"))
        self._phone.emit("carPlayRefused", method="OPTIONS", path="*", status=response.status)
        await reading
        if response.status != 453:
            raise Problem("badAnswer", "a second connection was not answered 453")

    async def _pipeline(self) -> None:
        await asyncio.gather(*(self._phone.ask("OPTIONS", "*") for _ in range(20)))
