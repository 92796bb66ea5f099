# SPDX-License-Identifier: Apache-2.0
"""tshark with the dissector that `iap2 wireshark` prints shows the same as `iap2 decode`."""
from __future__ import annotations

import os
import shutil
import subprocess

from .dissector.carplay import compare_sessions
from .dissector.compare import compare
from .facts import Facts
from .report import Failure, Report

# These files are not input for a decoder of link bytes (captures/README.md).
OTHER_LAYERS = (".csm.txt",)
# A capture that both copies of the dissector must read, and a message in it.
SAMPLE, MESSAGE = "captures/formats/usbmon.pcap", "AuthenticationCertificate"


def installed_faults(facts: Facts) -> list[str]:
    """Returns the faults of a dissector that `--install` writes, alone and beside another copy."""
    home = facts.folder("wireshark-home")
    environment = dict(os.environ, HOME=str(home))
    subprocess.run([facts.iap2, "wireshark", "--install"], env=environment, stdout=subprocess.DEVNULL, check=True)
    faults = []
    fields = subprocess.run(["tshark", "-G", "fields"], env=environment, capture_output=True, text=True, check=False)
    if "\tiap2.message.id\t" not in fields.stdout:
        faults.append("tshark does not read the dissector that was installed")
    # Wireshark reads the dissector of the user and that of the Debian package. Both together are one.
    both = subprocess.run(
        ["tshark", "-X", f"lua_script:{facts.dissector}", "-r", str(facts.root / SAMPLE), "-Y", "iap2.message"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    if "Lua:" in both or MESSAGE not in both:
        faults.append(f"tshark does not read two copies of the dissector as one: {both[:2000]}")
    return faults


def other_captures(facts: Facts) -> list[tuple[str, str]]:
    """Returns name and path of captures in other formats, converted to text, without those that have no link bytes."""
    folder, found = facts.folder("wireshark-texts"), []
    for part in ("formats", "sessions", "failures"):
        for file in facts.below(f"captures/{part}", ""):
            path = facts.root / file
            if path.parent.name != part:
                continue
            text = folder / f"{part}-{path.name}.txt"
            if part == "failures" and path.suffix == ".pcap" and subprocess.run(
                    [facts.iap2, "decode", "--summary", str(path)], capture_output=True, check=False).returncode:
                continue
            # What of a capture is no iAP2, the command reports on standard error.
            subprocess.run([facts.iap2, "convert", str(path), str(text)], check=True, capture_output=True)
            found.append((text.name, str(text)))
    return found


def session_captures(facts: Facts) -> list[tuple[str, str, str]]:
    """Returns name, path and key log of the captures of CarPlay sessions."""
    found = []
    for file in facts.below("captures/carplay", ".pcap"):
        keys = (facts.root / file).with_suffix(".keys")
        if keys.exists():
            found.append((file.removesuffix(".pcap"), str(facts.root / file), str(keys)))
    return found


def check(facts: Facts) -> Report:
    """Compares tshark with the command, for captures, every message, CarPlay sessions, and damaged variants."""
    if not shutil.which("tshark"):
        facts.shell("install_packages tshark")
    if not shutil.which("tshark"):
        raise Failure("tshark is not installed and could not be; as root run: apt-get install tshark")
    faults = installed_faults(facts)
    captures = [(file, str(facts.root / file)) for part in ("real", "synthetic")
                for file in facts.below(f"captures/{part}", ".txt") if not file.endswith(OTHER_LAYERS)]
    # Captures in other formats are compared by their link bytes alone. The others also test the transports.
    differences, counts = compare(facts.iap2, str(facts.dissector), captures, other_captures(facts),
                                  str(facts.folder("wireshark-frames")))
    others, more = compare_sessions(facts.iap2, str(facts.dissector), session_captures(facts),
                                    str(facts.folder("wireshark-sessions")))
    counts |= more
    faults += differences[:40] + others[:40]
    return Report(faults, ", ".join(f"{count} {what}" for what, count in counts.items()))
