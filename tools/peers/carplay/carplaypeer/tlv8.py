# SPDX-License-Identifier: Apache-2.0
"""TLV8 items of pairing (#tlv8)."""

from __future__ import annotations

from .problems import Problem

METHOD, IDENTIFIER, SALT, PUBLIC_KEY, PROOF, ENCRYPTED, STATE, ERROR = range(8)
RETRY_DELAY, CERTIFICATE, SIGNATURE, PERMISSIONS, FRAGMENT, FRAGMENT_LAST, SESSION_ID = range(8, 15)
FLAGS, SEPARATOR = 0x13, 0xFF

UNKNOWN, AUTHENTICATION, BACK_OFF, MAX_PEERS, MAX_TRIES, UNAVAILABLE, BUSY = range(1, 8)

Items = list[tuple[int, bytes]]


def encode(items: Items) -> bytes:
    """Returns the items as bytes. A value over 255 bytes continues in items of the same type."""
    result = bytearray()
    previous = None
    for kind, value in items:
        if kind == previous and kind != SEPARATOR:
            result += bytes([SEPARATOR, 0])
        for start in range(0, max(len(value), 1), 255):
            piece = value[start:start + 255]
            result += bytes([kind, len(piece)]) + piece
        previous = kind
    return bytes(result)


def decode(data: bytes) -> Items:
    """Returns the items, joined and without separators. Raises `badTLV`."""
    items: Items = []
    position, continues = 0, None  # the type that the last item, of 255 bytes, may continue
    pieces: list[bytes] = []
    while position < len(data):
        if position + 2 > len(data):
            raise Problem("badTLV", f"item header cut at byte {position}")
        kind, length = data[position], data[position + 1]
        value = data[position + 2:position + 2 + length]
        if len(value) < length:
            raise Problem("badTLV", f"item at byte {position} announces {length} bytes, {len(value)} are there")
        position += 2 + length
        if continues == kind and kind != SEPARATOR:
            pieces.append(value)
        else:
            if pieces:
                items[-1] = (items[-1][0], b"".join(pieces))
            pieces = [value]
            items.append((kind, value))
        continues = kind if length == 255 else None
    if pieces:
        items[-1] = (items[-1][0], b"".join(pieces))
    return items


def decode_unique(data: bytes) -> dict[int, bytes]:
    """Returns the items by type. Raises `badTLV` if a type occurs twice (#tlv8-twice)."""
    result: dict[int, bytes] = {}
    for kind, value in decode(data):
        if kind == SEPARATOR:
            continue
        if kind in result:
            raise Problem("badTLV", f"type {kind:#04x} occurs twice")
        result[kind] = value
    return result


def state_of(items: dict[int, bytes]) -> int:
    """Returns the state of a pairing message. Raises `badTLV` if the state does not have one byte."""
    value = items.get(STATE, b"")
    if len(value) != 1:
        raise Problem("badTLV", "no state of one byte")
    return value[0]
