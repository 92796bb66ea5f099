# SPDX-License-Identifier: Apache-2.0
import unittest

from suite import counts
from suite.counts import Count

PASSED = """\
◇ Test run started.
✔ Test quick() passed after 0.001 seconds.
\x1b[32m✔\x1b[0m Test "a long name" passed after 12.500 seconds.
✔ Test case passing 1 argument text → "x" to cases(text:) passed after 0.100 seconds.
➜ Test absent() skipped: "no device"
✔ Test run with 3 tests in 2 suites passed after 12.501 seconds.
"""
FAILED = """\
✘ Test broken() recorded an issue at File.swift:7:5: Expectation failed: 1 == 2
✘ Test broken() failed after 0.002 seconds with 1 issue.
✔ Test quick() passed after 0.001 seconds.
✘ Test run with 2 tests in 1 suite failed after 0.003 seconds with 1 issue.
"""


class SwiftTestingCounts(unittest.TestCase):
    def test_a_skipped_test_has_not_passed(self):
        self.assertEqual(counts.swift_testing(PASSED, 0), Count(2, 0, 1))

    def test_failed_tests_and_their_issues_are_found(self):
        count = counts.swift_testing(FAILED, 1)
        self.assertEqual((count.passed, count.failed, count.skipped), (1, 1, 0))
        self.assertTrue(any("File.swift:7:5" in line for line in count.lines))

    def test_a_crash_before_any_report_is_a_failure(self):
        count = counts.swift_testing("◇ Test run started.\n", -11)
        self.assertEqual((count.passed, count.failed), (0, 1))
        self.assertIn("the tests ended with -11", count.lines[0])

    def test_a_crash_after_a_run_keeps_what_passed(self):
        count = counts.swift_testing(PASSED, 139)
        self.assertEqual((count.passed, count.failed, count.skipped), (2, 1, 1))

    def test_no_test_is_a_failure(self):
        self.assertEqual(counts.swift_testing("nothing\n", 0).failed, 1)

    def test_several_runs_are_added(self):
        count = counts.swift_testing(PASSED + FAILED, 1)
        self.assertEqual((count.passed, count.failed, count.skipped), (3, 1, 1))

    def test_durations_are_of_tests_and_not_of_cases_or_runs(self):
        self.assertEqual(counts.durations(PASSED), [(0.001, "quick()"), (12.5, '"a long name"')])


class OtherCounts(unittest.TestCase):
    def test_a_whole_command_counts_once(self):
        self.assertEqual(counts.whole("text\n", 0), Count(1))
        self.assertEqual(counts.whole("reason\n", 3), Count(0, 1, 0, ["it ended with 3", "reason"]))

    def test_unittest_is_read_from_its_last_lines(self):
        self.assertEqual(counts.unittest("...\nRan 17 tests in 2.1s\n\nOK\n", 0), Count(17))

    def test_failed_unittests_are_named_once_and_last(self):
        text = ("ERROR: test_a (tests.test_x.Case.test_a)\n----\nFAIL: test_b (tests.test_x.Case.test_b)\n"
                "FAIL: test_b (tests.test_x.Case.test_b) (number=2)\nRan 9 tests in 2.1s\n\nFAILED (failures=2, errors=1)\n")
        count = counts.unittest(text, 1)
        self.assertEqual((count.passed, count.failed), (7, 2))
        self.assertEqual(count.lines[-2:], ["failed: tests.test_x.Case.test_a", "failed: tests.test_x.Case.test_b"])

    def test_a_skipped_unittest_has_not_passed(self):
        text = "Ran 17 tests in 2.1s\n\nOK (skipped=1)\n"
        self.assertEqual(counts.unittest(text, 0), Count(16, 0, 1))
        count = counts.complete_unittest(text, 0)
        self.assertEqual((count.passed, count.failed, count.skipped), (16, 1, 0))

    def test_unittest_without_tests_is_a_failure(self):
        self.assertEqual(counts.unittest("Ran 0 tests in 0.0s\n\nOK\n", 0).failed, 1)

    def test_the_last_line_has_the_counts(self):
        self.assertEqual(counts.last_line("x\n5 passed, 0 failed\n", 0), Count(5))
        self.assertEqual(counts.last_line("5 passed, 0 failed, 2 skipped\n", 0), Count(5, 0, 2))

    def test_the_lines_of_failures_are_kept(self):
        count = counts.last_line("passed a\n  x\nfailed b: reason\n  more\npassed c\n  y\n2 passed, 1 failed\n", 1)
        self.assertEqual(count, Count(2, 1, 0, ["failed b: reason", "  more"]))

    def test_a_command_without_counts_is_a_failure(self):
        self.assertEqual(counts.last_line("5 passed, 0 failed\nkilled\n", 137).failed, 1)
        self.assertEqual(counts.last_line("", 0).failed, 1)

    def test_a_status_contradicts_the_counts(self):
        self.assertEqual(counts.last_line("5 passed, 0 failed\n", 1).failed, 1)


if __name__ == "__main__":
    unittest.main()
