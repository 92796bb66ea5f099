# SPDX-License-Identifier: Apache-2.0
"""The captures of captures/failures to which the roles of this project can be brought, played by `iap2 run`.

They are played in virtual time: only the challenge and its signature are new each time.
"""
from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

SCENARIOS = {
    "identification-rejected": """
name: rejected
summary: A phone turns down power messages without a USB component.
headUnit: {profile: accessory.yaml}
steps:
  - expect: {headUnit: disconnected}
""",
    "ended.burst": """
name: impatient
summary: A car that resets when messages come too fast.
headUnit: {profile: impatient-car}
steps:
  - expect: {headUnit: disconnected}
""",
    "carplay-not-offered": """
name: no-offer
summary: CarPlay is off on the phone.
headUnit: {features: [carPlay, power]}
phone: {carPlay: false}
steps:
  - expect: {headUnit: powerChanged}
  - wait: 1
""",
    "session-closed": """
name: closed
summary: An app opens a protocol, exchanges some bytes and leaves.
headUnit: {features: none, protocols: {com.example.echo: echo}}
steps:
  - expect: {headUnit: identified}
  - phone: {open: com.example.echo}
  - phone: {write: {protocol: com.example.echo, bytes: 64}}
  - wait: 1
  - phone: {close: com.example.echo}
  - wait: 1
""",
}

REJECTED = """
name: power-over-bluetooth
identification:
  name: Speaker
  sends: ["AE00", "AE02"]
  receives: ["AE01"]
  bluetooth: Bluetooth
"""
TITLE = b"# Played by `iap2 run`; the scenario is in tools/captures/recorder.\n"


def play(iap2: str, scenario: str) -> bytes:
    """Plays a scenario and returns its capture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scenario.yaml").write_text(scenario, encoding="utf-8")
        (folder / "accessory.yaml").write_text(REJECTED, encoding="utf-8")
        # A scenario may fail: that is what is recorded.
        subprocess.run([iap2, "run", str(folder / "scenario.yaml"), "--capture", str(folder / "capture.txt")],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        # The capture ends before the scenario closes the transport, which no step of the session needs.
        return TITLE + (folder / "capture.txt").read_bytes().replace(b"# disconnected: transportClosed\n", b"")


def files(iap2: str) -> dict[str, bytes]:
    """Returns the content of each capture."""
    return {f"{name}.txt": play(iap2, scenario) for name, scenario in SCENARIOS.items()}
