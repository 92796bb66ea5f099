# SPDX-License-Identifier: Apache-2.0
"""Sessions that fail after identification: messages of features."""
from __future__ import annotations

from iap2peer.control import Message, Parameter, group, message, u8, u16, utf8
from iap2peer.roles import AccessoryBehavior

from ..scene import Scene, accessory, anew, replacing, scene, simple

simple("malformed.short", "a control message ends within a parameter; the accessory resets",
       lambda: Scene(accessory()).identified().later("malformed-message").play(0.2).reset("accessory"))
simple("malformed.other", "bytes that are no message on the control session; the accessory resets",
       lambda: Scene(accessory()).identified().later("no-message").play(0.2).reset("accessory"))


@scene("feature.unlisted-message", "the device sends 0xA100, which parameter 7 does not list; the accessory resets")
def unlisted_message() -> Scene:
    """A message that the accessory did not announce."""
    return Scene(accessory()).identified().later("unannounced-message").play(0.1).reset("accessory")


@scene("feature.nothing-started", "0x5000 is listed in parameter 6, and the accessory never sends it")
def nothing_started() -> Scene:
    """A subscription that does not begin."""
    s = Scene(accessory(sent_messages=[0x5000, 0x5002], received_messages=[0x4E09, 0x5001], protocols={})).identified()
    return s.play(5)


@scene("feature.selector-not-void", "each selector of 0x5000 has one byte, and no 0x5001 comes")
def selector_not_void() -> Scene:
    """A subscription with true instead of void."""
    s = Scene(accessory(sent_messages=[0x5000, 0x5002], received_messages=[0x5001], protocols={})).identified()
    s.accessory.send(message(0x5000, (0, group(*(Parameter(n, u8(1)) for n in (1, 6, 12)))),
                             (1, group(*(Parameter(n, u8(1)) for n in (0, 1, 7))))))
    return s.play(8)


@scene("feature.call-uuid-cut", "0x415B has 31 of the 36 characters of the CallUUID, and the call keeps ringing")
def call_uuid_cut() -> Scene:
    """A head unit whose buffer is too small for the key of a call."""
    s = Scene(accessory(sent_messages=[0x4154, 0x4156, 0x415B, 0x415C], received_messages=[0x4155], protocols={}))
    s.identified()
    uuid = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    s.accessory.send(message(0x4154, *((n, b"") for n in (0, 1, 2, 3, 4, 11))))
    s.play(0.3)
    s.device.send(message(0x4155, (0, utf8("+15550100")), (1, utf8("Caller")), (2, u8(2)), (3, u8(1)),
                          (4, utf8(uuid))))
    s.play(2)
    for _ in range(3):
        s.accessory.send(message(0x415B, (0, u8(0)), (1, utf8(uuid[:31]))))
        s.play(2)
    s.device.send(message(0x4155, (2, u8(0)), (4, utf8(uuid)), (11, u8(0))))
    return s.play(1)


@scene("feature.wifi-without-passphrase", "0x5703 says WPA/WPA2 and has no passphrase; 0x5702 comes again, then RST")
def wifi_without_passphrase() -> Scene:
    """An access point that no phone can join."""
    s = Scene(accessory(sent_messages=[0x5703], received_messages=[0x4E0A, 0x4E0B, 0x5702, 0x4E0D, 0x4E0E],
                        protocols={}, omitted_parameters={16}, extra_parameters=[
        Parameter(17, group(Parameter(0, u16(1)), Parameter(1, utf8("bluetooth")), Parameter(2),
                            Parameter(3, bytes.fromhex("020000000001")))),
        Parameter(24, group(Parameter(0, u16(2)), Parameter(1, utf8("wireless")), Parameter(2), Parameter(4)))]))
    s.identified()
    s.device.send(message(0x4E0D, (0, u8(1))))
    answer = s.accessory.handle

    def handle(received: Message) -> None:
        if received.id == 0x5702:
            s.accessory.send(message(0x5703, (1, utf8("Car")), (3, u8(2)), (4, u8(36))))
        else:
            answer(received)

    s.accessory.handle = handle
    for _ in range(3):
        s.device.send(Message(0x5702))
        s.play(5)
    return s.reset()


# The report descriptor of a remote control with one button, play and pause.
REMOTE = bytes.fromhex("050c0901a1011500250175019501" "09cd8102" "95078103" "c0")


@scene("feature.hid-component", "0x6800 and 0x6802 name HID component 1, and the identification has 100; pause stays")
def hid_component() -> Scene:
    """A head unit whose buttons do nothing."""
    s = Scene(accessory(sent_messages=[0x5000, 0x5002, 0x6800, 0x6802, 0x6803], received_messages=[0x5001, 0x6801],
                        protocols={}, hid_components=1)).identified()
    s.accessory.send(message(0x5000, (1, group(Parameter(0)))))
    s.play(0.3)
    s.device.send(message(0x5001, (1, group(Parameter(0, u8(2))))))
    s.accessory.send(message(0x6800, (0, u16(1)), (1, u16(0x1234)), (2, u16(1)), (4, REMOTE)))
    s.play(1)
    for _ in range(3):
        for report in (b"\1", b"\0"):
            s.accessory.send(message(0x6802, (0, u16(1)), (1, report)))
            s.play(0.2)
        s.play(2)
    return s


@scene("feature.started-early", "0x5000 follows 0x1D02 before authentication, which succeeds later; no 0x5001 comes")
def started_early() -> Scene:
    """An accessory that subscribes when it is identified and not yet authenticated."""
    s = Scene(accessory(sent_messages=[0x5000, 0x5002], received_messages=[0x5001], protocols={}))
    s.be("identification-first", "device")

    def accepted(_: Message) -> None:
        s.accessory.identified = True
        s.accessory.send(message(0x5000, (0, group(Parameter(1), Parameter(6), Parameter(12))),
                                 (1, group(Parameter(0), Parameter(1), Parameter(7)))))

    s.accessory._accepted = accepted  # pylint: disable=protected-access
    return s.play(9)


@scene("feature.carplay-no-address", "0x4301 has no IP address in its wired group, and CarPlay does not start; RST")
def carplay_no_address() -> Scene:
    """A head unit whose network has no address when the phone offers CarPlay."""
    s = replacing(Scene(accessory(sent_messages=[0x4301, 0xAE03], received_messages=[0x4300, 0x4E0E], protocols={})),
                  Parameter(16, group(Parameter(0, u16(1)), Parameter(1, utf8("usb")), Parameter(2),
                                      Parameter(3, u8(2)), Parameter(4))))
    answer = s.accessory.handle

    def handle(received: Message) -> None:
        if received.id == 0x4300:
            s.accessory.send(message(0x4301, (0, b""), (2, (7000).to_bytes(4, "big")),
                                     (3, utf8("02:00:00:00:00:01")), (5, utf8("320.17"))))
        else:
            answer(received)

    s.accessory.handle = handle
    s.identified()
    s.accessory.send(message(0xAE03, (0, u16(2400)), (1, u8(1))))
    s.play(0.1)
    s.device.send(message(0x4300, (0, group(Parameter(0, u8(1)), Parameter(1, utf8("00008101-0000"))))))
    return s.play(12).reset()


@scene("feature.full-resets", "the accessory resets as soon as 0xAE01 says charged, begins again, and does it again")
def full_resets() -> Scene:
    """An accessory that takes a full battery for a removed device."""
    s = Scene(AccessoryBehavior(protocols={}, received_messages=[0xAE01], sent_messages=[0xAE00, 0xAE02, 0xAE03]))
    for level, seconds in ((99, 7), (100, 4)):
        s.identified()
        for number, value in ((4, u8(1)), (5, u8(1)), (6, u16(level))):
            s.device.send(message(0xAE01, (number, value)))
        s.play(seconds)
        s.device.send(message(0xAE01, (5, u8(2))))
        anew(s.play(0.06).reset("accessory"))
    return s
