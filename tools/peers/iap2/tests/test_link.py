# SPDX-License-Identifier: Apache-2.0
"""Two links against each other in memory, with a clock of the test."""

import random
import unittest

from iap2peer.link import ACCESSORY, DEVICE, Link
from iap2peer.packets import ACK, EAK, RST, SYN, Packet, StreamParser, Synchronization


class Wire:
    """Two links, a clock, and what a medium does to each packet."""

    def __init__(self, accessory: Link, device: Link, lose=lambda packet: False) -> None:
        self.accessory, self.device, self.lose, self.now = accessory, device, lose, 0.0
        self.delivered = {ACCESSORY: [], DEVICE: []}
        self.packets: list[tuple[str, Packet]] = []
        self.parsers = {ACCESSORY: StreamParser(), DEVICE: StreamParser()}

    def step(self) -> bool:
        """Carries everything that waits to the other side. Returns whether there was anything."""
        moved = False
        for link, other in ((self.accessory, self.device), (self.device, self.accessory)):
            link.poll(self.now)
            data = link.take_output()
            for item in self.parsers[link.role].feed(data):
                if isinstance(item, Packet):
                    self.packets.append((link.role, item))
                    if self.lose(item):
                        continue
                    other.receive(item.encode(), self.now)
                else:
                    other.receive(b"\xff\x55\x02\x00\xee\x10", self.now)
                moved = True
            while other.events:
                event = other.events.popleft()
                if event.kind == "data":
                    self.delivered[other.role].append(event.data)
        return moved

    def run(self, seconds: float, tick: float = 0.01) -> None:
        """Lets time pass."""
        end = self.now + seconds
        while self.now < end:
            while self.step():
                pass
            self.now += tick


def wire(accessory: Synchronization | None = None, device: Synchronization | None = None, **options) -> Wire:
    """Returns two links that are up."""
    lose = options.pop("lose", lambda packet: False)
    result = Wire(Link(ACCESSORY, accessory), Link(DEVICE, device, 0x64, **options))
    result.run(0.1)
    assert result.accessory.is_up and result.device.is_up
    result.lose = lose
    return result


class Links(unittest.TestCase):
    def test_each_side_obeys_the_others_window_and_length(self):
        w = wire(Synchronization(window=3, max_length=100), Synchronization(window=7, max_length=200))
        self.assertEqual((w.accessory.peer.window, w.accessory.peer.max_length), (7, 200))
        self.assertEqual((w.device.peer.window, w.device.peer.max_length), (3, 100))
        w.accessory.faults.acknowledge = False
        for _ in range(10):
            w.device.send(1, b"x")
        w.run(0.1)
        self.assertEqual(len(w.delivered[ACCESSORY]), 3)
        with self.assertRaises(ValueError):
            w.device.send(1, bytes(91))

    def test_sequence_numbers_wrap(self):
        w = wire()
        for number in range(700):
            w.device.send(1, number.to_bytes(2, "big"))
            w.accessory.send(1, number.to_bytes(2, "big"))
        w.run(1)
        expected = [n.to_bytes(2, "big") for n in range(700)]
        self.assertEqual(w.delivered[ACCESSORY], expected)
        self.assertEqual(w.delivered[DEVICE], expected)
        self.assertTrue(w.device.is_idle and w.accessory.is_idle)
        self.assertEqual(w.device.duplicates + w.accessory.duplicates, 0)

    def test_the_first_data_packet_follows_the_syn(self):
        w = wire()
        w.device.send(1, b"x")
        w.run(0.1)
        data = [p for role, p in w.packets if role == DEVICE and p.is_data]
        self.assertEqual(data[0].sequence, 0x65)

    def test_a_lost_packet_is_asked_for_and_arrives_in_order(self):
        lost = []

        def lose(packet: Packet) -> bool:
            if packet.is_data and packet.payload == b"1" and not lost:
                lost.append(packet)
                return True
            return False

        w = wire(lose=lose)
        for content in (b"0", b"1", b"2", b"3"):
            w.device.send(1, content)
        w.run(0.5)
        self.assertEqual(w.delivered[ACCESSORY], [b"0", b"1", b"2", b"3"])
        requests = [p for role, p in w.packets if role == ACCESSORY and p.control & EAK]
        self.assertEqual(requests[0].payload, bytes([lost[0].sequence]))
        self.assertEqual(requests[0].control, ACK | EAK)

    def test_a_fifth_of_all_packets_may_be_lost(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        values = Synchronization(retransmission_timeout=100, acknowledgement_timeout=10)
        w = wire(values, values, lose=lambda packet: not packet.control & RST and chance.random() < 0.2)
        expected = [bytes([n]) for n in range(100)]
        for content in expected:
            w.device.send(1, content)
        w.run(10)
        self.assertEqual(w.delivered[ACCESSORY], expected, f"seed {seed}")

    def test_a_peer_that_never_acknowledges_is_given_up(self):
        values = Synchronization(retransmission_timeout=100, acknowledgement_timeout=10, max_retransmissions=2)
        w = wire(values, values)
        w.accessory.faults.acknowledge = False
        w.device.send(1, b"x")
        w.run(1)
        self.assertEqual(w.device.state, "down")
        self.assertEqual(sum(p.payload == b"x" for role, p in w.packets if role == DEVICE), 3)
        self.assertEqual(w.packets[-1][1].control, RST)
        self.assertEqual(w.accessory.state, "down")

    def test_acknowledgements_follow_count_and_timeout(self):
        values = Synchronization(acknowledgement_timeout=50, max_acknowledgements=2)
        w = wire(values, values)
        before = len(w.packets)
        w.device.send(1, b"a")
        w.device.send(1, b"b")
        w.run(0.02)
        self.assertEqual([role for role, _ in w.packets[before:]], [DEVICE, DEVICE, ACCESSORY])
        before = len(w.packets)
        w.device.send(1, b"c")
        w.run(0.03)
        self.assertEqual(len(w.packets) - before, 1)
        w.run(0.04)
        self.assertEqual(len(w.packets) - before, 2)

    def test_zero_ack_sends_without_waiting(self):
        zero = Synchronization(4, 65535, 0, 0, 0, 0)
        w = wire(zero, zero)
        for number in range(40):
            w.device.send(1, bytes([number]))
        w.run(0.1)
        self.assertEqual(len(w.delivered[ACCESSORY]), 40)

    def test_a_repeated_syn_is_answered_again(self):
        link = Link(DEVICE, None, 0x64)
        synchronize = Packet(SYN, 9, 0, 0, Synchronization().encode()).encode()
        link.receive(synchronize, 0)
        first = link.take_output()
        link.receive(synchronize, 0.5)
        self.assertEqual(link.take_output(), first)
        link.receive(Packet(ACK, 9, 0x64).encode(), 0.6)
        self.assertTrue(link.is_up)

    def test_the_handshake_may_end_with_data(self):
        link = Link(DEVICE, None, 0x64)
        link.receive(Packet(SYN, 9, 0, 0, Synchronization().encode()).encode(), 0)
        link.receive(Packet(ACK, 10, 0x64, 1, b"x").encode(), 0)
        self.assertTrue(link.is_up)
        self.assertEqual([e.data for e in link.events if e.kind == "data"], [b"x"])


if __name__ == "__main__":
    unittest.main()
