# SPDX-License-Identifier: Apache-2.0
"""RTSP messages and their bounded parser (#request). One parser reads requests and answers of one connection."""

from __future__ import annotations

from dataclasses import dataclass, field

from .limits import Limits
from .problems import Problem

PLIST = "application/x-apple-binary-plist"
PAIRING = "application/pairing+tlv8"
OCTETS = "application/octet-stream"
PARAMETERS = "text/parameters"

REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 413: "Request Entity Too Large",
           453: "Not Enough Bandwidth", 455: "Method Not Valid In This State", 500: "Internal Server Error",
           501: "Not Implemented"}
PROTOCOLS = ("RTSP/1.0", "HTTP/1.1")
TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _headers_of(names_and_values: dict[str, str]) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in names_and_values.items())


@dataclass
class Request:
    """A request. Header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    protocol: str = "RTSP/1.0"

    @property
    def path(self) -> str:
        """The target without scheme, host and query."""
        path = self.target.partition("?")[0]
        if "://" in path:
            path = "/" + path.partition("://")[2].partition("/")[2]
        return path

    def encode(self) -> bytes:
        """Returns the bytes, with `Content-Length`."""
        headers = self.headers | {"Content-Length": str(len(self.body))}
        return f"{self.method} {self.target} {self.protocol}\r\n{_headers_of(headers)}\r\n".encode() + self.body


@dataclass
class Response:
    """An answer."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    protocol: str = "RTSP/1.0"

    def encode(self) -> bytes:
        """Returns the bytes, with `Content-Length`, also 0."""
        headers = self.headers | {"Content-Length": str(len(self.body))}
        reason = REASONS.get(self.status, "Error")
        return f"{self.protocol} {self.status} {reason}\r\n{_headers_of(headers)}\r\n".encode() + self.body


class Parser:
    """Splits a byte stream into messages. It stores at most one header block or one body."""

    def __init__(self, limits: Limits = Limits()):
        self._limits = limits
        self._pending = bytearray()
        self._searched = 0
        self._message: Request | Response | None = None
        self._body_length = 0

    @property
    def pending(self) -> int:
        """The number of bytes that are not yet a message."""
        return len(self._pending)

    def feed(self, data: bytes) -> None:
        """Adds bytes of the peer."""
        self._pending += data

    def take_rest(self) -> bytes:
        """Returns and removes the bytes after the last message. They are frames if encryption begins here."""
        rest = bytes(self._pending)
        self._pending.clear()
        self._searched = 0
        return rest

    def next(self) -> Request | Response | None:
        """Returns the next complete message. Raises `badRequest` (status 400) or `tooLarge` (413)."""
        if self._message is None and not self._read_header():
            return None
        if len(self._pending) < self._body_length:
            return None
        message, self._message = self._message, None
        message.body = bytes(self._pending[:self._body_length])
        del self._pending[:self._body_length]
        return message

    def _read_header(self) -> bool:
        end = self._pending.find(b"\r\n\r\n", max(0, self._searched - 3))
        self._searched = len(self._pending)
        if (end if end >= 0 else len(self._pending) - 3) + 4 > self._limits.header:
            raise Problem("badRequest", f"a header block over {self._limits.header} bytes")
        if end < 0:
            return False
        block = bytes(self._pending[:end])
        del self._pending[:end + 4]
        self._searched = 0
        message = _parse_block(block)
        self._body_length = _content_length(message.headers, self._limits.body)
        self._message = message
        return True


def _parse_block(block: bytes) -> Request | Response:
    try:
        lines = block.decode("utf-8").split("\r\n")
    except UnicodeDecodeError:
        raise Problem("badRequest", "a header block that is not UTF-8") from None
    if any(character < " " and character != "\t" or character == "\x7f" for line in lines for character in line):
        raise Problem("badRequest", "a control character in a header block")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        name, value = name.lower(), value.strip(" \t")
        if not colon or not name or not TOKEN.issuperset(name):
            raise Problem("badRequest", "a malformed header line")
        if name == "content-length" and headers.get(name, value) != value:
            raise Problem("badRequest", "two different lengths")
        headers[name] = value
    words = lines[0].split(" ")
    if words[0] in PROTOCOLS:
        if len(words) < 2 or len(words[1]) != 3 or not _is_decimal(words[1]):
            raise Problem("badRequest", "a malformed status line")
        return Response(int(words[1]), headers, protocol=words[0])
    if len(words) != 3 or not words[0] or not TOKEN.issuperset(words[0]) or not words[1] or words[2] not in PROTOCOLS:
        raise Problem("badRequest", "a malformed start line")
    return Request(words[0], words[1], headers, protocol=words[2])


def _is_decimal(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _content_length(headers: dict[str, str], limit: int) -> int:
    text = headers.get("content-length", "0")
    if not _is_decimal(text):
        raise Problem("badRequest", "a length that is not decimal")
    digits = text.lstrip("0") or "0"
    if len(digits) > 12 or int(digits) > limit:
        raise Problem("tooLarge", f"a body of {digits[:24]} bytes", status=413)
    return int(digits)
