# SPDX-License-Identifier: Apache-2.0
"""What several checks read: the sources, the package, the built library and the built command.

A fact is read when a check first asks for it, once in a run, also if checks in several threads ask at the same time.
"""
from __future__ import annotations

import concurrent.futures
import functools
import json
import os
import pathlib
import subprocess
import threading
from typing import Any, Callable

from .index_store import IndexStore
from .markdown import Page
from .report import Failure

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What defines `build_library`, `install_packages` and the other functions of the scripts.
SHELL = "tools/shell/common.sh"
PLAN = ".build/debug.yaml"
INDEX = ".build/debug/index/store"
EXTRACT = ["swift", "symbolgraph-extract", "-minimum-access-level", "public", "-skip-synthesized-members",
           "-emit-extension-block-symbols"]
# The tests of the shapes, and what they import beside the shapes.
SHAPES_TESTS, SHAPES_HELPERS = "ShapesTests", {"Basics", "CarSupport", "PortingSupport"}


def fact(method: Callable[[Any], Any]) -> property:
    """Makes a method a property that is computed once. A failure is kept too."""
    @functools.wraps(method)
    def read(self):
        with self.guard:
            lock = self.locks.setdefault(method.__name__, threading.RLock())
        with lock:
            if method.__name__ not in self.known:
                try:
                    self.known[method.__name__] = method(self), None
                except Failure as failure:
                    self.known[method.__name__] = None, failure
            value, failure = self.known[method.__name__]
        if failure:
            raise failure
        return value
    return property(read)


def run(*command: str, root: pathlib.Path = ROOT, **options) -> subprocess.CompletedProcess:
    """Runs a command in the checkout. If it cannot run or fails, that is a `Failure`, with what it printed."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    try:
        done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, check=False, **options)
    except OSError as error:
        advice = "; install Swift 6.2 or later and put it in PATH" if command[0] in ("swift", "swiftc") else ""
        raise Failure(f"{command[0]} cannot be run: {error.strerror}{advice}") from None
    if done.returncode:
        said = ((done.stderr or b"") + (done.stdout or b"")).decode(errors="replace").strip()
        raise Failure(f"'{' '.join(map(str, command[:3]))}' ended with {done.returncode}"
                      + (f":\n{said[-4000:]}" if said else "; its messages are above"))
    return done


class Facts:
    """The facts of one run. `root` is the checkout; `scratch` is a folder for files of this run."""

    def __init__(self, scratch: pathlib.Path, root: pathlib.Path = ROOT):
        self.scratch, self.root = scratch, root
        self.guard, self.locks, self.known = threading.Lock(), {}, {}
        # SwiftPM builds one thing at a time in a folder.
        self.building = threading.Lock()
        self.texts: dict[str, str | None] = {}
        self.pages: dict[str, Page] = {}

    def remove_scratch(self) -> None:
        """Removes the files of this run. There may be many, for which the program is faster than Python."""
        subprocess.run(["rm", "-rf", str(self.scratch)], check=False)

    def folder(self, name: str) -> pathlib.Path:
        """Returns a new folder for the files of a check."""
        made = self.scratch / name
        made.mkdir(parents=True, exist_ok=True)
        return made

    # The sources

    @fact
    def files(self) -> list[str]:
        """The files of the checkout that Git knows or would add."""
        listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", root=self.root).stdout
        return sorted({name for name in listed.decode().split("\0") if name and (self.root / name).is_file()})

    def below(self, folder: str, ending: str) -> list[str]:
        """Returns the files below a folder whose names end so."""
        return [name for name in self.files if name.startswith(folder + "/") and name.endswith(ending)]

    def text(self, file: str) -> str | None:
        """Returns the text of a file, or None if it is missing or no text."""
        if file not in self.texts:
            try:
                data = (self.root / file).read_bytes()
                self.texts[file] = None if b"\0" in data else data.decode()
            except (OSError, UnicodeDecodeError):
                self.texts[file] = None
        return self.texts[file]

    def needed_text(self, file: str) -> str:
        """Returns the text of a file that must exist."""
        text = self.text(file)
        if text is None:
            raise Failure(f"{file} does not exist or is no text")
        return text

    def page(self, file: str) -> Page:
        """Returns the anchors of a Markdown file."""
        if file not in self.pages:
            self.pages[file] = Page(self.text(file) or "")
        return self.pages[file]

    def write(self, file: str, text: str) -> None:
        """Writes a file of the checkout."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.texts[file] = text
        self.pages.pop(file, None)

    # The package

    @fact
    def package(self) -> dict:
        """Package.swift, as SwiftPM prints it."""
        return json.loads(run("swift", "package", "dump-package", root=self.root).stdout)

    @fact
    def libraries(self) -> list[str]:
        """The modules that library products are named after, in the order of Package.swift.

        Shapes come with CarPlay.
        """
        return [product["name"] for product in self.package["products"]
                if "library" in product["type"] and product["name"] in product["targets"]]

    @fact
    def needed_libraries(self) -> dict[str, list[str]]:
        """Each library with all libraries that it depends on; a library comes after those it depends on."""
        direct = {target["name"]: [next(iter(dependency.values()))[0] for dependency in target["dependencies"]]
                  for target in self.package["targets"]}
        ordered: dict[str, list[str]] = {}

        def add(name: str) -> list[str]:
            if name not in ordered:
                needed = []
                for other in direct[name]:
                    if other in self.libraries:
                        needed += [*add(other), other]
                ordered[name] = list(dict.fromkeys(needed))
            return ordered[name]

        for name in self.libraries:
            add(name)
        return ordered

    @fact
    def target_folders(self) -> dict[str, str]:
        """The folder of each target, by its name."""
        return {target["name"]: target["path"] for target in self.package["targets"]}

    @fact
    def shapes(self) -> set[str]:
        """The modules with parts of Apple's frameworks, which ShapesTests tests."""
        tests = next(target for target in self.package["targets"] if target["name"] == SHAPES_TESTS)
        return dependencies_of(tests) - SHAPES_HELPERS

    @fact
    def toolchain(self) -> dict:
        """The paths and the target of the compiler in PATH."""
        return json.loads(run("swift", "-print-target-info", root=self.root).stdout)

    # The built library

    def shell(self, script: str) -> str:
        """Runs functions of the scripts, shows their messages, and returns what they print."""
        text = f'root=$PWD; source {SHELL}; {script}'
        return run("bash", "-euo", "pipefail", "-c", text, "check", root=self.root, stderr=None).stdout.decode()

    @fact
    def library(self) -> pathlib.Path:
        """The folder of the debug build, which this builds."""
        with self.building:
            self.shell("build_library")
        return self.root / ".build/debug"

    @fact
    def plan(self) -> list[str]:
        """The lines of the plan of the debug build."""
        _ = self.library
        if not (self.root / PLAN).is_file():
            raise Failure(f"{PLAN} does not exist, so the flags of the modules are unknown. This SwiftPM has another "
                          "layout: adapt `flags_of` in tools/checks/facts.py")
        return (self.root / PLAN).read_text(encoding="utf-8").split("\n")

    def flags_of(self, module: str) -> list[str]:
        """Returns the flags of a module that its importers need too: the places of modules, and the target."""
        for line in self.plan:
            if f'"-module-name","{module}","-emit-dependencies"' not in line:
                continue
            arguments = iter(json.loads(line.partition(":")[2]))
            flags = []
            for argument in arguments:
                if argument in ("-I", "-target", "-Xcc", "-sdk"):
                    flags += [argument, next(arguments)]
                elif argument.startswith("-I"):
                    flags.append(argument)
            return flags
        raise Failure(f"{PLAN} does not compile {module}")

    @fact
    def graphs(self) -> dict[str, pathlib.Path]:
        """The folder with the symbol graphs of each library and each shape."""
        modules = sorted({*self.libraries, *self.shapes})
        _ = self.plan

        def extract(module: str) -> tuple[str, pathlib.Path]:
            folder = self.folder(f"graphs/{module}")
            run(*EXTRACT, "-module-name", module, "-output-dir", str(folder), *self.flags_of(module), root=self.root)
            if not (folder / f"{module}.symbols.json").is_file():
                raise Failure(f"'swift symbolgraph-extract' wrote no symbol graph of {module}")
            return module, folder

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(pool.map(extract, modules))

    @fact
    def index(self) -> IndexStore | None:
        """The index of the debug build as it is, or None without one."""
        folder = self.root / INDEX
        return IndexStore(folder, self.toolchain) if folder.is_dir() else None

    def index_of_all(self, files: list[str]) -> tuple[IndexStore, dict[str, str]]:
        """Returns the index, and the record of each file in it. Builds the package if a file is newer."""
        for built in (False, True):
            found = {os.path.relpath(path, self.root): entry
                     for path, entry in (self.index.files() if self.index else {}).items()}
            old = [file for file in files if file not in found
                   or found[file][0] < (self.root / file).stat().st_mtime_ns]
            if not old:
                return self.index, {file: found[file][1] for file in files if found[file][1]}
            if not built:
                _ = self.library
                self.known.pop("index", None)
        raise Failure(f"the build has not written the index of {old[0]}; remove {INDEX} and build again")

    # The built command

    @fact
    def iap2(self) -> str:
        """The path of the command's release build, which this builds."""
        with self.building:
            run("tools/iap2", "--version", root=self.root, stderr=None)
        return str(self.root / ".build/release/iap2")

    def ask(self, *arguments: str) -> str:
        """Returns what the command prints."""
        return run(self.iap2, *arguments, root=self.root).stdout.decode()

    @fact
    def help(self) -> dict:
        """The help of the command and its subcommands."""
        return json.loads(self.ask("--experimental-dump-help"))["command"]

    @fact
    def dissector(self) -> pathlib.Path:
        """A file with the dissector that `iap2 wireshark` prints."""
        file = self.scratch / "iap2.lua"
        file.write_text(self.ask("wireshark"), encoding="utf-8")
        return file

    @fact
    def screen_program(self) -> str:
        """The path of the program that draws, which this builds."""
        with self.building:
            return run("tools/screen-program", root=self.root, stderr=None).stdout.decode().strip()

    @fact
    def environment_with_screen(self) -> dict[str, str]:
        """The environment of a command that draws pictures."""
        return dict(os.environ, IAP2_SCREEN=self.screen_program)

    @fact
    def navigation_app(self) -> str:
        """The path of a sample app with a map, which this builds."""
        with self.building:
            return self.shell("build_sample_app navigation-app").strip()

    @fact
    def radio_app(self) -> str:
        """The path of a sample app that plays, which this builds."""
        with self.building:
            return self.shell("build_sample_app radio-app").strip()


def dependencies_of(target: dict) -> set[str]:
    """Returns the names of the targets of the same package that a target of `Facts.package` depends on."""
    return {value[0] for dependency in target["dependencies"] for kind, value in dependency.items()
            if value and kind in ("byName", "target")}
