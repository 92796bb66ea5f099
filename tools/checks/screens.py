# SPDX-License-Identifier: Apache-2.0
"""The sample screens, the looks of cars, and the program that draws, for the checks of pictures and the benchmark."""
from __future__ import annotations

import json
import pathlib
import subprocess

from .facts import ROOT

TESTS = ROOT / "Tests/Apps/CarPlayScreenTests"
# Pixels, scale, driver's side, dock, style, whether a knob moves the focus, and whether all samples have kept pictures.
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


def samples() -> list[dict]:
    """Returns the sample screens."""
    return [json.loads(line) for line in (TESTS / "Screens.jsonl").read_text(encoding="utf-8").splitlines()]


def looks_of(sample: dict) -> list[str]:
    """Returns the looks of a sample's pictures: dashboard and cluster have a small screen of their own."""
    if sample["screen"]["kind"] in ("dashboard", "cluster"):
        return ["dashboard"]
    return [look for look in LOOKS if look != "dashboard"]


def look_of(name: str) -> dict:
    """Returns a look as the program that draws takes it."""
    width, height, scale, side, dock, style, knob, _ = LOOKS[name]
    return {"screen": {"pixelWidth": width, "pixelHeight": height, "scale": scale, "drivingSide": side,
                       "dock": "leading" if dock == "none" else dock,
                       "dockThickness": 0 if dock == "none" else 48,
                       "safeArea": {"top": 0, "left": 0, "bottom": 0, "right": 0}},
            "movesFocus": knob, "appearance": style, "contentStyle": style}


def order_of(screen: dict, look: str, form: str = "png", images: list[dict] | None = None,
             forgets_images: bool = False) -> str:
    """Returns the line that asks the program that draws for a picture of a screen."""
    return json.dumps({"content": {"screen": screen, "look": look_of(look)}, "forgetsImages": forgets_images,
                       "images": images or [], "format": form})


def answers_of(program: str, orders: list[str]) -> tuple[list[tuple[dict, bytes]], subprocess.CompletedProcess]:
    """Gives orders to the program that draws. Returns its answers with their pictures, and how it ended."""
    done = subprocess.run([program], input="".join(f"{order}\n" for order in orders).encode(), capture_output=True,
                          check=False)
    answers, rest = [], done.stdout
    while rest:
        line, _, rest = rest.partition(b"\n")
        answer = json.loads(line)
        count = answer.get("byteCount", 0)
        answers.append((answer, rest[:count]))
        rest = rest[count:]
    return answers, done


def draw(program: str, orders: list[tuple[dict, str, pathlib.Path]]) -> list[dict]:
    """Draws pictures: each order is a screen, the name of a look and a file. Returns the answers."""
    answers, _ = answers_of(program, [order_of(screen, look) for screen, look, _ in orders])
    for (*_, file), (_, picture) in zip(orders, answers):
        if picture:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(picture)
    return [answer for answer, _ in answers]
