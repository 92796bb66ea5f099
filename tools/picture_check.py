# The judge of `tools/picture-check`: reads PNG files with the standard library only.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import zlib

IAP2, APP = sys.argv[1:]
# The pixels of each car's screen, as its profile says.
CARS = {"minimum": (748, 456), "standard": (800, 480), "hd": (1280, 720), "ultra-wide": (1920, 720),
        "portrait": (900, 1200), "right-hand": (1280, 720)}
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def picture(path):
    """Returns the width, the height and the number of different rows of pixels of a PNG file."""
    with open(path, "rb") as file:
        data = file.read()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG")
    place, pixels, size = 8, b"", (0, 0)
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        elif kind == b"IDAT":
            pixels += body
        place += 12 + length
    raw = zlib.decompress(pixels)
    row = len(raw) // max(1, size[1])
    return size, len({raw[i:i + row] for i in range(0, len(raw), row)})


def play(car, folder, *options):
    done = subprocess.run(
        [IAP2, "car", APP, "--car", car, "--scenario", "drive-limits", "--screenshots", folder, *options],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{car}: {done.stderr[-300:]}")
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def cars(folder):
    for car, size in CARS.items():
        files = play(car, f"{folder}/{car}")
        check(len(files) > 1, f"{car}: {files}")
        for name in files[1:]:
            seen, rows = picture(f"{folder}/{car}/{name}")
            check(seen == size, f"{car}/{name} has {seen}, not {size}")
            check(rows > 50, f"{car}/{name} shows nothing")
    again = play("standard", f"{folder}/again")
    for name in again:
        with open(f"{folder}/standard/{name}", "rb") as one, open(f"{folder}/again/{name}", "rb") as other:
            check(one.read() == other.read(), f"{name} differs in a second run")
    check(play("hd", f"{folder}/svg", "--svg")[-1].endswith(".svg"), "no SVG")
    check(play("hd", f"{folder}/watch", "--watch") == ["screen.png"], "--watch leaves more than one file")


def orders(folder):
    """Bad orders get a problem each, and the program goes on."""
    look = {"screen": {"pixelWidth": 800, "pixelHeight": 480, "scale": 2, "drivingSide": "left", "dock": "leading",
                       "dockThickness": 48, "safeArea": {"top": 0, "left": 0, "bottom": 0, "right": 0}},
            "movesFocus": False, "appearance": "light", "contentStyle": "dark"}

    def order(title, name, **changes):
        row = {"kind": "row", "title": title}
        return json.dumps({"screen": {"kind": "list", "title": title, "children": [row] * 40},
                           "look": look | changes, "file": f"{folder}/{name}"})

    huge = look["screen"] | {"pixelWidth": 2_000_000_000}
    none = look["screen"] | {"scale": 0}
    lines = [("no order", False), ("{}", False), (order("a", "a.gif"), False), (order("a", "none/a.png"), False),
             (order("a", "a.png", screen=huge), False), (order("a", "a.png", screen=none), False),
             (order("\u202e\u0007\u0000wide " * 200_000, "b.png"), True), (order("東京" * 5000, "c.png"), True),
             (order("ok", "d.png"), True)]
    start = time.monotonic()
    done = subprocess.run(
        [os.environ["IAP2_SCREEN"]], input="".join(line + "\n" for line, _ in lines), capture_output=True, text=True,
        check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    check(done.returncode == 0 and len(answers) == len(lines), f"{len(answers)} answers: {done.stderr[-300:]}")
    for (line, works), answer in zip(lines, answers):
        check(("problem" not in answer) == works, f"{line[:80]}: {str(answer)[:200]}")
    check(time.monotonic() - start < 30, "bad orders take longer than 30 s")


with tempfile.TemporaryDirectory() as scratch:
    cars(scratch)
    orders(scratch)
for fault in faults:
    print(fault)
print(f"{len(CARS)} cars, {len(faults)} faults")
sys.exit(bool(faults))
