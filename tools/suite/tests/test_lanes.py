# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from suite import counts, report
from suite.lanes import Part, Run
from suite.process import Processes


def say(text, status=0):
    return ["sh", "-c", f"echo {text}; exit {status}"]


class Lanes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def play(self, *lanes):
        self.processes = Processes(dict(os.environ))
        run = Run(list(lanes), self.processes, self.folder, self.folder / "logs")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            run.go()
        self.output = output.getvalue()
        return run.outcomes

    def test_lanes_wait_for_what_they_need(self):
        made = self.folder / "made"
        outcomes = self.play([Part("a", ["sh", "-c", f"sleep 0.2; touch {made}"])],
                             [Part("b", ["test", "-e", str(made)], needs=("a",))])
        self.assertEqual((outcomes["a"].count.failed, outcomes["b"].count.failed), (0, 0))

    def test_a_part_whose_need_failed_does_not_run(self):
        outcomes = self.play([Part("a", say("x", 3)), Part("b", say("never"), needs=("a",)), Part("c", say("y"), after=("a",))])
        self.assertEqual([outcomes[name].count.failed for name in "abc"], [1, 1, 0])
        self.assertIn("not run", outcomes["b"].count.lines[0])
        self.assertNotIn("never", self.output)

    def test_the_output_of_a_part_in_the_background_comes_whole(self):
        self.play([Part("a", ["sh", "-c", "echo a1; sleep 0.4; echo a2"])],
                  [Part("b", ["sh", "-c", "sleep 0.1; echo b1; sleep 0.1; echo b2"])])
        self.assertIn("b1\nb2\n", self.output)
        self.assertEqual((self.folder / "logs/b.log").read_text(), "b1\nb2\n")

    def test_a_second_attempt_counts_alone(self):
        flag = self.folder / "flag"
        script = f"if [ -e {flag} ]; then echo '2 passed, 0 failed'; else touch {flag}; echo '3 passed, 2 failed'; exit 1; fi"
        outcomes = self.play([Part("a", ["sh", "-c", script], counts.last_line, again=lambda text: ["sh", "-c", script])])
        count = outcomes["a"].count
        self.assertEqual((count.passed, count.failed), (5, 0))

    def test_names_must_be_known(self):
        with self.assertRaises(ValueError):
            self.play([Part("a", say("x"), needs=("b",))])

    def test_an_end_reaches_every_process(self):
        processes = Processes(dict(os.environ))
        script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)"
        thread = threading.Thread(target=lambda: processes.run([sys.executable, "-c", script], self.folder, 0, io.BytesIO(),
                                                               lambda line: None))
        thread.start()
        while len(processes.living()) < 2:
            time.sleep(0.05)
        processes.end()
        thread.join()
        self.assertEqual(processes.living(), [])

    def test_swiftpm_ends_by_itself_after_its_compilers(self):
        """A signal would end it before it has written which modules are done."""
        ended, program = self.folder / "ended", self.folder / "swift-build"
        program.symlink_to(sys.executable)
        script = ("import pathlib, signal, subprocess, sys\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
                  "subprocess.run(['sleep', '600'])\npathlib.Path(sys.argv[1]).touch()")
        processes = Processes({**os.environ, "PYTHONHOME": sys.base_prefix})
        thread = threading.Thread(target=lambda: processes.run([str(program), "-c", script, str(ended)], self.folder, 0,
                                                               io.BytesIO(), lambda line: None))
        thread.start()
        while len(processes.living()) < 2:
            time.sleep(0.05)
        processes.end()
        thread.join()
        self.assertTrue(ended.exists())

    def test_an_interrupted_run_says_what_it_did(self):
        script = ("import os, sys\nfrom suite import parts, __main__ as program\nfrom suite.lanes import Part\n"
                  "parts.short = lambda: [[Part('slow', ['sleep', '600'])]]\n"
                  f"parts.ROOT = __import__('pathlib').Path({str(self.folder)!r})\nsys.argv = ['suite']\n"
                  "sys.exit(program.main())\n")
        root = Path(__file__).resolve().parent.parent.parent
        process = subprocess.Popen([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env={**os.environ, "PYTHONPATH": str(root), "TMPDIR": str(self.folder)})
        while "slow" not in process.stdout.readline():
            pass
        process.send_signal(2)
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 130, errors)
        self.assertRegex(errors, r"^test: interrupted in: slow; run it again[^\n]*\n$")
        self.assertEqual([path.name for path in self.folder.glob("t.*")], [])

    def test_the_report_ends_with_one_line(self):
        outcomes = list(self.play([Part("a", say("x")), Part("b", say("reason", 1))]).values())
        lines = report.text(outcomes, 65).splitlines()
        self.assertEqual(lines[-1], "1 passed, 1 failed")
        self.assertIn("  reason", lines)
        self.assertIn("all parts took 1:05, and 0:00 of CPU time", lines)

    def test_the_time_of_a_process_that_a_part_waits_for_counts(self):
        work = "import time\nwhile time.process_time() < 0.3: pass"
        outcomes = self.play([Part("a", ["sh", "-c", 'python3 -c "$0"; true', work])])
        self.assertGreater(outcomes["a"].used, 0.3)


if __name__ == "__main__":
    unittest.main()
