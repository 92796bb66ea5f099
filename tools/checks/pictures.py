# SPDX-License-Identifier: Apache-2.0
"""Pictures of sample screens are those that are kept, and a sample app shows something on every car.

The pictures of the sample screens are compared with those in Tests/Apps/CarPlayScreenTests/Golden, which `--write`
draws again. Pictures of a sample app on six cars have the right size, show something, and are the same again. Images of
apps, good and bad ones, and bad orders do not stop the program that draws. ffmpeg decodes encoded pictures
to the drawn ones. In a session, a head unit shows the sample app.
"""
from __future__ import annotations

import base64
import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from .facts import Facts
from .png import decoded, png, read, write_difference
from .report import Report
from .screens import LOOKS, SOME, TESTS, answers_of, draw, look_of, looks_of, order_of, samples

GOLDEN = TESTS / "Golden"
REPAIR = "tools/check --write pictures, if the change is meant"
# The pixels of each car's screen, as its profile says.
CARS = {"minimum": (748, 456), "standard": (800, 480), "hd": (1280, 720), "ultra-wide": (1920, 720),
        "portrait": (900, 1200), "right-hand": (1280, 720)}
# The share of pixels that may differ by more than a shade: another version of the library of fonts draws edges anew.
TOLERANCE, SHADE = 0.0005, 48
# The least likeness of a decoded picture to the drawn one in dB.
LEAST_LEVEL = 40
# The exit code of a command without a peer.
UNAVAILABLE = 69
# A JPEG file of 16 by 32 pixels: red above, blue below.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSop"
    "GR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo"
    "KCj/wAARCAAgABADAREAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAA"
    "AAAAAAAAAAAAAAcF/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AimArYAACXXpFQAAH/9k=")
RED, BLUE = (200, 40, 40), (40, 40, 200)


def names_of_kept() -> list[tuple[dict, str, str]]:
    """Returns sample, look and file name of each kept picture."""
    return [(sample, look, f"{look}-{sample['name']}.png") for sample in samples() for look in looks_of(sample)
            if LOOKS[look][7] or sample["name"] in SOME or look == "dashboard"]


def free_port() -> int:
    """Returns a port of this machine on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def write(facts: Facts) -> None:
    """Draws the kept pictures again."""
    for file in GOLDEN.glob("*"):
        file.unlink()
    draw(facts.screen_program, [(sample["screen"], look, GOLDEN / name) for sample, look, name in names_of_kept()])


class Judge:
    """Collects the faults of pictures that are drawn into a folder."""

    def __init__(self, facts: Facts, folder: pathlib.Path):
        self.facts, self.folder = facts, folder
        self.faults: list[str] = []

    def expect(self, holds: bool, text: str) -> None:
        """Adds a fault unless something holds."""
        if not holds:
            self.faults.append(text)

    def draw(self, orders: list[str]) -> list[tuple[dict, bytes]]:
        """Returns the answers of the program that draws, with their pictures."""
        answers, done = answers_of(self.facts.screen_program, orders)
        self.expect(done.returncode == 0, f"iap2-screen ended with {done.returncode}: {done.stderr[-300:]!r}")
        self.expect(len(answers) == len(orders), f"{len(answers)} answers to {len(orders)} orders")
        return answers

    # Sample screens

    def kept(self) -> int:
        """Draws the samples and compares them with the kept pictures. Returns their number."""
        names = names_of_kept()
        folder = self.folder / "kept"
        draw(self.facts.screen_program, [(sample["screen"], look, folder / name) for sample, look, name in names])
        self.expect({name for *_, name in names} == {file.name for file in GOLDEN.glob("*")},
                    f"{GOLDEN} has other files than the samples have pictures")
        for *_, name in names:
            if not (folder / name).is_file():
                self.expect(False, f"{name} was not drawn")
            elif (GOLDEN / name).is_file():
                self.compare(GOLDEN / name, folder / name)
        return len(names)

    def compare(self, old: pathlib.Path, new: pathlib.Path) -> None:
        """Compares a picture with a kept one, pixel by pixel if the bytes differ."""
        if old.read_bytes() == new.read_bytes():
            return
        (size, depth, before), (other, _, after) = decoded(old), decoded(new)
        if size != other:
            self.expect(False, f"{new.name}: {other} pixels, kept {size}")
            return
        count = 0
        for one, two in zip(before, after):
            if one != two:
                count += sum(max(abs(a - b) for a, b in zip(one[i:i + depth], two[i:i + depth])) > SHADE
                             for i in range(0, len(one), depth))
        if count > TOLERANCE * size[0] * size[1]:
            keep = pathlib.Path(tempfile.gettempdir()) / "swift-iap2-pictures"
            keep.mkdir(exist_ok=True)
            shutil.copy(old, keep / f"old-{new.name}")
            shutil.copy(new, keep / f"new-{new.name}")
            write_difference(keep / f"difference-{new.name}", size, depth, before, after)
            self.expect(False, f"{new.name}: {count} pixels differ; see old, new and difference in {keep}")

    # The images of apps

    def images(self) -> None:
        """Draws artwork of an app: the colors come from its bytes, and bytes that are no image do no harm."""
        sample = next(sample for sample in samples() if sample["name"] == "now-playing")["screen"]

        def screen(name: str) -> dict:
            parts = [child | ({"image": name} if child["kind"] == "artwork" else {}) for child in sample["children"]]
            return sample | {"children": parts}

        rows = [bytes(RED) * 16] * 16 + [bytes(BLUE) * 16] * 16
        files = {"jpeg": (JPEG, 0), "png": (png(16, 32, rows), 0), "turned": (png(16, 32, rows), 2),
                 "bomb": (png(16, 32, rows, size=(60_000, 60_000)), 0), "cut": (JPEG[:40], 0),
                 "none": (b"no image", 0), "empty": (b"", 0)}
        orders = [
            order_of(screen(name), "standard", images=[
                {"id": name, "data": base64.b64encode(data).decode(), "turns": turns, "shape": False}])
            for name, (data, turns) in files.items()]
        # The program keeps 256 images, and takes others when it has forgotten them.
        def copies(*names: str) -> list[dict]:
            return [{"id": name, "data": base64.b64encode(JPEG).decode(), "turns": 0, "shape": False} for name in names]

        orders += [order_of(screen("none"), "standard", images=copies(*(f"other {number}" for number in range(256)))),
                   order_of(screen("late"), "standard", images=copies("late"), forgets_images=True)]
        for name, (answer, picture) in zip([*files, "none", "late"], self.draw(orders)):
            if "problem" in answer:
                self.expect(False, f"the {name} image: {answer['problem']}")
            else:
                self.judge_image(name, picture)

    def judge_image(self, name: str, picture: bytes) -> None:
        """Looks at the pixels of an app's image."""
        file = self.folder / f"{name}.png"
        file.write_bytes(picture)
        _, depth, pixels = decoded(file)
        # The cover begins at 60 points from the left side and has 96 points; its upper and its lower part.
        seen = [tuple(pixels[row][200 * depth:200 * depth + 3]) for row in (115, 280)]
        wanted = {"jpeg": [RED, BLUE], "png": [RED, BLUE], "turned": [BLUE, RED], "late": [RED, BLUE]}.get(name)
        if wanted:
            near = all(abs(a - b) < 12 for one, two in zip(seen, wanted) for a, b in zip(one, two))
            self.expect(near, f"the {name} image has the colors {seen}, not {wanted}")
        else:
            self.expect(seen[0] == seen[1] and seen[0] not in (RED, BLUE), f"the {name} image is drawn")

    # Parts that are drawn again

    def changes(self) -> None:
        """Draws only what changed: the same pixels as a picture that is drawn whole."""
        count = 0
        for sample in samples():
            for look in looks_of(sample)[:1]:
                screen = sample["screen"]
                parts = screen.get("children", [])
                other = screen | {"children": [child | {"title": "Other words"} if index == len(parts) // 2 else child
                                               for index, child in enumerate(parts)]}
                trees = (screen, other, screen)
                pictures = [picture for _, picture in self.draw([order_of(tree, look) for tree in trees])]
                (_, whole), = self.draw([order_of(other, look)])
                first, changed, again = pictures
                self.expect(first == again, f"{sample['name']}, {look}: a change and its return leave other pixels")
                self.expect(changed == whole,
                            f"{sample['name']}, {look}: a part that is drawn again differs from the whole")
                # Python takes a second to read a picture.
                if sample["name"] in SOME:
                    self.frames(f"{sample['name']}, {look}",
                                self.draw([order_of(tree, look, "pixels") for tree in trees]), pictures)
                count += first != changed
        self.expect(count > 20, f"only {count} samples change")

    def frames(self, name: str, answers: list[tuple[dict, bytes]], pictures: list[bytes]) -> None:
        """Frames in memory, each with only what changed, have the pixels of the pictures."""
        frame, wanted = bytearray(), {}
        self.expect(any(len(pixels) < len(answers[0][1]) for _, pixels in answers[1:]),
                    f"{name}: every frame is a whole one")
        for number, ((answer, pixels), picture) in enumerate(zip(answers, pictures)):
            width, height, boxes = answer["width"], answer["height"], answer["boxes"]
            if number == 0:
                self.expect(boxes == [{"x": 0, "y": 0, "width": width, "height": height}], f"{name}: no whole frame")
                frame = bytearray(4 * width * height)
            start = 0
            for box in boxes:
                for row in range(box["y"], box["y"] + box["height"]):
                    place, count = 4 * (row * width + box["x"]), 4 * box["width"]
                    frame[place:place + count] = pixels[start:start + count]
                    start += count
            self.expect(start == len(pixels), f"{name}: {len(pixels)} bytes for {start} of boxes")
            if picture not in wanted:
                file = self.folder / "frame.png"
                file.write_bytes(picture)
                wanted[picture] = decoded(file)
            (seen, depth, rows) = wanted[picture]
            self.expect(seen == (width, height), f"{name}: a frame of {width} x {height}, a picture of {seen}")
            for part in range(3):
                self.expect(bytes(frame[part::4]) == b"".join(bytes(row[part::depth]) for row in rows),
                            f"{name}: frame {number} has other pixels than the picture")

    # A sample app on cars

    def play(self, car: str, name: str, *options: str) -> list[str]:
        """Plays a scenario on a car with pictures. Returns the names of the files."""
        folder = self.folder / name
        done = subprocess.run(
            [self.facts.iap2, "car", self.facts.navigation_app, "--car", car, "--scenario", "drive-limits",
             "--screenshots", str(folder), *options], cwd=self.facts.root, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, env=self.facts.environment_with_screen)
        self.expect(done.returncode == 0, f"{car}: {done.stderr[-300:]}")
        return sorted(file.name for file in folder.glob("[!.]*"))

    def cars(self) -> None:
        """Plays a scenario on every car."""
        for car, size in CARS.items():
            files = self.play(car, car)
            self.expect(len(files) > 1, f"{car}: {files}")
            for name in files[1:]:
                seen, _, rows = read(self.folder / car / name)
                self.expect(seen == size, f"{car}/{name} has {seen}, not {size}")
                self.expect(len(set(rows)) > 50, f"{car}/{name} shows nothing")
        for name in self.play("standard", "again"):
            self.expect((self.folder / "standard" / name).read_bytes() == (self.folder / "again" / name).read_bytes(),
                        f"{name} differs in a second run")
        self.expect(any(name.endswith(".svg") for name in self.play("hd", "svg", "--svg")[-1:]), "no SVG")
        self.expect(self.play("hd", "watch", "--watch") == ["screen.png"], "--watch leaves more than one file")

    # Encoded pictures

    def decoded_film(self, bytes_of_film: bytes) -> dict[str, str]:
        """Returns what ffprobe says of a film."""
        file = self.folder / "film.h264"
        file.write_bytes(bytes_of_film)
        done = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
             "stream=profile,width,height,has_b_frames,color_space,nb_read_frames", "-of", "default=nw=1", str(file)],
            capture_output=True, text=True, check=False)
        self.expect(done.returncode == 0 and not done.stderr, f"ffprobe: {done.stderr[-300:]}")
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    def film(self) -> None:
        """Encodes every sample: the decoded pictures are the drawn ones, and each order for a key frame gets one."""
        screens = [sample["screen"] for sample in samples()]
        orders = [order_of(screen, "right", form) for screen in screens for form in ("h264", "png")]
        answers = self.draw(orders)
        for number, (_, picture) in enumerate(answers[1::2]):
            (self.folder / f"film-{number:03}.png").write_bytes(picture)
        seen = self.decoded_film(b"".join(unit for _, unit in answers[::2]))
        wanted = {"profile": "Constrained Baseline", "width": "1280", "height": "720", "has_b_frames": "0",
                  "color_space": "bt709", "nb_read_frames": str(len(screens))}
        self.expect(seen == wanted, f"the film is {seen}, not {wanted}")
        done = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", str(self.folder / "film.h264"), "-i", str(self.folder / "film-%03d.png"),
             "-lavfi", "[0:v]scale=in_color_matrix=bt709:in_range=tv,format=gbrp[a];[1:v]format=gbrp[b];"
             "[a][b]psnr=stats_file=-", "-f", "null", "-"], capture_output=True, text=True, check=False)
        levels = [float(level) for level in re.findall(r"psnr_avg:([0-9.]+)", done.stdout.replace("inf", "99"))]
        self.expect(len(levels) == len(screens) and min(levels, default=0) >= LEAST_LEVEL,
                    f"decoded pictures equal the drawn ones to {min(levels, default=0)} dB: {done.stderr[-300:]}")
        # A key frame on demand, and one for each size.
        line = json.loads(order_of(screens[0], "right", "h264"))
        forced, small = line | {"isKeyFrame": True}, json.loads(order_of(screens[0], "standard", "h264"))
        keys = [answer["film"]["isKeyFrame"] for answer, _ in
                self.draw([json.dumps(made) for made in (line, line, forced, line, small, line)])]
        self.expect(keys == [True, False, True, False, True, True], f"key frames: {keys}")

    def moved_maps(self) -> None:
        """Draws a map that is moved in steps, of which only the edge is drawn: it is the map that is drawn whole, but
        for shades of lines that meet the edge."""
        screen = next(sample["screen"] for sample in samples() if sample["name"] == "trip")

        def order(moved: tuple[float, float]) -> str:
            line = json.loads(order_of(screen, "right"))
            line["content"]["map"] = {"moved": moved, "parts": []}
            return json.dumps(line)

        orders = [order(way) for way in ((0, 0), (30, -20.5), (-100, 60))]
        for number, (line, (_, seen)) in enumerate(zip(orders, self.draw(orders))):
            whole, moved = (self.folder / f"{name}-map-{number}.png" for name in ("whole", "moved"))
            whole.write_bytes(self.draw([line])[0][1])
            moved.write_bytes(seen)
            self.compare(whole, moved)

    def session(self, scenario: str, app: str, *options: str, status: int = 0) -> tuple[str, str]:
        """Shows an app in a session whose head unit plays a scenario. Returns the output of head unit and phone.

        The status is that of the phone: 1 if the scenario pulls the cable."""
        state = dict(self.facts.environment_with_screen, XDG_STATE_HOME=str(self.folder / "state"))
        port = free_port()
        with subprocess.Popen(
                [self.facts.iap2, "headunit", "--transport", f"tcp-listen:127.0.0.1:{port}", "--carplay", "--once",
                 "--scenario", scenario, *options], env=state, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as head_unit:
            end = time.monotonic() + 20
            while True:
                phone = subprocess.run(
                    [self.facts.iap2, "phone", "--transport", f"tcp:127.0.0.1:{port}", "--carplay", "--once", "--app",
                     app], env=state, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    check=False, timeout=120)
                # The head unit may not listen yet.
                if phone.returncode != UNAVAILABLE or time.monotonic() > end:
                    break
                time.sleep(0.1)
            output, errors = head_unit.communicate(timeout=120)
        self.expect(head_unit.returncode == 0 and phone.returncode == status,
                    f"{scenario} with an app: head unit {head_unit.returncode}, phone {phone.returncode}: "
                    f"{output[-300:]} {errors[-300:]} {phone.stderr[-300:]}")
        return output, phone.stdout

    def live(self) -> None:
        """Shows sample apps in a session: a head unit's pictures at rest are those of the app that was touched, its
        speakers play the app's sound, and iAP2 beside the session carries the song and the keys."""
        folder = self.folder / "live"
        _, calls = self.session("carplay-app", self.facts.navigation_app, "--screenshots", str(folder))
        files = sorted(file.name for file in folder.glob("[!.]*"))
        rows = [read(folder / name)[2] for name in files]
        # The map, the map that was moved, the map at night after the camera, and the home screen.
        light = [sum(sum(row[::64]) for row in picture) / sum(len(row[::64]) for row in picture) for picture in rows]
        self.expect(len(files) == 4 and min(light[:2], default=0) > 128 > max(light[2:], default=255),
                    f"the head unit showed {files} with the brightness {light}")
        self.expect("mapTemplateDidBeginPanGesture" in calls, "the finger did not reach the app")
        # A second of the station's tone, and a word or two of the prompt, each of 48 kHz stereo.
        self.heard("carplay-song", self.facts.radio_app, "mainAudio", 192_000, "remote command pause")
        for output in self.heard("carplay-drive", self.facts.navigation_app, "alternateAudio", 96_000, "speak", 1):
            ends = [line for line in output.splitlines() if "CarPlay ended" in line or "disconnected" in line]
            self.expect(len(ends) == 2 and all(line.endswith(": transportClosed") for line in ends),
                        f"a pulled cable ends a side with {ends}")

    def heard(self, scenario: str, app: str, stream: str, least: int, call: str, status: int = 0) -> tuple[str, str]:
        """Plays a scenario, in which the head unit hears an app on a stream, and the app has a call. Returns the output
        of head unit and phone."""
        sounds = self.folder / scenario
        output, calls = self.session(scenario, app, "--audio", str(sounds), status=status)
        self.expect(call in calls, f"{scenario}: the app has no call {call}")
        files = [file.read_bytes() for file in sounds.glob(f"{stream}*")]
        self.expect(len(files) == 1 and len(files[0]) > least and len(set(files[0][44:least])) > 100,
                    f"{scenario}: the head unit heard {[len(file) for file in files]} bytes of the app")
        return output, calls

    # Bad orders

    def orders(self) -> None:
        """Bad orders get a problem each, and the program goes on."""
        look = look_of("standard")

        def order(title: str, form: str = "png", **changes: object) -> dict:
            screen = {"kind": "list", "title": title, "children": [{"kind": "row", "title": title}] * 40}
            return {"content": {"screen": screen, "look": look | changes}, "format": form}

        huge, none = look["screen"] | {"pixelWidth": 2_000_000_000}, look["screen"] | {"scale": 0}
        dock = look["screen"] | {"dockThickness": 2 * 10 ** 18}
        far = order("ok")
        far["content"] |= {"screen": {"kind": "map"}, "map": {"moved": [1e308, -1e308], "parts": []}}
        full = order("ok", "pixels")
        full["content"] |= {"screen": {"kind": "list", "children": [
            {"kind": "row", "marks": ["9223372036854775807%"]}]}}
        orders = [(order("a", "gif"), False), (order("ok", "pixels"), True), (full, True),
                  (order("a", screen=huge), False), (order("a", screen=none), False),
                  (order("\u202e\u0007\u0000wide " * 200_000), True), (order("東京" * 5000), True),
                  (order("a", screen=dock), False), (order("ok", "pixels"), True), (order("ok", "sixel"), True),
                  (order("ok"), True), (far, True)]
        lines = [("no order", False), ("{}", False), *((json.dumps(made), works) for made, works in orders)]
        start = time.monotonic()
        for (line, works), (answer, picture) in zip(lines, self.draw([line for line, _ in lines])):
            self.expect(("problem" not in answer) == works == bool(picture), f"{line[:80]}: {str(answer)[:200]}")
        self.expect(time.monotonic() - start < 30, "bad orders take longer than 30 s")


def check(facts: Facts) -> Report:
    """Draws everything and judges it."""
    facts.shell("install_packages $(missing_peer_packages)")
    judge = Judge(facts, facts.folder("pictures"))
    count = judge.kept()
    judge.images()
    judge.changes()
    judge.cars()
    judge.film()
    judge.moved_maps()
    judge.live()
    judge.orders()
    return Report(judge.faults, f"{count} kept pictures, {len(CARS)} cars", REPAIR)
