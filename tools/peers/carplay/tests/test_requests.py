# SPDX-License-Identifier: Apache-2.0
"""Tests of the head unit's rules for single requests: states, statuses, lists of streams, ends (#requests, #states)."""

import asyncio
import dataclasses
import tempfile
import unittest
from collections.abc import Awaitable, Callable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

from carplaypeer import authsetup, plists, rtsp
from carplaypeer.conversation import Conversation
from carplaypeer.head_unit import HeadUnit, HeadUnitConfig
from carplaypeer.limits import Limits
from carplaypeer.network import PairNetwork
from carplaypeer.pairing import Pairings
from carplaypeer.problems import Problem
from tests.sessions import AUTHORITY, SIGNER, Log, car, meet
from tests.virtual_time import run

URL = "rtsp://127.0.0.1/1"
SCREEN = {"type": 110, "streamConnectionID": 2**64 - 2}
ALERT = {"type": 101, "streamConnectionID": 5, "audioFormat": 1 << 14, "audioType": "default"}


class Client:
    """A phone of the old generation that sends single requests without encryption."""

    def __init__(self, unit: HeadUnit, network: PairNetwork, log: Log):
        self.unit, self.network, self.log = unit, network, log
        self.limits, self.events = Limits(), None

    async def dial(self) -> Conversation:
        """Opens a control connection."""
        talk = Conversation(*await self.network.connect(self.unit.listener.port, self.limits), "control")
        self.reading = asyncio.create_task(talk.run())
        return talk

    async def start(self) -> None:
        """Opens the first control connection."""
        self.control = await self.dial()

    async def ask(self, method: str, target: str = URL, body=None, talk: Conversation | None = None) -> rtsp.Response:
        """Sends a request. A body that is not bytes is sent as a plist."""
        data = body if isinstance(body, bytes) else b"" if body is None else plists.encode(body)
        return await (talk or self.control).request(rtsp.Request(method, target, {}, data))

    async def status(self, *arguments, **options) -> int:
        """Returns the status of an answer."""
        return (await self.ask(*arguments, **options)).status

    async def authenticate(self) -> dict:
        """Runs auth-setup. Returns the keys of a session SETUP."""
        client = authsetup.Client([AUTHORITY])
        agreed = client.finish((await self.ask("POST", "/auth-setup", client.request)).body)
        return {"et": 16, "ekey": agreed.keystream.apply(bytes(16)), "eiv": bytes(16), "timingProtocol": "None"}

    async def set_up(self, events: bool = True, features: list[str] | None = None) -> dict:
        """Sets up a session, with the event connection if requested. Returns the answer."""
        named = {} if features is None else {"features": features}
        response = await self.ask("SETUP", URL, await self.authenticate() | named)
        answer = plists.decode(response.body)
        if self.events is not None:
            self.events[1].close()
        if events:
            self.events = await self.network.connect(answer["eventPort"], self.limits)
        return answer

    def streams(self) -> list[int]:
        """Returns the types of the running streams."""
        return sorted(self.unit.session.streams) if self.unit.session else []


class Requests(unittest.TestCase):
    def talk(self, work: Callable[[Client], Awaitable[None]], generation: int = 210, **config) -> None:
        async def main():
            network, log = PairNetwork(), Log()
            unit = HeadUnit(HeadUnitConfig(SIGNER, car=car(generation=generation), **config), network, log.emit)
            await unit.listen()
            client = Client(unit, network, log)
            await client.start()
            await work(client)
            client.control.close()
            if client.events is not None:
                client.events[1].close()
            await unit.close()
            await asyncio.sleep(5)
        run(main())

    def test_states_decide_and_always_answered_requests_are_answered(self):
        async def work(client):
            for method, target, status in (("RECORD", URL, 455), ("TEARDOWN", URL, 455), ("POST", "/command", 455),
                                           ("POST", "/pair-setup", 404), ("POST", "/pair-verify", 404),
                                           ("OPTIONS", "*", 200), ("GET", "/info", 200), ("POST", "/feedback", 200),
                                           ("GET", "/nothing", 404), ("BREW", "/pot", 501), ("DELETE", "/info", 501)):
                self.assertEqual(await client.status(method, target), status, (method, target))
            self.assertEqual(await client.status("SETUP", URL, {"streams": [SCREEN]}), 455)
            self.assertEqual(await client.status("SETUP", URL, {}), 400)
            await client.set_up()
            self.assertEqual(await client.status("SETUP", URL, {}), 455)
            self.assertEqual(await client.status("POST", "/auth-setup", b"\1" + bytes(32)), 455)
            for _ in range(2):
                self.assertEqual(await client.status("RECORD"), 200)
            self.assertEqual(len(client.log.named("carPlaySession", state="recording")), 1)
        self.talk(work)

    def test_auth_setup_refuses_versions_zero_keys_and_a_second_request(self):
        async def work(client):
            for body in (b"", b"\2" + bytes(32), b"\1" + bytes(31), b"\1" + bytes(32)):
                self.assertEqual(await client.status("POST", "/auth-setup", body), 400)
            keys = await client.authenticate()
            self.assertEqual(await client.status("POST", "/auth-setup", b"\1" + b"\x09" + bytes(31)), 455)
            for change in ({"et": 32}, {"ekey": bytes(15)}, {"eiv": b""}):
                self.assertEqual(await client.status("SETUP", URL, keys | change), 400)
            self.assertEqual(await client.status("SETUP", URL, keys), 200)
        self.talk(work)

    def test_answers_echo_sequence_and_protocol_and_carry_a_length(self):
        async def work(client):
            reader, writer = await client.network.connect(client.unit.listener.port, client.limits)
            writer.write(b"OPTIONS * HTTP/1.1\r\ncseq: 77\r\n\r\nOPTIONS * RTSP/1.0\r\n\r\n")
            data = b""
            while data.count(b"\r\n\r\n") < 2:
                data += await reader.read(1000)
            first, second, _ = data.split(b"\r\n\r\n")
            self.assertTrue(first.startswith(b"HTTP/1.1 200 OK\r\nCSeq: 77\r\n"))
            self.assertTrue(second.startswith(b"RTSP/1.0 200 OK\r\n"))
            self.assertNotIn(b"CSeq", second)
            self.assertEqual(data.count(b"Content-Length: 0\r\n"), 2)
            writer.close()
        self.talk(work)

    def test_a_stream_waits_two_seconds_for_the_event_connection(self):
        async def work(client):
            answer = await client.set_up(events=False)
            begin = asyncio.get_running_loop().time()
            self.assertEqual(await client.status("SETUP", URL, {"streams": [SCREEN]}), 455)
            self.assertAlmostEqual(asyncio.get_running_loop().time() - begin, 2.0, delta=0.1)
            asking = asyncio.create_task(client.status("SETUP", URL, {"streams": [SCREEN]}))
            await asyncio.sleep(1)
            events = await client.network.connect(answer["eventPort"], client.limits)
            self.assertEqual(await asking, 200)
            again = await client.network.connect(answer["eventPort"], client.limits)
            self.assertEqual(await again[0].read(1), b"")
            for _, writer in (events, again):
                writer.close()
        self.talk(work)

    def test_a_list_is_answered_with_the_part_that_can_be_done(self):
        async def work(client):
            await client.set_up()
            for bad in ({"type": 99}, {"type": 96}, {"type": "110"}, {}, 5, SCREEN,
                        {"type": 111, "streamConnectionID": 1}, ALERT | {"audioFormat": 3},
                        ALERT | {"streamConnectionID": "5"}, {"type": 101},
                        {"type": 103, "audioFormat": 1 << 22, "shk": bytes(31)}, {"type": 130, "seed": 1}):
                is_list = isinstance(bad, dict)
                if bad is not SCREEN:
                    self.assertEqual(await client.status("SETUP", URL, {"streams": [bad]}), 400, bad)
                    self.assertEqual(client.streams(), [])
                status = await client.status("SETUP", URL, {"streams": [SCREEN, bad]})
                self.assertEqual(status, 200 if is_list else 400, bad)
                self.assertEqual(client.streams(), [110] if is_list else [])
                await client.status("TEARDOWN", URL, {"streams": [{"type": 110}]})
            for body in ({"streams": []}, {"streams": {}}, b"not a plist", [1]):
                self.assertEqual(await client.status("SETUP", URL, body), 400)
            response = await client.ask("SETUP", URL, {"streams": [ALERT, SCREEN]})
            answers = plists.decode(response.body)["streams"]
            self.assertEqual([(entry["type"], entry["streamConnectionID"]) for entry in answers],
                             [(101, 5), (110, 2**64 - 2)])
            self.assertEqual(await client.status("SETUP", URL, {"streams": [SCREEN]}), 200)
            self.assertEqual(client.streams(), [101, 110])
        self.talk(work)

    def test_a_stream_takes_one_connection(self):
        async def work(client):
            await client.set_up()
            answer = plists.decode((await client.ask("SETUP", URL, {"streams": [SCREEN]})).body)["streams"][0]
            first = await client.network.connect(answer["dataPort"], client.limits)
            second = await client.network.connect(answer["dataPort"], client.limits)
            self.assertEqual(await second[0].read(1), b"")
            self.assertEqual(client.streams(), [110])
            for _, writer in (first, second):
                writer.close()
        self.talk(work)

    def test_teardown_stops_exactly_what_it_names(self):
        async def work(client):
            await client.set_up()
            await client.ask("SETUP", URL, {"streams": [ALERT, SCREEN]})
            for bad in ({"type": 100}, {"type": 110, "streamConnectionID": 1}, {"streamConnectionID": 5}, 7,
                        {"type": 110, "uuid": "other"}, {"type": 110, "streamID": 1}):
                self.assertEqual(await client.status("TEARDOWN", URL, {"streams": [{"type": 101}, bad]}), 200, bad)
                self.assertEqual(client.streams(), [110])
                await client.ask("SETUP", URL, {"streams": [ALERT]})
            self.assertEqual(await client.status("TEARDOWN", URL, {"streams": 1}), 400)
            # -2 is the same 64 bits as 2^64 - 2.
            self.assertEqual(await client.status("TEARDOWN", URL, {"streams": [
                {"type": 110, "streamConnectionID": -2}]}), 200)
            self.assertEqual(client.streams(), [101])
            self.assertEqual(await client.status("SETUP", URL, {"streams": [SCREEN | {"streamConnectionID": 9}]}), 200)
            self.assertEqual(await client.status("TEARDOWN", URL, {}), 200)
            await client.reading
            self.assertEqual(await client.unit.wait_for_end(), "teardown")
            self.assertIsNone(client.unit.session)
        self.talk(work)

    def test_after_a_session_another_one_begins(self):
        async def work(client):
            for _ in range(3):
                await client.set_up()
                self.assertEqual(await client.status("TEARDOWN"), 200)
                self.assertEqual(await client.unit.wait_for_end(), "teardown")
                await client.start()
        self.talk(work)

    def test_an_older_connection_gets_453_too(self):
        async def work(client):
            first = client.control
            self.assertEqual(await client.status("OPTIONS", "*"), 200)
            await client.start()
            await client.set_up()
            self.assertEqual(await client.status("OPTIONS", "*", talk=first), 453)
            with self.assertRaises(ConnectionError):
                await client.ask("OPTIONS", "*", talk=first)
            self.assertEqual(await client.status("RECORD"), 200)
        self.talk(work)

    def test_commands_and_parameters(self):
        async def work(client):
            await client.set_up()
            for body, status in (({"type": "unheardOf"}, 501), ({"params": {}}, 400), ({"type": 5}, 400),
                                 ({"type": "requestUI", "params": 1}, 400), (b"", 400), ({"type": "suggestUI"}, 200),
                                 ({"type": "duckAudio", "params": {"volume": 3.0}}, 400),
                                 ({"type": "modesChanged", "params": {"resources": [{"resourceID": 9}]}}, 400),
                                 ({"type": "iAPSendMessage", "params": {}}, 400)):
                self.assertEqual(await client.status("POST", "/command", body), status, body)
            self.assertEqual(await client.status("SET_PARAMETER", URL, b"volume: -20.0\r\n"), 200)
            self.assertEqual((await client.ask("GET_PARAMETER", URL, b"volume\r\n")).body, b"volume: -20.0\r\n")
            self.assertEqual(await client.status("SET_PARAMETER", URL, b"volume: loud"), 400)
            self.assertEqual(await client.status("GETANCHOR"), 455)
            self.assertEqual(await client.status("FLUSH"), 200)
        self.talk(work)

    def test_unknown_commands_may_be_answered_200(self):
        async def work(client):
            await client.set_up()
            self.assertEqual(await client.status("POST", "/command", {"type": "unheardOf"}), 200)
        self.talk(work, unknown_command=200)

    def test_a_lost_event_connection_ends_the_session_after_two_seconds(self):
        async def work(client):
            await client.set_up()
            client.events[1].close()
            begin = asyncio.get_running_loop().time()
            self.assertEqual(await client.unit.wait_for_end(), "eventLost")
            self.assertAlmostEqual(asyncio.get_running_loop().time() - begin, 2.0, delta=0.1)
        self.talk(work)

    def test_pairing_inside_a_verified_connection_is_455(self):
        async def pair_again(phone):
            for path in ("/pair-setup", "/pair-verify", "/pair-pin-start"):
                with self.assertRaisesRegex(Problem, "455"):
                    await phone.ask("POST", path, b"\6\1\1")
        self.assertEqual(run(meet(phone={"script": (pair_again,)})).phone, "teardown")

    def test_features_show_in_info_only_when_they_are_enabled(self):
        async def work(client):
            before = plists.decode((await client.ask("GET", "/info")).body)
            answer = await client.set_up(features=[])
            after = plists.decode((await client.ask("GET", "/info")).body)
            self.assertEqual(answer["enabledFeatures"], [])
            self.assertIn("mainBufferedInfo", before)
            self.assertNotIn("mainBufferedInfo", after)
        self.talk(work)


class Certificates(unittest.TestCase):
    def finish(self, signer: authsetup.Signer, trusted, change=lambda body: body) -> authsetup.Agreed:
        client = authsetup.Client(trusted)
        return client.finish(change(authsetup.answer(client.request, signer)[0]))

    def test_both_chips_and_both_forms_of_a_certificate_are_accepted(self):
        for chip in (2, 3):
            authority, signer = authsetup.make_test_authority(chip)
            self.finish(signer, [AUTHORITY, authority])
            certificate = x509.load_der_x509_certificate(signer.certificate)
            wrapped = pkcs7.serialize_certificates([certificate], Encoding.DER)
            self.finish(dataclasses.replace(signer, certificate=wrapped), [authority])

    def test_a_signature_in_der_is_accepted(self):
        authority, signer = authsetup.make_test_authority()

        class DER(authsetup.Signer):
            def sign(self, data):
                return authsetup._as_der(super().sign(data))
        self.finish(DER(signer.certificate, signer.key), [authority])

    def test_a_certificate_of_another_authority_is_refused(self):
        with self.assertRaisesRegex(Problem, "badCertificate"):
            self.finish(authsetup.make_test_authority()[1], [AUTHORITY])
        with self.assertRaisesRegex(Problem, "badCertificate"):
            self.finish(SIGNER, [])
        self.finish(SIGNER, None)

    def test_every_cut_of_an_answer_is_refused(self):
        client = authsetup.Client([AUTHORITY])
        body = authsetup.answer(client.request, SIGNER)[0]
        for length in range(len(body)):
            with self.assertRaises(Problem):
                client.finish(body[:length])
        with self.assertRaises(Problem):
            client.finish(body + b"\0")


class Store(unittest.TestCase):
    def test_pairings_survive_and_only_their_owner_reads_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pairings.json"
            first = Pairings(path=path)
            first.add("peer", bytes(32))
            second = Pairings(path=path)
            self.assertEqual((second.identity, second.peers), (first.identity, {"peer": bytes(32)}))
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            second.forget("peer")
            self.assertEqual(Pairings(path=path).peers, {})
            self.assertNotIn(first.identity.seed.hex(), repr(first.identity))


if __name__ == "__main__":
    unittest.main()
