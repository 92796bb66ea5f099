# SPDX-License-Identifier: Apache-2.0
"""The parts of `tools/test`, and the lanes in which they run.

SwiftPM locks its folder, so one lane has all builds in `.build`. Parts that only need the command run beside it. Parts
that have a folder of their own, and can wait, run with a low priority.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from . import counts
from .lanes import Part

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = ROOT / ".build/release/iap2"
MINIMAL = ROOT / ".build-minimal/debug"
CHECK = ROOT / "tools/check"
# The check that draws with an app of the examples, so it waits for their build.
PICTURES = "pictures"
BROWSER = ROOT / "tools/peers/browser"
# The largest number of failed tests of the page that may be a chance of the machine.
BROWSER_AGAIN = 3
# The tests of the lab that are short. tools/lab/run runs all.
LAB = ["swift", "usb-session", "usb-native", "usb-phone", "usb-limits", "bluetooth-session", "bluetooth-capture",
       "usb-carplay", "bluetooth-carplay"]
# The priority of builds that can wait. Tests have limits of time, so they run with the usual one.
LOW = 15
SHELL = """
set -uo pipefail
root=$1
source "$root/tools/shell/common.sh"
shift
"""


def shell(text: str, *words: str) -> list[str]:
    """A command that uses the functions of tools/shell, with the words as "$@"."""
    return ["bash", "-c", SHELL + text, "tools/test", str(ROOT), *words]


def module(name: str, *words: str) -> list[str]:
    return ["env", f"PYTHONPATH={ROOT / 'tools'}", "python3", "-B", "-m", name, *words]


def command() -> Part:
    return Part("build of the command", [str(ROOT / "tools/iap2"), "--version"])


def tests_build(whole: bool = False) -> Part:
    return Part("build of the tests", shell('whole_modules=$1 swift_build "$root/.build" --build-tests', "1" if whole else ""))


def tests(nice: int = 0) -> Part:
    return Part("tests", shell('run_tests_of "$root/.build"'), counts.swift_testing, ("build of the tests",), nice=nice)


def format_lint() -> Part:
    # Not Examples itself, which has a manifest that a script made.
    paths = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("Examples/*/"))]
    return Part("format", ["swift", "format", "lint", "--strict", "--parallel", "--recursive", "Package.swift", "Sources",
                           "Tests", *paths])


def only_swift_testing() -> Part:
    """The scripts do not run tests of XCTest."""
    return Part("every test is of Swift Testing",
                ["bash", "-c", "! grep -rn --include='*.swift' 'import XCTest' Tests Examples/*/Tests"])


def own_tests() -> Part:
    return Part("tests of tools/suite", module("unittest", "discover", "-t", str(ROOT / "tools"), "-s",
                                               str(ROOT / "tools/suite/tests")), counts.unittest)


def peers() -> list[Part]:
    """Both Python peers: their own tests, and what they play against the release build."""
    iap2 = ROOT / "tools/peers/iap2"
    carplay = ROOT / "tools/peers/carplay"
    python = str(ROOT / ".build-python/bin/python")
    needs, packages = ("build of the command",), "CarPlay peer: its packages"
    return [
        # Without the command it would skip tests. It also skips the vectors if their folder is not there.
        Part("iAP2 peer", ["python3", "-B", "-m", "unittest", "discover", str(iap2)], counts.unittest, needs),
        Part(packages, shell('install_python_packages "$@"', str(carplay / "requirements.txt"), ".build-python")),
        Part("CarPlay peer", [python, "-B", "-m", "unittest", "discover", str(carplay)], counts.complete_unittest,
             (packages,)),
        # A finding that is known to remain stands in a list. Another one fails, and so does a listed one that is mended.
        Part("findings of the iAP2 peer", [str(iap2 / "findings/run"), "--iap2", str(COMMAND), "--jobs", "3",
                                           "--known", str(iap2 / "findings/known.txt")], needs=needs),
        Part("CarPlay sessions with other implementations", [python, str(carplay / "agree"), "--iap2", str(COMMAND)],
             needs=(*needs, packages)),
    ]


def browser(screen: str) -> list[Part]:
    """The page of `iap2 lab` in Chromium, with a sample app. `screen` is the part that builds what draws."""
    python, packages = str(ROOT / ".build-browser/bin/python"), "page of the lab: its packages"

    def run(*arguments: str) -> list[str]:
        return shell('IAP2_SAMPLE_APP=$(build_sample_app navigation-app) && export IAP2_SAMPLE_APP && cd "$1" && "${@:2}"',
                     str(BROWSER), python, "-B", "-m", "unittest", *arguments)

    def again(text: str) -> list[str] | None:
        """On a busy machine the browser may stand still for longer than a test waits. So failed tests, unless they are
        many, get a second attempt."""
        failed = counts.failed_unittests(text)
        return run(*failed) if 0 < len(failed) <= BROWSER_AGAIN else None

    return [
        Part(packages, shell('install_python_packages "$@"', str(BROWSER / "requirements.txt"), ".build-browser")),
        Part("page of the lab", run("discover"), counts.complete_unittest,
             ("build of the command", screen, "build without traits", packages), again=again),
    ]


def lab() -> Part:
    """A guest without acceleration on a shared machine may be too slow for its kernel's own time limits. So failed tests
    get a second attempt."""
    def again(text: str) -> list[str] | None:
        failed = re.findall(r"^failed  *(\d\S*)", text, re.M)
        return [*run, *failed] if failed else None

    # With the variable the lab does not look whether the command is current, for which it may wait for SwiftPM.
    run = ["env", f"IAP2={COMMAND}", str(ROOT / "tools/lab/run"), "--captures", str(ROOT / ".build/lab")]
    return Part("lab", [*run, *LAB], counts.last_line, ("build of the command",), again=again)


def checks() -> list[Part]:
    """The checks of the repository. They may build, and find everything built."""
    after = ("build of the command", "build of the tests")
    listed = subprocess.run([str(CHECK), "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split()[0] for line in listed]
    chosen = (name for name in names if name != PICTURES)
    return [Part("checks", [str(CHECK), *chosen], counts.last_line, after=after)]


def examples() -> list[Part]:
    """The packages that show how to use this one, and the scenarios that they play."""
    built = "build without traits"
    parts = [Part(built, shell("build_minimal --build-tests && build_minimal --product iap2"), nice=LOW)]
    folders = [path.parent for path in sorted(ROOT.glob("Examples/*/Package.swift"))]
    parts += [Part(f"example {folder.name}", shell('run_example "$1"', str(folder)), counts.swift_testing, (built,))
              for folder in folders]
    for folder in folders:
        for file in sorted(folder.glob("*.yaml")):
            if not re.search("^app:", file.read_text(encoding="utf-8"), re.M):
                continue
            (app,) = folder.glob("Sources/*-app")
            parts.append(Part(f"scenario {file.relative_to(ROOT)}",
                              [str(MINIMAL / "iap2"), "car", str(MINIMAL / app.name), "--scenario", str(file)],
                              needs=(built,)))
    parts.append(Part("command without traits", module("suite.minimal", str(MINIMAL / "iap2")), counts.last_line,
                      (built,)))
    return parts


def example_of_a_user() -> Part:
    """One example as its user builds it: its own manifest, with the default traits."""
    return Part("an example by itself", shell("""
      package=$root/Examples/DecodeCapture whole_modules=1 swift_build "$root/.build-example" -Xswiftc -gnone &&
        "$root/.build-example/debug/decode-capture" "$root/captures/synthetic/worked-session.txt" >/dev/null"""), nice=LOW)


def pictures() -> list[Part]:
    built = "build of the program that draws"
    return [Part(built, [str(ROOT / "tools/screen-program")]),
            Part("pictures of the car's screen", [str(CHECK), PICTURES], counts.last_line,
                 ("build of the command", built, "build without traits"), ("build of the tests",))]


def fuzz() -> Part:
    return Part("fuzz targets", [str(ROOT / "tools/fuzz/run"), "--smoke", "2"], counts.last_line, nice=LOW)


def rebuild() -> Part:
    """It makes plans of all builds, so nothing else may build. It compiles nothing, so what is built may run."""
    return Part("nothing is compiled twice", [str(ROOT / "tools/suite/rebuild-check")],
                needs=("build of the command", "build of the tests", "build without traits"),
                after=("fuzz targets",))


def short() -> list[list[Part]]:
    """The lanes of `tools/test`."""
    return [[command(), tests_build(), tests()], [format_lint(), *peers()]]


def everything() -> list[list[Part]]:
    """The lanes of `tools/test --all`."""
    draws, judged = pictures()
    return [
        [command(), draws, tests_build(whole=True), *checks(), judged, rebuild()],
        [tests()],
        [only_swift_testing(), own_tests(), format_lint(), *peers(), *browser(draws.name)],
        [lab()],
        [*examples(), example_of_a_user(), fuzz()],
    ]
