# SPDX-License-Identifier: Apache-2.0
"""captures/sessions: small sessions of this project's own two roles, one for each of their transports.

With them comes captures/failures/authentication-failed.txt, the same session with an accessory of another authority.
Sessions of two processes contain the time of day at which they were recorded.
"""
from __future__ import annotations

import re
import subprocess
import tempfile
import time
from pathlib import Path

from common.places import CERTIFICATE, KEY

from .command import Failure

SCENARIO = """
name: small
summary: Power, a song and some bytes over a protocol.
headUnit:
  features: [power, nowPlaying]
  protocols: {com.example.echo: echo}
phone:
  battery: {level: 42}
  queue: [{title: A Song, artist: A Band, seconds: 200, artwork: 100}]
steps:
  - expect: {headUnit: identified}
  - expect: {headUnit: nowPlaying, values: {MediaItemTitle: A Song}}
  - phone: {exchange: {protocol: com.example.echo, bytes: 100}}
  - phone: disconnect
  - expect: {headUnit: disconnected}
"""
LIMIT = 60  # seconds for each side


def peer_address(log: str) -> str | None:
    """Returns the address for the phone from what the listening head unit printed."""
    found = re.search(r"waiting at (\S+)", log)
    if not found:
        return None
    address = found[1].replace("tcp-listen:", "tcp:").replace("unix-listen:", "unix:")
    return f"serial:{address}" if address.startswith("/dev/") else address


def record(iap2: str, folder: Path, ending: str, listening: str, *options: str, fails: bool = False) -> bytes:
    """Plays both roles, of which the head unit listens and writes the capture. Returns the capture.

    With `fails` the session must fail, otherwise it must meet its scenario.
    """
    capture, log = folder / f"capture{ending}", folder / "log"
    command = [iap2, "headunit", "--transport", listening, "--once", "--capture", str(capture), "--scenario",
               str(folder / "small.yaml"), *options]
    with open(log, "wb") as errors, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors) as head_unit:
        try:
            end = time.monotonic() + LIMIT
            while not (address := peer_address(log.read_text(encoding="utf-8"))):
                if head_unit.poll() is not None or time.monotonic() > end:
                    raise Failure(f"iap2 headunit --transport {listening} does not listen: "
                                  + log.read_text(encoding="utf-8").strip())
                time.sleep(0.1)
            subprocess.run([iap2, "phone", "--transport", address, "--once", "--scenario", str(folder / "small.yaml")],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=False, timeout=LIMIT)
            if (head_unit.wait(LIMIT) != 0) != fails:
                raise Failure(f"iap2 headunit --transport {listening} ended with {head_unit.returncode}: "
                              + log.read_text(encoding="utf-8").strip())
        except subprocess.TimeoutExpired as error:
            raise Failure(f"a side did not end after {LIMIT} s: {' '.join(map(str, error.cmd[:2]))}") from None
        finally:
            head_unit.kill()
    return capture.read_bytes()


def in_one_process(iap2: str, folder: Path) -> bytes:
    """Plays both roles in memory. Returns the capture."""
    capture = folder / "loopback.pcapng"
    done = subprocess.run([iap2, "run", str(folder / "small.yaml"), "--capture", str(capture)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failure(f"iap2 run ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return capture.read_bytes()


def files(iap2: str) -> dict[str, bytes]:
    """Returns the content of each capture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "small.yaml").write_text(SCENARIO.lstrip(), encoding="utf-8")
        return {
            "sessions/loopback.pcapng": in_one_process(iap2, folder),
            "sessions/tcp.pcapng": record(iap2, folder, ".pcapng", "tcp-listen:127.0.0.1:0"),
            "sessions/unix.btsnoop": record(iap2, folder, ".btsnoop", f"unix-listen:{folder}/link.sock"),
            "sessions/pty.txt": record(iap2, folder, ".txt", "pty"),
            "failures/authentication-failed.txt": record(
                iap2, folder, ".txt", "tcp-listen:127.0.0.1:0", "--certificate", str(CERTIFICATE), "--key", str(KEY),
                fails=True),
        }
