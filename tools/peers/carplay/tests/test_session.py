# SPDX-License-Identifier: Apache-2.0
"""Tests of both own roles with each other over socket pairs."""

import asyncio
import random
import tempfile
import unittest
from pathlib import Path

from carplaypeer import hid, info, modes, screen
from carplaypeer.hostile import BEHAVIORS
from carplaypeer.network import PairNetwork
from carplaypeer.pairing import Pairings
from tests.sessions import car, meet, pictures
from tests.virtual_time import run


class Session(unittest.TestCase):
    def meet(self, **arguments):
        result = run(meet(**arguments))
        for log in (result.unit_log, result.phone_log):
            self.assertEqual(len(log.named("carPlayEnded")), 1, log.events)
        return result

    def good(self, **arguments):
        result = self.meet(**arguments)
        self.assertEqual((result.head_unit, result.phone), ("teardown", "teardown"),
                         (result.unit_log.named("carPlayEnded"), result.phone_log.named("carPlayEnded"),
                          result.unit_log.named("carPlayRefused")))
        self.assertEqual(result.unit_log.named("carPlayRefused"), [])
        return result

    def test_every_generation_carries_screen_and_sound_to_the_byte(self):
        music = random.Random(23).randbytes(4 * 48_000)
        for generation, pairs, clear in ((320, True, True), (280, True, True), (280, False, True), (210, True, True),
                                         (210, True, False)):
            with self.subTest(generation=generation, pairs=pairs, clear=clear), \
                    tempfile.TemporaryDirectory() as folder:
                film = Path(folder) / "film.h264"
                result = self.good(
                    unit={"car": car(generation=generation, clear_audio=clear), "screen_file": film,
                          "audio_folder": Path(folder)},
                    phone={"generation": generation, "pairs": pairs, "pictures": pictures(60, 3000), "music": music})
                self.assertEqual(list(screen.read_annex_b(film.read_bytes())), list(pictures(60, 3000)))
                self.assertEqual((Path(folder) / "100-1.pcm").read_bytes(), music)
                verified = bool(result.unit_log.named("carPlaySession", state="verified"))
                self.assertEqual(verified, generation == 320 or generation == 280 and pairs)

    def test_states_come_in_order(self):
        result = self.good()
        self.assertEqual([entry["state"] for entry in result.phone_log.named("carPlaySession")],
                         ["dialing", "pairing", "verifying", "authenticating", "sessionSetUp", "informed", "recording",
                          "live"])
        self.assertEqual([entry["state"] for entry in result.unit_log.named("carPlaySession")],
                         ["connected", "verified", "authenticated", "sessionSetUp", "recording"])

    def test_lost_packets_come_again_without_a_gap(self):
        source = random.Random(23)
        music = source.randbytes(4 * 48_000)

        def lose(data: bytes, _port: int) -> bool:
            return len(data) > 12 and data[1] & 0x7F in (100, 0x56) and source.random() < 0.05

        with tempfile.TemporaryDirectory() as folder:
            result = self.good(unit={"audio_folder": Path(folder)}, phone={"music": music},
                               network=PairNetwork(lose))
            self.assertEqual((Path(folder) / "100-1.pcm").read_bytes(), music)
        sent = result.phone_log.named("carPlayStream", state="sent", type="mainAudio")[0]
        self.assertGreater(sent["resent"], 0)
        stopped = result.unit_log.named("carPlayStream", state="stopped", type="mainAudio")[0]
        self.assertEqual(stopped["counts"]["lost"], 0)

    def test_the_microphone_reaches_the_phone(self):
        voice = random.Random(23).randbytes(3840 * 4)
        for generation in (320, 210):
            result = self.good(unit={"microphone": voice, "car": car(generation=generation)}, phone={
                "music": bytes(4 * 24_000), "wants_microphone": True, "generation": generation})
            self.assertEqual(len(result.phone_log.named("carPlayStream", state="microphone", type="mainAudio")), 1)
            self.assertEqual(result.session.microphone[:len(voice)], voice)
        result = self.good(unit={"microphone": voice}, phone={"music": bytes(4 * 24_000)})
        self.assertEqual(result.session.microphone, b"")

    def test_buffered_audio_prompts_and_iap2_pass(self):
        units = tuple(random.Random(23).randbytes(300) for _ in range(50))
        with tempfile.TemporaryDirectory() as folder:
            result = self.good(unit={"audio_folder": Path(folder), "iap_answers": lambda data: [data[::-1]],
                                     "data_both_ways": True},
                               phone={"buffered": units, "prompt": bytes(9600), "iap": (b"\xff\x55\2",)})
            written = (Path(folder) / "103-1.units").read_bytes()
        self.assertEqual(written, b"".join(len(unit).to_bytes(2, "big") + unit for unit in units))
        self.assertEqual(result.phone_log.named("carPlayIAP")[0]["bytes"], "0255ff")
        commands = [entry["name"] for entry in result.unit_log.named("carPlayCommand", direction="toHeadUnit")]
        self.assertEqual(commands, ["modesChanged", "duckAudio", "unduckAudio"])

    def test_iap2_of_the_head_unit_goes_over_the_event_channel(self):
        result = self.good(unit={"iap_answers": lambda data: [data]}, phone={"iap": (b"\xff\x55",)})
        self.assertEqual([entry["name"] for entry in result.phone_log.named("carPlayCommand", direction="toPhone")],
                         ["iAPSendMessage"])

    def test_input_reaches_the_phone_in_its_order(self):
        async def press(session):
            for report, uuid in ((hid.touch_report(320, 180, True), info.TOUCH_UUID),
                                 (hid.touch_report(320, 180, False), info.TOUCH_UUID),
                                 (hid.knob_report(wheel=-1), info.KNOB_UUID),
                                 (hid.key_report(hid.MEDIA_KEYS, "next"), info.MEDIA_UUID)):
                session.command({"type": "hidSendReport", "uuid": uuid, "hidReport": report})

        result = self.good(unit={"script": (press,)})
        inputs = result.phone_log.named("carPlayInput")
        self.assertEqual([(entry["touching"], entry["x"], entry["y"]) for entry in inputs[:2]],
                         [(True, 320, 180), (False, 320, 180)])
        self.assertEqual(inputs[2]["values"], {"0x10038": -1})
        self.assertEqual(inputs[3]["usages"], ["0xc00b5"])

    def test_the_radio_button_tears_the_music_down_and_is_answered_first(self):
        async def radio(session):
            while 100 not in session.streams:
                await asyncio.sleep(0.1)
            session.command({"type": "changeModes", "params": {"reasonStr": "radio",
                                                               "resources": [modes.take(modes.AUDIO)]}})

        result = self.good(unit={"script": (radio,)}, phone={"music": bytes(4 * 96_000), "seconds": 3.0})
        self.assertEqual(result.unit_log.named("carPlayModes")[-1]["mainAudio"], "headUnit")
        names = [(entry["event"], entry.get("name"), entry.get("direction")) for entry in result.unit_log.events]
        answer = names.index(("carPlayCommand", "changeModes", "answer"))
        self.assertEqual(names[answer + 1:].count(("carPlayCommand", "modesChanged", "toHeadUnit")), 1)
        self.assertEqual(len(result.unit_log.named("carPlayStream", state="stopped", type="mainAudio")), 1)

    def test_siri_borrows_and_gives_back_and_the_car_returns_its_screen(self):
        async def buttons(session):
            for action in (2, 3):
                session.command({"type": "requestSiri", "params": {"siriAction": action}})
                await asyncio.sleep(0.2)

        result = self.good(unit={"script": (buttons,)}, phone={"seconds": 2.0})
        self.assertEqual([(entry["screen"], entry["mainAudio"], entry["speech"])
                          for entry in result.unit_log.named("carPlayModes")],
                         [("phone", "headUnit", "none"), ("phone", "phone", "recognizing"),
                          ("phone", "headUnit", "none")])

    def test_the_oem_icon_gives_the_screen_to_the_car(self):
        async def icon(phone):
            await phone.command("requestUI")
            await asyncio.sleep(0.5)

        result = self.good(phone={"script": (icon,)})
        self.assertEqual(result.unit_log.named("carPlayModes")[-1]["screen"], "headUnit")

    def test_a_head_unit_that_keeps_the_screen_keeps_it(self):
        result = self.good(unit={"car": car(initial_permanent=((modes.SCREEN, modes.HEAD_UNIT),))})
        self.assertEqual(result.unit_log.named("carPlayModes")[0]["screen"], "headUnit")

    def test_a_known_phone_is_not_paired_again_and_a_forgotten_one_is(self):
        unit, phone = Pairings(), Pairings()
        for paired in (1, 0, 1):
            result = self.meet(unit={"pairings": unit}, phone={"pairings": phone})
            self.assertEqual((result.phone, len(result.phone_log.named("carPlayPaired"))), ("teardown", paired))
            if paired == 0:
                unit.forget(phone.identity.identifier)

    def test_features_need_their_keys(self):
        with self.assertRaises(ValueError):
            run(meet(unit={"car": car(features=("altScreen",))}))
        everything = info.build(car(features=("viewAreas", "hevc", "mainBuffered"), displays=(
            info.Display(), info.Display(uuid="2", kind=111))))
        self.assertEqual(info.faults(everything, ("viewAreas", "hevc", "mainBuffered", "altScreen")), [])
        self.assertEqual(len(info.faults(everything, ())), 4)
        self.assertEqual(info.faults(info.limited(everything, []), ()), [])

    def test_a_low_power_keep_alive_and_the_statistics_are_sent(self):
        result = self.good(unit={"car": car(statistics=True, keep_alive=True)},
                           phone={"pictures": pictures(90), "seconds": 25.0})
        stopped = result.unit_log.named("carPlayStream", state="stopped", type="screen")[0]
        self.assertGreaterEqual(stopped["counts"]["heartbeats"], 20)

    def test_requests_split_at_every_byte_and_pipelined_pass(self):
        for name in ("split-bytes", "split-answers", "pipelined"):
            self.good(behavior=BEHAVIORS[name])

    def test_positions_of_running_audio_are_reported(self):
        result = self.good(phone={"music": bytes(4 * 48_000 * 3), "random": lambda count: bytes([0x42]) * count})
        rate, sample = result.session.positions[100]
        # The first sample is 0x42424242, three seconds are played, and the latency is 100 ms.
        self.assertEqual(rate, 48_000)
        self.assertTrue(0x42424242 + 48_000 < sample < 0x42424242 + 3 * 48_000, hex(sample))

    def test_a_head_unit_that_stops_ends_the_session_of_the_phone_once(self):
        async def leave(session):
            await asyncio.sleep(3)
            session.ending.finish("stopped")

        result = self.meet(unit={"script": (leave,)}, phone={"seconds": 60.0})
        self.assertEqual(result.head_unit, "stopped")
        self.assertIn(result.phone, ("controlLost", "eventLost", "streamLost"))


if __name__ == "__main__":
    unittest.main()
