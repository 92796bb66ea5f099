# SPDX-License-Identifier: Apache-2.0
"""Sessions whose EA protocols and files fail."""
from __future__ import annotations

import dataclasses

from iap2peer.control import Parameter, group, message
from iap2peer.packets import Session, Synchronization
from iap2peer.sessions import FILE_FAILURE, FILE_SETUP, FILE_START, FileTransfer

from ..scene import Scene, accessory, closing, opened, opened_quickly, scene, sending, simple

simple("app-refused.quiet", "0xEA03 with status 1", lambda: opened(accessory(app_status=1)).play(2))
simple("app-refused.closed", "0xEA03 with status 1; 0xEA01 and RST follow",
       lambda: closing(opened(accessory(app_status=1))))
simple("app-unanswered.quiet", "0xEA00 is acknowledged, and 0xEA03 does not come",
       lambda: opened(accessory(app_status=None)).play(8))
simple("app-unanswered.closed", "no 0xEA03 for 10 s; 0xEA01 and RST follow",
       lambda: closing(opened(accessory(app_status=None)).play(10)))


def asking_twice(s: Scene) -> Scene:
    """The app sends some bytes, waits for an answer, and sends them again."""
    return sending(sending(s).play(3))


simple("app-silent.bytes", "the app sends twice with 3 s between, and the accessory sends nothing",
       lambda: asking_twice(opened(accessory(protocols={"com.example.echo": "silent"}))))
simple("app-silent.nothing", "the EA session is open, and neither side sends",
       lambda: opened(accessory()).play(8))


@scene("app.early-data", "the app sends before 0xEA03, and the accessory drops these bytes")
def early_data() -> Scene:
    """EA00 and data arrive together."""
    s = Scene(accessory()).identified()
    s.accessory._received_app_data = lambda session, data: None  # pylint: disable=protected-access
    app = s.device.open_app("com.example.echo")
    s.device.send_app(app.id, b"hello")
    s.play(4)
    s.device.announce_artwork(130)
    return s.play(1)


@scene("app.unknown-protocol", "0xEA00 with a protocol number that the identification does not have")
def unknown_protocol() -> Scene:
    """The device opens protocol 9."""
    s = Scene(accessory()).identified()
    s.device.protocols["com.example.other"] = 9
    s.device.open_app("com.example.other")
    return s.play(1).reset()


@scene("app.app-stalls", "the accessory echoes once and acknowledges nothing after that")
def app_stalls() -> Scene:
    """The accessory hangs while an app sends."""
    s = sending(opened_quickly())
    s.accessory.link.faults.silent = True
    return sending(s).play(4)


@scene("app.file-unanswered", "the device offers the artwork of 0x5001, and the accessory does not start the file")
def file_unanswered() -> Scene:
    """A file that never begins."""
    s = Scene(accessory(sent_messages=[0x5000, 0x5002], received_messages=[0x5001], protocols={})).identified()
    s.accessory._received_file = lambda *_: None  # pylint: disable=protected-access
    s.accessory.send(message(0x5000, (0, group(Parameter(1), Parameter(26)))))
    s.play(0.3)
    s.device.announce_artwork(130)
    s.device.send_file_datagram(130, FILE_SETUP, (4000).to_bytes(8, "big") + b"\0\2")
    return s.play(6)


@scene("app.ea-stale-id", "the app opens its protocol again as EA session 2, and the accessory sends with id 1")
def ea_stale_id() -> Scene:
    """An accessory that keeps the id of the first EA session."""
    s = sending(opened(accessory()))
    s.device.close_app(s.device.apps[1])
    s.play(0.5)
    s.accessory._received_app_data = (  # pylint: disable=protected-access
        lambda session, data: s.accessory.send_app(1, data))
    s.device.open_app("com.example.echo")
    s.play(0.3)
    for _ in range(3):
        s.device.send_app(2, b"TEMP?\n")
        s.play(2)
    return s


@scene("app.file-too-short", "Setup says 4000 bytes, and the only data of the device are 3000; Failure, two times")
def file_too_short() -> Scene:
    """A sender whose size is wrong."""
    s = Scene(accessory(sent_messages=[0x5000, 0x5002], received_messages=[0x5001], protocols={})).identified()
    s.accessory._received_content = (  # pylint: disable=protected-access
        lambda transfer, operation, data: s.accessory.send_file_datagram(transfer.id, FILE_FAILURE))
    s.accessory.send(message(0x5000, (0, group(Parameter(1), Parameter(26)))))
    s.play(0.3)
    for number in (130, 131):
        s.device.announce_artwork(number)
        s.device.files[number] = FileTransfer(number, 3000, bytearray(b"\xff\xd8" + bytes(2998)))
        s.device.send_file_datagram(number, FILE_SETUP, (4000).to_bytes(8, "big") + b"\0\2")
        s.play(2)
    return s


@scene("app.ea-no-link-session", "an EA protocol, and the SYN has no EA session; 0xEA03 says ok, and no data can come")
def ea_no_link_session() -> Scene:
    """An app whose bytes have no session of the link."""
    s = Scene(accessory(), offer=dataclasses.replace(Synchronization(), sessions=(Session(1, 0, 1), Session(2, 1, 1))))
    s.identified()
    s.device.open_app("com.example.echo")
    return closing(s.play(8))


@scene("app.ea-without-id", "the accessory's EA data have no EA session id before the text; the app asks again")
def ea_without_id() -> Scene:
    """An accessory that sends the answer of its app alone."""
    s = opened(accessory())
    s.accessory._received_app_data = (  # pylint: disable=protected-access
        lambda session, data: s.accessory.link.send(3, b"21.5 C\n"))
    for _ in range(3):
        sending(s).play(1.7)
    return s


@scene("app.file-id-masked", "the device offers file 130, and the accessory starts file 2; the same with 131 and 3")
def file_id_masked() -> Scene:
    """An accessory that keeps seven bits of the id of a file."""
    s = Scene(accessory(sent_messages=[0x5000, 0x5002], received_messages=[0x5001], protocols={})).identified()
    s.accessory._offered_file = (  # pylint: disable=protected-access
        lambda number, data: s.accessory.send_file_datagram(number & 0x7F, FILE_START))
    s.accessory.send(message(0x5000, (0, group(Parameter(1), Parameter(26)))))
    s.play(0.3)
    for number in (130, 131):
        s.device.announce_artwork(number)
        s.device.send_file(number, b"\xff\xd8" + bytes(3998))
        s.play(5)
    return s
