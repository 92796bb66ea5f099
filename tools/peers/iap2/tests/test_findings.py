# SPDX-License-Identifier: Apache-2.0
"""The findings' own machinery: the table, the list of known ones, and that nothing survives a run."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from findings.harness import Command, Outcome, SetupFailed, Stage
from findings.registry import FINDINGS, Finding
from findings.runner import Verdict, judge, play, read_known
from iap2peer.authentication import raw_signature
from iap2peer.packets import FormatError

KNOWN = Path(__file__).resolve().parents[1] / "findings" / "known.txt"


def verdict(name: str, status: str) -> Verdict:
    return Verdict(name, "A1", status, 0, "seen")


class Judgement(unittest.TestCase):
    def test_exactly_the_known_ones(self):
        self.assertEqual(judge([verdict("a", "finding"), verdict("b", "ok")], {"a"}), [])

    def test_a_new_one(self):
        self.assertIn("new finding", judge([verdict("a", "finding")], set())[0])

    def test_a_mended_one_that_is_still_listed(self):
        self.assertIn("remove it", judge([verdict("a", "ok")], {"a"})[0])

    def test_a_situation_that_did_not_come_about(self):
        self.assertIn("no verdict", judge([verdict("a", "error")], {"a"})[0])

    def test_the_list_of_known_ones_names_findings_only(self):
        self.assertEqual(read_known(str(KNOWN)) - set(FINDINGS), set())

    def test_every_section_has_findings(self):
        sections = {f.section for f in FINDINGS.values()}
        self.assertEqual(sections, {f"A{n}" for n in range(1, 13)} | {"C1", "D4"})


class Stages(unittest.TestCase):
    def test_nothing_survives(self):
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory) / "sleeper"
            program.write_text("#!/bin/sh\nexec sleep 60\n")
            program.chmod(0o755)
            seen: list[Command] = []

            def failing(stage: Stage) -> Outcome:
                seen.append(stage.start("x"))
                raise SetupFailed("on purpose")

            result = play(Finding("x", "A1", "x", 5, failing), str(program))
            self.assertEqual((result.status, result.evidence), ("error", "on purpose"))
            self.assertIsNotNone(seen[0].exit_status)
            self.assertFalse(seen[0].output_path.exists())
            with self.assertRaises(ProcessLookupError):
                os.kill(seen[0].process.pid, 0)

    def test_the_list_is_printed(self):
        run = KNOWN.parent / "run"
        result = subprocess.run([str(run), "--list"], capture_output=True, timeout=10, check=True)
        self.assertEqual(len(result.stdout.splitlines()), len(FINDINGS))
        wrong = subprocess.run([str(run), "--iap2", "/bin/true", "nonsense"], capture_output=True, timeout=10,
                               check=False)
        self.assertEqual(wrong.returncode, 64)


class Signatures(unittest.TestCase):
    def test_der_to_raw(self):
        der = bytes.fromhex("3026022100") + b"\x80" + bytes(31) + bytes.fromhex("020105")
        self.assertEqual(raw_signature(der), b"\x80" + bytes(62) + b"\x05")

    def test_what_is_no_signature(self):
        for data in (b"", b"\x30", bytes(70), bytes.fromhex("3003020105")):
            with self.assertRaises(FormatError):
                raw_signature(data)


if __name__ == "__main__":
    unittest.main()
