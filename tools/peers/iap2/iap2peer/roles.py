# SPDX-License-Identifier: Apache-2.0
"""The two roles: their reactions to control messages, and options that make them misbehave."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from .authentication import FixedCredentials, KeyCredentials
from .control import Message, Parameter, group, message, u8, u16, u16_list, utf8
from .link import ACCESSORY, DEVICE, Faults, Link
from .packets import Synchronization
from .sessions import AppSession, Peer, TextCapture, app_status_message, stop_app_message
from .transport import Channel


MEDIA_KEYS = {"play": 1, "pause": 2, "play-pause": 3, "next": 4, "previous": 5}
"""The media keys by their place in the report."""
MEDIA_DESCRIPTOR = bytes.fromhex("050c0901a101" "15012505" "75089501" "09b009b109cd09b509b6" "8100" "c0")
"""A Consumer Control with one byte: the place of the pressed key, 0 for none. The usages are those of the HID Usage
Tables, page 0x0C: play, pause, play/pause, scan next, scan previous."""
MEDIA_COMPONENT = 0
NO_UPDATE = Parameter(0)


@dataclass
class AccessoryBehavior:
    """The identification of an accessory, and its deviations from a good one."""

    name: str = "Python peer"
    protocols: dict[str, str] = field(default_factory=lambda: {"com.example.echo": "echo"})
    """The service behind each EA protocol: `echo`, `discard` or `silent`."""
    sent_messages: list[int] = field(default_factory=lambda: [0xAE00, 0xAE02, 0xAE03, 0xEA03])
    received_messages: list[int] = field(default_factory=lambda: [0xAE01, 0xEA00, 0xEA01])
    hid_components: int = 0
    credentials: FixedCredentials | KeyCredentials = field(default_factory=FixedCredentials)
    extra_parameters: list[Parameter] = field(default_factory=list)
    omitted_parameters: set[int] = field(default_factory=set)
    media: bool = False
    """5000 is sent after acceptance, and the media keys are a HID device."""
    powers_device: bool = True
    """AE03 and AE00 are sent after acceptance."""
    app_status: int | None = 0
    """The status in EA03; None: EA00 stays unanswered."""
    answers: bool = True
    """False: no control message is answered."""
    unanswered: set[int] = field(default_factory=set)
    """Messages that stay unanswered."""
    give_up_after: int = 3
    """The number of 1D03 after which the accessory cancels."""
    hang_up_on: set[int] = field(default_factory=set)
    """Messages at which the accessory closes the transport at once."""


class Accessory(Peer):
    """The accessory (head unit): answers what the device asks."""

    def __init__(self, channel: Channel, behavior: AccessoryBehavior | None = None,
                 offer: Synchronization | None = None, faults: Faults | None = None,
                 capture: TextCapture | None = None, report=None) -> None:
        super().__init__(channel, Link(ACCESSORY, offer, 0x2B, faults), capture, report)
        self.behavior = behavior or AccessoryBehavior()
        self.rejections = 0

    def identification(self) -> Message:
        """Returns 1D01."""
        b = self.behavior
        parameters = [
            Parameter(0, utf8(b.name)), Parameter(1, utf8("PY1")), Parameter(2, utf8("swift-iap2")),
            Parameter(3, utf8("0001")), Parameter(4, utf8("1.0")), Parameter(5, utf8("1")),
            Parameter(6, u16_list(b.sent_messages)), Parameter(7, u16_list(b.received_messages)),
            Parameter(8, u8(2)), Parameter(9, u16(0))]
        for index, protocol in enumerate(b.protocols, start=1):
            parameters.append(Parameter(10, group(
                Parameter(0, u8(index)), Parameter(1, utf8(protocol)), Parameter(2, u8(0)))))
        parameters += [Parameter(12, utf8("en")), Parameter(13, utf8("en"))]
        parameters.append(Parameter(16, group(Parameter(0, u16(1)), Parameter(1, utf8("host")), Parameter(2))))
        for index in range(b.hid_components):
            parameters.append(Parameter(18, group(
                Parameter(0, u16(100 + index)), Parameter(1, utf8(f"hid{index}")), Parameter(2, u8(1)))))
        parameters += b.extra_parameters
        return Message(0x1D01, tuple(p for p in parameters if p.id not in b.omitted_parameters))

    def handle(self, received: Message) -> None:
        if received.id in self.behavior.hang_up_on:
            self.note("hangUp")
            self.channel.close()
            return
        if not self.behavior.answers or received.id in self.behavior.unanswered:
            return
        handler = {0xAA00: self._certificate, 0xAA02: self._sign, 0xAA05: self._authenticated,
                   0x1D00: self._identify, 0x1D02: self._accepted, 0x1D03: self._rejected,
                   0xEA00: self._open_app, 0xEA01: self._close_app, 0x5001: self._now_playing}.get(received.id)
        if handler is not None:
            handler(received)

    def _certificate(self, received: Message) -> None:
        self.send(message(0xAA01, (0, self.behavior.credentials.certificate)))

    def _sign(self, received: Message) -> None:
        challenge = received.first(0)
        signature = self.behavior.credentials.sign(challenge.value if challenge else b"")
        self.send(message(0xAA03, (0, signature)))

    def _authenticated(self, received: Message) -> None:
        self.authenticated = True

    def _identify(self, received: Message) -> None:
        self.send(self.identification())

    def _accepted(self, received: Message) -> None:
        self.identified = True
        self.note("identified")
        if self.behavior.powers_device:
            self.send(message(0xAE03, (0, u16(2400)), (1, u8(1))))
            self.send(message(0xAE00, (4, b""), (5, b""), (6, b"")))
        if self.behavior.media:
            self.send(message(0x5000, (0, group(Parameter(1), Parameter(12))), (1, group(Parameter(0)))))
            self.start_hid(MEDIA_COMPONENT, MEDIA_DESCRIPTOR)

    def _now_playing(self, received: Message) -> None:
        """Notes the title, the artist and the status of 5001, those that it has."""
        item = {p.id: p for p in (received.first(0) or NO_UPDATE).group}
        playback = {p.id: p for p in (received.first(1) or NO_UPDATE).group}
        if 1 in item:
            self.note("title", item[1].text)
        if 12 in item:
            self.note("artist", item[12].text)
        if 0 in playback:
            self.note("status", str(playback[0].number))

    def press(self, key: str) -> None:
        """Sends 6802 with a pressed media key, then 6802 with none."""
        for place in (MEDIA_KEYS[key], 0):
            self.send(message(0x6802, (0, u16(100 + MEDIA_COMPONENT)), (1, u8(place))))

    def _rejected(self, received: Message) -> None:
        self.rejections += 1
        self.note("rejected", ", ".join(str(p.id) for p in received.parameters))
        if self.rejections < self.behavior.give_up_after:
            self.send(self.identification())
        else:
            self.send(Message(0x1D05))

    def _open_app(self, received: Message) -> None:
        protocol, session = received.first(0), received.first(1)
        names = list(self.behavior.protocols)
        if protocol is None or session is None:
            return
        known = 1 <= protocol.number <= len(names)
        status = self.behavior.app_status if known else 1
        if status == 0:
            chosen = names[protocol.number - 1]
            self.apps[session.number] = AppSession(session.number, chosen, self.behavior.protocols[chosen])
            self.note("appOpened", chosen)
        if status is not None:
            self.send(app_status_message(session.number, status))

    def _close_app(self, received: Message) -> None:
        session = received.first(0)
        if session is not None and session.number in self.apps:
            self.apps[session.number].open = False
            self.note("appClosed", f"{self.apps[session.number].received_count} bytes received")

    def start_hid(self, component: int, descriptor: bytes) -> None:
        """Sends 6800 with a report descriptor."""
        self.send(message(0x6800, (0, u16(100 + component)), (1, u16(0x1234)), (2, u16(1)), (4, descriptor)))


@dataclass
class DeviceBehavior:
    """The requests of a device, and its deviations from a good one."""

    name: str = "Python peer"
    authentication: bool = True
    identification: bool = True
    identification_first: bool = False
    challenge: bytes = b""
    """The challenge; empty: 32 random bytes."""
    fails_authentication: bool = False
    """AA04 instead of AA05."""
    rejections: int = 0
    """The number of identifications that are rejected before one is accepted."""
    rejected_parameters: tuple[int, ...] = (6,)
    unanswered: set[int] = field(default_factory=set)
    close_after: int | None = None
    """The transport is closed as soon as this message was sent and written."""


class Device(Peer):
    """The device (phone): asks, and accepts any certificate and signature."""

    def __init__(self, channel: Channel, behavior: DeviceBehavior | None = None,
                 offer: Synchronization | None = None, faults: Faults | None = None,
                 capture: TextCapture | None = None, report=None, echo_offer: bool = False) -> None:
        super().__init__(channel, Link(DEVICE, offer, 0x64, faults, echo_offer), capture, report)
        self.behavior = behavior or DeviceBehavior()
        self.protocols: dict[str, int] = {}
        self.listed: list[int] = []
        self.certificate = b""
        self.next_app = 1
        self.rejected = 0

    def link_up(self) -> None:
        if self.behavior.identification_first or not self.behavior.authentication:
            if self.behavior.identification:
                self.send(Message(0x1D00))
        else:
            self.send(Message(0xAA00))

    def send(self, outgoing: Message) -> None:
        super().send(outgoing)
        if outgoing.id == self.behavior.close_after:
            self.link.poll(0)
            self.flush()
            self.note("hangUp")
            self.channel.close()

    def handle(self, received: Message) -> None:
        if received.id in self.behavior.unanswered:
            return
        handler = {0xAA01: self._challenge, 0xAA03: self._judge, 0x1D01: self._identified,
                   0xEA03: self._app_status}.get(received.id)
        if handler is not None:
            handler(received)

    def _challenge(self, received: Message) -> None:
        certificate = received.first(0)
        self.certificate = certificate.value if certificate else b""
        self.send(message(0xAA02, (0, self.behavior.challenge or os.urandom(32))))

    def _judge(self, received: Message) -> None:
        if self.behavior.fails_authentication:
            self.send(Message(0xAA04))
            return
        self.authenticated = True
        self.send(Message(0xAA05))
        if self.behavior.identification and not self.identified:
            self.send(Message(0x1D00))

    def _identified(self, received: Message) -> None:
        if self.rejected < self.behavior.rejections:
            self.rejected += 1
            self.send(message(0x1D03, *((number, b"") for number in self.behavior.rejected_parameters)))
            return
        self.protocols = app_protocols(received)
        listed = received.first(7)
        self.listed = listed.numbers if listed else []
        self.identified = True
        self.note("identified", (received.first(0) or Parameter(0)).text)
        self.send(Message(0x1D02))
        if self.behavior.authentication and not self.authenticated:
            self.send(Message(0xAA00))
        if 0x4E09 in self.listed:
            self.send(message(0x4E09, (0, utf8(self.behavior.name))))

    def _app_status(self, received: Message) -> None:
        session, status = received.first(0), received.first(1)
        if session is None or status is None or session.number not in self.apps:
            return
        app = self.apps[session.number]
        app.status = status.number
        app.open = status.number == 0
        self.note("appStatus", f"session {app.id}: {app.status}")

    def open_app(self, protocol: str) -> AppSession:
        """Sends EA00."""
        if protocol not in self.protocols:
            raise KeyError(f"the accessory has no protocol {protocol}; it has {', '.join(self.protocols) or 'none'}")
        app = self.apps[self.next_app] = AppSession(self.next_app, protocol)
        self.next_app += 1
        self.send(message(0xEA00, (0, u8(self.protocols[protocol])), (1, u16(app.id))))
        return app

    def announce_artwork(self, file_id: int) -> None:
        """Sends 5001 with the id of an artwork file, so that the accessory expects the file."""
        self.send(message(0x5001, (0, group(Parameter(26, u8(file_id))))))

    def close_app(self, app: AppSession) -> None:
        """Sends EA01."""
        app.open = False
        self.send(stop_app_message(app.id))


def app_protocols(identification: Message) -> dict[str, int]:
    """Returns the EA protocols of 1D01 with their ids, repeated or joined in one parameter."""
    protocols: dict[str, int] = {}
    for parameter in identification.all(10):
        number = 0
        for part in parameter.group:
            if part.id == 0:
                number = part.number
            elif part.id == 1:
                protocols[part.text] = number
    return protocols
