# SPDX-License-Identifier: Apache-2.0
"""Forbidden imports and uses are found in made-up sources."""
import json
import os
import subprocess
import tempfile
import unittest

from checks.facts import run
from checks.index_store import STRUCT, IndexStore, Symbol
from checks.layers import Uses, check_alone, check_folders, check_imports, check_lines


class Sample:
    """A made-up target with one file."""

    path = "Sample"

    def __init__(self, name, layer, text, dependencies=()):
        self.name, self.layer, self.text, self.dependencies, self.is_test = name, layer, text, set(dependencies), False
        self.products, self.kind = set(), "regular"

    def files(self):
        yield "Sample.swift", self.text


# Each form of an import, after a line without one.
IMPORTS = [
    "import Upper", "  import Upper", "\timport Upper", "import struct Upper.Thing", "import func Upper.make",
    "public import Upper", "@testable import Upper", "@preconcurrency @testable import Upper",
    "@_spi(Testing) import Upper", "@_spi(Testing) @_exported public import Upper", "@testable\nimport Upper",
    "import Lower; import Upper", "import `Upper`", "import\n  Upper", "/* why */ import Upper", "#if os(Linux)\nimport Upper",
    'let text = "\\(name("/*"))" // "\nimport Upper', "let text = #\"\"\"\n\"\n\"\"\"#; import Upper",
]
NO_IMPORTS = ["// import Upper", "/* /* */ import Upper */", 'let text = "; import Upper"', '"""\nimport Upper\n"""',
              "value.import", "import Lower", '#"\\(import Upper)"#']

# Imports from outside the package: the module, the importing target and layer, its product, and the number of faults.
OUTSIDE = [
    ("NIOCore", "IAP2Sockets", "Transport", None, 1), ("NIOCore", "IAP2Sockets", "Transport", "NIOCore", 0),
    ("NIOCore", "IAP2Runtime", "Live", "NIOCore", 1), ("Foundation", "Lower", "Protocol", None, 1),
    ("Foundation", "Lower", "Transport", None, 0), ("NIOCore", "Lower", "Laboratory", None, 1),
    ("Glibc", "Lower", "Live", None, 1), ("Glibc", "YAMLForms", "Protocol", "Yams", 2),
]

# Dependencies of a target of the layer Live on another one: its layer, whether it is one of the tests, whether a file
# imports it, and the fault.
DEPENDENCIES = [
    ("Protocol", False, True, None), ("Protocol", False, False, "no file of it imports"),
    ("Tools", False, True, "a layer above"), ("Protocol", True, True, "a target of the tests"),
]

# Two modules of different layers.
SAMPLES = {"Lower": """\
public struct Door {
  public init() {}
  package init(width: Int) {}
  package func lock() {}
  public func close() {}
  package static let unit = Door()
  public enum Side { case left, right }
  package enum Hinge { case upper, lower }
}
package extension Door { func open() {} }
extension Door {
  package var isOpen: Bool { false }
  public var hinge: Int { 1 }
}
package protocol Room { func enter() }
public struct Plan<Value> { package var value: Value }
package struct Hidden { package var size = 1; package init() {} }
package func hidden() -> Hidden { Hidden() }
package let unused = 1
""", "Upper": """\
import Lower
func use(_ plan: Plan<Int>, _ room: some Room) -> Int {
  let door = Door(width: 1)
  door.lock()
  door.close()
  door.open()
  room.enter()
  let side: Door.Side = .left
  let hinge: Door.Hinge = .upper
  return plan.value + hidden().size + (door.isOpen && side == .right ? door.hinge : hinge == .lower ? 1 : 0)
}
"""}
USES = ["Upper uses Lower: Door.Hinge Door.init(width:) Door.isOpen Door.lock() Door.open() Hidden Plan.value Room hidden()"]


def sample_uses(folder: str) -> list[str]:
    """Returns the uses in SAMPLES, compiled in a folder."""
    owners, texts = {}, {}
    for name, layer in (("Lower", "Protocol"), ("Upper", "Live")):
        path = os.path.join(folder, f"{name}.swift")
        owners[path], texts[path] = Sample(name, layer, SAMPLES[name]), SAMPLES[name]
        with open(path, "w", encoding="utf-8") as file:
            file.write(SAMPLES[name])
        subprocess.run(["swiftc", "-parse-as-library", "-package-name", "sample", "-module-name", name, "-I", folder,
                        "-c", path, "-o", f"{path}.o", "-emit-module", "-emit-module-path",
                        os.path.join(folder, f"{name}.swiftmodule"), "-index-store-path", os.path.join(folder, "index")],
                       cwd=folder, check=True, stdin=subprocess.DEVNULL)
    store = IndexStore(os.path.join(folder, "index"), json.loads(run("swift", "-print-target-info").stdout))
    records = {path: entry[1] for path, entry in store.files().items() if path in texts}
    return Uses(store, records, owners, texts).across_layers()


class FolderStore:
    """The index of a made-up target: each file declares its own name, and uses those of others."""

    USED = {"Sample/Top/Door.swift": {"Lock", "Sample"}, "Sample/Middle/Lock.swift": {"Key"},
            "Sample/Low/Key.swift": set(), "Sample/Sample.swift": {"Lock"}}

    def __init__(self, added):
        self.used = {path: names | added.get(path, set()) for path, names in self.USED.items()}

    def read(self, path, _):
        name = path.rpartition("/")[2].removesuffix(".swift")
        return {name: Symbol(name, STRUCT, path, 1, 1, None)}, self.used[path]


# Uses in a made-up target that are added to FolderStore, and a part of the fault.
FOLDERS = [
    ({}, None),
    ({"Sample/Low/Key.swift": {"Lock"}}, "the folders Low, Middle need each other: Low/Key.swift uses Lock of"),
    ({"Sample/Low/Key.swift": {"Door"}}, "the folders the target itself, Low, Middle, Top need"),
    ({"Sample/Middle/Lock.swift": {"Sample"}}, "the folders the target itself, Middle need"),
]


class Layers(unittest.TestCase):
    def test_each_form_of_an_import_is_read(self):
        for texts, expected in ((IMPORTS, 1), (NO_IMPORTS, 0)):
            for text in texts:
                # Once without the dependency, once with it.
                for dependencies in ([], ["Upper"]):
                    lower = Sample("Lower", "Protocol", f"let first = 1\n{text}\n", ["Lower", *dependencies])
                    faults = check_imports({"Lower": lower, "Upper": Sample("Upper", "Live", "")})
                    with self.subTest(text):
                        self.assertEqual(sum(fault.startswith("Sample.swift:") for fault in faults), expected)

    def test_imports_from_outside_are_found(self):
        for name, target, layer, product, expected in OUTSIDE:
            lower = Sample(target, layer, f"import {name}\n")
            lower.products = {product} if product else set()
            with self.subTest((name, target, product)):
                self.assertEqual(len(check_imports({target: lower})), expected)

    def test_dependencies_are_judged(self):
        for layer, is_test, is_imported, expected in DEPENDENCIES:
            user = Sample("User", "Live", "import Other\n" if is_imported else "", ["Other"])
            other = Sample("Other", layer, "")
            other.is_test = is_test
            faults = [fault for fault in check_imports({"User": user, "Other": other})
                      if fault.startswith("Package.swift:")]
            with self.subTest((layer, is_test, is_imported)):
                self.assertEqual(len(faults), expected is not None)
                self.assertTrue(expected is None or expected in faults[0], faults)

    def test_a_target_that_must_build_alone(self):
        lower, upper = Sample("Lower", "Protocol", ""), Sample("Upper", "Live", "", ["Lower"])
        lower.products = {"NIOCore"}
        faults = check_alone({"Lower": lower, "Upper": upper}, ["Upper"])
        self.assertEqual(len(faults), 1)
        self.assertTrue(faults[0].endswith("needs NIOCore: Upper → Lower → NIOCore"), faults)

    def test_lines_are_counted(self):
        lower = Sample("Lower", "Protocol", "let first = 1\nlet second = 2\n")
        self.assertEqual([len(check_lines(lower, limit)) for limit in (1, 2)], [1, 0])

    def test_folders_that_need_each_other_are_found(self):
        for added, expected in FOLDERS:
            store = FolderStore(added)
            sample = Sample("Sample", "Protocol", "")
            texts = dict.fromkeys(store.used, "")
            uses = Uses(store, dict.fromkeys(store.used), dict.fromkeys(store.used, sample), texts).between_folders()
            with self.subTest(added):
                faults = check_folders(uses, {})
                self.assertEqual(len(faults), expected is not None, faults)
                self.assertTrue(expected is None or expected in faults[0], faults)
                # A listed target is a fault if its folders are floors.
                self.assertEqual(len(check_folders(uses, {"Sample": "a reason"})), expected is None)

    def test_uses_of_package_declarations_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(sample_uses(os.path.realpath(folder)), USES)


if __name__ == "__main__":
    unittest.main()
