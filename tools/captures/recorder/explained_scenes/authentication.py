# SPDX-License-Identifier: Apache-2.0
"""Sessions whose authentication fails."""
from __future__ import annotations

from iap2peer.authentication import FixedCredentials, KeyCredentials
from iap2peer.control import Message
from iap2peer.roles import DeviceBehavior

from ..scene import CHALLENGE, Scene, accessory, anew, closing, opened, scene, sending, simple

simple("certificate-unanswered.quiet", "0xAA00 is acknowledged, and 0xAA01 does not come",
       lambda: Scene().be("no-certificate").play(8))
simple("certificate-unanswered.reset", "the device resets after 3 s without 0xAA01",
       lambda: Scene().be("no-certificate").play(3).reset())
simple("challenge-missing.quiet", "0xAA01 is acknowledged, and no challenge comes",
       lambda: Scene().be("no-challenge", "device").play(8))
simple("challenge-missing.reset", "the accessory resets after 3 s without a challenge",
       lambda: Scene().be("no-challenge", "device").play(3).reset("accessory"))
simple("signature-missing.quiet", "0xAA02 is acknowledged, and 0xAA03 does not come",
       lambda: Scene().be("no-signature").play(8))
simple("signature-missing.reset", "the device resets after 3 s without 0xAA03",
       lambda: Scene().be("no-signature").play(3).reset())
simple("verdict-missing.quiet", "0xAA03 is acknowledged, and no verdict comes",
       lambda: Scene().be("no-verdict", "device").play(8))
simple("verdict-missing.reset", "the accessory resets after 4 s without a verdict",
       lambda: Scene().be("no-verdict", "device").play(4).reset("accessory"))
simple("authentication-failed.quiet", "0xAA04 after the signature",
       lambda: Scene().be("fail-authentication", "device").play(2))
simple("authentication-failed.reset", "0xAA04, then the accessory resets",
       lambda: Scene().be("fail-authentication", "device").play(1).reset("accessory"))
simple("short-challenge.one-byte", "a challenge of one byte; the accessory does not sign it",
       lambda: Scene().be("short-challenge", "device").be("no-signature").play(6))
simple("short-challenge.twenty-bytes", "a challenge of 20 bytes; the accessory resets",
       lambda: Scene(None, DeviceBehavior(challenge=bytes(20))).be("no-signature").play(1).reset("accessory"))
simple("authentication-absent.quiet", "identification is accepted, and 0xAA00 never comes",
       lambda: Scene(accessory()).be("no-authentication", "device").play(6))
simple("authentication-absent.reset", "the same, and the accessory resets",
       lambda: Scene(accessory()).be("no-authentication", "device").play(2).reset("accessory"))
simple("authentication.small-certificate", "a certificate of 16 bytes; the device sends no challenge",
       lambda: Scene().be("bad-certificate").be("no-challenge", "device").play(5))


@scene("authentication.shared-packet", "0xAA05 and 0x1D00 in one packet; the accessory reads the first message only")
def shared_packet() -> Scene:
    """The device joins two messages."""
    s = Scene(accessory(unanswered={0x1D00}))
    judge = s.device.handle

    def handle(received: Message) -> None:
        if received.id == 0xAA03:
            s.device.send_control(Message(0xAA05).encode() + Message(0x1D00).encode())
        else:
            judge(received)

    s.device.handle = handle
    return s.play(6)


simple("authentication.certificate-after-identification", "identification first; then 0xAA00 stays unanswered",
       lambda: Scene(accessory()).be("identification-first", "device").be("no-certificate").play(6))
simple("authentication.signature-empty", "0xAA03 has a signature of 0 bytes; 0xAA04 follows",
       lambda: Scene(accessory(credentials=FixedCredentials(bytes(600), b""))).be("fail-authentication", "device")
       .play(2))


# A right signature of the challenge with the key of `KeyCredentials`, in the DER form of ECDSA.
DER_SIGNATURE = bytes.fromhex("3046022100d8a885b76b1df7cf230ce4dbb6fdeaecb9c76208a5b1952266774e217548d7f6"
                              "022100d7939185f11166724e116c838f338ac61031c7fb57b7438ef40320bb289391c8")


simple("authentication.signature-der", "the certificate has a P-256 key, and 0xAA03 has the DER form of the signature; 0xAA04",
       lambda: Scene(accessory(credentials=FixedCredentials(KeyCredentials().certificate, DER_SIGNATURE)))
       .be("fail-authentication", "device").play(2))


@scene("authentication.certificate-cut", "0xAA01 has the first 384 bytes of a certificate, and its DER length is larger; 0xAA04")
def certificate_cut() -> Scene:
    """A head unit that reads three blocks of 128 bytes of its coprocessor and forgets the rest."""
    s = Scene(accessory(credentials=FixedCredentials(KeyCredentials().certificate[:384])))
    s.device._challenge = lambda _: s.device.send(Message(0xAA04))  # pylint: disable=protected-access
    return s.play(2)


simple("authentication.challenge-returned", "0xAA03 has the 32 bytes of the challenge as its signature; 0xAA04",
       lambda: Scene(accessory(credentials=FixedCredentials(KeyCredentials().certificate, CHALLENGE)))
       .be("fail-authentication", "device").play(2))


@scene("authentication.state-kept", "a whole session, RST, and a new link, whose 0xAA00 stays unanswered; RST after 8 s")
def state_kept() -> Scene:
    """An accessory that is still authenticated, as it thinks, when a new link comes up."""
    s = anew(closing(sending(opened(accessory()))))
    s.accessory.behavior.unanswered.add(0xAA00)
    return s.play(8).reset()
