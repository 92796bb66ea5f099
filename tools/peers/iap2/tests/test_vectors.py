# SPDX-License-Identifier: Apache-2.0
"""Bytes that real accessories sent, and the worked session: read, checked and written again unchanged."""

import json
import os
import random
import unittest
from pathlib import Path

from iap2peer.control import ControlStream, Message
from iap2peer.packets import (ACK, DETECT, RST, SYN, Damaged, Detect, Packet, Skipped, StreamParser,
                              Synchronization, checksum)

from common.captures import read_text
from common.places import REPOSITORY

CAPTURES = REPOSITORY / "captures"
VECTORS = Path(os.environ.get("IAP2_VECTORS", REPOSITORY.parent / "shared/vectors"))


def records(path: Path) -> list[tuple[str, bytes]]:
    """Returns the records of a capture in the text form."""
    return [(direction, data) for _, direction, data in read_text(path)]


def encoded(item) -> bytes:
    """Returns the bytes of a parsed item."""
    return DETECT if isinstance(item, Detect) else item.encode() if isinstance(item, Packet) else item.data


def vectors() -> list[dict]:
    """Returns the vectors outside the repository, if they are there."""
    return [json.loads(line) for path in sorted(VECTORS.glob("*.jsonl"))
            for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


class RealCaptures(unittest.TestCase):
    def test_link_bytes_are_read_and_written_again_unchanged(self):
        paths = [p for p in sorted((CAPTURES / "real").glob("*.txt")) if p.name.count(".") == 1]
        self.assertGreaterEqual(len(paths), 3)
        for path in paths + [CAPTURES / "synthetic" / "worked-session.txt"]:
            for side in ("A>D", "D>A"):
                data = b"".join(d for s, d in records(path) if s == side)
                items = StreamParser().feed(data)
                self.assertFalse([i for i in items if isinstance(i, (Skipped, Damaged))], path)
                self.assertEqual(b"".join(map(encoded, items)), data, path)

    def test_control_messages_are_read_and_written_again_unchanged(self):
        for _, data in records(CAPTURES / "real" / "boya-mini2.csm.txt"):
            self.assertEqual(Message.decode(data).encode(), data)

    def test_identification_of_a_real_microphone(self):
        message = Message.decode(records(CAPTURES / "real" / "boya-mini2.csm.txt")[0][1])
        self.assertEqual(message.id, 0x1D01)
        self.assertEqual(message.first(0).text, "Microphone")
        self.assertEqual(message.first(6).numbers, [0xAE00, 0xAE02, 0xAE03])
        self.assertEqual(message.first(10).group[1].text, "BOYA.DeviceLink.com")
        self.assertEqual([p.id for p in message.parameters][:5], [0, 1, 2, 3, 0x22])

    def test_synchronization_of_a_real_printer(self):
        packet = Packet.decode(records(CAPTURES / "real" / "canon-ivy.txt")[0][1])
        self.assertEqual(packet.control, SYN)
        values = Synchronization.decode(packet.payload)
        self.assertEqual((values.window, values.max_length, values.retransmission_timeout), (5, 1007, 1500))
        self.assertEqual(values.acknowledgement_timeout, 4169)
        self.assertEqual([(s.id, s.type) for s in values.sessions], [(10, 0), (11, 2)])
        self.assertEqual(values.encode(), packet.payload)

    def test_synchronization_without_acknowledgements_is_zero_ack(self):
        # Computed from the values of a program, Link.md#zero-ack-offer; no device sent these bytes.
        data = bytes.fromhex("0104ffff0000000000000a00020b02010c0102")
        values = Synchronization.decode(data)
        self.assertTrue(values.is_zero_ack)
        self.assertEqual((values.window, values.max_length), (4, 65535))
        self.assertEqual(values.encode(), data)


class Vectors(unittest.TestCase):
    def test_every_vector(self):
        found = vectors()
        if not found:
            self.skipTest(f"no vectors in {VECTORS}")
        checked = 0
        for vector in found:
            data = bytes.fromhex(vector["hex"])
            with self.subTest(vector["name"]):
                if vector["kind"] == "link":
                    self.assertEqual(Packet.decode(data).encode(), data)
                    checked += 1
                elif vector["kind"] == "csm":
                    self.assertEqual(Message.decode(data).encode(), data)
                    checked += 1
                elif vector["kind"] == "lsp":
                    self.assertEqual(Synchronization.decode(data).encode(), data)
                    checked += 1
        self.assertGreater(checked, 25)


class Bytes(unittest.TestCase):
    def test_checksum_worked_by_hand(self):
        self.assertEqual(checksum(bytes.fromhex("ff5a001a802b0000")), 0xE2)

    def test_packet_with_an_empty_payload_and_a_checksum(self):
        data = bytes.fromhex("ff5a000a400706024e00")
        self.assertEqual(Packet.decode(data).encode(), data)

    def test_every_cut_gives_the_same_items(self):
        data = b"".join(d for s, d in records(CAPTURES / "synthetic" / "worked-session.txt") if s == "A>D")
        whole = StreamParser().feed(data)
        parser = StreamParser()
        single = [item for byte in data for item in parser.feed(bytes([byte]))]
        self.assertEqual(single, whole)
        self.assertEqual(bytes(parser.buffer), b"")

    def test_noise_is_skipped_and_the_packet_behind_it_found(self):
        packet = Packet(RST, 5).encode()
        items = StreamParser().feed(b"\xff\x55\x00\xff\x5a\xff" + packet + DETECT)
        self.assertEqual(b"".join(map(encoded, items)), b"\xff\x55\x00\xff\x5a\xff" + packet + DETECT)
        self.assertIsInstance(items[-1], Detect)
        self.assertEqual(items[-2], Packet(RST, 5))

    def test_wrong_payload_checksum_drops_one_packet(self):
        good = Packet(ACK, 1, 2, 1, b"abc").encode()
        items = StreamParser().feed(good[:-1] + b"\0" + good)
        self.assertIsInstance(items[0], Damaged)
        self.assertEqual(items[1].payload, b"abc")

    def test_random_bytes_are_kept_whole_and_the_buffer_is_bounded(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        for _ in range(20):
            data = b"".join(chance.choice((chance.randbytes(chance.randrange(40)), b"\xff\x5a", DETECT,
                                           Packet(ACK, 1, 2, 1, chance.randbytes(20)).encode()))
                            for _ in range(300))
            parser = StreamParser()
            read = b""
            for start in range(0, len(data), 97):
                read += b"".join(map(encoded, parser.feed(data[start:start + 97])))
                self.assertLessEqual(len(parser.buffer), 65535)
            self.assertEqual(read + bytes(parser.buffer), data, f"seed {seed}")

    def test_control_stream_joins_and_splits(self):
        first = Message(0xAE02).encode()
        second = Message.decode(records(CAPTURES / "real" / "boya-mini2.csm.txt")[0][1]).encode()
        stream = ControlStream()
        self.assertEqual([m.id for m in stream.feed(first + second[:50])], [0xAE02])
        self.assertEqual([m.id for m in stream.feed(second[50:] + first)], [0x1D01, 0xAE02])


if __name__ == "__main__":
    unittest.main()
