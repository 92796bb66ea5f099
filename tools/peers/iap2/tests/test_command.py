# SPDX-License-Identifier: Apache-2.0
"""The peer against `iap2`: the command of the variable IAP2, or the release build of this repository."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

from findings.harness import Stage, signing_behavior
from iap2peer.authentication import has_openssl, test_authority as authority
from iap2peer.control import message
from iap2peer.packets import Synchronization
from iap2peer.roles import AccessoryBehavior, DeviceBehavior

from common.places import REPOSITORY

COMMAND = Path(os.environ.get("IAP2", REPOSITORY / ".build" / "release" / "iap2"))
ECHO = "com.example.echo"
CONTENT = bytes(range(256)) * 200


@unittest.skipUnless(COMMAND.is_file(), f"{COMMAND} is not built; set IAP2")
class Command(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(str(COMMAND.resolve()), 15)
        self.addCleanup(self.stage.__exit__)

    def as_device(self, *arguments: str, **peer) -> None:
        """Plays a whole session as the device."""
        stage = self.stage
        command = stage.headunit("--once", *arguments)
        device = stage.identified_device(**peer)
        self.assertTrue(stage.run(lambda: device.authenticated and command.saw("identified"), 3))
        self.assertEqual(list(device.protocols), [ECHO])
        app = device.open_app(ECHO)
        self.assertTrue(stage.run(lambda: app.status == 0, 3))
        device.send_app(app.id, CONTENT)
        self.assertTrue(stage.run(lambda: app.received_count >= len(CONTENT), 5), app.received_count)
        self.assertEqual(bytes(app.received), CONTENT)
        device.announce_artwork(128)
        transfer = device.send_file(128, CONTENT)
        self.assertTrue(stage.run(lambda: transfer.state == "complete", 5), transfer.state)
        self.assertTrue(stage.run(lambda: command.saw("artwork", byteCount=len(CONTENT)), 3))
        device.close_app(app)
        stage.run(lambda: command.saw("externalAccessoryClosed"), 3)
        device.link.reset()
        device.flush()
        device.close()
        self.assertTrue(stage.run(lambda: command.exit_status is not None, 3))
        self.assertEqual(command.exit_status, 0, command.errors())

    def as_accessory(self, *arguments: str, **peer) -> None:
        """Plays a whole session as the accessory."""
        stage = self.stage
        (stage.directory / "send").write_bytes(CONTENT)
        command = stage.phone("--once", "--open", ECHO, "--expect-echo", "--send", "send", "--receive", "receive",
                              *arguments)
        accessory = stage.identified_accessory(**peer)
        self.assertTrue(stage.run(lambda: command.exit_status is not None, 8))
        self.assertEqual(command.exit_status, 0, command.errors())
        self.assertEqual((stage.directory / "receive").read_bytes(), CONTENT)
        self.assertEqual(bytes(accessory.apps[1].received), CONTENT)
        # The command may have exited before the peer reads its last packet.
        self.assertTrue(stage.run(lambda: accessory.saw("reset"), 3))

    def test_device_against_the_head_unit(self):
        self.as_device()

    def test_device_with_identification_first(self):
        self.as_device(behavior=DeviceBehavior(identification_first=True))

    def test_device_that_returns_the_offer_unchanged(self):
        self.as_device(echo_offer=True)

    def test_device_with_a_window_of_two(self):
        self.as_device(offer=Synchronization(window=2, max_length=512, acknowledgement_timeout=10))

    def test_accessory_against_the_phone(self):
        self.as_accessory()

    def test_accessory_with_small_packets(self):
        self.as_accessory(offer=Synchronization(window=2, max_length=512, acknowledgement_timeout=10))

    @unittest.skipUnless(has_openssl(), "openssl is not installed")
    def test_accessory_that_signs_for_an_authority(self):
        self.as_accessory("--authentication", str(authority()), behavior=signing_behavior())

    def test_accessory_without_a_trusted_certificate_is_refused(self):
        command = self.stage.phone("--authentication", "test")
        accessory = self.stage.accessory()
        self.assertTrue(self.stage.run(lambda: bool(accessory.received(0xAA04)), 5))
        self.assertEqual(self.stage.disconnect_reported(command, 5)["cause"], "authenticationFailed")

    def test_a_file_of_the_phone_arrives(self):
        command = self.stage.phone("--scenario", "music")
        accessory = self.stage.identified_accessory(behavior=AccessoryBehavior(
            sent_messages=[0x5000, 0x5002, 0xEA03], received_messages=[0x5001, 0xEA00, 0xEA01], powers_device=False))
        group = b"".join((4).to_bytes(2, "big") + n.to_bytes(2, "big") for n in (0, 1, 12, 26))
        accessory.send(message(0x5000, (0, group)))
        arrived = self.stage.run(
            lambda: any(f.state == "complete" and f.content for f in accessory.files.values()), 8)
        self.assertTrue(arrived, [command.errors(), *(e.detail for e in accessory.log)])

    def test_the_command_line_of_the_peer(self):
        self.stage.headunit("--once")
        (self.stage.directory / "send").write_bytes(CONTENT)
        result = subprocess.run(
            [sys.executable, str(REPOSITORY / "tools/peers/iap2/run"), "device", "--connect", self.stage.address,
             "--open", ECHO, "--send", "send", "--file", "send", "--capture", "session.txt"],
            cwd=self.stage.directory, capture_output=True, timeout=10, check=False)
        self.assertEqual(result.returncode, 0, result.stdout.decode() + result.stderr.decode())
        self.assertIn(b"echo: equal", result.stdout)
        self.assertIn("D>A", (self.stage.directory / "session.txt").read_text())


if __name__ == "__main__":
    unittest.main()
