# SPDX-License-Identifier: Apache-2.0
"""Tests of the worked vectors, byte for byte, and of the bytes of a real iPad in #screen-header."""

import unittest
from hashlib import sha256

from carplaypeer import audio, authsetup, clock, keys, pairing, plists, rtsp, screen, srp, tlv8
from carplaypeer.frames import Opener, Sealer

PHONE, HEAD_UNIT = "11111111-2222-3333-4444-555555555555", "66666666-7777-8888-9999-AAAAAAAAAAAA"
SHARED = bytes.fromhex("559ed2171b98fa0c0f417b78b5c5a43e971990d7605860038d940284d3245142")
MINUS_TWO = keys.stream_keys(SHARED, -2)


def given(*values: bytes):
    """Returns a random source that returns these values."""
    iterator = iter(values)
    return lambda _count: next(iterator)


def identities() -> tuple[pairing.Pairings, pairing.Pairings]:
    """Returns phone and head unit of the worked vectors."""
    return (pairing.Pairings(pairing.Identity(PHONE, bytes([0x33]) * 32)),
            pairing.Pairings(pairing.Identity(HEAD_UNIT, bytes([0x44]) * 32)))


def converse(client, server) -> tuple[list[bytes], object]:
    """Runs a client against a server. Returns all messages and the client's result."""
    messages, items = [], client.send(None)
    while True:
        messages.append(tlv8.encode(items))
        messages.append(server.handle(messages[-1]))
        try:
            items = client.send(messages[-1])
        except StopIteration as result:
            return messages, result.value


class SRPVectors(unittest.TestCase):
    def test_the_vector_of_apples_source_holds(self):
        client = srp.Client(bytes.fromhex("60975527035CF2AD1989806F0407210BC81EDC04E2762A56AFD529DDDA2D4393"),
                            "alice", "password123")
        salt = bytes.fromhex("BEB25379D1A8581EB5A727673A2441EE")
        server = srp.Server(bytes.fromhex("E487CB59D31AC550471E81F00F6928E01DDA08E974A004F49E61F5D105284D20"), salt,
                            "alice", "password123")
        agreed = client.exchange(salt, server.public)
        self.assertEqual(client.public[:8].hex(), "fab6f5d2615d1e32")
        self.assertEqual(server.public[:8].hex(), "40f57088a482d4c7")
        self.assertEqual(agreed.key.hex(), "5cbc219db052138ee1148c71cd4498963d682549ce91ca24f098468f06015beb"
                         "6af245c2093f98c3651bca83ab8cab2b580bbf02184fefdf26142f73df95ac50")
        self.assertEqual(agreed.client_proof.hex(), "5f7c14ab57ed0e94fd1d78c6b4dd09ed7e340b7e05d419a9fd760f6b35e523d1"
                         "310777a1ae1d2826f596f3a85116cc457c7c964d4f44ded5559da818c88b617f")
        self.assertEqual(agreed.server_proof.hex(), "2fa0e81f5cb73b88fa0964270f321dd641f2227a5d805c40f1bfe96aaf6a19ff"
                         "ce8e23287965a39eab9d5a02215f89e128177ed2c4f103e655a045531bcbf7ad")
        self.assertEqual(server.exchange(client.public, agreed.client_proof), agreed)

    def test_the_vector_of_the_public_password_holds(self):
        salt = bytes(range(16))
        client, server = srp.Client(bytes([0x11]) * 32), srp.Server(bytes([0x22]) * 32, salt)
        agreed = client.exchange(salt, server.public)
        self.assertEqual(sha256(client.public).hexdigest(),
                         "554d1db9c9d367c73c139993a6aec6bc5f4d7ab233f954bb85067f7fdee8c4b2")
        self.assertEqual(sha256(server.public).hexdigest(),
                         "c920cc8cf4e76fd716b36c3766dd515c5444d4edcfd674fa70475f59eccd7fb6")
        self.assertEqual(agreed.key.hex(), "11cd0bf774fc3f46deec845cfe85124d900b2fbe4465003258aaad2d403c7b45"
                         "4821bab9966e7e4d3c1b65c0363457943e9706bafdc8edc2fd445a2613af263c")
        self.assertEqual(agreed.client_proof.hex(), "31c7d6299c9df932774f39ada21317fca27f572ff43951295e2809273fc45554"
                         "64305fd502c5b9980a1598bcb4078a096d96f5ce76a51f59b6409b3808cbfa46")
        self.assertEqual(agreed.server_proof.hex(), "bec54d2d6c1b56d60c425e103d3711008295f58bb9e78972740298a8c3792dab"
                         "a22a22c6f391a104a23f112333efc8432d35f12c6ebe96ca06e37e73336fd998")

    def test_public_keys_that_begin_with_zeros_agree_in_both_forms_of_the_proof(self):
        # The two forms differ only if A or B has a leading zero byte, which is one session in 128.
        salt = bytes(range(16))
        server = srp.Server(bytes([0x22]) * 32, salt)
        private = next(number for number in range(1, 5000)
                       if srp.pad(pow(srp.G, 1000 + number, srp.N))[0] == 0)
        client = srp.Client((1000 + private).to_bytes(32, "big"))
        for padded in (False, True):
            agreed = client.exchange(salt, server.public, padded)
            proof = agreed.padded_client_proof if padded else agreed.client_proof
            answer = server.exchange(client.public, proof)
            self.assertTrue(agreed.accepts_server(answer.server_proof))
            self.assertTrue(agreed.accepts_server(answer.short_server_proof))
        self.assertNotEqual(agreed.client_proof, agreed.padded_client_proof)
        self.assertNotEqual(agreed.server_proof, agreed.short_server_proof)


class PairingVectors(unittest.TestCase):
    def test_pair_setup_holds(self):
        phone, unit = identities()
        self.assertEqual(phone.identity.public.hex(),
                         "17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce")
        self.assertEqual(unit.identity.public.hex(),
                         "d759793bbc13a2819a827c76adb6fba8a49aee007f49f2d0992d99b825ad2c48")
        server = pairing.SetupServer(unit, random=given(bytes([0x22]) * 32, bytes(range(16))))
        messages, result = converse(pairing.setup_client(phone, given(bytes([0x11]) * 32)), server)
        self.assertEqual([len(message) for message in messages], [6, 409, 457, 69, 159, 159])
        self.assertEqual(sha256(messages[4]).hexdigest(),
                         "ff3f9fd112084ad50157fd48f21c33bce4a54cbb892fb42ba9f763868db0265d")
        self.assertEqual(sha256(messages[5]).hexdigest(),
                         "74153e71dc8bbac63e41d5901aedff2ab85053671026bacb6052928490f008f0")
        self.assertEqual((result, server.paired), (HEAD_UNIT, PHONE))
        key = bytes.fromhex("11cd0bf774fc3f46deec845cfe85124d900b2fbe4465003258aaad2d403c7b45"
                            "4821bab9966e7e4d3c1b65c0363457943e9706bafdc8edc2fd445a2613af263c")
        self.assertEqual(keys.derive(key, "Pair-Setup-Encrypt-Salt", "Pair-Setup-Encrypt-Info").hex(),
                         "d0cf76130ce658dbdd0a53b5a9b8184a34fcd8b6ff9475498f1637a90c5fe6f0")

    def test_pair_verify_holds(self):
        phone, unit = identities()
        phone.add(HEAD_UNIT, unit.identity.public)
        unit.add(PHONE, phone.identity.public)
        server = pairing.VerifyServer(unit, random=given(bytes([0x66]) * 32))
        messages, result = converse(pairing.verify_client(phone, given(bytes([0x55]) * 32)), server)
        self.assertEqual(messages[0].hex(),
                         "060101032038ab664bd86f77d7e66bdd9ae0792913a94fd8b33a1260027e4b46c1f4884c67")
        self.assertEqual(tlv8.decode_unique(messages[1])[tlv8.PUBLIC_KEY].hex(),
                         "219e4d800da968d2a5fcb009c784f4746c7138edb9ee4844b739e830b05cf424")
        self.assertEqual([len(message) for message in messages], [37, 159, 125, 3])
        self.assertEqual(sha256(messages[1]).hexdigest(),
                         "04009f08097fbb60a382a06ef64110d511ba7d8f256a8c9b600a536dd284b285")
        self.assertEqual(sha256(messages[2]).hexdigest(),
                         "e8b355d27b66ae07b368ad743dbb89eaf55c19ebfab4bd95ea2a87949f4674e2")
        self.assertEqual(messages[3].hex(), "060104")
        self.assertEqual(result, (SHARED, HEAD_UNIT))
        self.assertEqual((server.shared, server.phone), (SHARED, PHONE))
        self.assertEqual(keys.derive(SHARED, "Pair-Verify-Encrypt-Salt", "Pair-Verify-Encrypt-Info").hex(),
                         "0f93639e308c59e0a0ecfc4fda73202fe92c91014da17fb0353a4e4159fb4f6c")


class KeyVectors(unittest.TestCase):
    def test_keys_of_all_channels_hold(self):
        control, events = keys.control_keys(SHARED), keys.event_keys(SHARED)
        expected = {
            control.phone_writes: "4d46e7880dc77c9666c6479a9836c7ea77cebd73ab3a058db7f6be9acd258507",
            control.head_unit_writes: "6348853961459d78ac8a54ef99d4e3e3e561f352382522d2732b4022b1d17ddd",
            events.head_unit_writes: "ab8d9441485382939e935122ee531968a6b0c0bc9b93d733808794eb8201b966",
            events.phone_writes: "38ec77edf90c98b7a48c7d046f3df73526457350ff39b85168588ac800e0b4bc",
            MINUS_TWO.phone_writes: "397f5cec8fa80be7121b0a782934246434cd506e3c0652bb2654b41755098c55",
            MINUS_TWO.head_unit_writes: "059c24c25df27e64deff33c258cf1f093dc322012bafc5f44c2e146806ec6ab5"}
        for key, text in expected.items():
            self.assertEqual(key.hex(), text)
        self.assertEqual(MINUS_TWO, keys.stream_keys(SHARED, 2**64 - 2))

    def test_keys_of_the_old_generation_hold(self):
        key, initial = keys.old_screen_key(bytes([0x77]) * 16, -2)
        self.assertEqual((key.hex(), initial.hex()),
                         ("f18d68e4b5e5652ebf07b559ec76254f", "f379a8beb3825d4597d26ea134c19bcd"))
        # AES-CTR of zeros starts with the encrypted IV, so it determines key and IV of MFi-SAP.
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        expected = Cipher(algorithms.AES(bytes.fromhex("492e914b8f18cc943bee82a035a96e1b")),
                          modes.CTR(bytes.fromhex("011573180753cc4939e6d8495025e8cd"))).encryptor().update(bytes(40))
        stream = authsetup.Keystream(SHARED)
        self.assertEqual(stream.apply(bytes(7)) + stream.apply(bytes(33)), expected)


class PacketVectors(unittest.TestCase):
    def test_a_frame_holds(self):
        key = keys.control_keys(SHARED).phone_writes
        plain = rtsp.Request("GET", "/info", {"CSeq": "5"}).encode().replace(b"Content-Length: 0\r\n", b"")
        frame = bytes.fromhex("1f00d2b655a1f6464f9f6667b215876bee8cd3f61e1300acf804f2df0708d223"
                              "d3e1b03ed3aa456de06fde3e111a7baf5c")
        self.assertEqual(plain, b"GET /info RTSP/1.0\r\nCSeq: 5\r\n\r\n")
        self.assertEqual(Sealer(key).seal(plain), [frame])
        self.assertEqual(Opener(key).feed(frame), plain)

    def test_a_frame_of_the_screen_holds(self):
        unit = bytes.fromhex("65888040")
        writer = screen.Writer(screen.Cipher320(MINUS_TWO.phone_writes), (0, 0))
        message = writer.frame([unit], clock.ntp(10.5), True)
        self.assertEqual(message, bytes.fromhex("1800000000100000000000800a000000") + bytes(112)
                         + bytes.fromhex("d7a13d98330ad83ecd55908ea59daf8b401dd576f698aca9"))
        parser = screen.Parser(screen.Cipher320(MINUS_TWO.phone_writes))
        parser.config = screen.Config(b"", "h264", 4, (b"",))
        parser.feed(message)
        self.assertEqual(parser.next()[1], [unit])

    def test_a_packet_of_audio_holds(self):
        sender = audio.Sender(100, audio.Crypto320(MINUS_TWO.phone_writes), 0x01020304, 1, 480)
        packet = bytes.fromhex("80640001000001e001020304d7a0c262a6d7330d30eacbbe4e30ae1eff9b8f3c0000000000000000")
        self.assertEqual(sender.packet(bytes.fromhex("0001fffe"), 1), packet)
        opened = audio.Receiver(audio.Crypto320(MINUS_TWO.phone_writes)).open(packet)
        self.assertEqual((opened.sequence, opened.timestamp, opened.payload.hex()), (1, 480, "0001fffe"))

    def test_a_clock_request_holds(self):
        self.assertEqual(clock.request(clock.ntp(10.5)).hex(),
                         "80d2000700000000" + "00" * 16 + "0000000a80000000")

    def test_a_plist_with_a_large_number_holds(self):
        data = bytes.fromhex("62706c6973743030d10102516b140000000000000000fffffffffffffffe"
                             "080b0d000000000000010100000000000000030000000000000000000000000000001e")
        self.assertEqual(plists.encode({"k": 2**64 - 2}), data)
        self.assertEqual(plists.decode(data), {"k": 2**64 - 2})

    def test_the_configuration_of_a_real_ipad_is_read_and_written_again(self):
        header = (bytes.fromhex("1f000000010006001d9a9f59efde00000000584400002244") + bytes(16)
                  + bytes.fromhex("000058440000224400005043000010420" "0c0574400c02144")).ljust(128, b"\0")
        body = bytes.fromhex("0164c028ffe100106764c028ac56200d814fe59b8101010101000428ee3cb0")
        parsed = screen.Header.decode(header)
        self.assertEqual((parsed.source, parsed.origin, parsed.picture), ((864, 648), (208, 36), (863, 647)))
        self.assertEqual(parsed.encode(), header)
        parser = screen.Parser(screen.Cipher320(bytes(32)))
        parser.feed(header + body)
        config = parser.next()[1]
        self.assertEqual((config.codec, config.length_size), ("h264", 4))
        self.assertEqual(screen.make_record(*config.parameter_sets), body)


if __name__ == "__main__":
    unittest.main()
