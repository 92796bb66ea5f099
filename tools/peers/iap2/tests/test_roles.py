# SPDX-License-Identifier: Apache-2.0
"""The two roles against each other, in one process."""

import tempfile
import threading
import unittest
from pathlib import Path

from iap2peer.behaviors import BEHAVIORS
from iap2peer.control import Message, Parameter, group, message, u8, utf8
from iap2peer.link import ACCESSORY
from iap2peer.packets import Synchronization
from iap2peer.roles import Accessory, AccessoryBehavior, Device, DeviceBehavior, app_protocols
from iap2peer.sessions import TextCapture, serve
from iap2peer.transport import Channel, Listener, connect, open_pty, pair

from .test_vectors import CAPTURES, records

ECHO = "com.example.echo"


class Roles(unittest.TestCase):
    def setUp(self):
        self.open = []

    def tearDown(self):
        for channel in self.open:
            channel.close()

    def peers(self, channels=None, accessory=None, device=None, **links) -> tuple[Accessory, Device]:
        left, right = channels or pair()
        self.open += [left, right]
        return (Accessory(left, accessory, links.get("accessory_link")),
                Device(right, device, links.get("device_link")))

    def identify(self, accessory: Accessory, device: Device, timeout: float = 3) -> bool:
        return serve([accessory, device], lambda: accessory.identified and device.identified
                     and device.authenticated, timeout)

    def session(self, accessory: Accessory, device: Device) -> None:
        """Plays identification, an echo and a file in each direction."""
        self.assertTrue(self.identify(accessory, device))
        app = device.open_app(ECHO)
        content = bytes(range(256)) * 300
        device.send_app(app.id, content)
        self.assertTrue(serve([accessory, device], lambda: app.received_count >= len(content), 3))
        self.assertEqual(bytes(app.received), content)
        for sender, receiver, number in ((device, accessory, 128), (accessory, device, 3)):
            transfer = sender.send_file(number, content)
            self.assertTrue(serve([accessory, device], lambda: transfer.state == "complete", 3))
            self.assertEqual(bytes(receiver.files[number].content), content)
        device.close_app(app)
        self.assertTrue(serve([accessory, device], lambda: not accessory.apps[app.id].open, 3))

    def test_media_keys_and_the_song(self):
        behavior = AccessoryBehavior()
        accessory, device = self.peers(accessory=behavior)
        BEHAVIORS["media"].apply(accessory)
        self.assertTrue(self.identify(accessory, device))
        self.assertTrue(serve([accessory, device], lambda: device.received(0x6800), 3))
        wanted = {p.id: [q.id for q in p.group] for p in device.received(0x5000)[0].parameters}
        self.assertEqual(wanted, {0: [1, 12], 1: [0]})
        device.send(message(0x5001, (0, group(Parameter(1, utf8("Blue")))), (1, group(Parameter(0, u8(1))))))
        accessory.press("next")
        self.assertTrue(serve([accessory, device], lambda: len(device.received(0x6802)) == 2
                              and accessory.saw("status"), 3))
        self.assertEqual([m.first(1).value for m in device.received(0x6802)], [b"\4", b"\0"])
        self.assertIn(("title", "Blue"), [(e.event, e.detail) for e in accessory.log])

    def test_a_whole_session_in_memory(self):
        self.session(*self.peers())

    def test_a_whole_session_with_small_packets_and_a_window_of_one(self):
        small = Synchronization(window=1, max_length=128, acknowledgement_timeout=10, max_acknowledgements=1)
        self.session(*self.peers(accessory_link=small, device_link=small))

    def test_a_whole_session_over_tcp(self):
        listener = Listener("127.0.0.1:0")
        try:
            left = connect(listener.address)
            right = listener.accept(2)
        finally:
            listener.close()
        self.session(*self.peers((left, right)))

    def test_a_whole_session_over_a_pty(self):
        own, path, release = open_pty()
        other = connect(f"serial:{path}")
        self.addCleanup(release)
        self.session(*self.peers((own, other)))

    def test_both_orders(self):
        peers = self.peers(device=DeviceBehavior(identification_first=True))
        self.assertTrue(self.identify(*peers))
        sent = [e.detail[:4] for e in peers[1].log if e.event == "sent"]
        self.assertLess(sent.index("1D00"), sent.index("AA00"))

    def test_rejected_identifications_end_after_three(self):
        accessory, device = self.peers(device=DeviceBehavior(rejections=100))
        serve([accessory, device], lambda: bool(device.received(0x1D05)), 3)
        self.assertEqual(len(device.received(0x1D01)), 3)
        self.assertFalse(accessory.identified)

    def test_failed_authentication(self):
        accessory, device = self.peers(device=DeviceBehavior(fails_authentication=True))
        self.assertTrue(serve([accessory, device], lambda: bool(accessory.received(0xAA04)), 3))
        self.assertFalse(accessory.authenticated)

    def test_a_refused_and_an_unanswered_app(self):
        accessory, device = self.peers(accessory=AccessoryBehavior(app_status=1))
        self.assertTrue(self.identify(accessory, device))
        app = device.open_app(ECHO)
        self.assertTrue(serve([accessory, device], lambda: app.status == 1, 3))
        self.assertFalse(app.open)
        with self.assertRaises(KeyError):
            device.open_app("com.example.absent")

    def test_the_protocols_of_a_real_identification(self):
        message = Message.decode(records(CAPTURES / "real" / "boya-mini2.csm.txt")[0][1])
        self.assertEqual(app_protocols(message), {"BOYA.DeviceLink.com": 0xB1})

    def test_a_capture_is_read_back_as_what_was_sent(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "session.txt"
            with open(path, "w", encoding="utf-8") as file:
                left, right = pair()
                self.open += [left, right]
                accessory = Accessory(left, capture=TextCapture(file, ACCESSORY))
                self.assertTrue(self.identify(accessory, Device(right)))
            sides = {side for side, _ in records(path)}
            self.assertEqual(sides, {"A>D", "D>A"})
            self.assertEqual(records(path)[0][1].hex(), "ff550200ee10")

    def test_every_behavior_can_be_played_without_an_exception(self):
        for name, entry in BEHAVIORS.items():
            for role in entry.roles:
                with self.subTest(f"{role} {name}"):
                    accessory, device = self.peers()
                    entry.apply(accessory if role == ACCESSORY else device)
                    serve([accessory, device], lambda: accessory.identified and device.identified, 0.1)

    def test_no_thread_is_left(self):
        self.assertEqual(threading.active_count(), 1)


class Bounds(unittest.TestCase):
    def test_a_channel_that_is_not_read_has_a_bound(self):
        left, right = pair()
        self.addCleanup(left.close)
        self.addCleanup(right.close)
        with self.assertRaises(OSError):
            for _ in range(100):
                left.send(bytes(1 << 20))

    def test_received_bytes_have_one_budget(self):
        left, right = pair()
        self.addCleanup(left.close)
        self.addCleanup(right.close)
        accessory, device = Accessory(left), Device(right)
        self.assertTrue(serve([accessory, device], lambda: accessory.identified, 3))
        accessory.budget = 1000
        app = device.open_app(ECHO)
        device.send_app(app.id, bytes(5000))
        self.assertTrue(serve([accessory, device], lambda: app.received_count == 5000, 3))
        self.assertEqual(len(accessory.apps[app.id].received), 1000)
        transfer = device.send_file(128, bytes(10))
        self.assertTrue(serve([accessory, device], lambda: transfer.state == "failed", 3))

    def test_an_ended_channel_says_why(self):
        left, right = pair()
        self.addCleanup(left.close)
        right.close()
        self.assertEqual(left.receive(), b"")
        self.assertEqual(left.ended, "end of file")

    def test_an_absent_peer_is_an_error(self):
        with self.assertRaises(OSError):
            connect("unix:/nonexistent/socket", 0.1)
        with self.assertRaises(OSError):
            connect("nonsense", 0.1)
        self.assertIsInstance(Channel, type)


if __name__ == "__main__":
    unittest.main()
