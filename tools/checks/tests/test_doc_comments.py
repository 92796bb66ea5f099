# SPDX-License-Identifier: Apache-2.0
"""Declarations without a doc comment are found, and those of the core counted, in a made-up module."""
import json
import pathlib
import tempfile
import unittest

from checks.doc_comments import core_counts, gaps_of
from checks.facts import EXTRACT, run

SAMPLE = """\
/// A protocol.
public protocol Shape {
  /// The size.
  var size: Int { get }
  func draw()
}

/// A type with every kind of gap.
public struct Square: Shape, Hashable, Codable {
  public var size = 1
  public var color = 2
  ///
  public static let unit = Square()
  var hidden = 3
  public init() {}
  public func draw() {}
}

public enum Side: String, CaseIterable { case left, right }

extension Int {
  public var doubled: Int { self * 2 }
  /// Half of the number.
  public var halved: Int { self / 2 }
}
"""
GAPS = [(5, "Shape.draw()"), (11, "Square.color"), (13, "Square.unit"), (15, "Square.init()"), (16, "Square.draw()"),
        (19, "Side"), (19, "Side.left"), (19, "Side.right"), (22, "Int.doubled")]
# Shape and its requirements, Square and its members, Side, both members of Int; Square.size and Square.draw().
COUNTS = (10, 2)


class DocComments(unittest.TestCase):
    def test_gaps_are_found_and_declarations_counted(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            (folder / "Sample.swift").write_text(SAMPLE, encoding="utf-8")
            run("swiftc", "-parse-as-library", "-emit-module", "-module-name", "Sample", "-emit-module-path",
                str(folder / "Sample.swiftmodule"), str(folder / "Sample.swift"))
            graphs = folder / "graphs"
            graphs.mkdir()
            target = json.loads(run("swift", "-print-target-info").stdout)["target"]["triple"]
            run(*EXTRACT, "-module-name", "Sample", "-output-dir", str(graphs), "-I", str(folder), "-target", target)
            gaps, _ = gaps_of(graphs, folder)
            counts = core_counts(graphs)
        self.assertEqual(sorted(gaps), sorted(("Sample.swift", line, name) for line, name in GAPS))
        self.assertEqual(counts, COUNTS)


if __name__ == "__main__":
    unittest.main()
