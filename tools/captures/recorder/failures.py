# SPDX-License-Identifier: Apache-2.0
"""captures/failures: for each stop point of `iap2 explain` a capture that stops there, named after it."""
from __future__ import annotations

import struct

from common.captures import ACCESSORY, DEVICE
from iap2peer.packets import ACK, DETECT, SYN

from . import failures_played, failures_transports
from .script import (CERTIFICATE, CHALLENGE, RESPONSE, Script, identification, message, numbers, offer, packet,
                     parameter, plain, text)

Scripts = dict[str, Script]


def new(*title: str) -> Script:
    """Returns a script with the first lines of its capture."""
    return Script("Synthetic, written by tools/captures/record.", *title)


def nameless(**names) -> bytes:
    """Returns 0x1D01 without parameter 0."""
    whole = identification(**names)
    return message(0x1D01, whole[6 + len(text(0, "Emu")):])


def status(code: int, session: int = 1) -> bytes:
    """Returns 0xEA03."""
    return message(0xEA03, parameter(0, struct.pack(">H", session)), parameter(1, bytes([code])))


START_SESSION = message(0xEA00, parameter(0, b"\1"), parameter(1, b"\0\1"))
STOP_SESSION = message(0xEA01, parameter(0, b"\0\1"))
POWER = {"sends": [0xAE00, 0xAE02], "receives": [0xAE01]}
START_POWER = message(0xAE00, parameter(5), parameter(6))
ARTWORK = {"link": {"sessions": ((1, 0, 2), (2, 1, 2), (3, 2, 1))}, "sends": [0x5000, 0x5002], "receives": [0x5001]}
EA = {"sends": [0xEA03], "receives": [0xEA00, 0xEA01], "protocols": [(1, "com.acme.p")]}
WIRED = {"sends": [0x4301], "receives": [0x4300]}
WIRELESS = {
    "sends": [0x4301, 0x5703], "receives": [0x4300, 0x4E0D, 0x5702],
    "extra": parameter(17, parameter(0, b"\0\2") + text(1, "bt") + parameter(2) + parameter(3, bytes(6)))
    + parameter(24, parameter(0, b"\0\3") + text(1, "air") + parameter(2) + parameter(4)),
}


def availability(wired: int | None = None, wireless: int | None = None) -> bytes:
    """Returns 0x4300."""
    groups = [parameter(number, parameter(0, bytes([value])))
              for number, value in ((0, wired), (1, wireless)) if value is not None]
    return message(0x4300, *groups)


START_CARPLAY = message(0x4301, parameter(0, text(0, "fe80::1")), parameter(2, struct.pack(">I", 7000)))
ACCESS_POINT = message(0x5703, text(1, "Car"), text(2, "secret12"), parameter(3, b"\2"), parameter(4, b"\x24"))



def link() -> Scripts:
    """What goes wrong before the link is up, and right after it."""
    s: Scripts = {}
    s["detect-unanswered"] = new("Detect, five times.").detect(5)
    s["accessory-silent"] = new("The device sends first, and the accessory does not answer.").detect(4, DEVICE)
    s["detect-answered-by-iap1"] = new("An iAP1 frame of lingo 0 in place of the echo.").detect().raw(
        DEVICE, bytes.fromhex("ff55040002" "04ee08"), "iAP1").wait(1).detect()
    s["detect-answered-by-other-bytes"] = new("A login prompt in place of the echo.").detect().raw(
        DEVICE, b"\r\nlogin: ", "text").wait(1).detect(2)
    s["syn-not-sent"] = new("The echo shares a read with three other bytes.").detect().raw(
        DEVICE, b"\r\n>" + DETECT, "detect behind noise").wait(1).detect(2)
    s["syn-unanswered"] = new("SYN, four times.").detect().detect(side=DEVICE).syn(times=4)
    s["syn-unusable"] = new("No control session, a length of 8 bytes and no window.").detect().detect(
        side=DEVICE).syn(offer(window=0, length=8, sessions=((3, 2, 1),)), 2)
    rounds = new("Each side insists on its timeout.").detect().detect(side=DEVICE).syn()
    for number in range(3):
        rounds.answer(DEVICE, offer(timeout=3000 + number)).answer(ACCESSORY, offer(timeout=1500 - number))
    s["counter-offers"] = rounds
    s["synack-unconfirmed"] = new("The SYN+ACK comes again and is not confirmed.").detect().detect(side=DEVICE).syn(
    ).answer(DEVICE, offer()).wait(1).answer(DEVICE, offer())
    s["reset-in-negotiation"] = new("The device has no use for the offer.").detect().detect(side=DEVICE).syn().reset(
        DEVICE)
    s["rule-broken"] = new("The SYN+ACK acknowledges the number before that of the SYN, so the SYN comes again.").detect(
    ).detect(side=DEVICE)
    for _ in range(3):
        s["rule-broken"].syn().raw(DEVICE, packet(SYN | ACK, 0x64, 0x2A, 0, offer()), "SYN+ACK").wait(1)
    s["checksums-only"] = new("Sums that are one too large.")
    for number in range(3):
        damaged = bytearray(packet(SYN, 0x2B, 0, 0, offer()))
        damaged[8] = damaged[8] + 1 & 0xFF
        damaged[-1] = damaged[-1] + 1 & 0xFF
        s["checksums-only"].raw(ACCESSORY, bytes(damaged), "SYN", 1.0)
    s["nothing-asked"] = new("The link is up, and that is all.").up().wait(5).ack(DEVICE)
    return s


def authentication() -> Scripts:
    """Authentication and identification that stop."""
    s: Scripts = {}
    s["certificate-unanswered"] = new("No certificate comes.").up().ask(plain(0xAA00)).ack().wait(5)
    s["reset-mid-session.timeout"] = new("No certificate, until the --timeout of the device ends the session.").up().ask(
        plain(0xAA00)).ack().wait(1.9).note("disconnected: timeout").reset(DEVICE)
    s["challenge-missing"] = new("No challenge comes.").up().ask(plain(0xAA00)).tell(CERTIFICATE).ack(DEVICE)
    s["challenge-unanswered"] = new("The challenge is acknowledged and not signed.").up().ask(plain(0xAA00)).tell(
        CERTIFICATE).ask(CHALLENGE).ack().wait(8).ack(DEVICE)
    s["verdict-missing"] = new("Neither 0xAA05 nor 0xAA04.").up().ask(plain(0xAA00)).tell(CERTIFICATE).ask(
        CHALLENGE).tell(RESPONSE).ack(DEVICE)
    s["authentication-missing"] = new("Identification first, then nothing.").up().ask(plain(0x1D00)).tell(
        identification(**EA)).ask(plain(0x1D02)).ack()
    s["identification-not-started"] = new("Nothing behind 0xAA05.").authenticated().ack()
    both = new("0xAA05 and 0x1D00 in one packet, of which the accessory reads the first.").up().ask(plain(0xAA00)).tell(
        CERTIFICATE).ask(CHALLENGE).tell(RESPONSE).ask(plain(0xAA05) + plain(0x1D00), "AA05 1D00").ack()
    s["identification-unanswered"] = both
    s["identification-unjudged"] = new("Neither 0x1D02 nor 0x1D03.").authenticated().ask(plain(0x1D00)).tell(
        identification(**EA)).ack(DEVICE)
    s["identification-cancelled"] = new("Taken back before it is judged.").authenticated().ask(plain(0x1D00)).tell(
        identification(**EA)).tell(plain(0x1D05))
    s["identification-rejected.list"] = new("Parameter 6, with the message that was meant.").authenticated().ask(
        plain(0x1D00)).tell(identification(sends=[0x5000], receives=[])).ask(message(0x1D03, numbers(6, [0x5000])))
    s["identification-rejected.absent"] = new("No parameter 0 (name): 0x1D03 names 0.").authenticated().ask(
        plain(0x1D00)).tell(nameless(**EA)).ask(message(0x1D03, parameter(0)))
    s["authentication-missing.notified"] = new("Identification, then a notification; 0xAA00 never comes.").up().ask(
        plain(0x1D00)).tell(identification(**EA)).ask(plain(0x1D02)).ask(message(0x4E09, text(0, "Phone"))).ack()
    s["nothing-subscribed"] = new("The accessory waits for 0x4E0E, which does not come.").identified(
        sends=[0x5000, 0x5002], receives=[0x4E0A, 0x4E0E, 0x5001]).ask(message(0x4E0A, text(0, "en"))).ack()
    return s


def apps() -> Scripts:
    """EA sessions that stop."""
    s: Scripts = {}
    s["session-not-opened"] = new("A protocol that no app opens.").identified(**EA).ack()
    s["session-unanswered"] = new("0xEA00, and no status.").identified(**EA).ask(START_SESSION).ack()
    s["session-refused"] = new("Status 1 at once.").identified(**EA).ask(START_SESSION).tell(status(1))
    s["session-refused.closed"] = new("Status 1; the device closes the session and the link.").identified(**EA).ask(
        START_SESSION).tell(status(1)).ask(STOP_SESSION).ack().reset(DEVICE)
    s["session-unanswered.closed"] = new("No status for ten seconds; the device gives up.").identified(**EA).ask(
        START_SESSION).ack().wait(10).ask(STOP_SESSION).ack().reset(DEVICE)
    s["session-silent"] = new("Open, and silent.").identified(**EA).ask(START_SESSION).tell(status(0)).ack(DEVICE)
    s["session-early-data"] = new("Data in front of the status are lost.").identified(**EA).ask(START_SESSION).data(
        DEVICE, 3, b"\0\1hello", "EA data").tell(status(0)).ack(DEVICE).wait(5).ack()
    return s


def carplay() -> Scripts:
    """CarPlay and Wi-Fi that stop."""
    s: Scripts = {}
    s["carplay-not-started"] = new("The accessory does not answer the offer.").identified(**WIRED).ask(
        availability(wired=1)).ack()
    s["carplay-silent"] = new("Started, and nothing more.").identified(**WIRED).ask(availability(wired=1)).tell(
        START_CARPLAY).ack(DEVICE)
    s["wifi-not-asked"] = new("Wireless is available, 0x5702 does not come.").identified(**WIRELESS).ask(
        message(0x4E0D, parameter(0, b"\1"))).ack()
    s["wifi-unanswered"] = new("0x5702, and no 0x5703.").identified(**WIRELESS).ask(
        message(0x4E0D, parameter(0, b"\1"))).ask(plain(0x5702)).ack()
    s["wifi-not-used"] = new("0x5703, and no offer. Name and passphrase are invented.").identified(**WIRELESS).ask(
        message(0x4E0D, parameter(0, b"\1"))).ask(plain(0x5702)).tell(ACCESS_POINT).ack(DEVICE)
    s["hand-over-missing"] = new("0x5703, and RST after 20 s without an offer.").identified(**WIRELESS).ask(
        message(0x4E0D, parameter(0, b"\1"))).ask(plain(0x5702)).tell(ACCESS_POINT).ack(DEVICE).wait(20).reset(
            ACCESSORY)
    return s


def rules() -> Scripts:
    """Rules that one side breaks."""
    s: Scripts = {}
    cut = new("The last packet is cut in the middle.").identified(**EA).ask(START_SESSION).tell(status(0))
    s["cut-off"] = cut.raw(ACCESSORY, packet(ACK, cut.sequence[ACCESSORY] + 1, cut.sequence[DEVICE], 3,
                                             b"\0\1" + bytes(40))[:20], "20 of 52 bytes")
    longer = bytearray(identification(**EA))
    longer[2:4] = struct.pack(">H", len(longer) + 4)
    s["message-unfinished"] = new("The length field of 0x1D01 is 4 too large.").authenticated().ask(plain(0x1D00)).tell(
        bytes(longer)).ack(DEVICE).wait(5).ack(DEVICE)
    long = new("A certificate in one packet of 628 bytes, where the device takes 256; then RST.").detect()
    s["link-rule-broken"] = long.detect(side=DEVICE).syn().answer(DEVICE, offer(length=256)).ack().ask(
        plain(0xAA00)).tell(CERTIFICATE).wait(1).reset(DEVICE)
    s["file-unanswered"] = new("A file is offered, and not started.").identified(
        link={"sessions": ((1, 0, 2), (2, 1, 2), (3, 2, 1))}, sends=[0x5000, 0x5002], receives=[0x5001]).tell(
            message(0x5000, parameter(0, parameter(1)))).data(
            DEVICE, 2, bytes([128, 4]) + struct.pack(">QH", 5000, 2), "file 128 offered").ack().wait(5).ack()
    s["data-after-reset"] = new("The device resets the link, and the accessory sends on.").identified(**POWER).tell(
        START_POWER).ask(message(0xAE01, parameter(6, b"\0\x32"))).ack().reset(DEVICE)
    for _ in range(3):
        s["data-after-reset"].wait(0.7).tell(START_POWER).reset(DEVICE)
    s["session-id-wrong"] = new("Session 1 is closed and 2 opened; the accessory sends with id 1.").identified(**EA).ask(
        START_SESSION).tell(status(0)).data(DEVICE, 3, b"\0\1ping", "data").data(
        ACCESSORY, 3, b"\0\1pong", "data").ask(message(0xEA01, parameter(0, b"\0\1"))).ask(
        message(0xEA00, parameter(0, b"\1"), parameter(1, b"\0\2"))).tell(status(0, 2))
    for _ in range(3):
        s["session-id-wrong"].wait(1).data(DEVICE, 3, b"\0\2ping", "data").data(ACCESSORY, 3, b"\0\1pong", "data")
    s["session-id-wrong"].ack(DEVICE)
    s["file-failed"] = new("Setup says 5000 bytes, 200 come, and the accessory answers with Failure.").identified(
        **ARTWORK).tell(message(0x5000, parameter(0, parameter(1)))).data(
            DEVICE, 2, bytes([128, 4]) + struct.pack(">QH", 5000, 2), "file 128 offered").data(
            ACCESSORY, 2, bytes([128, 1]), "start").data(DEVICE, 2, bytes([128, 0xC0]) + bytes(200), "data").data(
            ACCESSORY, 2, bytes([128, 6]), "failure").ack(DEVICE)
    s["file-failed.kept"] = new("All 200 bytes of the file come, and the accessory answers with Failure.").identified(
        **ARTWORK).tell(message(0x5000, parameter(0, parameter(1)))).data(
            DEVICE, 2, bytes([128, 4]) + struct.pack(">QH", 200, 2), "file 128 offered").data(
            ACCESSORY, 2, bytes([128, 1]), "start").data(DEVICE, 2, bytes([128, 0xC0]) + bytes(200), "data").data(
            ACCESSORY, 2, bytes([128, 6]), "failure").ack(DEVICE)
    s["session-id-unknown"] = new("The accessory's data begin without the id of the EA session.").identified(**EA).ask(
        START_SESSION).tell(status(0))
    for _ in range(2):
        s["session-id-unknown"].data(DEVICE, 3, b"\0\1ping", "data").data(ACCESSORY, 3, b"pong", "data").ack(
            DEVICE).wait(1)
    s["file-id-wrong"] = new("File 130 is offered, and the accessory answers with Start of file 2.").identified(
        **ARTWORK).tell(message(0x5000, parameter(0, parameter(1)))).data(
            DEVICE, 2, bytes([130, 4]) + struct.pack(">QH", 200, 2), "file 130 offered").data(
            ACCESSORY, 2, bytes([2, 1]), "start of file 2").ack(DEVICE).wait(5).ack()
    s["reset-at-power"] = new("The accessory resets the link when the battery is full.").identified(**POWER).tell(
        START_POWER).ask(message(0xAE01, parameter(5, b"\1"))).ack().wait(5).ask(
            message(0xAE01, parameter(5, b"\2"))).ack().reset(ACCESSORY)
    s["rule-ignored"] = new("0xAE01 comes on after 0xAE02.").identified(**POWER).tell(START_POWER).ask(
        message(0xAE01, parameter(6, b"\0\x32"))).tell(plain(0xAE02)).ack(DEVICE)
    for level in b"\x31\x30\x2f":
        s["rule-ignored"].wait(5).ask(message(0xAE01, parameter(6, bytes([0, level])))).ack()
    s["answer-owed"] = new("0xAE00 gets no 0xAE01.").identified(**POWER).tell(START_POWER).ack(DEVICE).wait(
        5).ack(DEVICE)
    s["call-unknown"] = new("0x415B names a call that no 0x4155 has.").identified(
        sends=[0x4154, 0x4156, 0x415B, 0x415C], receives=[0x4155]).tell(
            message(0x4154, parameter(2), parameter(4))).ask(
            message(0x4155, parameter(2, b"\2"), text(4, "call-0001"))).tell(
            message(0x415B, parameter(0, b"\0"), text(1, "call-000"))).ack(DEVICE).wait(3).ack(DEVICE)
    s["passphrase-missing"] = new("0x5703 says WPA2 and has no passphrase.").identified(**WIRELESS).ask(
        message(0x4E0D, parameter(0, b"\1"))).ask(plain(0x5702)).tell(
            message(0x5703, text(1, "Car"), parameter(3, b"\2"), parameter(4, b"\x24"))).ack(DEVICE)
    s["message-breaks-schema"] = new("The selectors of 0x5000 have a byte each, and no 0x5001 comes.").identified(
        sends=[0x5000, 0x5002], receives=[0x5001]).tell(
            message(0x5000, parameter(0, parameter(1, b"\1") + parameter(6, b"\1")))).ack(DEVICE).wait(3).ack(DEVICE)
    s["session-without-link"] = new("0xEA00 is accepted, and the SYN has no session of type 2.").identified(
        link={"sessions": ((1, 0, 2),)}, **EA).ask(START_SESSION).tell(status(0)).ack(DEVICE).wait(8).ask(
            message(0xEA01, parameter(0, b"\0\1"))).ack()
    s["component-unknown"] = new("0x6800 names component 1, and parameter 18 has 100.").identified(
        sends=[0x6800, 0x6802, 0x6803], receives=[0x6801],
        extra=parameter(18, parameter(0, b"\0\x64") + text(1, "keys") + parameter(2, b"\1"))).tell(
            message(0x6800, parameter(0, b"\0\1"), parameter(1, b"\x12\x34"), parameter(2, b"\0\1"),
                    parameter(4, bytes.fromhex("050c0901a1011500250175019501" "09cd8102" "95078103" "c0")))).tell(
            message(0x6802, parameter(0, b"\0\1"), parameter(1, b"\1"))).ack(DEVICE)
    s["message-too-early"] = new("0x5000 comes before 0xAA05, and no 0x5001 follows.").up().ask(plain(0x1D00)).tell(
        identification(sends=[0x5000, 0x5002], receives=[0x5001])).ask(plain(0x1D02)).tell(
            message(0x5000, parameter(0, parameter(1)))).ask(plain(0xAA00)).tell(CERTIFICATE).ask(CHALLENGE).tell(
            RESPONSE).ask(plain(0xAA05)).ack().wait(3).ack()
    return s


def ends() -> Scripts:
    """Links that end, and captures that are not whole."""
    s: Scripts = {}
    s["idle-reset"] = new("The accessory resets twice, each time ten seconds after the last packet.")
    for _ in range(2):
        s["idle-reset"].sequence = {ACCESSORY: 0x2B, DEVICE: 0x64}
        s["idle-reset"].identified(**POWER).tell(START_POWER).ask(message(0xAE01, parameter(6, b"\0\x32"))).ack().wait(
            10).reset(ACCESSORY).wait(0.2)
    s["half-open"] = new("The accessory is disconnected, and the device continues.").identified(
        sends=[0xAE00, 0xAE02], receives=[0xAE01]).tell(message(0xAE00, parameter(6))).ask(
            message(0xAE01, parameter(6, b"\0\x32"))).ack().say(DEVICE, message(0xAE01, parameter(6, b"\0\x31")), "", 4)
    s["gave-up"] = new("Three repeats are allowed and made, then RST.")
    s["gave-up"].detect().detect(side=DEVICE).syn(offer(repeats=3)).answer(DEVICE, offer(repeats=3)).ack().say(
        DEVICE, plain(0xAA00), "", 3).reset(DEVICE)
    damaged = new("The accessory's certificate has a wrong payload checksum each time; then RST.").up().ask(
        plain(0xAA00)).ack()
    wrong = bytearray(packet(ACK, damaged.sequence[ACCESSORY] + 1, damaged.sequence[DEVICE], 1, CERTIFICATE))
    wrong[-1] ^= 0xFF
    for _ in range(8):
        damaged.raw(ACCESSORY, bytes(wrong), "AA01 damaged", 1.5)
    s["damaged-packet"] = damaged.reset(ACCESSORY)
    s["damaged-packet.device"] = new("The header of the device's request is damaged each time.").up()
    wrong = bytearray(packet(ACK, 0x65, 0x2B, 1, plain(0xAA00)))
    wrong[8] ^= 0xFF
    for _ in range(4):
        s["damaged-packet.device"].raw(DEVICE, bytes(wrong), "AA00 damaged", 1.5)
    s["started-over"] = new("The accessory's program is restarted, the transport stays.").identified(**EA).wait(
        3).detect(4)
    s["one-side-only"] = new("What the accessory sent, without what it answers.")
    whole = new().identified(**EA)
    s["one-side-only"].lines += [line for line in whole.lines if ACCESSORY in line]
    s["reset-mid-session.loop"] = new("The same end three times.")
    for _ in range(3):
        s["reset-mid-session.loop"].sequence = {ACCESSORY: 0x2B, DEVICE: 0x64}
        s["reset-mid-session.loop"].up().ask(plain(0xAA00)).wait(2).reset(ACCESSORY).wait(0.2)
    return s
    return s


def files(iap2: str) -> dict[str, bytes]:
    """Returns the content of each capture."""
    made = {f"{name}.txt": script.content()
            for group in (link, authentication, apps, carplay, rules, ends) for name, script in group().items()}
    made |= failures_transports.files() | failures_played.files(iap2)
    return {f"failures/{name}": data for name, data in made.items()}
