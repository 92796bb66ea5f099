# SPDX-License-Identifier: Apache-2.0
"""Single faults, each of which a test must notice."""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from .common import ROOT, build, die, kill_tree, say

LIST = ROOT / "tools" / "data" / "mutations.txt"
AREAS = [
    "link", "session", "authentication", "identification", "lifecycle", "EA", "file", "HID", "captures", "CarPlay",
]
# Seconds after which a run is a hang, for the first tests of a mutation and for the whole suite. Without a mutation the
# slowest of the first tests take 20 s on two cores, the suite some minutes.
FILTER_SECONDS, SUITE_SECONDS = 120, 1200


@dataclasses.dataclass
class Mutation:
    number: int
    area: str
    path: str
    after: str = ""
    line: str = ""
    mutated: str = ""
    tests: str = ""
    sentence: str = ""

    @property
    def original(self):
        return self.line[self.line.index("«") + 1 : self.line.index("»")]

    @property
    def plain(self):
        return self.line.replace("«", "").replace("»", "")

    @property
    def is_statement(self):
        return self.line == f"«{self.original}»"

    def replaced(self):
        """The line with both forms, chosen by the number at run time."""
        if not self.is_statement:
            both = f"(activeMutation == {self.number} ? ({self.mutated}) : ({self.original}))"
            return self.line.replace(f"«{self.original}»", both)
        if not self.mutated:
            return f"if activeMutation != {self.number} {{ {self.original} }}"
        return f"if activeMutation == {self.number} {{ {self.mutated} }} else {{ {self.original} }}"


def read_mutations():
    mutations = []
    for count, text in enumerate(LIST.read_text(encoding="utf-8").splitlines(), 1):
        if not text or text.startswith("#"):
            continue
        try:
            if text[0] in "@-+?" and (text[1:2] in ("", " ")):
                key = {"@": "after", "-": "line", "+": "mutated", "?": "tests"}[text[0]]
                setattr(mutations[-1], key, text[2:].strip())
            elif text[0].isdigit():
                number, area, path = text.split(" ", 2)
                mutations.append(Mutation(int(number), area, path))
            else:
                mutations[-1].sentence = text
        except (IndexError, ValueError):
            die(f"{LIST.name}:{count}: cannot be read: {text}")
    for index, mutation in enumerate(mutations, 1):
        place = f"{LIST.name}: mutation {mutation.number}"
        if mutation.number != index:
            die(f"{place} stands at place {index}")
        if mutation.area not in AREAS:
            die(f"{place}: no area {mutation.area}")
        if not (mutation.line and mutation.tests and mutation.sentence):
            die(f"{place} has no line, no tests or no sentence")
        if mutation.line.count("«") != 1 or mutation.line.count("»") != 1:
            die(f"{place}: exactly one part of the line is marked with « and »")
        if mutation.original.startswith("."):
            die(f"{place}: the marked part is no expression, because what it is a member of stands before it")
        if not mutation.is_statement and not mutation.mutated:
            die(f"{place}: an expression needs another one in its place")
    return mutations


def place_of(mutation, lines):
    """Returns the index of a mutation's line, or an error text."""
    start = 0
    if mutation.after:
        places = [index for index, line in enumerate(lines) if line.strip() == mutation.after]
        if not places:
            return f"the line before it is gone: {mutation.after}"
        start = places[0] + 1
    places = [index for index in range(start, len(lines)) if lines[index].strip() == mutation.plain]
    if not places:
        return f"the line is gone: {mutation.plain}"
    if len(places) > 1 and not mutation.after:
        return f"the line occurs {len(places)} times: {mutation.plain}"
    return places[0]


def mutated_sources(mutations):
    """Returns the changed and added files by their names below the root."""
    originals, files = {}, {}
    for mutation in mutations:
        name = f"Sources/{mutation.path}"
        if name not in files:
            originals[name] = (ROOT / name).read_text(encoding="utf-8").split("\n")
            files[name] = list(originals[name])
        place = place_of(mutation, originals[name])
        if isinstance(place, str):
            die(f"{LIST.name}: mutation {mutation.number}: {name}: {place}")
        line = originals[name][place]
        if files[name][place] != line:
            die(f"{LIST.name}: mutation {mutation.number}: another one changes the same line")
        files[name][place] = line[: len(line) - len(line.lstrip())] + mutation.replaced()
    texts = {name: "\n".join(lines) for name, lines in files.items()}
    for module in sorted({"/".join(name.split("/")[:3]) for name in texts}):
        texts[f"{module}/ActiveMutation.swift"] = (
            "import Foundation\n\n"
            "/// The number of the mutation that is active in this process; 0 for none.\n"
            'let activeMutation = Int(ProcessInfo.processInfo.environment["IAP2_MUTATION"] ?? "") ?? 0\n'
        )
    return texts


def write_tree(tree, texts):
    """Makes `tree` a copy of the tracked files with other texts. Only files that differ are written."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
        check=True,
    ).stdout.decode().split("\0")
    contents = {name: (ROOT / name).read_bytes() for name in tracked if name and (ROOT / name).is_file()}
    resolved = ROOT / "Package.resolved"
    if resolved.is_file():
        contents["Package.resolved"] = resolved.read_bytes()
    contents.update({name: text.encode() for name, text in texts.items()})
    for folder in ("Sources", "Tests"):
        for old in (tree / folder).rglob("*") if (tree / folder).is_dir() else []:
            if old.is_file() and str(old.relative_to(tree)) not in contents:
                old.unlink()
    written = 0
    for name, content in contents.items():
        path = tree / name
        if path.is_file() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        # A new file: the old one may be a hard link that another tree has too.
        if path.exists():
            path.unlink()
        path.write_bytes(content)
        if name in tracked and os.access(ROOT / name, os.X_OK):
            path.chmod(0o755)
        written += 1
    return written


def run_limited(command, seconds, tree, number):
    """Runs a command in a process group of its own. Returns "passed", "failed" or "hang", and the output."""
    environment = dict(os.environ)
    environment.pop("SWIFT_DETERMINISTIC_HASHING", None)
    environment["IAP2_MUTATION"] = str(number)
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, cwd=tree, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment,
            start_new_session=True,
        )
        try:
            status = "passed" if process.wait(seconds) == 0 else "failed"
        except subprocess.TimeoutExpired:
            status = "hang"
            kill_tree(process.pid)
            process.wait()
        except BaseException:
            kill_tree(process.pid)
            raise
        log.seek(0)
        output = log.read().decode(errors="replace")
        # A test that failed before the limit caught the fault, whatever takes so long.
        return "failed" if status == "hang" and "recorded an issue" in output else status, output


def first_failure(output):
    """Returns the name of the first test that failed, or the kind of a crash."""
    for line in output.splitlines():
        found = re.search(r"Test (?:case passing .* to )?(\w+)\(.*(?:recorded an issue|failed after)", line)
        if found:
            return found.group(1)
    # A trap ends the process before its test reports anything.
    return "crash"


def count_tests(output):
    found = re.findall(r"Test run with (\d+) tests?", output)
    return sum(int(number) for number in found)


def mutations(arguments):
    every = read_mutations()
    numbers = {str(mutation.number) for mutation in every}
    wanted = set(arguments.only.split(",")) if arguments.only else numbers
    if unknown := wanted - numbers:
        die(f"--only: no mutation {', '.join(sorted(unknown))}; there are 1 to {len(every)}", 64)
    texts = mutated_sources(every)
    if arguments.check:
        return say(f"{len(every)} mutations, each line occurs")
    tree = pathlib.Path(arguments.tree or ROOT / ".build-mutations").resolve()
    if tree == ROOT:
        die("the mutated tree must not be this one", 64)
    tree.mkdir(parents=True, exist_ok=True)
    say(f"{write_tree(tree, texts)} files written to {tree}; building the tests with all mutations in them")
    began = time.monotonic()
    built = build(["--build-tests"], tree, subprocess.PIPE)
    if built.returncode != 0:
        die("the build failed:\n" + "\n".join(line for line in built.stdout.splitlines() if "error" in line), 70)
    say(f"built in {time.monotonic() - began:.0f} s")
    chosen = [mutation for mutation in every if str(mutation.number) in wanted]
    # `swift test` reads the whole package before each run, which takes longer than most tests.
    bundles = list((tree / ".build" / "debug").glob("*PackageTests.xctest"))
    if len(bundles) != 1:
        die(f"{len(bundles)} test programs in {tree / '.build/debug'}, expected one", 70)
    test = [str(bundles[0]), "--testing-library", "swift-testing"]
    filters = "|".join(sorted({mutation.tests for mutation in chosen}))
    status, output = run_limited(test + ["--filter", filters], SUITE_SECONDS, tree, 0)
    if status != "passed" or count_tests(output) == 0:
        die(f"the tests do not pass without a mutation ({status}, {count_tests(output)} tests):\n{output[-2000:]}")
    say(f"{count_tests(output)} tests pass without a mutation")
    caught = 0
    survivors = []
    for mutation in chosen:
        began = time.monotonic()
        status, output = run_limited(test + ["--filter", mutation.tests], arguments.limit, tree, mutation.number)
        by = mutation.tests
        if status == "passed" and not arguments.quick:
            status, output = run_limited(test, SUITE_SECONDS, tree, mutation.number)
            by = "whole suite"
        if status == "passed":
            survivors.append(mutation)
            result = "SURVIVED"
        else:
            caught += 1
            result = f"hang in {by}" if status == "hang" else first_failure(output)
            if by == "whole suite":
                result += " (whole suite)"
        seconds = time.monotonic() - began
        print(f"{mutation.number:3} {mutation.area:15} {result:60} {seconds:5.0f} s", flush=True)
    for mutation in survivors:
        print(f"not caught: {mutation.number} {mutation.path}: {mutation.sentence}")
    print(f"{caught} of {len(chosen)} mutations caught")
    sys.exit(0 if not survivors else 1)
