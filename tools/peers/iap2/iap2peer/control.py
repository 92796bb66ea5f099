# SPDX-License-Identifier: Apache-2.0
"""Control messages and their parameters."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .packets import FormatError

MESSAGE_START = b"\x40\x40"
MAX_MESSAGE = 65535


@dataclass(frozen=True)
class Parameter:
    """A parameter: an id and its raw value."""

    id: int
    value: bytes = b""

    def encode(self) -> bytes:
        """Returns the parameter's bytes."""
        return struct.pack(">HH", len(self.value) + 4, self.id) + self.value

    @property
    def number(self) -> int:
        """The value as an unsigned big-endian integer."""
        return int.from_bytes(self.value, "big")

    @property
    def text(self) -> str:
        """The value as UTF-8 without its final NUL."""
        return self.value.rstrip(b"\0").decode("utf-8", "replace")

    @property
    def group(self) -> list["Parameter"]:
        """The value as a list of parameters."""
        return decode_parameters(self.value)

    @property
    def numbers(self) -> list[int]:
        """The value as a packed list of u16."""
        return [n for (n,) in struct.iter_unpack(">H", self.value[:len(self.value) & ~1])]


def decode_parameters(data: bytes) -> list[Parameter]:
    """Reads a run of parameters, or raises `FormatError`."""
    parameters, position = [], 0
    while position < len(data):
        if len(data) - position < 4:
            raise FormatError(f"{len(data) - position} bytes where a parameter begins")
        length, number = struct.unpack_from(">HH", data, position)
        if length < 4 or position + length > len(data):
            raise FormatError(f"parameter {number} of length {length} at {position} of {len(data)} bytes")
        parameters.append(Parameter(number, bytes(data[position + 4:position + length])))
        position += length
    return parameters


@dataclass(frozen=True)
class Message:
    """A control message."""

    id: int
    parameters: tuple[Parameter, ...] = ()

    def encode(self) -> bytes:
        """Returns the message's bytes, the length field included."""
        body = b"".join(p.encode() for p in self.parameters)
        if len(body) + 6 > MAX_MESSAGE:
            raise FormatError(f"message of {len(body) + 6} bytes, at most {MAX_MESSAGE} are possible")
        return MESSAGE_START + struct.pack(">HH", len(body) + 6, self.id) + body

    @staticmethod
    def decode(data: bytes) -> "Message":
        """Reads exactly one message, or raises `FormatError`."""
        if len(data) < 6 or data[:2] != MESSAGE_START:
            raise FormatError("no control message")
        length, number = struct.unpack_from(">HH", data, 2)
        if length != len(data):
            raise FormatError(f"length field {length}, {len(data)} bytes")
        return Message(number, tuple(decode_parameters(data[6:])))

    def first(self, number: int) -> Parameter | None:
        """Returns the first parameter with an id, or None."""
        return next((p for p in self.parameters if p.id == number), None)

    def all(self, number: int) -> list[Parameter]:
        """Returns every parameter with an id."""
        return [p for p in self.parameters if p.id == number]

    def __str__(self) -> str:
        return f"{self.id:04X}"


class ControlStream:
    """The receiving end of a control session: joins and splits link payloads into messages.

    The buffer holds at most one incomplete message.
    """

    def __init__(self) -> None:
        self.buffer = bytearray()

    def feed(self, payload: bytes) -> list[Message]:
        """Returns the messages that are complete with `payload`. Raises `FormatError` and drops the buffer."""
        self.buffer += payload
        messages = []
        try:
            while len(self.buffer) >= 6:
                if self.buffer[:2] != MESSAGE_START:
                    raise FormatError(f"control session without 40 40: {bytes(self.buffer[:6]).hex()}")
                length = self.buffer[2] << 8 | self.buffer[3]
                if length < 6:
                    raise FormatError(f"control message of length {length}")
                if len(self.buffer) < length:
                    break
                messages.append(Message.decode(bytes(self.buffer[:length])))
                del self.buffer[:length]
        except FormatError:
            self.buffer.clear()
            raise
        return messages


# Values of parameters

def u8(number: int) -> bytes:
    """Returns one byte; also for enum and bool."""
    return struct.pack(">B", number)


def u16(number: int) -> bytes:
    """Returns two bytes, big-endian."""
    return struct.pack(">H", number)


def u64(number: int) -> bytes:
    """Returns eight bytes, big-endian."""
    return struct.pack(">Q", number)


def utf8(text: str) -> bytes:
    """Returns the text with its final NUL."""
    return text.encode() + b"\0"


def u16_list(numbers: list[int]) -> bytes:
    """Returns a packed list, as parameters 6 and 7 of the identification have it."""
    return struct.pack(f">{len(numbers)}H", *numbers)


def group(*parameters: Parameter) -> bytes:
    """Returns the value of a group."""
    return b"".join(p.encode() for p in parameters)


def message(number: int, *parameters: tuple[int, bytes] | Parameter) -> Message:
    """Returns a message made from pairs of id and value."""
    return Message(number, tuple(p if isinstance(p, Parameter) else Parameter(*p) for p in parameters))
