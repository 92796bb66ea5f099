# SPDX-License-Identifier: Apache-2.0
"""Reads and writes PNG files with the standard library."""
from __future__ import annotations

import pathlib
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes) -> bytes:
    """Returns a chunk of a file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def file_of(size: tuple[int, int], depth: int, rows: bytes) -> bytes:
    """Returns a file. `depth` is the number of bytes of a pixel, 3 or 4; each row has its filter before it."""
    header = struct.pack(">IIBBBBB", *size, 8, 2 if depth == 3 else 6, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def png(width: int, height: int, rows: list[bytes], size: tuple[int, int] | None = None) -> bytes:
    """Returns a file with rows of RGB bytes. `size` is a false size for the header."""
    return file_of(size or (width, height), 3, b"".join(b"\0" + row for row in rows))


def read(path: str | pathlib.Path) -> tuple[tuple[int, int], int, list[bytes]]:
    """Returns the size of a picture, the bytes of a pixel, and its rows, each with its filter before it."""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != SIGNATURE:
        raise ValueError(f"{path} is no PNG file")
    place, pixels, size, depth = 8, b"", (0, 0), 4
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            size, depth = struct.unpack(">II", body[:8]), {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            pixels += body
        place += 12 + length
    raw, length = zlib.decompress(pixels), size[0] * depth + 1
    return size, depth, [raw[start:start + length] for start in range(0, len(raw), length)]


def decoded(path: str | pathlib.Path) -> tuple[tuple[int, int], int, list[bytes]]:
    """Returns the size of a picture, the bytes of a pixel, and its rows without their filters."""
    size, depth, rows = read(path)
    above, clear = bytes(size[0] * depth), []
    for row in rows:
        above = unfiltered(row[0], row[1:], above, depth)
        clear.append(above)
    return size, depth, clear


def unfiltered(kind: int, row: bytes, above: bytes, depth: int) -> bytes:
    """Undoes the filter of a row (PNG specification, section 9)."""
    if kind == 0:
        return bytes(row)
    if kind == 2:
        return bytes((a + b) & 255 for a, b in zip(row, above))
    out = bytearray(row)
    for i in range(len(out)):
        left = out[i - depth] if i >= depth else 0
        if kind == 1:
            out[i] = (out[i] + left) & 255
        elif kind == 3:
            out[i] = (out[i] + (left + above[i]) // 2) & 255
        else:
            corner = above[i - depth] if i >= depth else 0
            guess = left + above[i] - corner
            out[i] = (out[i] + min((left, above[i], corner), key=lambda value: abs(guess - value))) & 255
    return bytes(out)


def write_difference(path: str | pathlib.Path, size: tuple[int, int], depth: int, before: list[bytes],
                     after: list[bytes]) -> None:
    """Writes a picture that is black where two others are equal."""
    rows = b"".join(b"\0" + bytes(abs(a - b) if i % depth < 3 else 255 for i, (a, b) in enumerate(zip(one, two)))
                    for one, two in zip(before, after))
    pathlib.Path(path).write_bytes(file_of(size, depth, rows))
