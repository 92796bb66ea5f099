# The sample screens, the looks of cars, and the program that draws, for `tools/picture-check`, `tools/gallery` and
# `tools/screen-speed`.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import struct
import subprocess
import zlib

TESTS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "Tests/Apps/CarPlayScreenTests")
# Pixels, scale, driver's side, dock, style, whether a knob moves the focus, and whether all samples have a kept picture.
LOOKS = {
    "standard": (800, 480, 2, "left", "leading", "light", False, True),
    "minimum": (748, 456, 2, "left", "leading", "dark", False, False),
    "portrait": (900, 1200, 3, "left", "bottom", "light", False, False),
    "wide": (1920, 720, 3, "left", "leading", "dark", False, False),
    "right": (1280, 720, 2, "right", "leading", "light", False, False),
    "night": (800, 480, 2, "left", "leading", "dark", False, False),
    "knob": (1280, 720, 2, "left", "leading", "dark", True, False),
    "dashboard": (426, 720, 2, "left", "none", "light", False, False),
}
# The samples that have a kept picture in other looks, too.
SOME = {"list", "guidance", "search", "now-playing"}


def samples():
    with open(os.path.join(TESTS, "Screens.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def looks_of(sample):
    """The looks of a sample's pictures: dashboard and cluster have a small screen of their own."""
    if sample["screen"]["kind"] in ("dashboard", "cluster"):
        return ["dashboard"]
    return [look for look in LOOKS if look != "dashboard"]


def look_of(name):
    width, height, scale, side, dock, style, knob, _ = LOOKS[name]
    return {"screen": {"pixelWidth": width, "pixelHeight": height, "scale": scale, "drivingSide": side,
                       "dock": "leading" if dock == "none" else dock,
                       "dockThickness": 0 if dock == "none" else 48, "safeArea": {"top": 0, "left": 0, "bottom": 0, "right": 0}},
            "movesFocus": knob, "appearance": style, "contentStyle": style}


def chunk(kind, body):
    """Returns a chunk of a PNG file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, height, rows, size=None):
    """Returns a PNG file: rows of RGB bytes. `size` lies about the size."""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *(size or (width, height)), 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))


def draw(orders):
    """Draws pictures: each order is a screen, the name of a look and a file. Returns the answers."""
    for folder in {os.path.dirname(file) for _, _, file in orders}:
        os.makedirs(folder, exist_ok=True)
    lines = "".join(json.dumps({"sight": {"screen": screen, "look": look_of(look)}, "file": file}) + "\n"
                    for screen, look, file in orders)
    done = subprocess.run([os.environ["IAP2_SCREEN"]], input=lines, text=True, check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]
