# SPDX-License-Identifier: Apache-2.0
"""What both peers share: addresses, events, and captures in the text form."""

import contextlib
import io
import unittest

import iap2peer  # noqa: F401 (it makes `common` known)
from common.captures import text_records
from common.command_line import USAGE, Parser, events_of, host_and_port


class CommandLine(unittest.TestCase):
    def test_addresses(self):
        for text, expected in (("127.0.0.1:7000", ("127.0.0.1", 7000)), ("[::1]:0", ("::1", 0)),
                               (":80", ("127.0.0.1", 80))):
            self.assertEqual(host_and_port(text), expected)
        for text in ("", "127.0.0.1", "a:b", "a:65536", "a:-1", "a:７"):
            with self.subTest(text), self.assertRaises(ValueError):
                host_and_port(text)

    def test_a_wrong_command_line_ends_with_64(self):
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as end:
            Parser(prog="x").parse_args(["--unknown"])
        self.assertEqual(end.exception.code, USAGE)

    def test_only_objects_are_events(self):
        self.assertEqual(events_of(['{"event": "a"}', "text", "{cut", "[1]", ""]), [{"event": "a"}])


class TextCaptures(unittest.TestCase):
    def test_records(self):
        lines = ["# title", "", "0.5 A>D ff 55 # detect", "D>A FF5A", "# disconnected: linkReset"]
        self.assertEqual(list(text_records(lines)), [(0.5, "A>D", b"\xff\x55"), (0.0, "D>A", b"\xff\x5a")])


if __name__ == "__main__":
    unittest.main()
