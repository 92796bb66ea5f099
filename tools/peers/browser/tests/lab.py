# SPDX-License-Identifier: Apache-2.0
"""Starts `iap2 lab` and opens its page in a browser. Both end with the test, which fails if they do not end well."""

from __future__ import annotations

import base64
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from playwright.sync_api import BrowserContext, Locator, Page, TimeoutError, expect, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[4]
COMMAND = Path(os.environ.get("IAP2", REPOSITORY / ".build/release/iap2"))
SCREEN = Path(os.environ.get("IAP2_SCREEN", REPOSITORY / ".build/release/iap2-screen"))
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
APP = Path(os.environ.get("IAP2_SAMPLE_APP", REPOSITORY / ".build-minimal/debug/navigation-app"))
# The seconds after which something that should happen has not. A busy machine may need most of them.
LIMIT = 30
ENVIRONMENT = dict(os.environ, IAP2_SCREEN=str(SCREEN))

expect.set_options(timeout=LIMIT * 1000)


def missing() -> str | None:
    """Returns what the tests need and is not there; None if nothing is missing."""
    for path, advice in ((COMMAND, "tools/iap2 --version"), (SCREEN, "tools/screen-program"),
                         (APP, "tools/test --all"), (CHROMIUM, "apt-get install chromium")):
        if not path.exists():
            return f"{path} is missing: {advice}"
    return None


class Browser:
    """The one browser of a run. It starts with its first page."""

    playwright = None
    browser = None

    @classmethod
    def context(cls, **options) -> BrowserContext:
        if cls.browser is None:
            cls.playwright = sync_playwright().start()
            # Chromium has no sandbox for root, in containers and on runners.
            cls.browser = cls.playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        options.setdefault("viewport", {"width": 1600, "height": 1000})
        context = cls.browser.new_context(**options)
        context.set_default_timeout(LIMIT * 1000)
        return context

    @classmethod
    def close(cls) -> None:
        if cls.browser is not None:
            cls.browser.close()
            cls.playwright.stop()
            cls.browser = None


def descendants(process: int) -> set[int]:
    """Returns the processes that a process started, and those that they started."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text(encoding="utf-8").rpartition(")")
        except OSError:
            continue
        parents[int(name.split()[0])] = int(rest.split()[1])
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Program:
    """A program that ends with SIGINT."""

    def __init__(self, *arguments: str | Path, cwd: Path | None = None):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(argument) for argument in arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.log, text=True, env=ENVIRONMENT, cwd=cwd)

    def line(self) -> str:
        """Returns the next line of the output, or "" at its end."""
        # The program writes whole lines, so a line that begins is there soon.
        if not select.select([self.process.stdout], [], [], LIMIT)[0]:
            raise AssertionError(f"no line came in {LIMIT} s; {self.messages()}")
        return self.process.stdout.readline()

    def messages(self) -> str:
        """Returns what the program wrote to its stderr."""
        self.log.seek(0)
        return self.log.read()

    def end(self) -> tuple[int, set[int]]:
        """Sends SIGINT. Returns the exit status and the processes of the program that remain."""
        children = descendants(self.process.pid)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        deadline = time.monotonic() + LIMIT
        while any(map(is_running, children)) and time.monotonic() < deadline:
            time.sleep(0.01)
        return status, set(filter(is_running, children))


class Lab(Program):
    """A running `iap2 lab` with the address of its page."""

    def __init__(self, *arguments: str | Path, listen: str = "127.0.0.1:0"):
        options, separator, rest = self.split(arguments)
        super().__init__(COMMAND, "lab", "--headless-check", "--listen", listen, *options, *separator, *rest)
        line = self.line()
        if not line:
            raise AssertionError(f"iap2 lab ended with {self.process.wait(LIMIT)}: {self.messages()}")
        self.address = json.loads(line)["address"]
        self.port = int(self.address.split("/")[2].rpartition(":")[2])
        self.secret = self.address.split("/")[3]

    @staticmethod
    def split(arguments):
        """Splits arguments at `--`, behind which those of the app stand."""
        words = list(arguments)
        place = words.index("--") if "--" in words else len(words)
        return words[:place], words[place:place + 1], words[place + 1:]


class Tab:
    """The page of a lab in a tab of the browser."""

    def __init__(self, page: Page):
        self.page = page
        #: What the page reports as wrong: its own warnings, errors, and violations of its policy.
        self.problems: list[str] = []
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", self.refuse)

    def hear(self, message) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def refuse(self, dialog) -> None:
        self.problems.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def open(self, address: str) -> None:
        self.page.goto(address)
        expect(self.page.locator("html")).to_have_attribute("data-state", "open")

    def wait(self, what: str, expression: str, arg=None):
        """Waits until an expression of the page is true, and returns its value. A failure says what the page shows.

        `what` names what is waited for."""
        try:
            return self.page.wait_for_function(expression, arg=arg).json_value()
        except TimeoutError as error:
            shown = {name: self.page.locator(f"#{name}").all_inner_texts() for name in ("car", "phone", "parts", "notes", "time")}
            state = {"entries": self.count(), "picture": self.page.locator("#car .screen canvas").evaluate_all(
                "(nodes) => nodes.map((node) => node.dataset.picture)"), "problems": self.problems}
            raise AssertionError(f"{what}: not within {LIMIT} s. The page shows {state | shown}") from error

    # MARK: The ladder

    def rows(self, text: str | None = None, **attributes: str) -> Locator:
        """Returns the visible rows with a text, and with attributes such as `kind`."""
        wanted = "".join(f"[data-{name}='{value}']" for name, value in attributes.items())
        found = self.page.locator(f"#ladder .row:not([hidden]){wanted}")
        return found if text is None else found.filter(has_text=text)

    def expect_entry(self, text: str) -> None:
        """Waits until an entry of a kind that is shown has a text. Its row may be far from the visible ones."""
        self.page.fill("#search", text)
        expect(self.page.locator("#ladder .found")).not_to_have_text(re.compile("^0?…?$"))
        self.page.fill("#search", "")

    def wait_for_entries(self, after: int) -> None:
        """Waits until the page has more entries than a number."""
        self.wait(f"an entry after the first {after}", "(number) => document.querySelector('#ladder').dataset.count > number", after)

    def count(self) -> int:
        """Returns the number of all entries that the page has."""
        return int(self.page.get_attribute("#ladder", "data-count"))

    def show_only(self, *kinds: str) -> None:
        """Shows only entries of these kinds."""
        toggles = self.page.locator("#ladder .kinds button")
        names = toggles.evaluate_all("(nodes) => nodes.map((node) => [node.dataset.kind, node.ariaPressed])")
        for kind, is_pressed in names:
            if (is_pressed == "true") != (kind in kinds):
                self.page.click(f"#ladder .kinds [data-kind={kind}]")

    # MARK: The car

    def picture(self) -> Locator:
        return self.page.locator("#car .screen canvas").first

    def picture_number(self) -> int:
        return int(self.picture().get_attribute("data-picture") or "0")

    def wait_for_picture(self, after: int = 0) -> None:
        """Waits until a picture with a later number was drawn."""
        self.wait(f"a picture after number {after}",
                  "(number) => document.querySelector('#car .screen canvas')?.dataset.picture > number", after)

    def part(self, text: str) -> Locator:
        return self.page.locator("#parts .part").filter(has_text=text).first

    def expect_screen(self, kind: str) -> None:
        """Waits until the car's screen is of a kind."""
        expect(self.page.locator("#parts .part .kind").first).to_have_text(kind)

    def click_part(self, text: str) -> None:
        """Clicks the middle of a part in the picture."""
        self.part(text).hover()
        # The layer with the outlines takes no clicks, so the canvas gets them.
        place = self.wait(f"the outline of {text}", """() => {
              const place = document.querySelector("#car .target.chosen")?.getBoundingClientRect();
              return place?.width > 0 && [place.x + place.width / 2, place.y + place.height / 2];
            }""")
        self.page.mouse.click(*place)

    def step(self, label: str) -> None:
        """Clicks one of the most used steps."""
        self.page.locator("#verbs button").get_by_text(label, exact=True).click()

    def send_line(self, text: str) -> None:
        """Sends a step in the words of scenarios."""
        self.page.fill("#line", text)
        self.page.press("#line", "Enter")

    def expect_note(self, text: str) -> None:
        expect(self.page.locator("#notes .message").filter(has_text=text).first).to_be_visible()

    # MARK: Saving

    def save_bytes(self, what: str) -> bytes:
        """Saves a file that the page offers as a download at once."""
        with self.page.expect_download() as download:
            self.page.click(f"#recorder [data-save={what}]")
        return Path(download.value.path()).read_bytes()

    def save_text(self, what: str) -> str:
        """Saves a file that the page shows first."""
        self.page.click(f"#recorder [data-save={what}]")
        dialog = self.page.locator("dialog.file")
        with self.page.expect_download() as download:
            dialog.get_by_role("button", name="Download").click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        return text

    def difference(self, png: bytes) -> tuple[float, float]:
        """Compares the drawn picture with a file. Returns the mean difference of a channel's values, 0 to 255, and the
        spread of the file's values: a picture of one color has none."""
        return tuple(self.page.evaluate(
            """async (text) => {
              const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
              const file = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
              const drawn = document.querySelector("#car .screen canvas");
              if (file.width !== drawn.width || file.height !== drawn.height) throw new Error("the sizes differ");
              const values = (image) => {
                const context = new OffscreenCanvas(file.width, file.height).getContext("2d");
                context.drawImage(image, 0, 0);
                return context.getImageData(0, 0, file.width, file.height).data;
              };
              const [one, other] = [values(file), values(drawn)];
              const mean = one.reduce((sum, value) => sum + value, 0) / one.length;
              const sum = (work) => one.reduce((total, value, place) => total + work(value, place), 0) / one.length;
              return [sum((value, place) => Math.abs(value - other[place])), sum((value) => Math.abs(value - mean))];
            }""", base64.b64encode(png).decode()))


@unittest.skipIf(missing(), missing())
class LabTest(unittest.TestCase):
    """A test with labs and tabs."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="iap2-browser-"))
        self.addCleanup(shutil.rmtree, self.folder)

    @classmethod
    def tearDownClass(cls) -> None:
        Browser.close()

    def lab(self, *arguments: str | Path, **options) -> Lab:
        lab = Lab(*arguments, **options)
        self.addCleanup(self.end, lab)
        return lab

    def end(self, lab: Program) -> None:
        """Ends a program, which must end in order and leave no process."""
        status, remaining = lab.end()
        messages = lab.messages()
        lab.log.close()
        self.assertEqual((status, remaining), (0, set()), messages)

    def app(self, *arguments: str | Path, **options) -> Lab:
        """Starts the lab of the sample app."""
        return self.lab("--app", APP, *arguments, **options)

    def tab(self, lab: Lab | str, may_report: tuple[str, ...] = (), **options) -> Tab:
        """Opens the page of a lab. The test fails if the page reports a problem without one of the given words."""
        context = Browser.context(**options)
        self.addCleanup(context.close)
        tab = Tab(context.new_page())
        self.addCleanup(lambda: self.assertEqual(
            [problem for problem in tab.problems if not any(word in problem for word in may_report)], []))
        if isinstance(lab, Lab):
            tab.open(lab.address)
        else:
            tab.page.goto(lab)
        return tab

    def car(self, *arguments: str | Path, **options) -> Tab:
        """Opens the lab of the sample app and waits for its first picture."""
        tab = self.tab(self.app(*arguments), **options)
        tab.wait_for_picture()
        tab.expect_screen("map")
        return tab

    def iap2(self, *arguments: str | Path, status: int = 0) -> str:
        """Runs the command. Returns its output."""
        result = subprocess.run([str(COMMAND), *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT,
                                timeout=120)
        self.assertEqual(result.returncode, status, f"{result.stdout[-2000:]}\n{result.stderr[-2000:]}")
        return result.stdout + result.stderr
