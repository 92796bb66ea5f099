# SPDX-License-Identifier: Apache-2.0
"""The imports of every source file keep to the layers and the dependencies that Package.swift declares.

Faults are: an import that points up; an import of a target, a package or a system module that Package.swift or the
layer does not give; a dependency that no file imports; a product of another package for a target that must not have it;
a `package` declaration of another layer that is used and not listed, or listed and not used; a target that must build
alone and needs another package; a command with more lines than its limit; a picture of the layers that is out of date;
folders of a target that need each other.

The list is tools/data/package-uses.txt: a layer that uses a `package` declaration of another layer uses what programs
outside this package cannot. A line is added on purpose, or the declaration becomes public. Members of a `package` type
stand there as the type. `--write` writes the list and the picture.

The folders of a target are floors: where a file of one folder uses a declaration of another one, the second folder uses
nothing of the first, directly or through others. The files beside the folders are a floor, too.

The uses come from the index that the compiler writes during a debug build. If a source is newer than the index, the
package is built first. The index does not have: code that this build leaves out (`#if`), and calls of a `package`
member through a public requirement of a protocol. The modifiers of a declaration must stand on the line of its name.
"""
from __future__ import annotations

import re
from collections.abc import Iterator

from . import index_store
from .facts import Facts
from .report import Report
from .swift_source import code_of, imports_of

# Bottom first.
LAYERS = ["Protocol", "Transport", "Live", "Laboratory", "Apps", "Tools"]
LIST = "tools/data/package-uses.txt"
# Programs that decode files, open USB devices or port sources build neither SwiftNIO nor the crypto library.
ALONE = ["IAP2Capture", "IAP2Analysis", "IAP2USB", "SourcePorting"]
# The limit of lines of Swift in the command. It keeps arguments, words and exit codes; logic belongs to the libraries,
# where programs without the command and tests without a process reach it.
COMMAND, COMMAND_LINES = "iap2", 7000
# The modules of the toolchain and the system that each layer may import. What a target imports from another package
# must be a product that Package.swift gives it: the compiler accepts every module that any target has built.
SYSTEM = {
    "Protocol": set(),
    "Transport": {"Dispatch", "Foundation", "Glibc", "Synchronization"},
    "Live": {"Synchronization"},
    "Laboratory": {"Foundation", "FoundationXML", "Synchronization"},
    "Apps": {"CoreFoundation", "Dispatch", "Foundation", "Glibc", "Synchronization"},
    "Tools": {"CoreFoundation", "Dispatch", "Foundation", "Glibc", "Synchronization"},
}
# The products of other packages that a target may have. No other target below Sources has any.
PRODUCTS = {
    "CarPlayLive": {"NIOCore", "NIOPosix"},
    "IAP2Sockets": {"NIOCore", "NIOPosix"},
    "Lab": {"NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"},
    "YAMLForms": {"Yams"},
    "iap2": {"ArgumentParser"},
    "iap2-benchmark": {"ArgumentParser"},
    "iap2-port": {"ArgumentParser"},
    "iap2-screen": {"ArgumentParser"},
    "CarPlayCommand": {"ArgumentParser"},
    "CommandSupport": {"ArgumentParser"},
    "ConformanceCommand": {"ArgumentParser"},
    "PortCommand": {"ArgumentParser"},
    "RunReports": {"ArgumentParser"},
}
SYSTEM_OF_TARGETS = {
    # The context of a cipher is shared by copies of its key.
    "Cryptography": {"Synchronization"},
    # The places of an app's code that a report names come from backtraces.
    "CarPlayPlatform": {"Runtime"},
    # A failed step of a car is an issue of the running test.
    "CarPlayTesting": {"Testing"},
    # The clang module that has the structure `stat`.
    "CommandSupport": {"CDispatch"},
}
# Targets whose folders need each other, with the reason.
KNOTTED = {
    "CarPlay": "the types of Apple's framework name each other",
    "CarPlayHost": "its folders extend one class",
}
SYSTEM_OF_TESTS = SYSTEM["Tools"] | {"FoundationXML", "Testing"}
PICTURES = ["Sources/Protocol/IAP2/IAP2.docc/Architecture.md"]
BEGIN, END = "<!-- layers: made by tools/check --write layers -->", "<!-- end of layers -->"
REPAIR = "tools/check --write layers, if the change is meant"
ACCESS = re.compile(r"(?<![\w`.])(package|public|open)\b(?!\()")


class Target:
    """A target of Package.swift. Without its facts it has no files."""

    def __init__(self, description: dict, facts: Facts | None = None):
        self.name = description["name"]
        self.path = description["path"]
        self.kind = description["type"]
        self.facts = facts
        self.dependencies, self.products = set(), set()
        for dependency in description["dependencies"]:
            (kind, value), = ((k, v) for k, v in dependency.items() if v)
            (self.products if kind == "product" else self.dependencies).add(value[0])
        parts = self.path.split("/")
        self.layer = parts[1] if len(parts) == 3 and parts[1] in LAYERS and parts[2] == self.name else None
        self.is_test = parts[0] == "Tests"

    def files(self) -> Iterator[tuple[str, str]]:
        """Yields the name and the text of each source."""
        for file in self.facts.below(self.path, ".swift"):
            yield file, self.facts.needed_text(file)


Targets = dict[str, Target]


def allowed_outside(target):
    """The modules from outside the package that a target may import."""
    system = SYSTEM_OF_TESTS if target.is_test else SYSTEM[target.layer] | SYSTEM_OF_TARGETS.get(target.name, set())
    return target.products | system


def check_imports(targets):
    faults = []
    for target in targets.values():
        if target.layer is None:
            faults.append(f"{target.path}: not a folder LAYER/{target.name} below Sources or Tests")
            continue
        imported = set()
        for name in sorted(target.dependencies):
            other = targets.get(name)
            if not other or target.is_test:
                continue
            if other.is_test:
                faults.append(f"Package.swift: {target.name} depends on {name}, a target of the tests")
            elif LAYERS.index(other.layer) > LAYERS.index(target.layer):
                faults.append(f"Package.swift: {target.name} ({target.layer}) depends on {name} ({other.layer}), a layer "
                              "above")
        for name in sorted(target.products - PRODUCTS.get(target.name, set())) if not target.is_test else []:
            faults.append(f"Package.swift: {target.name} must not depend on {name} of another package")
        for path, text in target.files():
            for name, line in imports_of(text):
                imported.add(name)
                if name not in targets:
                    if name not in allowed_outside(target):
                        faults.append(f"{path}:{line}: imports {name}, which is neither a product that Package.swift "
                                      f"gives {target.name} nor a system module of {target.layer}")
                    continue
                if name not in target.dependencies:
                    faults.append(f"{path}:{line}: imports {name}, which Package.swift does not give {target.name}")
                elif not target.is_test and LAYERS.index(targets[name].layer) > LAYERS.index(target.layer):
                    faults.append(f"{path}:{line}: {target.layer} imports {name} of {targets[name].layer}, a layer "
                                  "above")
        # A test may also run a program.
        programs = {name for name in target.dependencies if name in targets and targets[name].kind == "executable"}
        given = target.dependencies | target.products
        for name in sorted(given - imported - (programs if target.is_test else set())):
            faults.append(f"Package.swift: {target.name} depends on {name}, which no file of it imports")
    return faults


def check_alone(targets, names):
    """Faults of targets that depend on a product of another package, directly or through other targets."""
    faults = []
    for name in names:
        ways, queue = {name: [name]}, [name]
        for current in queue:
            for product in sorted(targets[current].products):
                faults.append(f"Package.swift: {name} must build without other packages, but needs {product}: "
                              + " → ".join([*ways[current], product]))
            for other in sorted(targets[current].dependencies & targets.keys() - ways.keys()):
                ways[other] = [*ways[current], other]
                queue.append(other)
    return faults


def check_lines(target, limit):
    """A fault if the sources of a target have more lines than the limit."""
    count = sum(text.count("\n") for _, text in target.files())
    return [f"{target.path}: {count} lines of Swift, above the limit of {limit}; give logic down to a library"
            ] if count > limit else []


class Declarations:
    """The declarations of the package's sources, from the index and the sources."""

    def __init__(self, symbols, texts):
        self.symbols = symbols
        self.lines = {path: code_of(text).split("\n") for path, text in texts.items()}

    def access(self, symbol):
        """`package`, `public`, or None if the line of the declaration does not say it."""
        before = self.lines[symbol.path][symbol.line - 1].encode()[: symbol.column - 1].decode(errors="replace")
        words = ACCESS.findall(before)
        return words[-1].replace("open", "public") if words else None

    def listed_name(self, identifier):
        """The outermost `package` declaration around a declaration, such as `Type.member`; None without one."""
        names, inherited, listed = [], None, None
        for symbol in self.chain(identifier):
            access = self.access(symbol)
            if symbol.kind == index_store.EXTENSION:
                # The extended type comes before its extension, unless it is a type of another package.
                names = names or [symbol.name]
                inherited = access
                continue
            names.append(symbol.name)
            if listed is None and (access or inherited) == "package":
                listed = ".".join(names)
            inherited = None
        return listed

    def chain(self, identifier):
        """A declaration and those that it stands in, outermost first."""
        chain = []
        while identifier in self.symbols:
            chain.append(self.symbols[identifier])
            identifier = chain[-1].parent
        return chain[::-1]


class Uses:
    """What each source uses of other sources of the package, from the index."""

    def __init__(self, store, records, owners, texts):
        self.owners, self.symbols, self.used = owners, {}, {}
        for path, record in records.items():
            declared, self.used[path] = store.read(path, record)
            self.symbols.update(declared)
        self.declarations = Declarations(self.symbols, texts)

    @classmethod
    def of(cls, facts: Facts, targets: Targets) -> "Uses":
        """The uses of all targets that are no tests."""
        owners, texts = {}, {}
        for target in targets.values():
            if not target.is_test:
                for file, text in target.files():
                    owners[file], texts[file] = target, text
        store, records = facts.index_of_all(list(texts))
        return cls(store, records, owners, texts)

    def across_layers(self) -> list[str]:
        """Lines `USER uses MODULE: NAME …` for `package` declarations of another layer."""
        uses = {}
        for path, identifiers in self.used.items():
            user = self.owners[path]
            for identifier in identifiers & self.symbols.keys():
                owner = self.owners[self.symbols[identifier].path]
                if owner.layer != user.layer and (name := self.declarations.listed_name(identifier)):
                    uses.setdefault((LAYERS.index(user.layer), user.name, owner.name), set()).add(name)
        return [f"{user} uses {owner}: {' '.join(sorted(names))}" for (_, user, owner), names in sorted(uses.items())]

    def between_folders(self) -> dict[str, dict[tuple[str, str], str]]:
        """By the name of a target and two of its folders: the first use that the one makes of the other."""
        uses = {}
        for path, identifiers in self.used.items():
            target = self.owners[path]
            for identifier in identifiers & self.symbols.keys():
                symbol = self.symbols[identifier]
                pair = folder(target, path), folder(target, symbol.path)
                if self.owners[symbol.path] is target and pair[0] != pair[1]:
                    text = f"{path[len(target.path) + 1:]} uses {symbol.name} of {symbol.path[len(target.path) + 1:]}"
                    pairs = uses.setdefault(target.name, {})
                    pairs[pair] = min(pairs.get(pair, text), text)
        return uses


def folder(target, path):
    """The folder of a target that has a file; an empty text for a file beside the folders."""
    return path[len(target.path) + 1:].rpartition("/")[0].partition("/")[0]


def knots(pairs):
    """The sets of folders that need each other, from pairs of a folder and one that it needs."""
    needs = {name: {name} for pair in pairs for name in pair}
    changed = True
    while changed:
        before = sum(map(len, needs.values()))
        for user, owner in pairs:
            needs[user] |= needs[owner]
        changed = sum(map(len, needs.values())) > before
    found = {frozenset(other for other in needs[name] if name in needs[other]) for name in needs}
    return sorted(sorted(knot) for knot in found if len(knot) > 1)


def check_folders(uses, knotted):
    """Faults of targets whose folders need each other, and of listed ones whose folders do not."""
    faults = []
    for target, pairs in sorted(uses.items()):
        tied = knots(pairs)
        if target in knotted:
            if not tied:
                faults.append(f"{target}: its folders do not need each other any more; remove it from KNOTTED")
            continue
        for knot in tied:
            texts = [text for (user, owner), text in sorted(pairs.items()) if user in knot and owner in knot]
            faults.append(f"{target}: the folders {', '.join(name or 'the target itself' for name in knot)} need each "
                          f"other: {'; '.join(texts)}")
    return faults


def picture(targets):
    lines = []
    for layer in reversed(LAYERS):
        names = []
        for target in sorted(targets.values(), key=lambda t: t.name.lower()):
            if target.layer != layer or target.is_test or target.kind == "system":
                continue
            outside = sorted(target.products) + sorted(
                name for name in target.dependencies if name in targets and targets[name].kind == "system")
            names.append(target.name + (f" ({', '.join(outside)})" if outside else ""))
        line = f"{layer:<11}"
        for number, name in enumerate(names):
            piece = name + ("" if number == len(names) - 1 else " ·")
            if len(line) + 1 + len(piece) > 112:
                lines.append(line.rstrip())
                line = " " * 11
            line += " " + piece
        if names:
            lines.append(line)
    return "\n".join(["```", *lines, "```"])


def with_picture(text, drawn):
    start, end = text.find(BEGIN), text.find(END)
    return None if start < 0 or end < start else text[: start + len(BEGIN)] + "\n" + drawn + "\n" + text[end:]


def read_targets(facts: Facts) -> Targets:
    """Returns the targets of Package.swift by their names."""
    return {target["name"]: Target(target, facts) for target in facts.package["targets"]}


def faults_of_imports(targets: Targets) -> list[str]:
    """Returns what the sources alone show."""
    return check_imports(targets) + check_alone(targets, ALONE) + check_lines(targets[COMMAND], COMMAND_LINES)


def write(facts: Facts) -> None:
    """Writes the list of uses and the pictures, if the imports are right."""
    targets = read_targets(facts)
    if faults_of_imports(targets):
        return
    facts.write(LIST, "\n".join(Uses.of(facts, targets).across_layers()) + "\n")
    for page in PICTURES:
        if made := with_picture(facts.needed_text(page), picture(targets)):
            facts.write(page, made)


def check(facts: Facts) -> Report:
    """Compares imports, uses and pictures with Package.swift."""
    targets = read_targets(facts)
    faults = faults_of_imports(targets)
    uses = []
    if not faults:
        found = Uses.of(facts, targets)
        uses = found.across_layers()
        faults += check_folders(found.between_folders(), KNOTTED)
    drawn = picture(targets)
    for page in PICTURES:
        made = with_picture(facts.needed_text(page), drawn)
        if made is None:
            faults.append(f"{page}: has no place for the picture, between '{BEGIN}' and '{END}'")
        elif made != facts.text(page):
            faults.append(f"{page}: the picture of the layers is out of date")
    if not faults:
        listed = (facts.text(LIST) or "").split("\n")[:-1]
        faults += [f"{LIST}: not listed: {line}" for line in uses if line not in listed]
        faults += [f"{LIST}: not so any more: {line}" for line in listed if line not in uses]
    return Report(faults, f"{len(targets)} targets, {len(uses)} lines of uses across layers", REPAIR)
