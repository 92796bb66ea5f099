# SPDX-License-Identifier: Apache-2.0
"""Made-up messages, random numbers, failures and command lines with faults are found."""
import unittest

from checks.command_pages import faults_of, faults_of_lines
from checks.failures import faults_of as faults_of_failures
from checks.help import Command
from checks.random_numbers import faults_of as faults_of_numbers
from checks.texts import messages_of, missing_parts

HELP = {
    "commandName": "iap2", "subcommands": [
        {"superCommands": ["iap2"], "commandName": "run", "shouldDisplay": True, "arguments": [
            {"valueName": "seed", "kind": "option", "isOptional": True, "isRepeating": False, "shouldDisplay": True,
             "names": [{"kind": "long", "name": "seed"}]}]}],
}
TEST = "// Fault 1\n@Test func theFirst() {}\n"


class Messages(unittest.TestCase):
    source = messages_of('say("no answer " +\n    "from \\(name) in time")')

    def test_a_message_over_two_lines_is_one(self):
        self.assertEqual(missing_parts("no answer from 127.0.0.1:7", self.source), ([], 1))

    def test_another_message_is_missing(self):
        self.assertEqual(missing_parts("no reply at all", self.source), (["no reply at all"], 1))


class RandomNumbers(unittest.TestCase):
    def test_calls_without_a_generator_are_found(self):
        text = "let a = Int.random(in: 0..<3)\nlet b = Int.random(\n  in: 0..<3, using: &generator)\nlet c = [1].shuffled()\n"
        faults, count = faults_of_numbers("A.swift", text)
        self.assertEqual(count, 3)
        self.assertEqual([fault.split(": ")[0] for fault in faults], ["A.swift:1", "A.swift:4"])


class Failures(unittest.TestCase):
    def test_a_row_with_its_test_has_no_fault(self):
        self.assertEqual(faults_of_failures("| 1 | a | b | `theFirst` |\n", {"A.swift": TEST}), ([], 1))

    def test_faults_are_found(self):
        page = "| 2 | a | b | `theSecond` |\n| 2 | a | b | none |\n"
        faults, _ = faults_of_failures(page, {"A.swift": TEST})
        for text in ("row 1 has the number 2", "there is no test theSecond", "failure 2 has no test",
                     "// Fault 1 is not in"):
            self.assertTrue(any(text in fault for fault in faults), text)
        self.assertEqual(len(faults), 4)


class CommandLines(unittest.TestCase):
    root = Command(HELP)

    def test_faults_are_found_with_their_lines(self):
        page = ("    iap2 run --seed 3\n\n```\niap2 run --sead 3\n```\n\n    iap2 play x\n\n"
                "    tools/iap2 run \\\n        --speed 3\n")
        faults, count = faults_of_lines(self.root, {"A.md": page})
        self.assertEqual(faults, ["A.md:4: iap2 run has no option --sead", "A.md:7: iap2 has no subcommand play",
                                  "A.md:10: iap2 run has no option --speed"])
        self.assertEqual(count, 4)

    def test_words_after_a_command_are_no_subcommands(self):
        self.assertEqual(faults_of(["run", "file"], {"iap2": set(), "iap2 run": set()}, {}), [])


if __name__ == "__main__":
    unittest.main()
