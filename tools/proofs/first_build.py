# SPDX-License-Identifier: Apache-2.0
"""The time of the first build of a fresh clone, for each module, and the chain of modules that determines its end."""

import dataclasses
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time

from .common import ROOT, die, say

# The share of the processor time below which modules have a common row.
SMALL = 0.01
OWN = "swift-iap2"


@dataclasses.dataclass
class Module:
    """The compilers of a module, from the first that was seen to the last. Times are seconds."""

    package: str
    first: float
    last: float
    used: float = 0


def module_of(words):
    """The package and the module that a process of a build compiles, from its command line; None for another process."""
    tool = os.path.basename(words[0])
    if tool in ("ld.gold", "ld", "ld.lld", "lld"):
        output = words[words.index("-o") + 1] if "-o" in words[:-1] else "?"
        return "linker", os.path.basename(output)
    source = next((word for word in words[1:] if word.endswith((".swift", ".c", ".cc", ".S"))), None)
    if source is None or not {"-frontend", "-cc1", "-cc1as", "-c"}.intersection(words):
        return None
    if source.endswith("Package.swift"):
        return "SwiftPM", "manifests"
    checkout = re.search(r"/checkouts/([^/]+)/(?:Sources/)?([^/]+)", source)
    package = checkout.group(1) if checkout else OWN
    if "-module-name" in words:
        return package, words[words.index("-module-name") + 1]
    return package, checkout.group(2) if checkout else "C"


def processes_below(parent):
    """The ids of all processes that `parent` has started, itself or through others."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text(encoding="utf-8")
                children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry))
            except OSError:
                pass  # It has ended.
    found, left = [], [parent]
    while left:
        found += (below := children.get(left.pop(), []))
        left += below
    return found


def watch(build, began):
    """The modules that a build compiles, by name, until it ends."""
    ticks = os.sysconf("SC_CLK_TCK")
    modules, seen = {}, {}
    while build.poll() is None:
        looked = time.monotonic() - began
        for process in processes_below(build.pid):
            try:
                words = pathlib.Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8").split("\0")
                stat = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except (OSError, UnicodeDecodeError):
                continue
            if found := module_of(words):
                package, name = found
                module = modules.setdefault(name, Module(package, looked, looked))
                module.last = looked
                # The last look at a process counts. What it used after that look is in the last row.
                used = (int(stat[11]) + int(stat[12])) / ticks
                module.used += used - seen.get(process, 0)
                seen[process] = used
        time.sleep(0.1)
    return modules


def needs_of(plan):
    """The modules that the compiler of each module reads, from a plan of SwiftPM."""
    needs, inputs = {}, []
    for line in plan.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if line.startswith("inputs: "):
            inputs = json.loads(line.removeprefix("inputs: "))
        elif line.startswith("args: ") and (found := re.search(r'"-module-name","([^"]+)"', line)):
            needs.setdefault(found.group(1), set()).update(
                pathlib.Path(path).stem for path in inputs if path.endswith(".swiftmodule"))
    return needs


def chain(modules, needs):
    """The modules that determined the end of the build: each waited for the one before it."""
    compiled = [name for name in modules if name in needs]
    if not compiled:
        return []
    found = [max(compiled, key=lambda name: modules[name].last)]
    while before := [name for name in needs[found[-1]] if name in modules and name in needs and name not in found]:
        found.append(max(before, key=lambda name: modules[name].last))
    return found[::-1]


def rows(modules, total):
    """Lines of a Markdown table, the modules with most processor time first."""
    lines = ["| Module | Package | From | To | CPU time |", "|---|---|---|---|---|"]
    small = [module for module in modules.values() if module.used < SMALL * total]
    for name, module in sorted(modules.items(), key=lambda item: -item[1].used):
        if module.used >= SMALL * total:
            lines.append(f"| `{name}` | {module.package} | {module.first:.0f} s | {module.last:.0f} s | "
                         f"{module.used:.0f} s |")
    if small:
        used = sum(module.used for module in small)
        lines.append(f"| {len(small)} others | | {min(module.first for module in small):.0f} s | "
                     f"{max(module.last for module in small):.0f} s | {used:.0f} s |")
    rest = total - sum(module.used for module in modules.values())
    return [*lines, f"| SwiftPM and the rest | | | | {rest:.0f} s |"]


def packages(modules, total):
    """Lines of a Markdown table with the processor time of each package."""
    used = {}
    for module in modules.values():
        used[module.package] = used.get(module.package, 0) + module.used
    return ["| Package | CPU time | Share |", "|---|---|---|",
            *(f"| {name} | {seconds:.0f} s | {100 * seconds / total:.0f} % |"
              for name, seconds in sorted(used.items(), key=lambda item: -item[1]))]


def first_build(arguments):
    folder = tempfile.mkdtemp(prefix="iap2-first-build-", dir=ROOT.parent)
    build = None
    try:
        clone = pathlib.Path(folder) / "swift-iap2"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        command = ["tools/test", "--filter", "NoTestHasThisName"] if arguments.tests else ["tools/iap2", "--version"]
        say(f"a fresh clone runs {' '.join(command)}")
        began = time.monotonic()
        with open(f"{folder}/log", "wb") as log:
            build = subprocess.Popen(command, cwd=clone, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            modules = watch(build, began)
        seconds = time.monotonic() - began
        # With --tests no test has the name, which has a status of its own.
        if build.returncode not in ((0, 69) if arguments.tests else (0,)):
            text = pathlib.Path(f"{folder}/log").read_text(encoding="utf-8", errors="replace")
            die(f"the build ended with {build.returncode}:\n" + "\n".join(text.splitlines()[-10:]), 70)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = usage.ru_utime + usage.ru_stime
        cores = os.cpu_count() or 1
        print(f"`{' '.join(command)}` in a fresh clone: {seconds:.0f} s, {total:.0f} s of CPU time, {cores} cores, used "
              f"for {100 * total / seconds / cores:.0f} %\n")
        print("\n".join([*packages(modules, total), "", *rows(modules, total), ""]))
        plan = clone / ".build" / ("debug.yaml" if arguments.tests else "release.yaml")
        steps = [f"`{name}` {modules[name].first:.0f}–{modules[name].last:.0f} s"
                 for name in chain(modules, needs_of(plan))]
        print(f"The chain that determined the end: {' → '.join(steps)}")
    finally:
        if build and build.poll() is None:
            build.terminate()
            build.wait()
        shutil.rmtree(folder, ignore_errors=True)
