# SPDX-License-Identifier: Apache-2.0
"""What several proofs use."""

import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def say(text):
    print(f"proof: {text}", file=sys.stderr, flush=True)


def die(text, code=1):
    say(text)
    sys.exit(code)


def build(arguments, tree=ROOT, output=None):
    """Builds with the functions of tools/shell, in this checkout or in a copy of it. The output goes to stderr by
    default. Returns the process."""
    text = ('root=$1; source "$2/tools/shell/setup.sh"; source "$2/tools/shell/build.sh"; set_up_tests; '
            'swift_build "$root/.build" "${@:3}"')
    return subprocess.run(["bash", "-c", text, "tools/proof", str(tree), str(ROOT), *arguments], cwd=tree,
                          stdin=subprocess.DEVNULL, stdout=output or sys.stderr, text=True)


def build_program(name):
    """Builds a program of the package in release mode. Returns its path."""
    say(f"building {name}")
    if build(["-c", "release", "--product", name]).returncode:
        die(f"{name} was not built, see above", 70)
    return str(ROOT / ".build" / "release" / name)


def command_of(arguments):
    """The command `iap2`: the one that an option names, or that of this checkout."""
    if arguments.iap2:
        return [arguments.iap2]
    tool = str(ROOT / "tools" / "iap2")
    subprocess.run([tool, "--version"], stdout=subprocess.DEVNULL, check=True)
    return [str(ROOT / ".build" / "release" / "iap2")]


def kill_tree(number):
    """Kills a process that this script started, and its descendants, which may be in other groups."""
    children = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(status.read_text(errors="replace").rsplit(")", 1)[1].split()[1]) == number:
                children.append(int(status.parent.name))
        except (OSError, IndexError):
            continue  # it has ended meanwhile
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for child in children:
        kill_tree(child)
