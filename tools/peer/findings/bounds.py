# SPDX-License-Identifier: Apache-2.0
"""Memory, descriptors and processor time that a peer can claim: A1, A10, A11."""

from __future__ import annotations

import time
from typing import Callable

from iap2peer.control import Parameter, group, message, u8, u16, u64
from iap2peer.packets import ACK, EXTERNAL_ACCESSORY, FILE_TRANSFER, Packet, Synchronization
from iap2peer.roles import AccessoryBehavior, Device, DeviceBehavior
from iap2peer.sessions import FILE_DATA, FILE_FIRST, FILE_LAST, FILE_SETUP, AppSession
from iap2peer.transport import Channel, Listener

from .harness import Command, Outcome, Stage, mebibytes, seconds, yes
from .registry import finding

ECHO = "com.example.echo"
MIB = 1 << 20
WIDE = Synchronization(window=127, max_length=65535)


def announce(device: Device, number: int) -> None:
    """Sends 5001 with the id of an artwork file."""
    device.send(message(0x5001, (0, group(Parameter(26, u8(number))))))


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
    announce(device, 128)
    device.files[128] = transfer = __file(128)
    device.send_file_datagram(128, FILE_SETUP, u64(8 * MIB) + u16(2))
    stage.wait(0.3)
    before, started = command.processor_time(), time.monotonic()
    sent = send_pieces(stage, device, 128, 8 * MIB, 4000, 18)
    stage.run(lambda: transfer.state != "sending", 1)
    used, took = command.processor_time() - before, time.monotonic() - started
    return Outcome(sent and used < 1.5, f"{used:.1f} s of processor time in {took:.1f} s, file {transfer.state}")


def __file(number: int):
    from iap2peer.sessions import FileTransfer  # pylint: disable=import-outside-toplevel
    return FileTransfer(number, state="sending")


@finding("file-before-authentication", "A10", "no file is taken before identification")
def file_before_authentication(stage: Stage) -> Outcome:
    """The device announces and offers a file as soon as the link is up, and never asks for a certificate."""
    command = stage.headunit()
    device = stage.device(behavior=DeviceBehavior(authentication=False, identification=False))
    stage.need(lambda: device.link.is_up, 5, "the link did not come up")
    announce(device, 128)
    transfer = device.send_file(128, bytes(100_000))
    stage.run(lambda: transfer.state in ("complete", "failed", "cancelled"), 3)
    return Outcome(transfer.state not in ("complete", "sending"),
                   f"file offered before authentication: {transfer.state}; "
                   f"events: {[e.get('step') for e in command.select('fileTransfer')]}")


@finding("file-half-sent", "A10", "all files of a connection have one bound", 30)
def file_half_sent(stage: Stage) -> Outcome:
    """The device begins 128 files of 8 MiB and leaves out the last piece of each."""
    command = stage.headunit()
    command.memory_limit = 400 * MIB
    device = stage.identified_device(offer=WIDE)
    before = command.memory()
    begun = 0
    for number in range(128, 256):
        announce(device, number)
        transfer = device.files[number] = __file(number)
        device.send_file_datagram(number, FILE_SETUP, u64(8 * MIB) + u16(2))
        send_pieces(stage, device, number, 8 * MIB - 65_000, 65_000, 4, last=False)
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


@finding("window-ignored", "A11", "a peer that ignores the window and a service that does not read have a bound", 30)
def window_ignored(stage: Stage) -> Outcome:
    """The device sends 200 MiB to one EA session whose service reads nothing."""
    service = Stalled(stage)
    command = stage.headunit("--link", "max-length=65535", service=f"tcp:{service.listener.address}")
    command.memory_limit = 500 * MIB
    device = stage.identified_device(offer=WIDE)
    app = device.open_app(ECHO)
    stage.need(lambda: service.poll() or app.status == 0, 5, "the EA session did not open")
    before = command.memory()
    device.link.faults.retransmit = False
    sent = flood(stage, device, app, 200 * MIB, 12, service.poll)
    grown = max(0, command.peak - before)
    return Outcome(grown < 64 * MIB, f"{mebibytes(sent)} sent: {mebibytes(grown)} more memory; "
                                     f"disconnected: {command.causes() or 'no'}")


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
        stage.run(lambda: service.poll() or app.status is not None or command.exceeded, 3)  # noqa: B023
        if app.status != 0 or command.exceeded or command.exit_status is not None:
            break
        flood(stage, device, app, 15 * MIB, 3, lambda: service.poll() or command.exceeded)
        flooded += 1
    grown = max(0, command.peak - before)
    over = ", ended at the limit of this test" if command.exceeded else ""
    return Outcome(grown < 128 * MIB, f"{flooded} sessions of 15 MiB: {mebibytes(grown)} more memory{over}; "
                                      f"disconnected: {command.causes() or 'no'}")


@finding("ea-descriptors", "A10", "EA sessions that were closed hold no descriptors of their services")
def ea_descriptors(stage: Stage) -> Outcome:
    """The device opens and closes 400 EA sessions whose services never return."""
    service = Stalled(stage)
    command = stage.headunit(service=f"tcp:{service.listener.address}")
    device = stage.identified_device()
    before = command.descriptors()
    peak = opened = 0
    for _ in range(400):
        app = device.open_app(ECHO)
        stage.run(lambda: service.poll() or app.status is not None, 2)  # noqa: B023
        if app.status != 0:
            break
        opened += 1
        device.close_app(app)
        peak = max(peak, command.descriptors())
        if stage.left(1) < 1:
            break
    stage.wait(0.5)
    held = max(peak, command.descriptors()) - before
    return Outcome(held <= 64 + 16, f"{opened} sessions opened and closed one after another: {held} more descriptors")


# A11


@finding("blind-acknowledger", "A11", "a peer that acknowledges blindly and reads nothing loses its slot", 35)
def blind_acknowledger(stage: Stage) -> Outcome:
    """The device has its own data echoed, reads nothing, and sends pure ACKs that change nothing."""
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
    while time.monotonic() - started < 20 and not command.saw("disconnected", since):
        device.channel.send(Packet(ACK, device.link.sequence, number).encode())
        number = (number + 1) & 0xFF
        stage.wait(0.2)
    took = time.monotonic() - started
    ended = command.saw("disconnected", since)
    served = stage.serves_next(4)
    interrupted = stage.interrupted(command, 4)
    return Outcome(ended and served, f"disconnected {seconds(took if ended else None, 20)}; next peer served: "
                                     f"{yes(served)}; Ctrl-C ends the command: {seconds(interrupted, 4)}")


@finding("small-datagrams", "A11", "60,000 small datagrams cost processor time in proportion to their number", 40)
def small_datagrams(stage: Stage) -> Outcome:
    """The device sends 60,000 datagrams of 1 byte, at first 15,000, to an echo it does not acknowledge."""
    times = []
    for count in (15_000, 60_000):
        with Stage(stage.program, stage.left(20)) as inner:
            command = inner.headunit()
            device = inner.identified_device()
            app = device.open_app(ECHO)
            inner.need(lambda: app.status == 0, 3, "the EA session did not open")  # noqa: B023
            times.append(_datagram_time(inner, command, device, app, count))
    ratio = times[1] / max(times[0], 0.01)
    return Outcome(times[1] < 1.0 or ratio < 8,
                   f"15,000: {times[0]:.2f} s, 60,000: {times[1]:.2f} s of processor time")


def _datagram_time(stage: Stage, command: Command, device: Device, app: AppSession, count: int) -> float:
    before = command.processor_time()
    device.link.faults.respect_window = False
    device.link.faults.acknowledge = False
    sent = 0

    def more() -> bool:
        nonlocal sent
        while sent < count and len(device.channel.pending) < 65536:
            device.send_app(app.id, b"x")
            sent += 1
            if sent % 64 == 0:
                device.link.poll(0)
                device.flush()
        return sent >= count and device.link.is_idle and not device.channel.pending

    stage.run(more, 8)
    device.link.faults.acknowledge = True
    device.link.send_acknowledgement()
    stage.run(lambda: app.received_count >= count, 8)
    return command.processor_time() - before


__all__ = ["EXTERNAL_ACCESSORY", "FILE_TRANSFER"]
