# The judge of `tools/picture-check`: reads PNG files with the standard library only. With --record it writes the pictures
# that later ones are compared with.
# SPDX-License-Identifier: Apache-2.0
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from pictures import LOOKS, SOME, TESTS, chunk, draw, look_of, looks_of, png, samples

IAP2, APP, *OPTIONS = sys.argv[1:]
# The pixels of each car's screen, as its profile says.
CARS = {"minimum": (748, 456), "standard": (800, 480), "hd": (1280, 720), "ultra-wide": (1920, 720),
        "portrait": (900, 1200), "right-hand": (1280, 720)}
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def read(path):
    """Returns the size, the bytes of a pixel, and the rows of a PNG file, each with its filter before it."""
    with open(path, "rb") as file:
        data = file.read()
    check(data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG")
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


def decoded(path):
    """Returns the size, the bytes of a pixel, and the rows of a PNG file without their filters."""
    size, depth, rows = read(path)
    above, clear = bytes(size[0] * depth), []
    for row in rows:
        above = unfiltered(row[0], row[1:], above, depth)
        clear.append(above)
    return size, depth, clear


def unfiltered(kind, row, above, depth):
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
            seen, _, rows = read(f"{folder}/{car}/{name}")
            check(seen == size, f"{car}/{name} has {seen}, not {size}")
            check(len(set(rows)) > 50, f"{car}/{name} shows nothing")
    again = play("standard", f"{folder}/again")
    for name in again:
        with open(f"{folder}/standard/{name}", "rb") as one, open(f"{folder}/again/{name}", "rb") as other:
            check(one.read() == other.read(), f"{name} differs in a second run")
    check(play("hd", f"{folder}/svg", "--svg")[-1].endswith(".svg"), "no SVG")
    check(play("hd", f"{folder}/watch", "--watch") == ["screen.png"], "--watch leaves more than one file")


# The share of pixels that may differ by more than a shade: another version of the library of fonts draws edges anew.
TOLERANCE, SHADE = 0.0005, 48


def kept(folder):
    """Draws the samples and compares them with the kept pictures."""
    golden = os.path.join(TESTS, "Golden")
    names = [(sample, look) for sample in samples() for look in looks_of(sample)
             if LOOKS[look][7] or sample["name"] in SOME or look == "dashboard"]
    target = golden if "--record" in OPTIONS else folder
    if target == golden:
        for file in os.listdir(golden) if os.path.isdir(golden) else []:
            os.unlink(os.path.join(golden, file))
    draw([(sample["screen"], look, f"{target}/{look}-{sample['name']}.png") for sample, look in names])
    check({f"{look}-{sample['name']}.png" for sample, look in names} == set(os.listdir(golden)),
          "the kept pictures are not those of the samples; tools/picture-check --record")
    for sample, look in names:
        file = f"{look}-{sample['name']}.png"
        compare(os.path.join(golden, file), os.path.join(target, file), file)
    return len(names)


def compare(old, new, name):
    with open(old, "rb") as one, open(new, "rb") as other:
        if one.read() == other.read():
            return
    (size, depth, before), (other, _, after) = decoded(old), decoded(new)
    check(size == other, f"{name}: {other} pixels, kept {size}")
    count = 0
    for one, two in zip(before, after):
        if one != two:
            count += sum(max(abs(a - b) for a, b in zip(one[i:i + depth], two[i:i + depth])) > SHADE
                         for i in range(0, len(one), depth))
    if count > TOLERANCE * size[0] * size[1]:
        keep = os.path.join(tempfile.gettempdir(), "swift-iap2-pictures")
        os.makedirs(keep, exist_ok=True)
        for path, kind in ((old, "old"), (new, "new")):
            with open(path, "rb") as file, open(f"{keep}/{kind}-{name}", "wb") as copy:
                copy.write(file.read())
        difference(f"{keep}/difference-{name}", size, depth, before, after)
        check(False, f"{name}: {count} pixels differ; see old, new and difference in {keep}; if the change is meant: "
                     "tools/picture-check --record")


# A JPEG file of 16 by 32 pixels: red above, blue below.
JPEG = base64.b64decode(
    (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSop"
        "GR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo"
        "KCj/wAARCAAgABADAREAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAA"
        "AAAAAAAAAAAAAAcF/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AimArYAACXXpFQAAH/9k="
    ))
RED, BLUE = (200, 40, 40), (40, 40, 200)


def order_of(screen, look, file, **more):
    images = more.pop("images", [])
    return json.dumps({"sight": {"screen": screen, "look": look_of(look)} | more, "images": images, "file": file}) + "\n"


def run(lines):
    done = subprocess.run([os.environ["IAP2_SCREEN"]], input=lines, text=True, capture_output=True, check=False)
    check(done.returncode == 0, f"iap2-screen ended with {done.returncode}: {done.stderr[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def images(folder):
    """Draws artwork of an app: the colors come from its bytes, and bytes that are no image do no harm."""
    sample = next(sample for sample in samples() if sample["name"] == "now-playing")["screen"]

    def screen(name):
        parts = [child | ({"image": name} if child["kind"] == "artwork" else {}) for child in sample["children"]]
        return sample | {"children": parts}

    rows = [bytes(RED) * 16] * 16 + [bytes(BLUE) * 16] * 16
    files = {"jpeg": (JPEG, 0), "png": (png(16, 32, rows), 0), "turned": (png(16, 32, rows), 2),
             "bomb": (png(16, 32, rows, size=(60_000, 60_000)), 0), "cut": (JPEG[:40], 0), "none": (b"no image", 0),
             "empty": (b"", 0)}
    drawn = "".join(
        order_of(screen(name), "standard", f"{folder}/{name}.png", images=[
            {"id": name, "data": base64.b64encode(data).decode(), "turns": turns, "shape": False}])
        for name, (data, turns) in files.items())
    check(all("problem" not in answer for answer in run(drawn)), "an image stops the program that draws")
    for name in files:
        _, depth, pixels = decoded(f"{folder}/{name}.png")
        # The cover begins at 60 points from the left side and has 96 points; its upper and its lower part.
        seen = [tuple(pixels[row][200 * depth:200 * depth + 3]) for row in (115, 280)]
        wanted = {"jpeg": [RED, BLUE], "png": [RED, BLUE], "turned": [BLUE, RED]}.get(name)
        if wanted:
            near = all(abs(a - b) < 12 for one, two in zip(seen, wanted) for a, b in zip(one, two))
            check(near, f"the {name} image has the colors {seen}, not {wanted}")
        else:
            check(seen[0] == seen[1] and seen[0] not in (RED, BLUE), f"the {name} image is drawn")


def changes(folder):
    """Draws only what changed: the same pixels as a picture that is drawn whole."""
    count = 0
    for sample in samples():
        for look in looks_of(sample)[:1]:
            screen = sample["screen"]
            parts = screen.get("children", [])
            other = screen | {"children": [child | {"title": "Other words"} if index == len(parts) // 2 else child
                                           for index, child in enumerate(parts)]}
            files = [f"{folder}/{look}-{sample['name']}-{number}.png" for number in range(4)]
            run("".join(order_of(tree, look, file) for tree, file in zip((screen, other, screen), files)))
            run(order_of(other, look, files[3]))
            first, changed, again, whole = (open(file, "rb").read() for file in files)
            check(first == again, f"{sample['name']}, {look}: a change and its return leave other pixels")
            check(changed == whole, f"{sample['name']}, {look}: a part that is drawn again differs from the whole")
            count += first != changed
    check(count > 20, f"only {count} samples change")


def difference(path, size, depth, before, after):
    """Writes a picture that is black where two others agree."""
    rows = b"".join(b"\0" + bytes(abs(a - b) if i % depth < 3 else 255 for i, (a, b) in enumerate(zip(one, two)))
                    for one, two in zip(before, after))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 2 if depth == 3 else 6, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def orders(folder):
    """Bad orders get a problem each, and the program goes on."""
    look = look_of("standard")

    def order(title, name, **changes):
        row = {"kind": "row", "title": title}
        screen = {"kind": "list", "title": title, "children": [row] * 40}
        return json.dumps({"sight": {"screen": screen, "look": look | changes}, "file": f"{folder}/{name}"})

    huge = look["screen"] | {"pixelWidth": 2_000_000_000}
    none = look["screen"] | {"scale": 0}
    dock = look["screen"] | {"dockThickness": 2 * 10 ** 18}
    lines = [("no order", False), ("{}", False), (order("a", "a.gif"), False), (order("a", "none/a.png"), False),
             (order("a", "a.png", screen=huge), False), (order("a", "a.png", screen=none), False),
             (order("\u202e\u0007\u0000wide " * 200_000, "b.png"), True), (order("東京" * 5000, "c.png"), True),
             (order("a", "a.png", screen=dock), False), (order("ok", "d.png"), True)]
    far = json.loads(order("ok", "e.png"))
    far["sight"]["screen"], far["sight"]["map"] = {"kind": "map"}, {"moved": [1e308, -1e308], "parts": []}
    lines.append((json.dumps(far), True))
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
    count = kept(f"{scratch}/kept")
    for check_all in (images, changes):
        os.mkdir(f"{scratch}/{check_all.__name__}")
        check_all(f"{scratch}/{check_all.__name__}")
    cars(scratch)
    orders(scratch)
for fault in faults:
    print(fault)
print(f"{count} kept pictures, {len(CARS)} cars, {len(faults)} faults")
sys.exit(bool(faults))
