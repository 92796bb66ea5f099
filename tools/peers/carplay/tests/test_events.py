# SPDX-License-Identifier: Apache-2.0
"""Tests that the events of the peer have the names of the command's events."""

import pathlib
import re
import unittest

from carplaypeer import events

ROOT = pathlib.Path(__file__).resolve().parents[4]
PEER = pathlib.Path(events.__file__).parent


class EventTests(unittest.TestCase):
    def setUp(self) -> None:
        self.page = (ROOT / "Documentation/EventReference.md").read_text(encoding="utf-8")

    def test_names_are_those_of_the_reference(self) -> None:
        declared = set(re.findall(r"^### (\w+)$", self.page, re.M))
        emitted = {name for file in PEER.glob("*.py")
                   for name in re.findall(r'emit\(\s*"(\w+)"', file.read_text(encoding="utf-8"))}
        self.assertGreater(len(emitted), 8)
        self.assertEqual(emitted - declared, set())

    def test_types_of_streams_are_those_of_the_reference(self) -> None:
        lines = self.page.split("### carPlayStream", 1)[1].splitlines()
        row = next(line for line in lines if line.startswith("| `type`"))
        self.assertEqual(re.findall(r"`(\w+)`", row)[1:], list(events.STREAMS.values()))


if __name__ == "__main__":
    unittest.main()
