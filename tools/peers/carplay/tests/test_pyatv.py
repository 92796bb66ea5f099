# SPDX-License-Identifier: Apache-2.0
"""Tests of pairing with foreign software in both directions, over loopback: pyatv, and its library srptools.

pyatv is used as an installed package only. Without it, or with srptools 2, these tests are skipped.
"""

import asyncio
import hashlib
import unittest

from carplaypeer import info, pairing, srp
from carplaypeer.head_unit import HeadUnit, HeadUnitConfig
from carplaypeer.network import SocketNetwork
from carplaypeer.phone import Phone, PhoneConfig
from tests.sessions import SIGNER, Log

try:
    import srptools
    from pyatv.auth.hap_session import HAPSession
    from pyatv.auth.hap_srp import SRPAuthHandler
    from pyatv.protocols.airplay.ap2_session import AP2Session
    from pyatv.protocols.airplay.auth.hap import AirPlayHapPairSetupProcedure
    from pyatv.protocols.airplay.server_auth import BaseAirPlayServerAuth
    from pyatv.settings import InfoSettings
    from pyatv.support.http import BasicHttpServer, decode_bplist_from_body, http_connect, http_server
except ImportError:
    srptools = None

PIN = 3939


async def settle() -> None:
    """Waits until closed transports have finished."""
    for _ in range(10):
        await asyncio.sleep(0)


@unittest.skipUnless(srptools, "pyatv and srptools are not installed, see requirements.txt")
class Foreign(unittest.TestCase):
    def run_with_head_unit(self, work, generation: int = 320):
        async def main():
            log = Log()
            night = {"type": "setNightMode", "params": {"nightMode": True}}
            answered: list[int] = []

            async def script(session):
                session.command(night)
                event = session._event
                original = event.request

                async def request(*arguments):
                    response = await original(*arguments)
                    answered.append(response.status)
                    return response
                event.request = request

            unit = HeadUnit(HeadUnitConfig(SIGNER, car=info.Car(generation=generation), script=(script,)),
                            SocketNetwork(), log.emit)
            await unit.listen()
            try:
                return await asyncio.wait_for(work(unit, log, answered), 20)
            finally:
                await unit.close()
                await settle()
        return asyncio.run(main())

    async def pair(self, unit: HeadUnit):
        """Pairs pyatv with the head unit. Returns its credentials."""
        connection = await http_connect("127.0.0.1", unit.listener.port)
        procedure = AirPlayHapPairSetupProcedure(connection, SRPAuthHandler())
        await procedure.start_pairing()
        credentials = await procedure.finish_pairing("pyatv", PIN, None)
        connection.close()
        return credentials

    def test_pyatv_pairs_with_the_head_unit_and_sets_up_a_session(self):
        async def work(unit, log, answered):
            credentials = await self.pair(unit)
            self.assertEqual(credentials.ltpk, unit.config.pairings.identity.public)
            self.assertEqual(len(log.named("carPlayPaired")), 1)
            session = AP2Session("127.0.0.1", unit.listener.port, credentials, InfoSettings())
            await session.connect()
            self.assertEqual(len(log.named("carPlaySession", state="verified")), 1)
            body = decode_bplist_from_body(await session.connection.get("/info"))
            self.assertEqual(body["deviceID"], unit.config.car.device_id)
            await session.setup_remote_control()
            for state in ("sessionSetUp", "recording"):
                self.assertEqual(len(log.named("carPlaySession", state=state)), 1)
            self.assertEqual(len(log.named("carPlayStream", type="data", state="setUp")), 1)
            await session.rtsp.feedback()
            for _ in range(100):
                if answered:
                    break
                await asyncio.sleep(0.02)
            self.assertEqual(answered, [200])
            await asyncio.gather(*session.stop(), return_exceptions=True)
            self.assertEqual(log.named("carPlayRefused"), [])
        self.run_with_head_unit(work)

    def test_pyatv_with_a_wrong_pin_is_refused(self):
        async def work(unit, log, _answered):
            connection = await http_connect("127.0.0.1", unit.listener.port)
            procedure = AirPlayHapPairSetupProcedure(connection, SRPAuthHandler())
            await procedure.start_pairing()
            with self.assertRaises(Exception):
                await procedure.finish_pairing("pyatv", 1234, None)
            connection.close()
            self.assertEqual(log.named("carPlayPaired"), [])
            self.assertEqual(log.named("carPlayRefused")[0]["cause"], "badProof")
        self.run_with_head_unit(work)

    def test_the_phone_pairs_with_a_server_of_pyatv(self):
        class Pairing(BaseAirPlayServerAuth):
            session_keys = None

            def enable_encryption(self, output_key, input_key):
                self.session_keys = (output_key, input_key)

        class Server(BasicHttpServer):
            """A server that encrypts after its answer to M3 of pair-verify."""

            def __init__(self):
                super().__init__(Pairing("server", pin=PIN))
                self.crypto = None

            def process_received(self, data):
                return self.crypto.decrypt(data) if self.crypto else data

            def process_sent(self, data):
                if self.crypto:
                    return self.crypto.encrypt(data)
                if self.handler.session_keys:
                    self.crypto = HAPSession()
                    self.crypto.enable(*self.handler.session_keys)
                return data

        async def main():
            server, port = await http_server(Server)
            log, pairings = Log(), pairing.Pairings()
            phone = Phone(PhoneConfig(pairings=pairings, pairing_type=("3", "3"), authenticates=False),
                          SocketNetwork(), log.emit)
            cause = await asyncio.wait_for(phone.run(port), 20)
            server.close()
            await settle()
            return cause, log
        cause, log = asyncio.run(main())
        self.assertEqual(len(log.named("carPlayPaired")), 1)
        self.assertEqual([entry["state"] for entry in log.named("carPlaySession")], ["dialing", "pairing", "verifying"])
        # The server has no session: its encrypted 404 to the encrypted SETUP shows that both directions agree.
        self.assertEqual(cause, "refused")
        self.assertRegex(log.named("carPlayEnded")[0]["detail"], "SETUP .* 404")

    def test_srptools_agrees_with_both_sides(self):
        salt = bytes(range(16))
        context = srptools.SRPContext(srp.USER, srp.PASSWORD, prime=srptools.constants.PRIME_3072,
                                      generator=srptools.constants.PRIME_3072_GEN, hash_func=hashlib.sha512,
                                      bits_salt=128)
        self.assertEqual(int(srptools.constants.PRIME_3072, 16), srp.N)
        client = srptools.SRPClientSession(context, private="11" * 32)
        own = srp.Server(bytes([0x22]) * 32, salt)
        client.process(own.public.hex(), salt.hex())
        agreed = own.exchange(bytes.fromhex(client.public), client.key_proof)
        if agreed is None:  # srptools returns hexadecimal text or bytes, depending on its version
            agreed = own.exchange(bytes.fromhex(client.public), bytes.fromhex(client.key_proof.decode()))
        self.assertEqual(agreed.key, bytes.fromhex(client.key.decode()))


if __name__ == "__main__":
    unittest.main()
