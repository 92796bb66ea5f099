# SPDX-License-Identifier: Apache-2.0
"""Tests of formats with their limits: TLV8, frames, RTSP, plists, screen, audio, HID, clock, data packages."""

import plistlib
import random
import unittest

from carplaypeer import audio, clock, datachannel, hid, plists, screen, tlv8
from carplaypeer.frames import Opener, Sealer
from carplaypeer.hostile import cyclic_plist, deep_plist, flipped, raw_plist, wide_plist
from carplaypeer.limits import Limits
from carplaypeer.problems import Problem
from carplaypeer.rtsp import Parser, Request, Response


class Case(unittest.TestCase):
    def fails(self, cause: str, work, *arguments):
        """Checks that the call raises a problem with this cause, and returns it."""
        with self.assertRaises(Problem) as caught:
            work(*arguments)
        self.assertEqual(caught.exception.cause, cause)
        return caught.exception


class TLV8(Case):
    def test_values_of_every_length_come_back(self):
        for length in (0, 1, 254, 255, 256, 509, 510, 511, 1000):
            items = [(3, bytes(range(256)) * 4)[:2], (4, bytes(length)), (6, b"\1")]
            items[0] = (3, bytes(length))
            self.assertEqual(tlv8.decode(tlv8.encode(items)), items, length)

    def test_equal_types_are_separated(self):
        self.assertEqual(tlv8.encode([(1, b"a"), (1, b"b")]).hex(), "010161ff00010162")
        self.assertEqual(tlv8.decode(tlv8.encode([(1, b"a"), (1, b"b")])), [(1, b"a"), (255, b""), (1, b"b")])

    def test_a_type_twice_without_continuation_is_refused(self):
        self.fails("badTLV", tlv8.decode_unique, bytes.fromhex("010161010162"))
        self.fails("badTLV", tlv8.decode_unique, bytes.fromhex("010161ff00010162"))

    def test_every_cut_is_refused_or_shorter(self):
        data = tlv8.encode([(3, bytes(300)), (6, b"\1")])
        whole = {0, 257, 257 + 47}
        for length in range(len(data)):
            if length in whole:
                tlv8.decode(data[:length])
            else:
                self.fails("badTLV", tlv8.decode, data[:length])


class Frames(Case):
    def test_messages_survive_every_split_in_two(self):
        plain = bytes(range(256)) * 9
        frames = Sealer(bytes(32)).seal(plain)
        self.assertEqual([len(frame) for frame in frames], [1042, 1042, 274])
        wire = b"".join(frames)
        for at in range(0, len(wire), 7):
            opener = Opener(bytes(32))
            self.assertEqual(opener.feed(wire[:at]) + opener.feed(wire[at:]), plain)

    def test_an_empty_frame_counts(self):
        sealer, opener = Sealer(bytes(32)), Opener(bytes(32))
        self.assertEqual(opener.feed(sealer.seal_one(b"") + sealer.seal_one(b"x")), b"x")

    def test_a_frame_of_the_largest_length_is_accepted(self):
        sealer = Sealer(bytes(32), Limits(frame_send=65_535))
        self.assertEqual(Opener(bytes(32)).feed(b"".join(sealer.seal(bytes(65_535)))), bytes(65_535))

    def test_any_flipped_byte_replay_and_order_is_refused(self):
        first, second = Sealer(bytes(32), Limits(frame_send=8)).seal(bytes(16))
        for index in range(2, len(first)):
            self.fails("badFrame", Opener(bytes(32)).feed, flipped(first, index))
        self.fails("badFrame", Opener(bytes(32)).feed, second + first)
        self.fails("badFrame", Opener(bytes(32)).feed, first + first)
        self.fails("badFrame", Opener(bytes([1]) * 32).feed, first)


class RTSP(Case):
    MESSAGES = (Request("POST", "/command", {"CSeq": "1", "Content-Type": "x/y"}, b"body").encode()
                + Response(200, {"CSeq": "7"}, b"\r\n\r\n").encode()
                + Request("RECORD", "rtsp://127.0.0.1/5?x=1", {"CSeq": "2"}).encode())

    def read(self, pieces) -> list:
        parser, result = Parser(), []
        for piece in pieces:
            parser.feed(piece)
            while (message := parser.next()) is not None:
                result.append(message)
        self.assertEqual(parser.pending, 0)
        return result

    def test_pipelined_messages_are_equal_however_they_are_split(self):
        whole = self.read([self.MESSAGES])
        self.assertEqual([type(message).__name__ for message in whole], ["Request", "Response", "Request"])
        self.assertEqual(whole[0].body + whole[1].body, b"body\r\n\r\n")
        self.assertEqual(whole[2].path, "/5")
        for at in range(1, len(self.MESSAGES)):
            self.assertEqual(self.read([self.MESSAGES[:at], self.MESSAGES[at:]]), whole)
        self.assertEqual(self.read(bytes([byte]) for byte in self.MESSAGES), whole)

    def parse(self, data: bytes):
        parser = Parser()
        parser.feed(data)
        return parser.next()

    def test_header_names_ignore_case_and_a_missing_length_is_0(self):
        message = self.parse(b"GET /info?x=2 HTTP/1.1\r\ncSEQ: 5\r\n\r\n")
        self.assertEqual((message.headers, message.path, message.body, message.protocol),
                         ({"cseq": "5"}, "/info", b"", "HTTP/1.1"))

    def test_malformed_messages_are_400(self):
        for data in (b"GET /info\r\n\r\n", b"GET  /info RTSP/1.0\r\n\r\n", b"GET /info RTSP/2.0\r\n\r\n", b"\r\n\r\n",
                     b"G\0T / RTSP/1.0\r\n\r\n", b"GET / RTSP/1.0\r\nno colon\r\n\r\n", b"RTSP/1.0 2x0 OK\r\n\r\n",
                     b"GET / RTSP/1.0\r\nContent-Length: +5\r\n\r\n", b"GET / RTSP/1.0\r\nContent-Length: -1\r\n\r\n",
                     b"GET / RTSP/1.0\r\nContent-Length: 0x5\r\n\r\n", b"GET / RTSP/1.0\r\nContent-Length:\r\n\r\n",
                     b"GET / RTSP/1.0\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                     b"GET / RTSP/1.0\r\nContent-Length: \xd9\xa1\r\n\r\n", b"GET / RTSP/1.0\r\nA: \xff\r\n\r\n",
                     b"GET / RTSP/1.0\r\n: x\r\n\r\n", b"GET / RTSP/1.0\nCSeq: 1\n\r\n\r\n"):
            self.assertEqual(self.fails("badRequest", self.parse, data).status, 400, data)

    def test_a_header_block_of_16_KiB_passes_and_one_byte_more_does_not(self):
        frame = len(b"GET / RTSP/1.0\r\nA: \r\n\r\n")
        self.assertIsNotNone(self.parse(b"GET / RTSP/1.0\r\nA: " + b"x" * (16_384 - frame) + b"\r\n\r\n"))
        self.fails("badRequest", self.parse, b"GET / RTSP/1.0\r\nA: " + b"x" * (16_385 - frame) + b"\r\n\r\n")
        self.fails("badRequest", self.parse, b"x" * 16_385)

    def test_a_body_over_the_bound_is_413_before_it_is_read(self):
        self.assertIsNone(self.parse(b"GET / RTSP/1.0\r\nContent-Length: 1048576\r\n\r\n"))
        for length in ("1048577", "1073741824", "9" * 4000):
            data = f"GET / RTSP/1.0\r\nContent-Length: {length}\r\n\r\n".encode()
            self.assertEqual(self.fails("tooLarge", self.parse, data).status, 413)


class Plists(Case):
    def test_values_keep_their_types(self):
        value = {"a": True, "b": 1, "c": b"\0\1", "d": [1.5, "é", {"x": -2}], "e": 2**64 - 1, "f": False, "g": 0}
        back = plists.decode(plists.encode(value))
        self.assertEqual(repr(back), repr(value))
        self.assertEqual(plistlib.loads(plists.encode(value)), value)

    def test_bombs_are_refused(self):
        for data in (deep_plist(), deep_plist(17), wide_plist(), cyclic_plist()):
            self.fails("badPlist", plists.decode, data)

    def nested(self, depth: int):
        value = 1
        for _ in range(depth):
            value = [value]
        return plists.encode(value)

    def test_depth_16_passes_and_17_does_not(self):
        plists.decode(self.nested(16))
        self.fails("badPlist", plists.decode, self.nested(17))

    def test_objects_are_counted_after_expansion(self):
        limits = Limits(plist_objects=100)
        shared = ["same"] * 9
        plists.decode(plists.encode([shared] * 9), limits)
        self.fails("badPlist", plists.decode, plists.encode([shared] * 11), limits)

    def test_other_forms_and_keys_are_refused(self):
        self.fails("badPlist", plists.decode, plistlib.dumps({"a": 1}))
        self.fails("badPlist", plists.decode, b"")
        self.fails("badPlist", plists.decode, b"bplist00" + bytes(32))
        self.fails("badPlist", plists.decode, raw_plist(b"\xd1\x00\x00", b"\x08", 1, 1, 1))  # a dictionary as a key
        self.fails("badPlist", plists.decode, raw_plist(b"\xa1\x05", b"\x08", 1, 1, 1))  # a reference after the table
        self.fails("badPlist", plists.decode_dictionary, plists.encode([1]))

    def test_damaged_bodies_raise_only_the_named_problem(self):
        source = random.Random(23)
        good = plists.encode({"streams": [{"type": 110, "uuid": "x" * 20, "shk": bytes(32), "id": 2**64 - 1}],
                              "f": 1.5})
        for _ in range(4000):
            data = bytearray(good)
            for _ in range(source.randint(1, 4)):
                data[source.randrange(len(data))] = source.randrange(256)
            try:
                plists.decode(bytes(data))
            except Problem as problem:
                self.assertEqual(problem.cause, "badPlist")


class Screen(Case):
    SPS, PPS = bytes.fromhex("6764c028ac56200d814fe59b81010101"), bytes.fromhex("28ee3cb0")

    def test_a_record_is_found_in_every_form(self):
        record = screen.make_record(self.SPS, self.PPS)
        for form in ("bare", "box", "entry"):
            config = screen.read_config(screen.wrap_record(record, form), screen.FLAGS_H264)
            self.assertEqual((config.record, config.parameter_sets), (record, (self.SPS, self.PPS)), form)

    def test_a_record_of_hevc_is_read(self):
        unit = bytes.fromhex("4001")
        record = b"\1" + bytes(20) + b"\3\3" + b"".join(bytes([kind, 0, 1, 0, 2]) + unit for kind in (32, 33, 34))
        for form in ("bare", "box", "entry"):
            config = screen.read_config(screen.wrap_record(record, form, "hevc"), screen.FLAGS_HEVC)
            self.assertEqual((config.codec, config.parameter_sets), ("hevc", (unit,) * 3), form)
        self.assertTrue(config.is_key(bytes([19 << 1, 1])))

    def test_cut_records_and_boxes_are_refused(self):
        record = screen.make_record(self.SPS, self.PPS)
        for length in range(len(record)):
            self.fails("badScreen", screen.read_config, record[:length], screen.FLAGS_H264)
        self.fails("badScreen", screen.read_config, b"\x7f" + screen.wrap_record(record, "box")[1:], 0)
        self.fails("badScreen", screen.read_config, b"avcC", 0)

    def stream(self, cipher) -> bytes:
        writer = screen.Writer(cipher, (1280, 720))
        return (writer.config(screen.make_record(self.SPS, self.PPS), 5) + writer.frame([b"\x65abc", b"\x65d"], 5, True)
                + writer.other(screen.HEARTBEAT) + writer.frame([b"\x41e"], 6, False)
                + writer.other(screen.STATISTICS, bytes(25_000)))

    def test_messages_come_back_in_both_generations_and_split_anywhere(self):
        for make in (lambda: screen.Cipher320(bytes(32)), lambda: screen.CipherOld(bytes(16), 7)):
            data = self.stream(make())
            for at in range(0, len(data), 61):
                parser, kinds = screen.Parser(make()), []
                for piece in (data[:at], data[at:]):
                    parser.feed(piece)
                    while (message := parser.next()) is not None:
                        kinds.append((message[0].kind, message[1] if message[0].kind == 0 else None))
                self.assertEqual(kinds, [(1, None), (0, [b"\x65abc", b"\x65d"]), (2, None), (0, [b"\x41e"]), (5, None)])

    def parse_all(self, data: bytes):
        parser = screen.Parser(screen.Cipher320(bytes(32)))
        parser.feed(data)
        while parser.next() is not None:
            pass

    def test_bad_messages_are_refused(self):
        writer = screen.Writer(screen.Cipher320(bytes(32)), (1, 1))
        config = writer.config(screen.make_record(self.SPS, self.PPS), 0)
        frame = writer.frame([b"\x65"], 0, True)
        self.fails("badScreen", self.parse_all, frame)
        self.fails("badScreen", self.parse_all, config + frame + frame)
        for index in (4, 5, 8, 100, 127, 128, -1):
            self.fails("badScreen", self.parse_all, config + flipped(frame, index))
        self.fails("badScreen", self.parse_all, (8 * 1024 * 1024 + 1).to_bytes(4, "little") + bytes(124))
        self.fails("badScreen", screen.split_units, b"\0\0\0\5abcd")
        self.fails("badScreen", screen.split_units, b"\0\0\0")

    def test_pictures_of_a_file_come_back(self):
        units = [b"\x09\x10", self.SPS, self.PPS, b"\x06\x05", b"\x65\x80a", b"\x65\x40b", b"\x41\x80c", b"\x41\x80d"]
        pictures = list(screen.read_annex_b(screen.annex_b(units)))
        self.assertEqual([picture.units for picture in pictures],
                         [(b"\x06\x05", b"\x65\x80a", b"\x65\x40b"), (b"\x41\x80c",), (b"\x41\x80d",)])
        self.assertEqual([picture.is_key for picture in pictures], [True, False, False])
        self.assertEqual({(picture.sps, picture.pps) for picture in pictures}, {(self.SPS, self.PPS)})


class Audio(Case):
    def test_formats_have_the_masks_of_a_real_phone(self):
        self.assertEqual(audio.format_of(0x8000).name, "pcm/48000/16/2")
        self.assertEqual(audio.format_of(0x100).name, "pcm/32000/16/1")
        for mask in (0, 3, -1, 1 << 40):
            self.fails("badPlist", audio.format_of, mask)

    def packets(self, count: int) -> list[bytes]:
        sender = audio.Sender(100, audio.Crypto320(bytes(32)), sequence=65_530, timestamp=2**32 - 700)
        return [sender.packet(bytes([index]) * 4, 352) for index in range(count)]

    def test_bad_and_repeated_packets_are_counted_and_the_stream_lives(self):
        packets = self.packets(5)
        receiver = audio.Receiver(audio.Crypto320(bytes(32)))
        for index in range(4, 40):
            self.assertIsNone(receiver.open(flipped(packets[0], index)))
        for data in (b"", packets[0][:35], b"\x90" + packets[0][1:]):
            self.assertIsNone(receiver.open(data))
        marked = bytes([packets[0][0], 96 | 0x80]) + packets[0][2:]
        self.assertEqual(receiver.open(marked).payload, bytes(4))
        self.assertIsNone(receiver.open(packets[0]))
        self.assertIsNotNone(receiver.open(packets[4]))
        self.assertIsNotNone(receiver.open(packets[2]))
        self.assertIsNone(receiver.open(packets[2]))
        self.assertEqual(receiver.dropped["replay"], 2)
        self.assertEqual(receiver.received, 3)

    def test_order_is_restored_over_the_wrap_and_gaps_are_named_once(self):
        receiver, reorder = audio.Receiver(audio.Crypto320(bytes(32))), audio.Reorder()
        opened = [receiver.open(data) for data in self.packets(12)]
        result = reorder.add(opened[0])
        for index in (4, 5, 9):
            result += reorder.add(opened[index])
        self.assertEqual(reorder.missing(), (65_531, 3))
        self.assertIsNone(reorder.missing())
        for index in (3, 1, 2, 7, 6, 8, 10, 11, 2):
            result += reorder.add(opened[index])
        self.assertEqual([packet.payload[0] for packet in result], list(range(12)))
        self.assertEqual(reorder.lost, 0)

    def test_a_gap_that_stays_is_given_up_with_bounded_memory(self):
        limits = Limits(reorder=8)
        reorder = audio.Reorder(limits)
        made = [audio.Packet(number & 0xFFFF, 0, b"") for number in range(100)]
        result = [packet for index, packet in enumerate(made) if index != 3 for packet in reorder.add(packet)]
        self.assertEqual([packet.sequence for packet in result], [number for number in range(100) if number != 3])
        self.assertEqual(reorder.lost, 1)

    def test_packets_are_sent_again_unchanged_and_64_at_most(self):
        history, packets = audio.History(), self.packets(100)
        for data in packets:
            history.add(data)
        answers = history.answers(audio.resend_request(65_530, 3))
        self.assertEqual([audio.read_resent(answer) for answer in answers], packets[:3])
        self.assertEqual(answers[0][:4].hex(), "80d6fffa")
        self.assertEqual(len(history.answers(audio.resend_request(65_530, 64))), 64)
        self.assertEqual(history.answers(audio.resend_request(65_530, 65)), [])
        self.assertEqual(history.answers(b"\x80\xd5\0\1"), [])

    def test_sync_has_its_bytes(self):
        self.assertEqual(audio.sync_packet(1, 2, 3, True).hex(), "90d40007" "00000001" "0000000000000002" "00000003")
        self.assertEqual(audio.read_sync(audio.sync_packet(1, 2, 3, False)), (1, 2, 3))

    def test_the_old_encryption_leaves_the_last_block_clear(self):
        crypto = audio.CryptoOld(bytes(16), bytes(16))
        sealed = crypto.seal(b"", bytes(40))
        self.assertEqual((len(sealed), sealed[32:]), (40, bytes(8)))
        self.assertNotEqual(sealed[:16], bytes(16))
        self.assertEqual(crypto.open(b"", sealed), bytes(40))

    def test_buffered_frames_survive_every_split_and_bad_ones_end_the_stream(self):
        sender = audio.BufferedFrames(bytes(32))
        data = sender.encode(b"one") + sender.encode(b"two")
        self.assertEqual(int.from_bytes(data[:2], "big"), len(data) // 2)
        for at in range(len(data)):
            reader = audio.BufferedFrames(bytes(32))
            packets = reader.feed(data[:at]) + reader.feed(data[at:])
            self.assertEqual([(packet.sequence, packet.timestamp, packet.payload) for packet in packets],
                             [(0, 0, b"one"), (1, 1024, b"two")])
        self.fails("badBuffered", audio.BufferedFrames(bytes(32)).feed, b"\0\1")
        self.fails("badBuffered", audio.BufferedFrames(bytes(32)).feed, flipped(data))


class Clock(Case):
    def test_offset_and_delay_follow_the_formula(self):
        estimate = clock.Estimate()
        second = 1 << 32
        estimate.add(10 * second, 110 * second, 111 * second, 13 * second)
        self.assertEqual(estimate.offset, 99 * second)
        self.assertEqual(estimate.to_peer(second), 100 * second)

    def test_the_sample_of_least_delay_counts(self):
        estimate = clock.Estimate()
        second = 1 << 32
        estimate.add(0, 50 * second, 50 * second, 0)
        estimate.add(0, 90 * second, 90 * second, 40 * second)
        self.assertEqual(estimate.offset, 50 * second)

    def test_answers_hold_the_request_and_other_packets_are_none(self):
        asked = clock.request(77)
        self.assertEqual(clock.read_response(clock.response(asked, 5, 6)), (77, 5, 6))
        for data in (b"", asked[:31], b"\x90" + asked[1:], clock.response(asked, 1, 2)):
            self.assertIsNone(clock.response(data, 1, 2))
        self.assertIsNone(clock.read_response(asked))


class HID(Case):
    def test_reports_have_the_lengths_of_the_layouts(self):
        for descriptor, length in ((hid.touch_descriptor(1280, 720), 12), (hid.knob_descriptor(), 4),
                                   (hid.media_descriptor(), 1), (hid.telephony_descriptor(), 1)):
            self.assertEqual(hid.Descriptor.parse(descriptor).bits, 8 * length)

    def test_a_touch_scales_with_the_logical_maximum(self):
        descriptor = hid.Descriptor.parse(hid.touch_descriptor(1280, 720))
        self.assertEqual(descriptor.touch(hid.touch_report(640, 180, True)), (True, 0.5, 0.25))
        self.assertEqual(descriptor.touch(hid.touch_report(1280, 720, False)), (False, 1.0, 1.0))
        self.assertEqual(hid.touch_report(640, 180, True).hex(), "00018002b400" "010000000000")
        self.fails("badPlist", descriptor.read, bytes(11))

    def test_keys_and_the_knob_are_read_through_their_descriptors(self):
        media = hid.Descriptor.parse(hid.media_descriptor())
        for name, usage in hid.MEDIA_KEYS.items():
            self.assertEqual(media.pressed(hid.key_report(hid.MEDIA_KEYS, name)), [0x0C << 16 | usage])
        self.assertEqual(media.pressed(b"\0"), [])
        telephony = hid.Descriptor.parse(hid.telephony_descriptor())
        self.assertEqual(telephony.pressed(bytes([17])), [0x07 << 16 | 0x2A])
        self.assertEqual(hid.key_report(hid.TELEPHONY_KEYS, "0"), b"\5")
        knob = hid.Descriptor.parse(hid.knob_descriptor())
        self.assertEqual(knob.pressed(hid.knob_report(select=True, back=True)), [0x09 << 16 | 1, 0x0C << 16 | 0x224])
        values = {entry.usages[0]: value for entry, value in knob.read(hid.knob_report(x=-127, wheel=-1))}
        self.assertEqual((values[0x10030], values[0x10038]), (-127, -1))

    def test_lying_descriptors_are_refused(self):
        for text in ("0501", "050109019701000000" "77ffffffff" "8102", "c0", "850181", "fe0000"):
            self.fails("badInfo", hid.Descriptor.parse, bytes.fromhex(text))
        source = random.Random(23)
        good = hid.touch_descriptor(1280, 720)
        for _ in range(2000):
            data = bytearray(good)
            data[source.randrange(len(data))] = source.randrange(256)
            try:
                hid.Descriptor.parse(bytes(data))
            except Problem as problem:
                self.assertEqual(problem.cause, "badInfo")


class DataPackages(Case):
    def test_packages_survive_every_split_and_lies_are_refused(self):
        data = datachannel.package(datachannel.SYNC, 2**63, b"abc") + datachannel.package(datachannel.REPLY, 1)
        self.assertEqual(data[:24].hex(), "00000023" "73796e63" + "00" * 8 + "636f6d6d" "80000000")
        for at in range(len(data)):
            parser = datachannel.Parser()
            self.assertEqual(parser.feed(data[:at]) + parser.feed(data[at:]),
                             [(b"sync", 2**63, b"abc"), (b"rply", 1, b"")])
        for head in ("0000001f", "ffffffff"):
            self.fails("badData", datachannel.Parser().feed, bytes.fromhex(head) + data[4:])
        self.assertEqual(datachannel.Parser().feed(data[:4] + b"cmnd" + data[8:35]), [(b"cmnd", 2**63, b"abc")])


if __name__ == "__main__":
    unittest.main()
