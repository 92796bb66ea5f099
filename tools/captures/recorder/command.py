# SPDX-License-Identifier: Apache-2.0
"""The command line of `tools/captures/record`."""
from __future__ import annotations

import importlib
import sys
from pathlib import Path

from . import ROOT

KINDS = ["formats", "explained", "failures", "sessions"]
STEADY = ["formats", "explained"]  # the kinds that have the same bytes each time
USAGE, INTERRUPTED = 64, 130


class Failure(Exception):
    """A reason, in one line, why a capture could not be recorded."""


def differing(files: dict[str, bytes], folder: Path) -> list[str]:
    """Returns the files that are missing or have another content."""
    return [name for name, data in files.items()
            if not (folder / name).is_file() or (folder / name).read_bytes() != data]


def write(files: dict[str, bytes], folder: Path) -> None:
    """Writes the files."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def run(kinds: list[str], iap2: str, checks: bool) -> int:
    """Records captures, or compares them. Returns the exit status."""
    wrong, count = [], 0
    for kind in kinds:
        files = importlib.import_module(f"recorder.{kind}").files(iap2)
        count += len(files)
        if checks:
            wrong += differing(files, ROOT / "captures")
        else:
            write(files, ROOT / "captures")
    for name in wrong:
        print(f"captures/{name}: differs from what is played; tools/captures/record {name.split('/')[0]}")
    print(f"{count} captures")
    return 1 if wrong else 0


def main(arguments: list[str], text: str) -> int:
    """Reads the command line. Returns the exit status."""
    iap2, checks, kinds = str(ROOT / "tools/iap2"), False, []
    rest = iter(arguments)
    for word in rest:
        if word in ("-h", "--help"):
            print(text.strip())
            return 0
        if word == "--check":
            checks = True
        elif word == "--iap2":
            iap2 = next(rest, "")
        else:
            kinds.append(word)
    bad = [kind for kind in kinds if kind not in (STEADY if checks else KINDS)]
    if bad or not kinds or not iap2:
        what = f"{bad[0]} cannot be {'compared' if checks else 'recorded'}" if bad else (
            "--iap2 needs a file" if not iap2 else "a kind is missing")
        print(f"record: {what}; tools/captures/record --help names the kinds", file=sys.stderr)
        return USAGE
    try:
        return run(kinds, iap2, checks)
    except (Failure, OSError) as failure:
        print(f"record: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
