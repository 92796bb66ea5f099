# SPDX-License-Identifier: Apache-2.0
"""Sessions whose link fails: no answers, damage, silence, and rules of packets."""
from __future__ import annotations

import dataclasses
import io

from iap2peer.authentication import FixedCredentials, KeyCredentials
from iap2peer.control import message, u16
from iap2peer.packets import RST, SYN, Packet, Session, Synchronization

from ..scene import QUICK, Scene, accessory, anew, opened_quickly, scene, sending, simple

simple("detect-unanswered.never", "the device never answers detect",
       lambda: Scene().be("no-detect", "device").play(5.5))
simple("detect-unanswered.once", "detect once, and nothing after it",
       lambda: Scene().be("no-detect", "device").play(0.5))
simple("syn-unanswered.silent", "the device echoes detect and leaves SYN unanswered",
       lambda: Scene().be("no-syn", "device").play(5.5))
simple("syn-unanswered.reset", "the same, and the device resets after two seconds",
       lambda: Scene().be("no-syn", "device").play(2.5).reset())
simple("window-zero.accessory", "the accessory's SYN has a window of 0 packets; it is rejected with RST",
       lambda: Scene().be("short-window").be("no-syn", "device").play(1.5).reset())
simple("window-zero.twice", "SYN with a window of 0 packets again and again",
       lambda: Scene().be("short-window").be("no-syn", "device").play(3.5))


def mute_after_syn(seconds: float) -> Scene:
    """The accessory sends its SYN and no byte after it."""
    s = Scene()
    s.play(3, lambda: s.accessory.link.state == "negotiate")
    s.accessory.step()
    s.accessory.link.faults.silent = True
    s.accessory.link.faults.synchronize = False
    return s.play(seconds)


simple("synack-unconfirmed.lost", "the accessory does not react to SYN+ACK",
       lambda: mute_after_syn(4.5))
simple("synack-unconfirmed.closed", "the same, and the device gives up with RST",
       lambda: mute_after_syn(2.5).reset())
simple("payload-checksum.accessory", "each data packet of the accessory has a wrong payload checksum",
       lambda: Scene(offer=QUICK).be("bad-payload-checksum").play(4))
simple("payload-checksum.device", "each data packet of the device has a wrong payload checksum",
       lambda: Scene(offer=QUICK).be("bad-payload-checksum", "device").play(4))
simple("header-checksum.accessory", "each data packet of the accessory has a wrong header checksum",
       lambda: Scene(offer=QUICK).be("bad-header-checksum").play(4))
simple("header-checksum.device", "each data packet of the device has a wrong header checksum",
       lambda: Scene(offer=QUICK).be("bad-header-checksum", "device").play(4))


def gone(seconds: float) -> Scene:
    """The accessory sends no byte more, and the device sends a message."""
    s = Scene(accessory(), offer=QUICK).identified()
    s.accessory.link.faults.silent = True
    s.device.open_app("com.example.echo")
    return s.play(seconds)


simple("accessory-gone.limit", "the accessory falls silent; the device retransmits to its limit and resets",
       lambda: gone(4))
simple("accessory-gone.running", "the accessory falls silent; the device still retransmits",
       lambda: gone(0.7))


def restarted(seconds: float, idle: float = 0.5) -> Scene:
    """The accessory forgets the link."""
    s = Scene(accessory()).identified().play(idle)
    s.device.link.restart = lambda: None
    return s.later("restart", "accessory").play(seconds)


simple("restarted.accessory", "the accessory restarts with detect in mid-session, and the device goes on",
       lambda: restarted(3.5))
simple("restarted.accessory-idle", "the same five seconds after identification",
       lambda: restarted(4.5, 5))


@scene("link.iap1", "the device answers detect with an iAP1 frame")
def iap1() -> Scene:
    """A device without iAP2."""
    s = Scene().be("no-detect", "device")
    s.play(0.5)
    s.device.link.output.append(bytes.fromhex("ff5503000100fc"))
    return s.play(3)


@scene("link.unknown-session", "the accessory sends data on link session 7, which was not agreed; the device resets")
def unknown_session() -> Scene:
    """Data that no session takes."""
    s = Scene(accessory()).identified()
    s.accessory.link.send(7, b"\0\1hello")
    return s.play(0.5).reset()


@scene("link.device-gone", "the device falls silent; the accessory retransmits to its limit and resets")
def device_gone() -> Scene:
    """The device sends no byte more."""
    s = Scene(accessory(), offer=QUICK).identified()
    s.device.link.faults.silent = True
    s.accessory.send(message(0xAE00, (6, b"")))
    return s.play(3)


@scene("link.cut-off", "the capture ends within the accessory's certificate")
def cut_off() -> Scene:
    """A last record without its end."""
    s = Scene(accessory(credentials=FixedCredentials(bytes(600)))).up()
    s.play(2, lambda: bool(s.device.received(0xAA01)))
    lines = s.text.getvalue().splitlines()
    last = max(index for index, line in enumerate(lines) if "A>D" in line)
    kept = lines[:last] + [lines[last][:201]]
    s.text = io.StringIO("\n".join(kept) + "\n")
    return s


@scene("link.one-side", "only the accessory's bytes were captured")
def one_side() -> Scene:
    """A capture of one direction."""
    s = Scene(accessory()).identified()
    lines = [line for line in s.text.getvalue().splitlines() if "A>D" in line]
    s.text = io.StringIO("\n".join(lines) + "\n")
    return s


@scene("link.no-control-session", "the SYN has an EA session and no control session; the device resets")
def no_control_session() -> Scene:
    """An offer without the session that every link needs."""
    s = Scene(offer=dataclasses.replace(Synchronization(), sessions=(Session(3, 2, 1),))).be("no-syn", "device")
    return s.play(0.3).reset()


@scene("link.console", "a login prompt answers detect")
def console() -> Scene:
    """Another program on the device's end of the line."""
    s = Scene().be("no-detect", "device").play(0.5)
    s.device.link.output.append(b"\r\nlogin: ")
    return s.play(2.5)


@scene("link.again-and-again", "the accessory resets on 0xAA00 and begins again, three times")
def again_and_again() -> Scene:
    """An accessory that restarts at the same place."""
    s = Scene().be("no-certificate")
    for _ in range(3):
        s.play(2).reset("accessory")
        s.device.link.restart()
        s.accessory.link.restart()
    return s


@scene("link.all-damaged", "every packet of both sides has a wrong checksum, from the SYN on")
def all_damaged() -> Scene:
    """A line that changes a byte of each packet."""
    s = Scene()
    for peer in (s.accessory, s.device):
        peer.link.faults.mutate = lambda data, packet: data[:8] + bytes([data[8] ^ 0x10]) + data[9:]
    return s.play(3.5)


simple("link.never-acknowledges", "the accessory answers and acknowledges nothing; the device resets at its limit",
       lambda: Scene(accessory(), offer=QUICK).be("no-ack").play(5))


@scene("link.window-exceeded", "the accessory sends 8 packets at once into a window of 2; the device resets")
def window_exceeded() -> Scene:
    """More packets than the device has room for."""
    s = Scene(accessory(), answer=Synchronization(window=2)).identified()
    s.device.open_app("com.example.echo")
    s.play(0.3)
    s.accessory.link.faults.respect_window = s.device.link.faults.acknowledge = False
    for number in range(8):
        s.accessory.send_app(1, bytes([number]) * 20)
    return s.play(0.1).reset()


@scene("link.packet-too-long", "the device takes packets of 128 bytes, and the certificate comes in one of 620")
def packet_too_long() -> Scene:
    """A sender that does not split its messages."""
    s = Scene(accessory(credentials=FixedCredentials(bytes(600))), answer=Synchronization(max_length=128))

    def send_whole(data: bytes) -> None:
        s.accessory.link.peer = Synchronization()
        s.accessory.link.send(1, data)

    s.accessory.send_control = send_whole
    s.device.behavior.unanswered.add(0xAA01)
    return s.play(0.3).reset()


@scene("link.sequence-stands-still", "every data packet of the accessory has the same sequence number")
def sequence_stands_still() -> Scene:
    """A sender that does not count its packets."""
    s = Scene(accessory(), offer=QUICK)

    def same(data: bytes, packet: Packet) -> bytes:
        return dataclasses.replace(packet, sequence=0x2C).encode() if packet.is_data else data

    s.accessory.link.faults.mutate = same
    return s.play(3)


simple("link.session-id-twice", "the SYN gives the control session and the EA session the id 1; the device resets",
       lambda: Scene(offer=dataclasses.replace(Synchronization(), sessions=(Session(1, 0, 1), Session(1, 2, 1))))
       .be("no-syn", "device").play(0.3).reset())


@scene("link.ack-takes-number", "each pure ACK of the accessory uses up a sequence number, so its data leave gaps")
def ack_takes_number() -> Scene:
    """A sender that counts packets that own no number."""
    s = Scene(accessory(), offer=QUICK)
    used = 0
    numbers: dict[int, int] = {}

    def renumber(data: bytes, packet: Packet) -> bytes:
        nonlocal used
        if packet.control == 0x40 and not packet.payload:
            used += 1
            return dataclasses.replace(packet, sequence=packet.sequence + used).encode()
        if not packet.is_data:
            return data
        number = numbers.setdefault(packet.sequence, packet.sequence + used)
        return dataclasses.replace(packet, sequence=number).encode()

    s.accessory.link.faults.mutate = renumber
    s.accessory.link._requested_again = lambda *_: None  # pylint: disable=protected-access
    return s.play(3)


@scene("link.after-reset", "the device ends the link in order with RST, and the accessory goes on without detect")
def after_reset() -> Scene:
    """An accessory that does not read RST."""
    s = sending(opened_quickly())
    receive = s.accessory.link._received  # pylint: disable=protected-access
    s.accessory.link._received = (  # pylint: disable=protected-access
        lambda packet, now: None if packet.control & RST else receive(packet, now))
    s.device.close_app(s.device.apps[1])
    s.play(0.3)
    s.reset()

    def answer(packet: Packet, _: float) -> None:
        if packet.is_data:
            s.device.link.output.append(Packet(RST, 0).encode())

    s.device.link._received = answer  # pylint: disable=protected-access
    for _ in range(3):
        s.accessory.send(message(0xAE00, (5, b""), (6, b"")))
        s.play(0.7)
    return s


@scene("link.handshake-number", "the ACK of the SYN+ACK has the next number, not that of the SYN+ACK; RST after 4 s")
def handshake_number() -> Scene:
    """An accessory that acknowledges as TCP does, with the number that it expects next."""
    s = Scene(accessory())

    def next_number(data: bytes, packet: Packet) -> bytes:
        if packet.control == 0x40 and not packet.payload:
            return dataclasses.replace(packet, acknowledgement=packet.acknowledgement + 1).encode()
        return data

    s.accessory.link.faults.mutate = next_number
    return s.play(4.5).reset()


@scene("link.packets-cut", "only the first 256 bytes of each packet of the accessory arrive; 0xAA01 never does; RST")
def packets_cut() -> Scene:
    """A serial driver with a send buffer of 256 bytes."""
    s = Scene(accessory(credentials=KeyCredentials()), offer=QUICK)
    s.accessory.link.faults.mutate = lambda data, packet: data[:256]
    return s.play(3)


@scene("link.idle-reset", "the accessory resets after 10 s without a packet, three times, and begins again each time")
def idle_reset() -> Scene:
    """An accessory that expects a keep-alive, which the link does not have."""
    s = Scene(accessory(sent_messages=[0xAE00, 0xAE02], received_messages=[0xAE01], protocols={}))
    for _ in range(3):
        s.identified()
        s.accessory.send(message(0xAE00, (6, b"")))
        s.play(0.1)
        s.device.send(message(0xAE01, (6, u16(80))))
        anew(s.play(10.073).reset("accessory"))
    return s


@scene("link.syn-swapped", "the 16-bit values of the SYN have swapped bytes (2048 as 0008); RST after three SYNs")
def syn_swapped() -> Scene:
    """A little-endian processor that copies a structure into its SYN."""
    s = Scene(offer=Synchronization(window=5, max_length=2048, retransmission_timeout=1500, acknowledgement_timeout=73))

    def swapped(data: bytes, packet: Packet) -> bytes:
        if not packet.control & SYN:
            return data
        p = packet.payload
        values = b"".join(p[at:at + 2][::-1] for at in (2, 4, 6))
        return dataclasses.replace(packet, payload=p[:2] + values + p[8:]).encode()

    s.accessory.link.faults.mutate = swapped
    return s.be("no-syn", "device").play(2.5).reset()


def answering(s: Scene, *answers: bytes) -> Scene:
    """Lets the accessory answer each data of an app with some packets."""
    def answer(session: int, _: bytes) -> None:
        for data in answers:
            s.accessory.send_app(session, data)

    s.accessory._received_app_data = answer  # pylint: disable=protected-access
    return s


@scene("link.eak-ignored", "one of four packets is lost; at each EAK the accessory repeats the three others; RST")
def eak_ignored() -> Scene:
    """An accessory that takes the numbers of an EAK for packets that arrived."""
    s = Scene(accessory(), offer=dataclasses.replace(QUICK, retransmission_timeout=500, max_retransmissions=30))
    link = answering(s.identified(), b"21.5 C\n", b"40 %\n", b"1013 hPa\n", b"OK\n").accessory.link
    link.faults.mutate = lambda data, packet: None if b"21.5 C" in packet.payload else data
    repeat, repeated = link._requested_again, 0.0  # pylint: disable=protected-access

    def repeat_others(numbers: bytes, now: float) -> None:
        nonlocal repeated
        for entry in [o for o in link.outstanding if o.packet.sequence in numbers]:
            link.outstanding.remove(entry)
        if now > repeated + 0.1:
            repeated = now
            repeat(bytes(o.packet.sequence for o in link.outstanding), now)

    link._requested_again = repeat_others  # pylint: disable=protected-access
    s.device.open_app("com.example.echo")
    return sending(s.play(0.3)).play(2.9).reset()


@scene("link.seven-bit-numbers", "the accessory's number after 127 is 0, and its data are never acknowledged; RST")
def seven_bit_numbers() -> Scene:
    """A sender whose numbers have seven bits."""
    s = Scene(accessory(), offer=QUICK)
    s.accessory.link.initial_sequence = 118
    s.accessory.link.restart()
    s.accessory.link.faults.mutate = (
        lambda data, packet: dataclasses.replace(packet, sequence=packet.sequence & 0x7F).encode())
    s.identified()
    s.device.open_app("com.example.echo")
    s.play(0.3)
    for _ in range(7):
        sending(s)
    return s.play(2)
