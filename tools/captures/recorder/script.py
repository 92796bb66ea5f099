# SPDX-License-Identifier: Apache-2.0
"""Sessions that are written by hand, message for message, as captures in the text form.

The bytes come from the encoders of tools/peers/iap2.
"""
from __future__ import annotations

import struct
from collections.abc import Iterable

from common.captures import ACCESSORY, DEVICE
from iap2peer.control import Message, Parameter, u16_list, utf8
from iap2peer.packets import ACK, DETECT, RST, SYN, Packet, Session, Synchronization


def packet(control: int, sequence: int, acknowledgement: int, session: int = 0, payload: bytes = b"") -> bytes:
    """Returns the bytes of a packet."""
    return Packet(control, sequence & 0xFF, acknowledgement & 0xFF, session, payload).encode()


def parameter(number: int, data: bytes = b"") -> bytes:
    """Returns the bytes of a parameter."""
    return Parameter(number, data).encode()


def text(number: int, value: str) -> bytes:
    """Returns the bytes of a parameter with a text."""
    return parameter(number, utf8(value))


def message(number: int, *parameters: bytes) -> bytes:
    """Returns the bytes of a message with parameters, which may be damaged."""
    body = b"".join(parameters)
    return Message(number).encode()[:2] + struct.pack(">HH", len(body) + 6, number) + body


def numbers(number: int, values: Iterable[int]) -> bytes:
    """Returns the bytes of a parameter with a list of numbers."""
    return parameter(number, u16_list(list(values)))


def offer(window: int = 5, length: int = 2048, timeout: int = 1500, acknowledge: int = 73, repeats: int = 30,
          together: int = 3, sessions: tuple[tuple[int, int, int], ...] = ((1, 0, 2), (3, 2, 1))) -> bytes:
    """Returns the payload of a SYN."""
    return Synchronization(window, length, timeout, acknowledge, repeats, together,
                           tuple(Session(*session) for session in sessions)).encode()


def identification(sends: Iterable[int] = (), receives: Iterable[int] = (),
                   protocols: Iterable[tuple[int, str]] = (), extra: bytes = b"") -> bytes:
    """Returns 0x1D01 with what the accessory sends and receives, and its EA protocols."""
    groups = b"".join(parameter(10, parameter(0, bytes([n])) + text(1, name) + parameter(2, b"\0"))
                      for n, name in protocols)
    return message(
        0x1D01, text(0, "Emu"), text(1, "M1"), text(2, "Acme"), text(3, "1"), text(4, "1.0"), text(5, "1"),
        numbers(6, sends), numbers(7, receives), parameter(8, b"\0"), parameter(9, b"\0\0"), groups,
        text(12, "en"), text(13, "en"), parameter(16, parameter(0, b"\0\1") + text(1, "usb") + parameter(2)), extra)


def plain(number: int) -> bytes:
    """Returns a message without parameters."""
    return message(number)


CERTIFICATE = message(0xAA01, parameter(0, bytes.fromhex("30820260") + bytes(604)))
CHALLENGE = message(0xAA02, parameter(0, bytes(range(32))))
RESPONSE = message(0xAA03, parameter(0, bytes(64)))


class Script:
    """The records of a capture. The sequence numbers of each side are counted; times step by ten milliseconds.

    Each step returns the script, so that steps can follow one another in an expression.
    """

    def __init__(self, *title: str):
        self.lines = ["# " + line for line in title]
        self.time = 0.0
        self.sequence = {ACCESSORY: 0x2B, DEVICE: 0x64}

    def raw(self, side: str, data: bytes, comment: str = "", after: float = 0.01) -> Script:
        """Adds a record of any bytes."""
        self.lines.append(f"{self.time:.3f} {side} {data.hex()}" + (f" # {comment}" if comment else ""))
        self.time += after
        return self

    def note(self, words: str) -> Script:
        """Adds a comment."""
        self.lines.append("# " + words)
        return self

    def wait(self, seconds: float) -> Script:
        """Lets time pass."""
        self.time += seconds
        return self

    @staticmethod
    def other(side: str) -> str:
        """Returns the other side."""
        return DEVICE if side == ACCESSORY else ACCESSORY

    def detect(self, times: int = 1, side: str = ACCESSORY, after: float = 1.0) -> Script:
        """Sends the detect sequence."""
        for number in range(times):
            self.raw(side, DETECT, "detect", 0.01 if number == times - 1 else after)
        return self

    def syn(self, values: bytes | None = None, times: int = 1) -> Script:
        """Sends the SYN of the accessory."""
        for number in range(times):
            self.raw(ACCESSORY, packet(SYN, self.sequence[ACCESSORY], 0, 0, offer() if values is None else values),
                     "SYN", 0.01 if number == times - 1 else 1.0)
        return self

    def answer(self, side: str, values: bytes) -> Script:
        """Sends SYN+ACK."""
        other = self.other(side)
        return self.raw(side, packet(SYN | ACK, self.sequence[side], self.sequence[other], 0, values), "SYN+ACK")

    def ack(self, side: str = ACCESSORY) -> Script:
        """Sends an ACK without data."""
        other = self.other(side)
        return self.raw(side, packet(ACK, self.sequence[side], self.sequence[other]), "ACK")

    def up(self, **values) -> Script:
        """Brings the link up, with these values of `offer` on both sides."""
        return self.detect().detect(side=DEVICE).syn(offer(**values)).answer(DEVICE, offer(**values)).ack()

    def data(self, side: str, session: int, payload: bytes, comment: str, again: int = 0, every: float = 1.5) -> Script:
        """Sends a packet of a session, and retransmits it some times."""
        self.sequence[side] += 1
        whole = packet(ACK, self.sequence[side], self.sequence[self.other(side)], session, payload)
        for number in range(again + 1):
            self.raw(side, whole, comment if number == 0 else comment + " again", every if again else 0.01)
        return self

    def say(self, side: str, data: bytes, comment: str = "", again: int = 0) -> Script:
        """Sends a control message. Its number is the comment unless another is given."""
        name = comment or f"{struct.unpack('>H', data[4:6])[0]:04X}"
        return self.data(side, 1, data, name, again)

    def ask(self, data: bytes, comment: str = "") -> Script:
        """Sends a control message of the device."""
        return self.say(DEVICE, data, comment)

    def tell(self, data: bytes, comment: str = "") -> Script:
        """Sends a control message of the accessory."""
        return self.say(ACCESSORY, data, comment)

    def reset(self, side: str) -> Script:
        """Sends RST."""
        return self.raw(side, packet(RST, self.sequence[side], 0), "RST")

    def authenticated(self, **values) -> Script:
        """Brings the link up and authenticates the accessory."""
        return self.up(**values).ask(plain(0xAA00)).tell(CERTIFICATE).ask(CHALLENGE).tell(RESPONSE).ask(plain(0xAA05))

    def identified(self, *arguments, link: dict | None = None, **names) -> Script:
        """Brings the link up, authenticates the accessory, and accepts this identification."""
        return self.authenticated(**link or {}).ask(plain(0x1D00)).tell(identification(*arguments, **names)).ask(
            plain(0x1D02))

    def content(self) -> bytes:
        """Returns the text of the capture."""
        return ("\n".join(self.lines) + "\n").encode()
