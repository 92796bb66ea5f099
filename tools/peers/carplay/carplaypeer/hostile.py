# SPDX-License-Identifier: Apache-2.0
"""Named deviations of either role. Each one changes a value at a point, or sets a flag that a role reads.

Points: `setup.M1` … `verify.M4` (TLV8 items), `….inner` (items before they are sealed), `auth.*` (bytes),
`message.control` and `message.events` (a whole message before it is sealed), `frames.control` and `frames.events` (a
list of frames), `info` (dictionary, or bytes of a body), `stream.request` and `stream.answer` (one entry),
`screen.message`, `audio.packet`, `buffered.frame`, `data.frames` (a list of byte strings).
"""

from __future__ import annotations

import plistlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import tlv8

Change = Callable[[Any], Any]
PHONE, HEAD_UNIT = "phone", "headunit"


@dataclass
class Behavior:
    """One deviation. `ends` are the causes that a conforming peer may report.

    `make` returns new changes, because some of them have a counter.
    """

    name: str
    side: str
    text: str
    ends: tuple[str, ...]
    make: Callable[[], dict[str, Change]] = dict
    flags: frozenset[str] = frozenset()
    says: str = ""  # a part of the reason that an event of the conforming peer gives
    _changes: dict[str, Change] | None = field(default=None, repr=False)

    def alter(self, point: str, value: Any) -> Any:
        """Returns the value to use at a point."""
        if self._changes is None:
            self._changes = self.make()
        change = self._changes.get(point)
        return change(value) if change else value

    def fresh(self) -> Behavior:
        """Returns the same deviation with new counters."""
        return Behavior(self.name, self.side, self.text, self.ends, self.make, self.flags, self.says)


GOOD = Behavior("good", "", "no deviation", ())
BEHAVIORS: dict[str, Behavior] = {}


def _add(name: str, side: str, text: str, ends: str, changes: Callable[[], dict[str, Change]] = dict,
         *flags: str, says: str = "") -> None:
    BEHAVIORS[name] = Behavior(name, side, text, tuple(ends.split()), changes, frozenset(flags), says)


def flipped(data: bytes, index: int = -1) -> bytes:
    """Returns the bytes with one changed bit."""
    copy = bytearray(data)
    copy[index] ^= 1
    return bytes(copy)


def _item(kind: int, change: Callable[[bytes], bytes]) -> Change:
    return lambda items: [(number, change(value) if number == kind else value) for number, value in items]


def nth(number: int, change: Change, only: Callable[[Any], bool] = lambda value: True) -> Change:
    """Returns a change that applies only to the value `number`, from 0, of the values that `only` selects."""
    count = 0

    def apply(value: Any) -> Any:
        nonlocal count
        if not only(value):
            return value
        count += 1
        return change(value) if count == number + 1 else value
    return apply


def _at(point: str, change: Callable[[], Change]) -> Callable[[], dict[str, Change]]:
    return lambda: {point: change()}


def _with_length(text: str) -> Change:
    """Replaces a request by one with another announced length."""
    return lambda message: (message.partition(b"\r\n")[0] + b"\r\nCSeq: 9\r\nContent-Length: " + text.encode()
                            + b"\r\n\r\n")


def _with_body(body: bytes) -> Change:
    return lambda message: (message.partition(b"\r\n")[0] + b"\r\nCSeq: 9\r\nContent-Length: "
                            + str(len(body)).encode() + b"\r\n\r\n" + body)


def _starts(*words: bytes) -> Callable[[bytes], bool]:
    return lambda message: message.startswith(words)


def _is_frame(message: bytes) -> bool:
    return message[4] == 0


def deep_plist(depth: int = 100_000) -> bytes:
    """Returns nested arrays, each with one element (#property-lists)."""
    objects = b"".join(b"\xa1" + (index + 1).to_bytes(3, "big") for index in range(depth)) + b"\x09"
    offsets = b"".join((8 + 4 * index).to_bytes(3, "big") for index in range(depth + 1))
    return raw_plist(objects, offsets, 3, 3, depth + 1)


def wide_plist(levels: int = 14) -> bytes:
    """Returns arrays that each contain the next one 15 times: 15^levels objects in a few hundred bytes."""
    objects = b"".join(b"\xaf\x10\x0f" + bytes([index + 1]) * 15 for index in range(levels)) + b"\x09"
    offsets = b"".join((8 + 18 * index).to_bytes(2, "big") for index in range(levels + 1))
    return raw_plist(objects, offsets, 2, 1, levels + 1)


def cyclic_plist() -> bytes:
    """Returns an array that contains itself."""
    return raw_plist(b"\xa1\x00", b"\x08", 1, 1, 1)


def raw_plist(objects: bytes, offsets: bytes, offset_size: int, reference_size: int, count: int) -> bytes:
    """Returns a binary plist of these objects, whose root is the first one."""
    return (b"bplist00" + objects + offsets + bytes(6) + bytes([offset_size, reference_size])
            + count.to_bytes(8, "big") + bytes(8) + (8 + len(objects)).to_bytes(8, "big"))


def _oversized_screen(_message: bytes) -> bytes:
    return (8 * 1024 * 1024 + 1).to_bytes(4, "little") + bytes(124)


def _zero_key(kind: int) -> Change:
    return _item(kind, lambda value: bytes(len(value)))


def _add_pairing() -> None:
    wrong, lost = "badProof", "badTag"
    _add("wrong-proof", PHONE, "M3 of pair-setup has a wrong proof", wrong,
         _at("setup.M3", lambda: _item(tlv8.PROOF, flipped)))
    _add("zero-public-key", PHONE, "A of pair-setup is 0", "badPublicKey",
         _at("setup.M3", lambda: _zero_key(tlv8.PUBLIC_KEY)))
    _add("wrong-setup-tag", PHONE, "M5 of pair-setup has a wrong tag", lost,
         _at("setup.M5", lambda: _item(tlv8.ENCRYPTED, flipped)))
    _add("wrong-setup-signature", PHONE, "M5 of pair-setup has a wrong signature", "badSignature",
         _at("setup.M5.inner", lambda: _item(tlv8.SIGNATURE, flipped)))
    _add("transient-setup", PHONE, "M1 of pair-setup asks for a transient pairing", "pairingRefused badAnswer",
         _at("setup.M1", lambda: lambda items: [*items, (tlv8.FLAGS, b"\x10")]))
    _add("setup-out-of-order", PHONE, "M1 of pair-setup has the state of M5", "badAnswer",
         _at("setup.M1", lambda: _item(tlv8.STATE, lambda _value: b"\5")))
    _add("zero-verify-key", PHONE, "the key of pair-verify is 0", "badPublicKey",
         _at("verify.M1", lambda: _zero_key(tlv8.PUBLIC_KEY)))
    _add("wrong-verify-tag", PHONE, "M3 of pair-verify has a wrong tag", lost,
         _at("verify.M3", lambda: _item(tlv8.ENCRYPTED, flipped)))
    _add("wrong-verify-signature", PHONE, "M3 of pair-verify has a wrong signature", "badSignature",
         _at("verify.M3.inner", lambda: _item(tlv8.SIGNATURE, flipped)))
    _add("unknown-phone", PHONE, "M3 of pair-verify names a phone that is not paired", "unknownPeer",
         _at("verify.M3.inner", lambda: _item(tlv8.IDENTIFIER, lambda _value: b"nobody")))
    _add("lying-tlv", PHONE, "M1 of pair-setup announces a longer value than there is", "badTLV",
         lambda: {"message.control": nth(0, lambda data: data[:-2] + b"\x7f\1", _starts(b"POST /pair-setup"))})
    _add("hundred-wrong-proofs", PHONE, "100 wrong proofs, then an answer with error 5", "tooManyTries", dict,
         "wrongProofs")
    _add("wrong-server-proof", HEAD_UNIT, "M4 of pair-setup has a wrong proof", wrong,
         _at("setup.M4", lambda: _item(tlv8.PROOF, flipped)))
    _add("zero-server-key", HEAD_UNIT, "B of pair-setup is 0", "badPublicKey",
         _at("setup.M2", lambda: _zero_key(tlv8.PUBLIC_KEY)))
    _add("wrong-answer-tag", HEAD_UNIT, "M6 of pair-setup has a wrong tag", lost,
         _at("setup.M6", lambda: _item(tlv8.ENCRYPTED, flipped)))
    _add("wrong-answer-signature", HEAD_UNIT, "M6 of pair-setup has a wrong signature", "badSignature",
         _at("setup.M6.inner", lambda: _item(tlv8.SIGNATURE, flipped)))
    _add("zero-server-verify-key", HEAD_UNIT, "the key of pair-verify is 0", "badPublicKey",
         _at("verify.M2", lambda: _zero_key(tlv8.PUBLIC_KEY)))
    _add("wrong-server-verify-tag", HEAD_UNIT, "M2 of pair-verify has a wrong tag", lost,
         _at("verify.M2", lambda: _item(tlv8.ENCRYPTED, flipped)))
    _add("wrong-server-verify-signature", HEAD_UNIT, "M2 of pair-verify has a wrong signature", "badSignature",
         _at("verify.M2.inner", lambda: _item(tlv8.SIGNATURE, flipped)))
    _add("wrong-auth-signature", HEAD_UNIT, "the signature of auth-setup is wrong", "badSignature",
         _at("auth.signature", lambda: flipped))
    _add("zero-auth-key", HEAD_UNIT, "the key of auth-setup is 0", "badPublicKey",
         _at("auth.public", lambda: lambda value: bytes(len(value))))
    _add("broken-certificate", HEAD_UNIT, "the certificate of auth-setup is not DER", "badCertificate",
         _at("auth.certificate", lambda: lambda value: b"\0" + value[1:]))
    _add("lying-auth-length", HEAD_UNIT, "auth-setup announces a longer certificate than there is", "badAnswer",
         _at("auth.answer", lambda: lambda value: value[:32] + b"\x7f" + value[33:]))


def _add_frames() -> None:
    for side, good in ((PHONE, "head unit"), (HEAD_UNIT, "phone")):
        suffix = "" if side == PHONE else "-answer"
        sealed = lambda frames: not frames[0].startswith((b"POST", b"GET", b"RTSP", b"SETUP"))  # noqa: E731
        _add(f"flipped{suffix}-frame", side, f"an encrypted frame for the {good} has a changed bit", "badFrame",
             _at("frames.control", lambda: nth(1, lambda frames: [flipped(frames[0])] + frames[1:], sealed)))
        _add(f"replayed{suffix}-frame", side, f"the {good} gets an encrypted frame twice", "badFrame",
             _at("frames.control", lambda: nth(1, lambda frames: frames + frames, sealed)))
        _add(f"cut{suffix}-frame", side, f"a frame for the {good} announces more than there is", "badFrame",
             _at("frames.control", lambda: nth(1, lambda frames: [b"\x01\x00" + frames[0][2:]] + frames[1:], sealed)))
    _add("reordered-frame", PHONE, "two frames of one message come in the wrong order", "badFrame", lambda: {
        "message.control": nth(0, lambda data: data.replace(b"\r\n", b"\r\nX-Long: " + b"x" * 1500 + b"\r\n", 1),
                               _starts(b"RECORD")),
        "frames.control": nth(0, lambda frames: frames[1::-1] + frames[2:], lambda frames: len(frames) > 1)})
    _add("reordered-answer-frame", HEAD_UNIT, "two frames of one answer come in the wrong order", "badFrame",
         _at("frames.control", lambda: nth(0, lambda frames: frames[1::-1] + frames[2:],
                                           lambda frames: len(frames) > 1)))
    _add("flipped-event-frame", HEAD_UNIT, "a frame of the event channel has a changed bit", "badFrame",
         _at("frames.events", lambda: nth(0, lambda frames: [flipped(frames[0])])), "sendsCommand")


def _add_bodies() -> None:
    setup = _starts(b"SETUP")
    requests = {
        "huge-body": ("a request announces a body of 1 GiB", "tooLarge", _with_length("1073741824")),
        "negative-length": ("a request has the length -1", "badRequest", _with_length("-1")),
        "endless-length": ("a request has a length of 40 digits", "tooLarge", _with_length("9" * 40)),
        "endless-header": ("a header block does not end", "badRequest",
                           lambda _message: b"SETUP / RTSP/1.0\r\n" + b"A: b\r\n" * 100_000),
        "bad-start-line": ("a request is not RTSP", "badRequest", lambda _message: b"\x16\x03\x01\r\n\r\n"),
        "deep-plist": ("a body nests 100000 arrays", "badPlist", _with_body(deep_plist())),
        "wide-plist": ("a body expands to 15^14 objects", "badPlist", _with_body(wide_plist())),
        "cyclic-plist": ("a body holds an array that holds itself", "badPlist", _with_body(cyclic_plist())),
        "xml-plist": ("a body is an XML property list", "badPlist", _with_body(plistlib.dumps({"a": 1}))),
    }
    for name, (text, end, change) in requests.items():
        _add(name, PHONE, text, end, _at("message.control", lambda change=change: nth(0, change, setup)))
    answer = _starts(b"RTSP/1.0 200")
    _add("huge-answer", HEAD_UNIT, "an answer announces a body of 1 GiB", "tooLarge",
         _at("message.control", lambda: nth(4, _with_length("1073741824"), answer)))
    _add("deep-info", HEAD_UNIT, "/info nests 100000 arrays", "badPlist", _at("info", lambda: lambda _: deep_plist()))
    _add("wide-info", HEAD_UNIT, "/info expands to 15^14 objects", "badPlist",
         _at("info", lambda: lambda _: wide_plist()))
    _add("real-numbers", PHONE, "the SETUP of a stream has real numbers in place of integers", "teardown",
         _at("stream.request", lambda: _reals))
    _add("real-info", HEAD_UNIT, "/info has real numbers in place of integers, and booleans as 0 or 1", "teardown",
         _at("info", lambda: lambda value: _reals(value, True)))
    _add("no-sound", HEAD_UNIT, "/info has no formats and latencies of sound; the session lives", "teardown",
         _at("info", lambda: lambda value: {key: item for key, item in value.items() if not key.startswith("audio")}))
    _add("empty-info", HEAD_UNIT, "/info is empty", "badInfo", _at("info", lambda: lambda _: {}))
    _add("lying-descriptor", HEAD_UNIT, "a HID descriptor announces a report of 4 Gbit", "badInfo",
         _at("info", lambda: lambda value: value | {"hidDevices": [{"uuid": "1", "hidDescriptor": bytes.fromhex(
             "050109019701000000 77ffffffff 8102")}]}))
    _add_keys()
    _add("no-echo", HEAD_UNIT, "the answer of a stream SETUP lacks streamConnectionID", "stopped teardown",
         _at("stream.answer", lambda: lambda value: {key: entry for key, entry in value.items()
                                                      if key != "streamConnectionID"}))


def _with(**values: Any) -> Change:
    """Changes keys of a dictionary; None removes one."""
    return lambda entry: {key: value for key, value in (entry | values).items() if value is not None}


def _of(kind: int, change: Change) -> Change:
    """Returns a change of the entries of a type."""
    return lambda entry: change(entry) if entry.get("type") == kind else entry


def _add_keys() -> None:
    """Values of set-ups: what is wrong is named, and what can be done is done (#stream-refused)."""
    _add("unknown-type", PHONE, "a SETUP names an unknown type of stream first; the other stream starts", "teardown",
         _at("stream.list", lambda: lambda entries: [{"type": 96}, *entries]), says="streams[0].type is 96")
    _add("only-unknown-type", PHONE, "a SETUP names only an unknown type of stream", "badValue",
         _at("stream.request", lambda: _with(type=96)), says="streams[0].type is 96")
    _add("no-stream-id", PHONE, "a screen has no streamConnectionID", "badValue",
         _at("stream.request", lambda: _of(110, _with(streamConnectionID=None))),
         says="streams[0].streamConnectionID is missing")
    _add("foreign-display", PHONE, "a screen has the uuid of no display", "badValue",
         _at("stream.request", lambda: _of(110, _with(uuid="1"))), says="streams[0].uuid is the text \"1\"")
    _add("foreign-format", PHONE, "sound has two formats", "badValue badPlist",
         _at("stream.request", lambda: _of(100, _with(audioFormat=3))), says="streams[0].audioFormat is 3")
    _add("text-port", PHONE, "the port of the clock is a text; the session has no clock", "teardown",
         _at("setup.request", lambda: _with(timingPort="50000")), says="timingPort is the text \"50000\"")
    _add("no-features", PHONE, "the set-up names no features and gets all of the head unit", "teardown",
         _at("setup.request", lambda: _with(features=None)))
    _add("sets-up-twice", PHONE, "sound is set up twice without an end between; the second stream plays", "teardown",
         dict, "setsUpTwice")
    _add("stops-unknown", PHONE, "a TEARDOWN also names a stream that does not run; the other one ends", "teardown",
         _at("stream.ends", lambda: lambda entries: [*entries, {"type": 111}]), says="streams[1].type is 111")
    _add("auth-first", PHONE, "auth-setup comes before pairing", "teardown", dict, "authFirst")
    _add("start-codes", PHONE, "pictures have start codes in place of lengths", "badScreen", dict, "startCodes",
         says="a start code in place of a length")
    _add("no-event-port", HEAD_UNIT, "the answer of SETUP has no eventPort", "badValue badAnswer",
         _at("setup.answer", lambda: _with(eventPort=None)), says="eventPort is missing")
    _add("no-screen-uuid", HEAD_UNIT, "the display of /info has no uuid", "badInfo",
         _at("info", lambda: lambda value: value | {"displays": [_with(uuid=None)(value["displays"][0])]}),
         says="displays[0].uuid is missing")
    _add("zero-event-port", HEAD_UNIT, "the answer of SETUP has the eventPort 0", "badValue badAnswer",
         _at("setup.answer", lambda: _with(eventPort=0)), says="eventPort is 0")
    _add("zero-timing-port", HEAD_UNIT, "the answer of SETUP has the timingPort 0; the session lives", "teardown",
         _at("setup.answer", lambda: _with(timingPort=0)))
    _add("strange-device-id", HEAD_UNIT, "deviceID of /info is no address; the session lives", "teardown",
         _at("info", lambda: _with(deviceID="hello")))
    _add("refused-record", HEAD_UNIT, "RECORD is answered with 400", "refused", dict, "refusesRecord")
    _add("late-events", HEAD_UNIT, "SETUP is answered before the event port listens; the phone tries again", "teardown",
         dict, "lateEvents")
    _add("wants-build", HEAD_UNIT, "a SETUP without osBuildVersion gets 400", "teardown", dict, "wantsBuild")
    _add("other-rate", HEAD_UNIT, "only PCM of 44.1 kHz is offered; the phone plays that", "teardown badInfo",
         _at("info", lambda: lambda value: value | {"audioFormats": [
             {"type": 100, "audioType": "media", "audioOutputFormats": 0x800}]}))


def _reals(value: Any, flags: bool = False) -> Any:
    """Returns the value with the integers that a real number holds as real numbers."""
    if isinstance(value, bool):
        return int(value) if flags else value
    if isinstance(value, int) and abs(value) < 2**53:
        return float(value)
    if isinstance(value, list):
        return [_reals(item, flags) for item in value]
    if isinstance(value, dict):
        return {key: _reals(item, flags) for key, item in value.items()}
    return value


def _add_streams() -> None:
    _add("flipped-screen", PHONE, "a frame of the screen has a changed bit", "badScreen",
         _at("screen.message", lambda: nth(2, flipped, _is_frame)))
    _add("replayed-screen", PHONE, "a frame of the screen comes twice", "badScreen",
         _at("screen.message", lambda: nth(2, lambda data: data * 2, _is_frame)))
    _add("huge-screen", PHONE, "a message of the screen announces over 8 MiB", "badScreen",
         _at("screen.message", lambda: nth(2, _oversized_screen, _is_frame)))
    _add("frame-first", PHONE, "the screen begins with a frame", "badScreen",
         _at("screen.message", lambda: nth(0, lambda _: b"", lambda data: data[4] == 1)))
    _add("flipped-audio", PHONE, "every fifth audio packet has a changed bit; the stream lives", "teardown",
         lambda: {"audio.packet": _every(5, lambda data: [flipped(data, 14)])})
    _add("replayed-audio", PHONE, "every audio packet comes twice; the stream lives", "teardown",
         lambda: {"audio.packet": lambda packets: packets * 2})
    _add("other-payload-type", PHONE, "audio packets have the payload type 96 and are played", "teardown",
         lambda: {"audio.packet": lambda packets: [data[:1] + bytes([96]) + data[2:] for data in packets]})
    _add("lying-buffered", PHONE, "a frame of buffered audio announces 3 bytes", "badBuffered",
         _at("buffered.frame", lambda: nth(2, lambda data: b"\0\3" + data[2:])))
    _add("flipped-buffered", PHONE, "a frame of buffered audio has a changed bit", "badBuffered",
         _at("buffered.frame", lambda: nth(2, lambda data: flipped(data, 20))))
    _add("lying-data", PHONE, "a package of the data stream announces 4 GiB", "badData",
         _at("data.package", lambda: lambda data: b"\xff\xff\xff\xff" + data[4:]))
    _add("other-data-kind", PHONE, "packages of the data stream have the kind cmnd; their iAP2 is taken", "teardown",
         _at("data.package", lambda: lambda data: data[:4] + b"cmnd" + data[8:]))
    _add("stop-reading-video", HEAD_UNIT, "the screen stream is not read", "videoStalled", dict, "stopReadingVideo")


def _every(period: int, change: Callable[[bytes], list[bytes]]) -> Change:
    count = 0

    def apply(packets: list[bytes]) -> list[bytes]:
        nonlocal count
        count += 1
        return change(packets[0]) if count % period == 0 else packets
    return apply


def _add_order() -> None:
    _add("early-setup", PHONE, "SETUP before pairing (403)", "notPaired controlLost", dict, "earlySetup")
    _add("second-connection", PHONE, "a second connection during a session (453)", "busy teardown", dict,
         "secondConnection")
    _add("pipelined", PHONE, "several requests in one segment; all are answered in order", "teardown", dict,
         "pipelined")
    _add("split-bytes", PHONE, "every byte of the control connection is a segment", "teardown",
         _at("frames.control", lambda: lambda frames: [bytes([byte]) for frame in frames for byte in frame]))
    _add("split-answers", HEAD_UNIT, "every byte of the control connection is a segment", "teardown",
         _at("frames.control", lambda: lambda frames: [bytes([byte]) for frame in frames for byte in frame]))
    _add("silent-phone", PHONE, "the phone connects and says nothing", "setupTimeout", dict, "silent")
    _add("silent-clock", PHONE, "the phone does not answer clock packets; the session lives", "teardown", dict,
         "silentClock")
    _add("options-for-feedback", PHONE, "the phone sends OPTIONS in place of /feedback; the session lives", "teardown",
         dict, "optionsForFeedback")
    _add("asks-on-events", PHONE, "a request of the phone on the event channel is answered 200", "teardown", dict,
         "asksOnEvents")
    _add("no-feedback", PHONE, "the phone sends no /feedback", "feedbackSilent", dict, "noFeedback")
    _add("silent-head-unit", HEAD_UNIT, "the head unit accepts and says nothing", "requestTimeout", dict, "silent")
    _add("silent-head-unit-clock", HEAD_UNIT, "the head unit sends no clock packets; the session lives", "teardown",
         dict, "silentClock")
    _add("silent-feedback", HEAD_UNIT, "the head unit does not answer /feedback", "feedbackSilent", dict,
         "silentFeedback")


_add_pairing()
_add_frames()
_add_bodies()
_add_streams()
_add_order()
