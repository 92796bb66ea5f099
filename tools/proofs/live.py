# SPDX-License-Identifier: Apache-2.0
"""Apps on the screen of a head unit for a long time."""

import os
import pathlib
import re
import subprocess
import tempfile
import time

from checks.facts import Facts

from .common import die, say

# What the driver does, a line a second. The icons of the home screen are those of two apps at 1280 x 720 pixels.
ROUND = [
    "touch: [258, 246]", "drag: [700, 400, 500, 300]", "drag: [500, 300, 700, 400]", "nightMode: true",
    "borrow: {of: screen, unborrow: never}", "unborrow: screen", "nightMode: false", "knob: home",
    "touch: [545, 246]", "touch: [400, 140]", "key: pause", "key: play", "keyFrame: true", "knob: home",
    "touch: [832, 246]", "key: next", "take: audio", "untake: audio", "knob: home", "touch: [1118, 246]", "knob: home",
]
# The memory after this time, when every buffer has had its first use, is compared with that at the end.
SETTLED_SECONDS = 120
# The growth of a process in an hour that counts as none: less than a picture of 1280 x 720 pixels with four bytes each.
FLAT_MIB = 3


def memories(process: int, name: str) -> dict[str, float]:
    """Returns the resident memory in MiB of a process and of its children, by their names."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text(encoding="utf-8")
        except OSError:
            continue
        parent = int(re.search(r"PPid:\s+(\d+)", status).group(1))
        size = re.search(r"VmRSS:\s+(\d+)", status)
        if size and process in (int(folder.name), parent):
            child = re.search(r"Name:\s+(\S+)", status).group(1)
            found[name if int(folder.name) == process else f"{name}'s {child}"] = int(size.group(1)) / 1024
    return found


def live(arguments):
    """Drives two apps for the time, and compares the memory."""
    with tempfile.TemporaryDirectory(prefix="iap2-proof-") as folder:
        drive(arguments, Facts(pathlib.Path(folder)), pathlib.Path(folder))


def drive(arguments, facts, folder):
    """Runs a session in a folder."""
    environment = dict(facts.environment_with_screen, XDG_STATE_HOME=str(folder))
    limit = arguments.minutes * 60
    head_unit = subprocess.Popen(
        [facts.iap2, "carplay", "headunit", "--once", "--driver", "--screen", "pipe:cat > /dev/null"],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    address = head_unit.stdout.readline().rsplit(None, 1)[-1]
    # What it prints must not fill a pipe.
    drain = subprocess.Popen(["cat"], stdin=head_unit.stdout, stdout=subprocess.DEVNULL)
    phone = subprocess.Popen(
        [facts.iap2, "carplay", "phone", "--connect", address, "--app", facts.navigation_app, "--app",
         facts.radio_app], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    try:
        began, count, early, seen = time.monotonic(), 0, None, {}
        while time.monotonic() - began < limit:
            time.sleep(1)
            if head_unit.poll() is not None or phone.poll() is not None:
                die(f"a side ended: {phone.stderr.read()[-500:] if phone.poll() is not None else 'the head unit'}")
            head_unit.stdin.write(ROUND[count % len(ROUND)] + "\n")
            head_unit.stdin.flush()
            count += 1
            if count % 60:
                continue
            # A decoder of the app's sound lives for a part of a round.
            seen = {name: size for name, size in
                    (memories(head_unit.pid, "head unit") | memories(phone.pid, "phone")).items() if "ffmpeg" not in name}
            if early is None and time.monotonic() - began >= min(SETTLED_SECONDS, limit / 4):
                early = seen
            say(f"{count} s: " + ", ".join(f"{name} {size:.1f} MiB" for name, size in sorted(seen.items())))
        head_unit.stdin.write("end: true\n")
        head_unit.stdin.flush()
        notes = phone.communicate(timeout=30)[1].strip()
        head_unit.wait(30)
    finally:
        for process in (phone, head_unit, drain):
            process.kill()
    print(f"{count} steps in {arguments.minutes:g} min, 1280 x 720 pixels")
    grown = {}
    for name, size in sorted((early or {}).items()):
        print(f"{name}: {size:.1f} MiB after {SETTLED_SECONDS} s, {seen.get(name, 0):.1f} MiB at the end")
        grown[name] = seen.get(name, 0) - size
    print(notes)
    if early is None or max(grown.values()) > FLAT_MIB * max(1, arguments.minutes / 60):
        die(f"memory grows: {grown}")
    if missing := set(early) - set(seen):
        die(f"ended before the session: {', '.join(sorted(missing))}")
