# SPDX-License-Identifier: Apache-2.0
"""Makes one package of several: `swift package dump-package` of each on standard input, a JSON document a line.

    python3 -m suite.umbrella NAME ROOT <DOCUMENTS >Package.swift

The package has the targets of all, and depends on the package in ROOT without its traits. ROOT and the packages are
found by the paths in the documents: each package stands in a folder below the new one.
"""

from __future__ import annotations

import json
import os
import sys

HEAD = """\
// swift-tools-version: 6.2
// Made from the manifests in the folders below by tools/shell/build.sh; changes are lost. With all examples in one
// package, the library is compiled once for them.

import PackageDescription

let package = Package(
  name: {name},
  dependencies: [.package(name: {dependency}, path: {path}, traits: [])],
  targets: [
"""
KINDS = {"regular": ("target", "Sources"), "executable": ("executableTarget", "Sources"), "test": ("testTarget", "Tests")}


class Unknown(Exception):
    """A part of a manifest that this program cannot repeat."""


def text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def only(entry: dict, allowed: set[str], place: str) -> None:
    """Throws if a description has a key with a value that would be lost."""
    if lost := sorted(key for key, value in entry.items() if value and key not in allowed):
        raise Unknown(f"{place}: {', '.join(lost)}: tools/suite/umbrella.py does not know this; add it there")


def dependency(entry: dict, place: str) -> str:
    if "byName" in entry and entry["byName"][1] is None:
        return text(entry["byName"][0])
    if "product" not in entry:
        raise Unknown(f"{place}: a dependency of another kind: {entry}")
    name, package, aliases, condition = entry["product"]
    if aliases:
        raise Unknown(f"{place}: aliases of modules")
    words = [f"name: {text(name)}", f"package: {text(package)}"]
    if condition:
        only(condition, {"platformNames"}, place)
        words.append(f"condition: .when(platforms: [{', '.join('.' + name for name in condition['platformNames'])}])")
    return f".product({', '.join(words)})"


def resource(entry: dict, place: str) -> str:
    rule = next(iter(entry["rule"]))
    if rule not in ("process", "copy"):
        raise Unknown(f"{place}: a resource with the rule {rule}")
    return f".{rule}({text(entry['path'])})"


def target(entry: dict, folder: str) -> str:
    """The Swift code of a target of the package in a folder."""
    place = f"{folder}/Package.swift: {entry['name']}"
    only(entry, {"name", "type", "dependencies", "path", "exclude", "resources", "packageAccess"}, place)
    if entry["type"] not in KINDS:
        raise Unknown(f"{place}: a target of the type {entry['type']}")
    function, home = KINDS[entry["type"]]
    path = entry.get("path") or f"{home}/{entry['name']}"
    words = [f"name: {text(entry['name'])}",
             f"dependencies: [{', '.join(dependency(one, place) for one in entry['dependencies'])}]",
             f"path: {text(f'{folder}/{path}')}"]
    if entry["exclude"]:
        words.append(f"exclude: [{', '.join(map(text, entry['exclude']))}]")
    if entry["resources"]:
        words.append(f"resources: [{', '.join(resource(one, place) for one in entry['resources'])}]")
    return f"    .{function}(\n" + ",\n".join(f"      {word}" for word in words) + ")"


def manifest(name: str, root: str, documents: list[dict]) -> str:
    """The Swift code of a package with the targets of all."""
    targets, used, homes = [], set(), set()
    for document in documents:
        package = document["packageKind"]["root"][0]
        folder = os.path.basename(package)
        homes.add(os.path.dirname(package))
        only(document, {"name", "dependencies", "packageKind", "products", "targets", "toolsVersion", "traits"}, folder)
        for entry in document["dependencies"]:
            local = entry.get("fileSystem", [{}])[0]
            if local.get("path") != root:
                raise Unknown(f"{folder}/Package.swift: a dependency other than {root}: {entry}")
            used.add(local["nameForTargetDependencyResolutionOnly"])
        targets += [target(entry, folder) for entry in document["targets"]]
    if len(used) != 1 or len(homes) != 1:
        raise Unknown(f"one name of {root} and one folder expected: {sorted(used)}, {sorted(homes)}")
    head = HEAD.format(name=text(name), dependency=text(used.pop()), path=text(os.path.relpath(root, homes.pop())))
    return head + ",\n".join(targets) + "\n  ]\n)\n"


def main() -> int:
    name, root = sys.argv[1:]
    try:
        sys.stdout.write(manifest(name, root, [json.loads(line) for line in sys.stdin if line.strip()]))
    except (Unknown, ValueError, KeyError, IndexError) as problem:
        print(f"umbrella: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
