# SPDX-License-Identifier: Apache-2.0
"""Named behaviors of the command line: each changes one thing of a good peer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Callable

from .control import Message, Parameter, message, u8
from .link import ACCESSORY, DEVICE, Event
from .packets import RST, SYN, Packet
from .roles import MEDIA_KEYS, Accessory, AccessoryBehavior, Device, DeviceBehavior
from .sessions import FILE_SETUP, Peer


@dataclass(frozen=True)
class Behavior:
    """A named deviation: its roles, its description, and a function that applies it before the peer starts."""

    name: str
    roles: tuple[str, ...]
    text: str
    apply: Callable[[Peer], None]


BEHAVIORS: dict[str, Behavior] = {}
BOTH = (ACCESSORY, DEVICE)


def behavior(name: str, roles: tuple[str, ...], text: str) -> Callable[[Callable[[Peer], None]],
                                                                       Callable[[Peer], None]]:
    """Registers a behavior."""
    def register(apply: Callable[[Peer], None]) -> Callable[[Peer], None]:
        BEHAVIORS[name] = Behavior(name, roles, text, apply)
        return apply
    return register


def _accessory(peer: Peer) -> AccessoryBehavior:
    assert isinstance(peer, Accessory)
    return peer.behavior


def _device(peer: Peer) -> DeviceBehavior:
    assert isinstance(peer, Device)
    return peer.behavior


def _switch(name: str, roles: tuple[str, ...], text: str, **values: object) -> None:
    """Registers a behavior that sets attributes of the link's faults."""
    def apply(peer: Peer) -> None:
        for key, value in values.items():
            setattr(peer.link.faults, key, value)
    behavior(name, roles, text)(apply)


def _mutation(name: str, text: str, change: Callable[[bytes, Packet], bytes | None]) -> None:
    """Registers a behavior that replaces the bytes of packets."""
    def apply(peer: Peer) -> None:
        peer.link.faults.mutate = change
    behavior(name, BOTH, text)(apply)


def _unanswered(name: str, roles: tuple[str, ...], text: str, *ids: int) -> None:
    """Registers a behavior that leaves messages unanswered."""
    def apply(peer: Peer) -> None:
        (_accessory(peer) if isinstance(peer, Accessory) else _device(peer)).unanswered.update(ids)
    behavior(name, roles, text)(apply)


_switch("no-detect", BOTH, "neither send nor echo the detect sequence", detect=False)
_switch("no-syn", BOTH, "detect, but send neither SYN nor SYN+ACK", synchronize=False)
_switch("no-ack", BOTH, "never acknowledge", acknowledge=False)
_switch("no-retransmission", BOTH, "never retransmit", retransmit=False)
_switch("ignore-window", BOTH, "send more packets than the window of the other side allows", respect_window=False)
_unanswered("no-certificate", (ACCESSORY,), "leave AA00 unanswered", 0xAA00)
_unanswered("no-signature", (ACCESSORY,), "leave AA02 unanswered", 0xAA02)
_unanswered("no-identification", (ACCESSORY,), "leave 1D00 unanswered", 0x1D00)
_unanswered("no-challenge", (DEVICE,), "leave AA01 unanswered", 0xAA01)
_unanswered("no-verdict", (DEVICE,), "leave AA03 unanswered", 0xAA03)
_unanswered("no-acceptance", (DEVICE,), "leave 1D01 unanswered", 0x1D01)


def _break_payload(data: bytes, packet: Packet) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 0xFF]) if packet.is_data else data


def _break_header(data: bytes, packet: Packet) -> bytes:
    return data[:8] + bytes([data[8] ^ 0xFF]) + data[9:] if packet.is_data else data


_mutation("bad-payload-checksum", "send every data packet with a wrong payload checksum", _break_payload)
_mutation("bad-header-checksum", "send every data packet with a wrong header checksum", _break_header)
_mutation("data-lost", "drop every data packet", lambda data, packet: None if packet.is_data else data)
_mutation("short-window", "declare a window of 0 in the synchronization payload",
          lambda data, packet: Packet(packet.control, packet.sequence, packet.acknowledgement, 0,
                                      packet.payload[:1] + b"\0" + packet.payload[2:]).encode()
          if packet.control & SYN else data)


@behavior("bad-certificate", (ACCESSORY,), "send 16 bytes that are no certificate")
def _bad_certificate(peer: Peer) -> None:
    from .authentication import FixedCredentials  # pylint: disable=import-outside-toplevel
    _accessory(peer).credentials = FixedCredentials(bytes(range(16)))


@behavior("no-app-status", (ACCESSORY,), "leave EA00 unanswered")
def _no_app_status(peer: Peer) -> None:
    _accessory(peer).app_status = None


@behavior("refuse-app", (ACCESSORY,), "answer EA00 with status 1")
def _refuse_app(peer: Peer) -> None:
    _accessory(peer).app_status = 1


@behavior("silent-app", (ACCESSORY,), "read the bytes of EA sessions and send none")
def _silent_app(peer: Peer) -> None:
    b = _accessory(peer)
    b.protocols = dict.fromkeys(b.protocols, "silent")


@behavior("media", (ACCESSORY,), "ask for the song and have media keys")
def _media(peer: Peer) -> None:
    b = _accessory(peer)
    b.media = True
    b.hid_components = max(1, b.hid_components)
    b.sent_messages += [0x5000, 0x5002, 0x6800, 0x6802, 0x6803]
    b.received_messages += [0x5001, 0x6801]


@behavior("no-name", (ACCESSORY,), "leave parameter 0 out of the identification")
def _no_name(peer: Peer) -> None:
    _accessory(peer).omitted_parameters.add(0)


@behavior("location-without-component", (ACCESSORY,), "list FFFB without parameter 22")
def _location(peer: Peer) -> None:
    _accessory(peer).sent_messages.append(0xFFFB)


@behavior("authentication-listed", (ACCESSORY,), "list AA01 in parameter 6")
def _authentication_listed(peer: Peer) -> None:
    _accessory(peer).sent_messages.append(0xAA01)


@behavior("unknown-parameter", (ACCESSORY,), "add parameter 200 to the identification")
def _unknown_parameter(peer: Peer) -> None:
    _accessory(peer).extra_parameters.append(Parameter(200, b"\1\2"))


@behavior("endless-identification", (ACCESSORY,), "answer every 1D03 with the same identification")
def _endless_identification(peer: Peer) -> None:
    _accessory(peer).give_up_after = 1 << 30


@behavior("cancel-identification", (ACCESSORY,), "answer 1D03 with 1D05")
def _cancel(peer: Peer) -> None:
    _accessory(peer).give_up_after = 1


@behavior("hang-up-on-refusal", (ACCESSORY,), "close the transport on AA04 and 1D03")
def _hang_up(peer: Peer) -> None:
    _accessory(peer).hang_up_on.update({0xAA04, 0x1D03})


@behavior("fail-authentication", (DEVICE,), "send AA04")
def _fail(peer: Peer) -> None:
    _device(peer).fails_authentication = True


@behavior("fail-and-hang-up", (DEVICE,), "send AA04 and close the transport")
def _fail_and_hang_up(peer: Peer) -> None:
    _device(peer).fails_authentication = True
    _device(peer).close_after = 0xAA04


@behavior("no-authentication", (DEVICE,), "never send AA00")
def _no_authentication(peer: Peer) -> None:
    _device(peer).authentication = False


@behavior("identification-first", (DEVICE,), "send 1D00 before AA00")
def _identification_first(peer: Peer) -> None:
    _device(peer).identification_first = True


@behavior("reject-identification", (DEVICE,), "reject every identification, naming parameter 6")
def _reject(peer: Peer) -> None:
    _device(peer).rejections = 1 << 30


@behavior("reject-once", (DEVICE,), "reject the first identification, naming parameter 6")
def _reject_once(peer: Peer) -> None:
    _device(peer).rejections = 1


@behavior("reject-name", (DEVICE,), "reject every identification, naming parameter 0")
def _reject_name(peer: Peer) -> None:
    _device(peer).rejections = 1 << 30
    _device(peer).rejected_parameters = (0,)


@behavior("short-challenge", (DEVICE,), "send a challenge of 1 byte")
def _short_challenge(peer: Peer) -> None:
    _device(peer).challenge = b"\x01"


@behavior("crash-on-huge-file", BOTH, "end the process when a file of 2^64-1 bytes is offered")
def _crash_on_huge_file(peer: Peer) -> None:
    received = peer._received_file  # pylint: disable=protected-access

    def crash(file_id: int, operation: int, data: bytes) -> None:
        if operation == FILE_SETUP and data[:8] == b"\xff" * 8:
            os._exit(3)
        received(file_id, operation, data)
    peer._received_file = crash  # type: ignore[method-assign]  # pylint: disable=protected-access


@behavior("stuck-app", BOTH, "after a control message that cannot be read, acknowledge all and answer nothing")
def _stuck_app(peer: Peer) -> None:
    received = peer._received_data  # pylint: disable=protected-access

    def stuck(event: Event) -> None:
        if not peer.saw("malformed"):
            received(event)
    peer._received_data = stuck  # type: ignore[method-assign]  # pylint: disable=protected-access


def _half_close(peer: Peer) -> None:
    peer.channel.half_close()


def _stop_reading(peer: Peer) -> None:
    peer.reading = False


def _restart(peer: Peer) -> None:
    peer.identified = peer.authenticated = False
    peer.link.restart()


def _reset(peer: Peer) -> None:
    peer.link.output.append(Packet(RST, 0).encode())
    peer.flush()
    peer.link.restart()


def _silence(peer: Peer) -> None:
    peer.link.faults.silent = True


def _malformed(peer: Peer) -> None:
    peer.send_control(b"\x40\x40\x00\x07\xae\x01\x00")


def _huge_file(peer: Peer) -> None:
    peer.send_file_datagram(128 if isinstance(peer, Device) else 1, FILE_SETUP, b"\xff" * 8 + b"\0\2")


def _unannounced(peer: Peer) -> None:
    peer.send(message(0xA100 if isinstance(peer, Device) else 0xFFFB, (3, u8(0))))


def _not_a_message(peer: Peer) -> None:
    peer.send_control(b"no message")


def _press(key: str) -> Callable[[Peer], None]:
    def press(peer: Peer) -> None:
        if isinstance(peer, Accessory):
            peer.press(key)
    return press


LATER: dict[str, tuple[str, Callable[[Peer], None]]] = {
    "half-close": ("end the own direction of the socket", _half_close),
    "stop-reading": ("read no further byte", _stop_reading),
    "restart": ("forget everything and begin with detection", _restart),
    "reset": ("send RST and begin with detection", _reset),
    "silence": ("send no further byte", _silence),
    "close": ("close the transport", Peer.close),
    "detect": ("send one stray DETECT", lambda peer: peer.link.send_detect()),
    "malformed-message": ("send a control message that is cut off", _malformed),
    "no-message": ("send bytes on the control session that are no message", _not_a_message),
    "huge-file": ("offer a file of 2^64-1 bytes", _huge_file),
    "unannounced-message": ("send a message that the identification does not list", _unannounced),
    "cancel": ("send 1D05", lambda peer: peer.send(Message(0x1D05))),
    **{key: (f"press the media key {key}; needs --behavior media", _press(key)) for key in MEDIA_KEYS},
}


