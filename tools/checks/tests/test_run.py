# SPDX-License-Identifier: Apache-2.0
"""Facts are read once, and every check has a sentence."""
import contextlib
import io
import pathlib
import tempfile
import threading
import unittest

from checks.facts import Facts, fact
from checks.report import Failure
from checks.run import NAMES, main, module_of, sentence_of


class Counting(Facts):
    """Facts that count how often they are read."""

    reads = 0

    @fact
    def number(self) -> int:
        """A number."""
        self.reads += 1
        return 7

    @fact
    def broken(self) -> int:
        """A fact that has a reason not to exist."""
        self.reads += 1
        raise Failure("no number")


class FactsOfARun(unittest.TestCase):
    def setUp(self):
        self.facts = Counting(pathlib.Path(tempfile.gettempdir()))

    def test_several_threads_read_a_fact_once(self):
        seen = []
        threads = [threading.Thread(target=lambda: seen.append(self.facts.number)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((seen, self.facts.reads), ([7] * 8, 1))

    def test_a_failure_is_kept(self):
        for _ in range(2):
            with self.assertRaises(Failure):
                _ = self.facts.broken
        self.assertEqual(self.facts.reads, 1)


class Command(unittest.TestCase):
    def test_every_module_is_a_check_with_a_sentence(self):
        for name in NAMES:
            with self.subTest(name):
                self.assertTrue(callable(module_of(name).check))
                self.assertTrue(sentence_of(name).endswith("."))

    def test_wrong_command_lines_end_with_64(self):
        for arguments in (["nothing"], ["--write"], ["--write", "launcher"], ["--what"]):
            with self.subTest(arguments), contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(main(arguments, ""), 64)
                self.assertIn("tools/check --list", said.getvalue())


if __name__ == "__main__":
    unittest.main()
