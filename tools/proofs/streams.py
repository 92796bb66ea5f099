# SPDX-License-Identifier: Apache-2.0
"""A stream between two processes for a long time."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

from .common import command_of, die, say


def block(number):
    """64 KiB of the stream that no other block has."""
    return hashlib.shake_128(number.to_bytes(8, "big")).digest(1 << 16)


def memory(process):
    """The resident memory of a process in MiB."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024


def streams(arguments):
    command = command_of(arguments)
    folder = tempfile.mkdtemp(prefix="iap2-proof-")
    address = f"{folder}/iap2.sock"
    window = ["--link", "max-outstanding=32,max-length=65535"]
    faults = ["--fault", arguments.fault] if arguments.fault else []
    seed = ["--seed", "1"] if arguments.fault else []
    head_unit = subprocess.Popen(
        command + ["headunit", "--transport", f"unix-listen:{address}", "--once", "--external-accessory",
                   "com.example.echo=echo"] + window,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    bridge = None
    try:
        while not os.path.exists(address):
            if head_unit.poll() is not None:
                die("the head unit did not start")
            time.sleep(0.05)
        bridge = subprocess.Popen(
            command + ["bridge", "--transport", f"unix:{address}", "--once", "--protocol", "com.example.echo",
                       "--stdio"] + window + faults + seed,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        sent = [0]
        writer_is_done = threading.Event()

        def write():
            while time.monotonic() - began < arguments.minutes * 60:
                try:
                    bridge.stdin.write(block(sent[0]))
                except BrokenPipeError:
                    break
                sent[0] += 1
            writer_is_done.set()
            bridge.stdin.close()

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        received = 0
        # Memory is compared with that after the start, when every buffer has had its first use.
        early = late = None
        settled, next_look, next_report = min(30, arguments.minutes * 15), began, began + 60
        while True:
            piece = bridge.stdout.read(1 << 16)
            if not piece:
                break
            if piece != block(received)[: len(piece)] or len(piece) != 1 << 16:
                die(f"the stream differs in block {received} of 64 KiB")
            received += 1
            now = time.monotonic()
            if now >= next_look and not writer_is_done.is_set():
                next_look = now + 1
                late = memory(head_unit), memory(bridge)
                if early is None and now - began >= settled:
                    early = late
            if now >= next_report:
                next_report = now + 60
                say(f"{(now - began) / 60:.0f} min, {received / 16:.0f} MiB each way, memory {late[0]:.0f} and "
                    f"{late[1]:.0f} MiB")
        seconds = time.monotonic() - began
        writer.join(10)
        status = bridge.wait(60), head_unit.wait(60)
        if received != sent[0]:
            die(f"{sent[0]} blocks of 64 KiB were sent and {received} came back")
        if any(status):
            die(f"the exit codes are {status}")
        print(f"{received / 16:.0f} MiB each way in {seconds / 60:.1f} min, {received / 16 / seconds:.1f} MiB/s, every "
              f"byte as sent" + (f"; faults: {arguments.fault}" if arguments.fault else ""))
        if early:
            print(f"memory of head unit and bridge: {early[0]:.1f} and {early[1]:.1f} MiB after {settled:.0f} s, "
                  f"{late[0]:.1f} and {late[1]:.1f} MiB at the end")
    finally:
        for process in (bridge, head_unit):
            if process and process.poll() is None:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)
