# SPDX-License-Identifier: Apache-2.0
"""Sessions whose identification fails."""
from __future__ import annotations

from iap2peer.control import Message, Parameter, group, u8, u16, u16_list, utf8
from iap2peer.roles import DeviceBehavior

from ..scene import Scene, accessory, identifying, replacing, scene, simple

simple("identification-unanswered.quiet", "0x1D00 is acknowledged, and 0x1D01 does not come",
       lambda: Scene().be("no-identification").play(8))
simple("identification-unanswered.reset", "the device resets after 3 s without 0x1D01",
       lambda: Scene().be("no-identification").play(3).reset())
simple("identification-unjudged.quiet", "0x1D01 is acknowledged, and neither 0x1D02 nor 0x1D03 comes",
       lambda: Scene().be("no-acceptance", "device").play(8))
simple("identification-unjudged.reset", "the accessory resets after 3 s without an answer to 0x1D01",
       lambda: Scene().be("no-acceptance", "device").play(3).reset("accessory"))
simple("parameter-absent.name", "no parameter 0 (name); 0x1D03 names it three times, then 0x1D05",
       lambda: identifying(0, rejected=(0,)).play(3))
simple("parameter-absent.language", "no parameter 12 (current language); 0x1D03 names it once",
       lambda: identifying(12, rejected=(12,), answers=False).play(0.3).reset())
simple("component-absent.location", "0xFFFB is listed in parameter 6 and parameter 22 is absent; 0x1D03 names 6",
       lambda: identifying(sent=(0xFFFB, 0xEA03), rejected=(6,)).play(3))
simple("component-absent.named", "the same, and 0x1D03 names 22",
       lambda: identifying(sent=(0xFFFB, 0xEA03), rejected=(22,)).play(3))
simple("authentication-listed.certificate", "0xAA01 is listed in parameter 6; 0x1D03 names 6",
       lambda: identifying(sent=(0xAA01, 0xEA03), rejected=(6,)).play(3))
simple("authentication-listed.response", "0xAA03 is listed in parameter 6; 0x1D03 names 6 once, then RST",
       lambda: identifying(sent=(0xEA03, 0xAA03), rejected=(6,), answers=False).play(0.3).reset())
simple("parameter-unreadable.current", "parameter 9 has one byte instead of two; 0x1D03 names 9",
       lambda: replacing(identifying(rejected=(9,)), Parameter(9, b"\0")).play(3))
simple("parameter-unreadable.list", "parameter 6 has an odd number of bytes; 0x1D03 names 6",
       lambda: replacing(identifying(rejected=(6,)), Parameter(6, b"\xae\x00\xea")).play(3))
simple("optional-rejected.hid", "an HID component that the device does not want; 0x1D03 names 18",
       lambda: identifying(extra=(Parameter(18, group(Parameter(0, u16(9)), Parameter(1, utf8("hid")),
                                                      Parameter(2, u8(1)))),), rejected=(18,)).play(3))
simple("optional-rejected.protocol", "0x1D03 names 10, an EA protocol; the accessory cancels",
       lambda: identifying(rejected=(10,), give_up=1).play(2))


def cancelled() -> Scene:
    """A rejection without a reason, and a cancellation."""
    return identifying(rejected=(), give_up=1).play(2)


simple("cancelled.at-once", "0x1D03 names 6 and 0x1D05 follows at once",
       lambda: cancelled())


def withdrawn() -> Scene:
    """The accessory cancels before the device has judged."""
    s = Scene().be("no-acceptance", "device")
    s.play(3, lambda: bool(s.device.received(0x1D01)))
    return s.later("cancel", "accessory").play(2)


simple("cancelled.before", "0x1D05 instead of waiting for an answer to 0x1D01",
       lambda: withdrawn())


@scene("identification.same-again", "0x1D03 names 6, and the accessory sends the same identification, five times; then RST")
def same_again() -> Scene:
    """An accessory that does not change its identification."""
    s = Scene(accessory(give_up_after=99), DeviceBehavior(rejections=5, unanswered=set()))
    s.play(5, lambda: s.device.rejected >= 5)
    s.device.behavior.unanswered.add(0x1D01)
    return s.play(0.1).reset()


simple("identification.transport-rejected", "0x1D03 names 16, the USB host component",
       lambda: identifying(rejected=(16,)).play(2))
simple("identification.value-rejected", "0x1D03 names 4, the firmware version, which is there",
       lambda: identifying(rejected=(4,)).play(2))


def protocol(number: int, name: str) -> Parameter:
    """Returns parameter 10, an EA protocol."""
    return Parameter(10, group(Parameter(0, u8(number)), Parameter(1, utf8(name)), Parameter(2, u8(0))))


simple("identification.protocol-number-twice", "two EA protocols have number 1; 0x1D03 names 10",
       lambda: identifying(extra=(protocol(1, "com.example.log"),), rejected=(10,)).play(2))
simple("identification.text-without-nul", "the name, parameter 0, has no NUL at its end; 0x1D03 names 0",
       lambda: replacing(identifying(rejected=(0,)), Parameter(0, b"Radio")).play(2))
simple("identification.protocol-without-messages", "an EA protocol, and no 0xEA00 and 0xEA01 in parameter 7; 0x1D03 names 7",
       lambda: replacing(identifying(rejected=(7,)), Parameter(7, b"\xae\x01")).play(2))


@scene("identification.length-field", "the length field of 0x1D01 is 12 too large, and the device waits for the rest")
def length_field() -> Scene:
    """A message that claims to be longer than it is."""
    s = Scene(accessory())

    def identify(_: Message) -> None:
        whole = bytearray(s.accessory.identification().encode())
        whole[2:4] = u16(len(whole) + 12)
        s.accessory.send_control(bytes(whole))

    s.accessory._identify = identify  # pylint: disable=protected-access
    return s.play(8)


simple("identification.update-without-start", "parameter 7 has 0x4155, and parameter 6 has no 0x4154; 0x1D03 names 7",
       lambda: replacing(identifying(sent=(0xAE00, 0xAE02, 0xEA03), rejected=(7,)),
                         Parameter(7, u16_list([0xAE01, 0xEA00, 0xEA01, 0x4155]))).play(2))


def wireless_component(number: int) -> Parameter:
    """Returns parameter 24, a wireless CarPlay transport component."""
    return Parameter(24, group(Parameter(0, u16(number)), Parameter(1, utf8("wireless")), Parameter(2), Parameter(4)))


simple("identification.wireless-alone", "parameter 24, wireless CarPlay, without 17, Bluetooth; 0x1D03 names 24, then 0x1D05",
       lambda: Scene(accessory(sent_messages=[0x5703], received_messages=[0x4E0A, 0x4E0B, 0x5702, 0x4E0D, 0x4E0E],
                               protocols={}, omitted_parameters={16}, extra_parameters=[wireless_component(2)],
                               give_up_after=1),
                     DeviceBehavior(rejections=99, rejected_parameters=(24,))).play(2))
simple("identification.start-without-stop", "parameter 6 has 0xAE00 and no 0xAE02; 0x1D03 names 6, then 0x1D05",
       lambda: replacing(identifying(sent=(0xAE00, 0x5000, 0x5002, 0xEA03), give_up=1),
                         Parameter(7, u16_list([0xAE01, 0x5001, 0xEA00, 0xEA01]))).play(2))


def address_text() -> Scene:
    """A Bluetooth accessory that writes its address as people do."""
    component = Parameter(17, group(Parameter(0, u16(1)), Parameter(1, utf8("bluetooth")), Parameter(2),
                                    Parameter(3, utf8("02:00:00:00:00:01"))))
    chosen = accessory(sent_messages=[0xEA03], received_messages=[0xEA00, 0xEA01], omitted_parameters={16},
                       extra_parameters=[component], give_up_after=1)
    s = Scene(chosen, DeviceBehavior(rejections=99, rejected_parameters=(17,)))
    return replacing(s, Parameter(8, u8(0))).play(2)


simple("identification.address-text", "parameter 17 has its address as text, not as six bytes; 0x1D03 names 17, then 0x1D05",
       lambda: address_text())
simple("identification.power-unavailable", "parameter 6 has 0xAE03, and parameter 8 is 0; 0x1D03 names 6, then 0x1D05",
       lambda: replacing(identifying(rejected=(6,), give_up=1), Parameter(8, u8(0))).play(2))
