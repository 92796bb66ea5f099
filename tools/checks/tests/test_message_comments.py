# SPDX-License-Identifier: Apache-2.0
"""The comments of made-up messages are compared and written."""
import unittest

from checks.message_comments import Phrases, read_types, rewrite, wanted_lines

SOURCE = """\
public struct Offer: ControlMessage {
  /// Parameter 1: wrong.
  ///
  /// By hand.
  public var current: UInt16?
  public var name = ""

  static func parameters() {
    try pass(1, "Current", &current, ParameterNote(.low, unit: "mA"))
  }
}
"""


class MessageComments(unittest.TestCase):
    def test_a_line_is_replaced_and_the_lines_by_hand_stay(self):
        lines = SOURCE.split("\n")
        types = read_types("Offer.swift", lines)
        phrases = Phrases({declared.name: declared for declared in types})
        result, differences = rewrite(lines, list(wanted_lines(types[0], phrases)))
        wanted = "/// Parameter 1: unsigned 16-bit integer, in mA. Confidence: low."
        self.assertEqual(differences, [(5, "/// Parameter 1: wrong.", wanted)])
        self.assertEqual(result, SOURCE.replace("/// Parameter 1: wrong.", wanted).split("\n"))

    def test_a_comment_above_no_field_is_removed(self):
        lines = ["/// Value 3.", "let other = 1"]
        result, differences = rewrite(lines, [])
        self.assertEqual((result, differences), (["let other = 1"], [(1, "/// Value 3.", None)]))


if __name__ == "__main__":
    unittest.main()
