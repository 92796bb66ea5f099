# SPDX-License-Identifier: Apache-2.0
"""Tests of hostile peers: each ends once with a name from its description, and with limited memory."""

import asyncio
import random
import tracemalloc
import unittest

from carplaypeer import rtsp
from carplaypeer.conversation import Conversation
from carplaypeer.head_unit import HeadUnit, HeadUnitConfig
from carplaypeer.hostile import BEHAVIORS, PHONE
from carplaypeer.limits import Limits
from carplaypeer.network import PairNetwork
from carplaypeer.pairing import Pairings
from tests.sessions import SIGNER, Log, meet, pictures
from tests.virtual_time import run

FEW = Limits(wrong_proofs=3)
SCREEN_SIZE = 60_000
# The options that a behavior requires to take effect.
CONTENT = {
    "flipped-audio": {"music": bytes(4 * 24_000)}, "replayed-audio": {"music": bytes(4 * 24_000)},
    "other-data-kind": {"iap": (b"\xff\x55",)},
    "no-echo": {"music": bytes(4 * 24_000)}, "lying-buffered": {"buffered": (bytes(300),) * 20, "seconds": 1.0},
    "flipped-buffered": {"buffered": (bytes(300),) * 20, "seconds": 1.0}, "lying-data": {"iap": (b"\xff\x55",)},
    "stop-reading-video": {"pictures": pictures(120, SCREEN_SIZE)}, "silent-clock": {"seconds": 20.0},
    "options-for-feedback": {"seconds": 20.0}, "other-payload-type": {"music": bytes(4 * 24_000)},
    "foreign-format": {"music": bytes(4 * 24_000)}, "sets-up-twice": {"music": bytes(4 * 24_000)},
    "other-rate": {"music": bytes(4 * 24_000)}, "no-feedback": {"seconds": 40.0},
    "silent-head-unit-clock": {"seconds": 20.0},
    "silent-feedback": {"seconds": 40.0}, "hundred-wrong-proofs": {"limits": FEW},
}
LARGE = ("huge-body", "endless-length", "endless-header", "deep-plist", "wide-plist", "cyclic-plist", "huge-answer",
         "deep-info", "wide-info", "huge-screen", "lying-data", "lying-descriptor", "lying-auth-length")
MEMORY = 16 * 1024 * 1024  # of both roles, including the data of the hostile one
# Parts of the names of behaviors that require pair-setup.
PAIRING = ("proof", "setup", "unknown", "tlv", "public-key", "answer", "server-key", "early")


class Hostile(unittest.TestCase):
    def play(self, name: str):
        behavior = BEHAVIORS[name]
        unit, phone = Pairings(), Pairings()
        if not any(word in name for word in PAIRING):
            unit.add(phone.identity.identifier, phone.identity.public)
            phone.add(unit.identity.identifier, unit.identity.public)
        limits = {"limits": FEW} if name == "hundred-wrong-proofs" else {}
        result = run(meet(unit={"pairings": unit} | limits, phone={"pairings": phone} | CONTENT.get(name, {}),
                          behavior=behavior))
        return behavior, result

    def test_large_announcements_take_no_memory(self):
        for name in LARGE:
            with self.subTest(name):
                tracemalloc.start()
                self.play(name)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                self.assertLess(peak, MEMORY)

    def test_every_behavior_ends_the_good_side_as_promised(self):
        for name in BEHAVIORS:
            with self.subTest(name):
                behavior, result = self.play(name)
                good, log = ((result.head_unit, result.unit_log) if behavior.side == PHONE
                             else (result.phone, result.phone_log))
                detail = (log.named("carPlayEnded"), log.named("carPlayRefused"))
                self.assertIn(good, behavior.ends, detail)
                self.assertEqual(result.phone_log.named("carPlayEnded")[1:], [])
                self.assertIsNone(result.unit.session)
                for log in (result.unit_log, result.phone_log):
                    self.assertNotIn("internal", [entry.get("cause") for entry in log.events], detail)
                    self.assertNotIn(500, [entry.get("status") for entry in log.events], detail)

    def test_refusals_have_their_status(self):
        for name, status in (("early-setup", 403), ("second-connection", 453), ("deep-plist", 400)):
            _, result = self.play(name)
            self.assertEqual([entry.get("status") for entry in result.unit_log.named("carPlayRefused")], [status], name)

    def test_sound_that_is_set_up_twice_plays_once(self):
        _, result = self.play("sets-up-twice")
        self.assertEqual([entry["state"] for entry in result.unit_log.named("carPlayStream", type="mainAudio")
                          if entry["state"] in ("setUp", "stopped")], ["setUp", "stopped", "setUp", "stopped"])

    def test_a_huge_body_is_413_and_the_connection_closes(self):
        _, result = self.play("huge-body")
        self.assertEqual(result.phone, "refused")
        self.assertRegex(result.phone_log.named("carPlayEnded")[0]["detail"], "413")

    def test_bad_audio_is_dropped_and_counted_and_the_stream_lives(self):
        for name, reason in (("flipped-audio", "tag"), ("replayed-audio", "replay")):
            _, result = self.play(name)
            counts = result.unit_log.named("carPlayStream", state="stopped", type="mainAudio")[0]["counts"]
            self.assertGreater(counts[reason], 0)
            self.assertGreater(counts["received"], 0)

    def test_sound_of_another_payload_type_is_played(self):
        _, result = self.play("other-payload-type")
        counts = result.unit_log.named("carPlayStream", state="stopped", type="mainAudio")[0]["counts"]
        self.assertGreater(counts["received"], 0)
        self.assertEqual(counts["tag"] + counts["malformed"], 0)

    def test_iap2_of_another_kind_of_package_is_taken(self):
        _, result = self.play("other-data-kind")
        self.assertEqual([entry["bytes"] for entry in result.unit_log.named("carPlayIAP")], ["ff55"])

    def test_a_stream_without_echo_is_torn_down(self):
        _, result = self.play("no-echo")
        self.assertEqual(len(result.phone_log.named("carPlayStream", state="noEcho")), 1)
        self.assertEqual(len(result.unit_log.named("carPlayStream", state="stopped", type="mainAudio")), 1)

    def test_the_screen_of_a_head_unit_that_does_not_read_loses_whole_frames(self):
        _, result = self.play("stop-reading-video")
        self.assertEqual(result.phone, "videoStalled")
        self.assertGreater(result.session.streams[110].dropped, 0)


class Raw(unittest.TestCase):
    """A head unit that receives bytes which are not a session."""

    def status_of(self, data: bytes) -> tuple[int | None, str]:
        """Returns the status of the last answer and the cause of the connection's end."""
        async def talk():
            network, log = PairNetwork(), Log()
            unit = HeadUnit(HeadUnitConfig(SIGNER), network, log.emit)
            await unit.listen()
            reader, writer = await network.connect(unit.listener.port, Limits())
            writer.write(data)
            writer.write_eof()
            parser, status = rtsp.Parser(), None
            while piece := await reader.read(65_536):
                parser.feed(piece)
                while (answer := parser.next()) is not None:
                    status = answer.status
            writer.close()
            cause = await unit.wait_for_end()
            await unit.close()
            return status, cause
        return run(talk())

    def test_requests_before_pairing_are_403_except_the_named_ones(self):
        for line, status in (("RECORD /x", 403), ("SETUP /x", 403), ("TEARDOWN /x", 403), ("POST /command", 403),
                             ("POST /auth-setup", 400), ("POST /unknown", 403), ("GET /info", 200),
                             ("POST /info?a=b", 200), ("OPTIONS *", 200), ("POST /feedback", 200),
                             ("POST /pair-pin-start", 200), ("POST /pair-setup", 400)):
            self.assertEqual(self.status_of(f"{line} RTSP/1.0\r\n\r\n".encode())[0], status, line)

    def test_random_bytes_end_with_a_name(self):
        source = random.Random(23)
        seeds = [b"POST /pair-setup RTSP/1.0\r\nContent-Length: 6\r\n\r\n\0\1\0\6\1\1", source.randbytes(400),
                 b"SETUP / RTSP/1.0\r\nContent-Length: 4\r\n\r\nbpli", b"OPTIONS * RTSP/1.0\r\n\r\n" * 3]
        for _ in range(150):
            data = bytearray(source.choice(seeds))
            for _ in range(source.randint(0, 3)):
                data[source.randrange(len(data))] = source.randrange(256)
            _, cause = self.status_of(bytes(data))
            self.assertIn(cause, ("controlLost", "badRequest", "tooLarge", "badTLV", "badAnswer", "badPlist"))


class Silence(unittest.TestCase):
    def test_connections_before_a_session_are_bounded(self):
        async def crowd():
            network, log = PairNetwork(), Log()
            unit = HeadUnit(HeadUnitConfig(SIGNER), network, log.emit)
            await unit.listen()
            peers = [await network.connect(unit.listener.port, Limits()) for _ in range(9)]
            self.assertEqual(await peers[8][0].read(1), b"")
            ends = [await unit.wait_for_end() for _ in range(8)]
            for _, writer in peers:
                writer.close()
            await asyncio.sleep(1)
            return ends
        self.assertEqual(set(run(crowd())), {"setupTimeout"})

    def test_a_request_without_an_answer_ends_after_its_limit(self):
        async def ask():
            network = PairNetwork()

            async def accept(reader, writer):
                await reader.read()
                writer.close()
            listener = await network.listen(accept)
            talk = Conversation(*await network.connect(listener.port, Limits()), "control")
            begin = asyncio.get_running_loop().time()
            with self.assertRaisesRegex(Exception, "requestTimeout"):
                await talk.request(rtsp.Request("OPTIONS", "*"))
            duration = asyncio.get_running_loop().time() - begin
            talk.close()
            await asyncio.sleep(1)
            return duration
        self.assertAlmostEqual(run(ask()), 11.0, delta=0.1)


if __name__ == "__main__":
    unittest.main()
