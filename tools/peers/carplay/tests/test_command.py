# SPDX-License-Identifier: Apache-2.0
"""Tests of the command line: two processes over loopback."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import carplaypeer  # noqa: F401 (it makes `common` known)
from common.command_line import events_of

RUN = Path(__file__).resolve().parent.parent / "run"


class Command(unittest.TestCase):
    def start(self, *arguments: str) -> subprocess.Popen:
        process = subprocess.Popen([sys.executable, str(RUN), *arguments], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def meet(self, unit_arguments: list[str], phone_arguments: list[str]):
        """Runs both sides. Returns exit statuses and events of head unit and phone."""
        unit = self.start("headunit", "--once", "--seconds", "30", *unit_arguments)
        listening = json.loads(unit.stdout.readline())
        self.assertEqual(listening["event"], "carPlayListening")
        phone = self.start("phone", "--connect", listening["address"], *phone_arguments)
        phone_events, unit_events = events_of(phone.stdout), events_of(unit.stdout)
        return unit.wait(30), phone.wait(30), unit_events, phone_events

    def test_two_processes_carry_a_session(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            music = bytes(range(256)) * 150
            (folder / "music.pcm").write_bytes(music)
            statuses = self.meet(["--screen", str(folder / "film.h264"), "--audio", name, "--touch", "10,20"],
                                 ["--music", str(folder / "music.pcm"), "--iap", "ff55", "--pairings",
                                  str(folder / "phone.json")])
            self.assertEqual(statuses[:2], (0, 0), statuses[2:])
            self.assertEqual((folder / "100-1.pcm").read_bytes(), music)
            self.assertTrue((folder / "film.h264").read_bytes().startswith(b"\0\0\0\1\x67"))
            self.assertEqual((folder / "phone.json").stat().st_mode & 0o777, 0o600)
        events = [entry["event"] for entry in statuses[3]]
        self.assertIn("carPlayInput", events)
        self.assertEqual(events[-1], "carPlayEnded")
        self.assertEqual({entry["role"] for entry in statuses[2]}, {"headUnit"})

    def test_a_hostile_phone_makes_both_exit_with_1(self):
        unit, phone, unit_events, _ = self.meet([], ["--behavior", "flipped-screen"])
        self.assertEqual((unit, phone), (1, 1))
        self.assertEqual([entry["cause"] for entry in unit_events if entry["event"] == "carPlayEnded"], ["badScreen"])

    def test_wrong_usage_has_its_exit_status(self):
        for arguments, status in ((["phone"], 64), (["headunit", "--touch", "1"], 64),
                                  (["headunit", "--behavior", "flipped-screen"], 64), ([], 64),
                                  (["phone", "--connect", "127.0.0.1:1", "--music", "/nonexistent"], 66)):
            process = subprocess.run([sys.executable, str(RUN), *arguments], capture_output=True)
            self.assertEqual(process.returncode, status, process.stderr)


if __name__ == "__main__":
    unittest.main()
