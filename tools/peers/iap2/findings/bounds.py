# SPDX-License-Identifier: Apache-2.0
"""Memory, descriptors and processor time that a peer can claim: A1, A10, A11."""

from __future__ import annotations

import time
from typing import Callable

from iap2peer.control import u16, u64
from iap2peer.packets import ACK, EXTERNAL_ACCESSORY, Packet, Synchronization
from iap2peer.roles import AccessoryBehavior, Device, DeviceBehavior
from iap2peer.sessions import FILE_DATA, FILE_FIRST, FILE_LAST, FILE_SETUP, AppSession, FileTransfer
from iap2peer.transport import Channel, Listener, connect

from .harness import Command, Outcome, SetupFailed, Stage, mebibytes, seconds, yes
from .registry import finding

ECHO = "com.example.echo"
MIB = 1 << 20
WIDE = Synchronization(window=127, max_length=65535)


# A1


def usages_descriptor(fields: int) -> bytes:
    """Returns a report descriptor with array fields whose usage range is 0 to 65,535, seven bytes a field."""
    head = bytes.fromhex("0600ff0901a1017508950115002500")
    return head + bytes.fromhex("19002affff8100") * fields + b"\xc0"


@finding("hid-descriptor", "A1", "a HID report descriptor takes memory in proportion to its bytes")
def hid_descriptor(stage: Stage) -> Outcome:
    """The accessory registers HID devices with 4,000 array fields of 65,536 usages each, 28 KB a descriptor."""
    command = stage.phone()
    command.memory_limit = 700 * MIB
    accessory = stage.identified_accessory(behavior=AccessoryBehavior(
        hid_components=4, sent_messages=[0xAE00, 0xAE02, 0xAE03, 0xEA03, 0x6800, 0x6802, 0x6803],
        received_messages=[0xAE01, 0xEA00, 0xEA01, 0x6801]))
    stage.wait(0.3)
    before = command.memory()
    descriptor = usages_descriptor(4000)
    for component in range(4):
        accessory.start_hid(component, descriptor)
        stage.run(lambda: command.exceeded, 1.5)
    grown = max(0, command.peak - before)
    over = ", ended at the limit of this test" if command.exceeded else ""
    return Outcome(grown < 64 * MIB and command.exit_status is None,
                   f"4 descriptors of {len(descriptor)} bytes: {mebibytes(grown)} more memory{over}")


# A10: files


def send_pieces(stage: Stage, device: Device, file_id: int, size: int, piece: int, timeout: float,
                last: bool = True) -> bool:
    """Sends a file's content in pieces, in step with the window."""
    position = 0

    def more() -> bool:
        nonlocal position
        while position < size and len(device.link.queue) < 64:
            data = bytes(min(piece, size - position))
            operation = FILE_FIRST if position == 0 else FILE_DATA
            position += len(data)
            if position >= size and last:
                operation |= FILE_LAST
            device.send_file_datagram(file_id, operation, data)
        return position >= size and device.link.is_idle

    return stage.run(more, timeout)


@finding("file-pieces", "A10", "receiving a file costs processor time in proportion to its size")
def file_pieces(stage: Stage) -> Outcome:
    """The device sends a file of 8 MiB in pieces of 4,000 bytes."""
    command = stage.headunit()
    device = stage.identified_device()
    device.announce_artwork(128)
    device.files[128] = transfer = sending_file(128)
    device.send_file_datagram(128, FILE_SETUP, u64(8 * MIB) + u16(2))
    stage.wait(0.3)
    before, started = command.processor_time(), time.monotonic()
    sent = send_pieces(stage, device, 128, 8 * MIB, 4000, 18)
    stage.run(lambda: transfer.state != "sending", 1)
    used, took = command.processor_time() - before, time.monotonic() - started
    return Outcome(sent and used < 1.5, f"{used:.1f} s of processor time in {took:.1f} s, file {transfer.state}")


def sending_file(number: int) -> FileTransfer:
    """Returns a file whose content the test sends itself."""
    return FileTransfer(number, state="sending")


@finding("file-before-authentication", "A10", "no file is taken before identification")
def file_before_authentication(stage: Stage) -> Outcome:
    """The device announces and offers a file as soon as the link is up, and never asks for a certificate."""
    command = stage.headunit()
    device = stage.device(behavior=DeviceBehavior(authentication=False, identification=False))
    stage.need(lambda: device.link.is_up, 5, "the link did not come up")
    device.announce_artwork(128)
    transfer = device.send_file(128, bytes(100_000))
    stage.run(lambda: transfer.state in ("complete", "failed", "cancelled"), 3)
    return Outcome(transfer.state not in ("complete", "sending"),
                   f"file offered before authentication: {transfer.state}; "
                   f"events: {[e.get('step') for e in command.select('fileTransfer')]}")


@finding("file-half-sent", "A10", "all files of a connection have one bound", 30)
def file_half_sent(stage: Stage) -> Outcome:
    """The device begins 128 files of 8 MiB and leaves out the last piece of each."""
    command = stage.headunit("--link", "max-length=65535")
    command.memory_limit = 400 * MIB
    device = stage.identified_device(offer=WIDE)
    before = command.memory()
    begun = 0
    piece = device.app_chunk
    for number in range(128, 256):
        device.announce_artwork(number)
        transfer = device.files[number] = sending_file(number)
        device.send_file_datagram(number, FILE_SETUP, u64(8 * MIB) + u16(2))
        send_pieces(stage, device, number, 8 * MIB - piece, piece, 4, last=False)
        if command.exceeded or stage.left(1) < 1 or command.exit_status is not None:
            break
        if transfer.state == "cancelled":
            break
        begun += 1
    grown = max(0, command.peak - before)
    return Outcome(grown < 128 * MIB, f"{begun} half-sent files of 8 MiB: {mebibytes(grown)} more memory"
                   + (", ended at the limit of this test" if command.exceeded else ""))


# A10, A11: external accessory sessions whose service does not read


class Stalled:
    """A service that accepts every connection and reads nothing."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.listener: Listener = stage.listener(backlog=128)
        self.accepted: list[Channel] = []

    def poll(self) -> bool:
        """Accepts what is there. Always false, for use in conditions."""
        while (channel := self.listener.accept()) is not None:
            self.accepted.append(channel)
            self.stage.others.append(channel)
        return False


def flood(stage: Stage, device: Device, app: AppSession, size: int, timeout: float,
          watch: Callable[[], bool]) -> int:
    """Sends bytes of an EA session without regard to the window. Returns how many were written."""
    device.link.faults.respect_window = False
    position = 0
    chunk = bytes(min(device.app_chunk, 16_000))

    def more() -> bool:
        nonlocal position
        while position < size and len(device.channel.pending) < MIB and len(device.link.queue) < 16:
            device.send_app(app.id, chunk)
            position += len(chunk)
            device.link.poll(0)
            device.flush()
        return watch() or (position >= size and not device.channel.pending) or bool(device.channel.ended)

    stage.run(more, timeout)
    return position - len(device.channel.pending)


@finding("ea-buffers", "A10", "the EA sessions of a connection have one bound of memory", 40)
def ea_buffers(stage: Stage) -> Outcome:
    """The device opens 64 EA sessions whose services read nothing, and sends 15 MiB to each."""
    service = Stalled(stage)
    command = stage.headunit("--link", "max-length=65535", service=f"tcp:{service.listener.address}")
    command.memory_limit = 400 * MIB
    device = stage.identified_device(offer=WIDE)
    before = command.memory()
    flooded = 0
    device.link.faults.retransmit = False
    for _ in range(64):
        app = device.open_app(ECHO)
        stage.run(lambda: service.poll() or app.status is not None or command.exceeded, 3)
        if app.status != 0 or command.exceeded or command.exit_status is not None:
            break
        flood(stage, device, app, 15 * MIB, 3, lambda: service.poll() or command.exceeded)
        flooded += 1
    grown = max(0, command.peak - before)
    over = ", ended at the limit of this test" if command.exceeded else ""
    return Outcome(grown < 128 * MIB, f"{flooded} sessions of 15 MiB: {mebibytes(grown)} more memory{over}; "
                                      f"disconnected: {command.causes() or 'no'}")


def open_and_close(stage: Stage, device: Device, command: Command, count: int, poll: Callable[[], bool]) -> Outcome:
    """Opens and closes EA sessions one after another and counts the descriptors that remain."""
    before = command.descriptors()
    peak = opened = 0
    for _ in range(count):
        app = device.open_app(ECHO)
        stage.run(lambda: poll() or app.status is not None, 2)
        if app.status != 0:
            break
        opened += 1
        device.close_app(app)
        peak = max(peak, command.descriptors())
        if stage.left(1) < 1 or command.exit_status is not None:
            break
    stage.run(poll, 0.5)
    held = max(peak, command.descriptors()) - before
    return Outcome(held <= 64 + 16, f"{opened} sessions opened and closed one after another: {held} more descriptors")


@finding("ea-descriptors", "A10", "closed EA sessions hold no descriptors of services that cannot be reached")
def ea_descriptors(stage: Stage) -> Outcome:
    """The device opens and closes 400 EA sessions; the calls to their services stay unanswered."""
    service = stage.listener(backlog=0)
    for _ in range(4):
        try:
            stage.others.append(connect(service.address, 0.3))
        except OSError:
            break
    command = stage.headunit(service=f"tcp:{service.address}")
    return open_and_close(stage, stage.identified_device(), command, 400, lambda: False)


@finding("ea-descriptors-idle", "A10", "closed EA sessions hold no descriptors of services that never return")
def ea_descriptors_idle(stage: Stage) -> Outcome:
    """The same with services that accept the call and do nothing."""
    service = Stalled(stage)
    command = stage.headunit(service=f"tcp:{service.listener.address}")
    return open_and_close(stage, stage.identified_device(), command, 400, service.poll)


# A11


@finding("blind-acknowledger", "A11", "a peer that acknowledges blindly and reads nothing loses its slot", 90)
def blind_acknowledger(stage: Stage) -> Outcome:
    """The device has its own data echoed, reads nothing, and sends pure ACKs with every number in turn.

    Those that acknowledge what was sent are signs of life; 23 s after the last of them the connection ends."""
    command = stage.headunit()
    device = stage.identified_device(offer=WIDE, receive_buffer=4096)
    app = device.open_app(ECHO)
    stage.need(lambda: app.status == 0, 3, "the EA session did not open")
    since = len(command.events)
    device.reading = False
    device.link.faults.retransmit = False
    device.link.faults.respect_window = False
    device.send_app(app.id, bytes(2 * MIB))
    stage.run(lambda: device.link.is_idle and not device.channel.pending, 3)
    started = time.monotonic()
    number = device.link.in_order
    while time.monotonic() - started < 70 and not command.saw("disconnected", since):
        device.channel.send(Packet(ACK, device.link.sequence, number).encode())
        number = (number + 1) & 0xFF
        stage.wait(0.2)
    took = time.monotonic() - started
    ended = command.saw("disconnected", since)
    served = stage.serves_next(4)
    interrupted = stage.interrupted(command, 4)
    return Outcome(ended and served, f"disconnected {seconds(took if ended else None, 70)}; next peer served: "
                                     f"{yes(served)}; Ctrl-C ends the command: {seconds(interrupted, 4)}")


def stalled_session(stage: Stage) -> tuple[Command, Device, AppSession, Channel]:
    """Opens an EA session whose service does not read, and fills the sockets between them."""
    service = stage.listener()
    command = stage.headunit(service=f"tcp:{service.address}")
    device = stage.identified_device()
    app = device.open_app(ECHO)
    stage.need(lambda: app.status == 0, 3, "the EA session did not open")
    channel = service.accept(2)
    if channel is None:
        raise SetupFailed("the service was not called")
    stage.others.append(channel)
    for _ in range(4000):
        device.send_app(app.id, bytes(4000))
        if len(device.link.queue) > 64 and not stage.run(lambda: len(device.link.queue) < 32, 0.5):
            break
    device.link.faults.retransmit = False
    device.link.faults.respect_window = False
    stage.run(lambda: device.link.is_idle, 2)
    return command, device, app, channel


def blast(stage: Stage, device: Device, app: AppSession, count: int, content: bytes, timeout: float) -> int:
    """Writes `count` equal EA datagrams as fast as the socket takes them. Returns how many were written."""
    session = device.link.agreed.session_id(EXTERNAL_ACCESSORY) or 0
    payload = app.id.to_bytes(2, "big") + content
    packets = [Packet(ACK, n, device.link.in_order, session, payload).encode() for n in range(256)]
    sent = 0

    def more() -> bool:
        nonlocal sent
        while sent < count and len(device.channel.pending) < 1 << 16:
            first = device.link.sequence
            device.channel.send(b"".join(packets[first:]))
            sent += 256 - first
            device.link.sequence = 0
        return (sent >= count and not device.channel.pending) or bool(device.channel.ended)

    stage.run(more, timeout)
    return sent


def drain(stage: Stage, channel: Channel) -> None:
    """Reads from a channel until nothing came for a second."""
    last = time.monotonic()

    def silent() -> bool:
        nonlocal last
        if channel.receive():
            last = time.monotonic()
        return time.monotonic() - last > 1

    stage.run(silent, 8)


@finding("window-ignored", "A11", "a peer that ignores the window and a service that does not read have a bound", 30)
def window_ignored(stage: Stage) -> Outcome:
    """The service reads nothing until the window closes. Then the device ignores the window and sends 200 MB more."""
    command, device, app, _ = stalled_session(stage)
    command.memory_limit = 500 * MIB
    before = command.memory()
    sent = blast(stage, device, app, 50_000, bytes(4000), 10)
    stage.wait(0.5)
    grown = max(0, command.peak - before)
    return Outcome(grown < 64 * MIB, f"{mebibytes(sent * 4000)} beyond the window: {mebibytes(grown)} more memory; "
                                     f"disconnected: {command.causes() or 'no'}")


@finding("small-datagrams", "A11", "60,000 small datagrams cost processor time in proportion to their number", 40)
def small_datagrams(stage: Stage) -> Outcome:
    """The device sends 15,000 and 60,000 datagrams of 1 byte to a service that reads only afterwards."""
    times = []
    for count in (15_000, 60_000):
        with Stage(stage.program, stage.left(19)) as inner:
            command, device, app, channel = stalled_session(inner)
            before = command.processor_time()
            blast(inner, device, app, count, b"x", 4)
            drain(inner, channel)
            times.append(command.processor_time() - before)
    return Outcome(times[1] < 1.0 or times[1] < 8 * times[0],
                   f"15,000: {times[0]:.2f} s, 60,000: {times[1]:.2f} s of processor time")


@finding("empty-datagrams", "A11", "EA datagrams without a byte, for a service that does not read, have a bound", 30)
def empty_datagrams(stage: Stage) -> Outcome:
    """The device sends four million EA datagrams without content and ignores the window."""
    command, device, app, _ = stalled_session(stage)
    command.memory_limit = 500 * MIB
    before = command.memory()
    sent = blast(stage, device, app, 4_000_000, b"", 12)
    grown = max(0, command.peak - before)
    return Outcome(grown < 64 * MIB, f"{sent} datagrams: {mebibytes(grown)} more memory; "
                                     f"disconnected: {command.causes() or 'no'}")
