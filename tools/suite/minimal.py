# SPDX-License-Identifier: Apache-2.0
"""Checks the command of the build without traits: what it links, and what it says about USB and Bluetooth.

    python3 -m suite.minimal PROGRAM

Tests of the package see the same in both builds, with three exceptions, which are checked here: the version, errors of
transports that need a library, and the list of devices. The last line is `N passed, N failed`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
# A library that a build without traits must not need.
ABSENT = ("libusb", "libbluetooth", "libdbus")
UNAVAILABLE, USAGE = 69, 64
USB, BLUETOOTH = "this build is without USB (package trait USB)", "this build is without Bluetooth (package trait Bluetooth)"


class Command:
    def __init__(self, program: str):
        self.program = program

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, check=False)


def expect(holds: bool, text: str) -> None:
    if not holds:
        raise AssertionError(text)


def links_no_library(command: Command) -> None:
    text = subprocess.run(["ldd", command.program], capture_output=True, text=True, check=True).stdout
    expect("libc.so" in text, text)
    expect(not any(name in text for name in ABSENT), text)


def says_what_it_is_without(command: Command) -> None:
    lines = command.run("--version").stdout.splitlines()
    expect("libusb: built without USB" in lines and "BlueZ: built without Bluetooth" in lines, str(lines))


def refuses(role: str, transport: str, text: str) -> Callable[[Command], None]:
    def check(command: Command) -> None:
        done = command.run(role, "--transport", transport, "--once")
        expect(done.returncode == UNAVAILABLE and text in done.stderr, f"{done.returncode}: {done.stderr}")
    return check


def reads_addresses(command: Command) -> None:
    for role, transport in (("phone", "usb:329:2022"), ("headunit", "usb"), ("headunit", "rfcomm-listen:31")):
        done = command.run(role, "--transport", transport, "--once")
        expect(done.returncode == USAGE, f"{transport}: {done.returncode}: {done.stderr}")


def lists_devices(command: Command) -> None:
    done = command.run("devices", "--json")
    expect(done.returncode == 0 and "rfcomm" not in done.stdout, f"{done.returncode}: {done.stdout}{done.stderr}")
    scan = command.run("devices", "--scan", "1")
    expect(scan.returncode == UNAVAILABLE and BLUETOOTH in scan.stderr, f"{scan.returncode}: {scan.stderr}")


def plays_a_session(command: Command) -> None:
    done = command.run("run")
    golden = (ROOT / "Tests/Tools/CommandTests/Golden/run.txt").read_text(encoding="utf-8")
    expect(done.returncode == 0 and done.stdout == golden, f"{done.returncode}: {done.stdout[-2000:]}{done.stderr}")


def checks() -> dict[str, Callable[[Command], None]]:
    found: dict[str, Callable[[Command], None]] = {
        "it links no library of USB or Bluetooth": links_no_library,
        "--version names the missing traits": says_what_it_is_without,
        "addresses are read without the traits": reads_addresses,
        "the list of devices leaves Bluetooth out": lists_devices,
        "a session is played as in the golden file": plays_a_session,
    }
    for role, transport, text in (
            ("phone", "usb:0329:2022:NOT-HERE", USB), ("headunit", "usb-phone:0329:2022:NOT-HERE", USB),
            ("headunit", "rfcomm-listen", BLUETOOTH), ("phone", "rfcomm-listen", BLUETOOTH),
            ("phone", "rfcomm:00:AA:01:01:00:01", BLUETOOTH)):
        found[f"{role} {transport} names the trait"] = refuses(role, transport, text)
    # The gadget needs no library.
    if not os.path.isdir("/sys/class/udc") or not os.listdir("/sys/class/udc"):
        for role, transport in (("headunit", "usb-gadget"), ("phone", "usb-gadget-phone")):
            found[f"{role} {transport} names the next step"] = refuses(role, transport, "modprobe dummy_hcd")
    return found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return USAGE
    command, failed, passed = Command(os.path.abspath(sys.argv[1])), 0, 0
    for name, check in checks().items():
        try:
            check(command)
            passed += 1
            print(f"passed {name}")
        except (AssertionError, OSError, subprocess.SubprocessError) as problem:
            failed += 1
            print(f"failed {name}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
