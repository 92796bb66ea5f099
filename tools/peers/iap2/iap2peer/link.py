# SPDX-License-Identifier: Apache-2.0
"""The link layer of both roles without I/O: detection, negotiation, sequence numbers, retransmission.

Time is an argument, in seconds. `Link.receive` takes bytes, `Link.take_output` returns bytes, `Link.events` holds the
reports of the link. The attributes of `Faults` make a link misbehave and can be changed at any time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Callable

from .packets import (ACK, DETECT, EAK, RST, SYN, Damaged, Detect, FormatError, Packet, Skipped, StreamParser,
                      Synchronization, forward_distance)

ACCESSORY, DEVICE = "accessory", "device"
DETECT_INTERVAL = 1.0
SYN_INTERVAL = 1.0
MAX_EVENTS = 100_000
MAX_QUEUED_BYTES = 256 << 20


@dataclass
class Event:
    """A report of the link: `detected`, `up`, `data`, `reset`, `down`, `duplicate`, `damaged`, `skipped`, `detect`."""

    kind: str
    session: int = 0
    data: bytes = b""
    text: str = ""


@dataclass
class Faults:
    """Switches that make a link misbehave."""

    detect: bool = True
    """False: the link neither sends nor echoes the detect sequence."""
    synchronize: bool = True
    """False: the link sends neither SYN nor SYN+ACK."""
    acknowledge: bool = True
    """False: no pure ACK, and the acknowledgement field of data stays where it was."""
    retransmit: bool = True
    respect_window: bool = True
    silent: bool = False
    """True: the link sends no byte at all."""
    mutate: Callable[[bytes, Packet], bytes | None] | None = None
    """A function that replaces the bytes of each packet to send; None drops the packet."""


@dataclass
class Outstanding:
    """A data packet that waits for its acknowledgement."""

    packet: Packet
    sent: float
    retransmissions: int = 0


class Link:
    """One end of a link."""

    def __init__(self, role: str, offer: Synchronization | None = None, initial_sequence: int = 0x2B,
                 faults: Faults | None = None, echo_offer: bool = False) -> None:
        self.role = role
        self.offer = offer or Synchronization()
        self.echo_offer = echo_offer
        self.faults = faults or Faults()
        self.initial_sequence = initial_sequence
        self.events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self.duplicates = 0
        self.received_packets = 0
        self.restart()

    def restart(self) -> None:
        """Forgets the connection and begins with detection. The statistics are kept."""
        self.parser = StreamParser()
        self.state = "detect"
        self.agreed = self.offer
        self.peer = self.offer
        self.sequence = self.initial_sequence
        self.in_order = 0
        self.frozen: int | None = None
        self.outstanding: deque[Outstanding] = deque()
        self.queue: deque[tuple[int, bytes]] = deque()
        self.queued_bytes = 0
        self.ahead: dict[int, Packet] = {}
        self.unacknowledged = 0
        self.acknowledge_at: float | None = None
        self.next_attempt: float | None = 0.0 if self.role == ACCESSORY else None
        self.output: list[bytes] = []

    # Interface

    def receive(self, data: bytes, now: float) -> None:
        """Processes bytes of the other side."""
        for item in self.parser.feed(data):
            if isinstance(item, Detect):
                self._received_detect(now)
            elif isinstance(item, Packet):
                self.received_packets += 1
                self._received(item, now)
            elif isinstance(item, Damaged):
                self.events.append(Event("damaged", data=item.data))
            elif isinstance(item, Skipped):
                self.events.append(Event("skipped", data=item.data))
        self._fill_window(now)

    def send(self, session: int, payload: bytes) -> None:
        """Queues one payload. It must fit into the maximum packet length of the other side."""
        if len(payload) + 10 > self.peer.max_length:
            limit = self.peer.max_length - 10
            raise FormatError(f"payload of {len(payload)} bytes, the maximum of the other side is {limit}")
        self.queued_bytes += len(payload)
        if self.queued_bytes > MAX_QUEUED_BYTES:
            raise FormatError(f"more than {MAX_QUEUED_BYTES} bytes are queued")
        self.queue.append((session, payload))

    def poll(self, now: float) -> None:
        """Does what is due: detect, SYN, retransmission and acknowledgement."""
        if self.next_attempt is not None and now >= self.next_attempt:
            self._attempt(now)
        if self.state == "up":
            self._fill_window(now)
            self._retransmit(now)
        if self.acknowledge_at is not None and now >= self.acknowledge_at:
            self._acknowledge()

    def deadline(self) -> float | None:
        """Returns the time at which `poll` has something to do, or None."""
        times = [t for t in (self.next_attempt, self.acknowledge_at) if t is not None]
        if self.outstanding and self.faults.retransmit and not self.agreed.is_zero_ack:
            times.append(min(o.sent for o in self.outstanding) + self.agreed.retransmission_timeout / 1000)
        return min(times, default=None)

    def take_output(self) -> bytes:
        """Returns the bytes to send and forgets them."""
        data = b"" if self.faults.silent else b"".join(self.output)
        self.output.clear()
        return data

    def reset(self) -> None:
        """Sends RST and goes down."""
        self._write(Packet(RST, self._last_sequence))
        self._down("reset sent")

    def send_detect(self) -> None:
        """Sends one detect sequence, whatever the state."""
        self.output.append(DETECT)

    def send_acknowledgement(self, number: int | None = None) -> None:
        """Sends a pure ACK, of any number if one is given."""
        self._write(Packet(ACK, self._last_sequence, self.in_order if number is None else number))

    @property
    def is_up(self) -> bool:
        """True while the link is established."""
        return self.state == "up"

    @property
    def is_idle(self) -> bool:
        """True if every queued payload was sent and acknowledged."""
        return not self.queue and not self.outstanding

    # Establishing

    @property
    def _last_sequence(self) -> int:
        return (self.sequence - 1) & 0xFF if self.state == "up" else self.sequence

    def _attempt(self, now: float) -> None:
        self.next_attempt = None
        if self.state == "detect" and self.role == ACCESSORY:
            if self.faults.detect:
                self.output.append(DETECT)
                self.next_attempt = now + DETECT_INTERVAL
        elif self.state == "negotiate" and self.faults.synchronize:
            if self.role == ACCESSORY:
                self._write(Packet(SYN, self.sequence, 0, 0, self.offer.encode()))
            else:
                self._write(Packet(SYN | ACK, self.sequence, self.in_order, 0, self.agreed.encode()))
            self.next_attempt = now + SYN_INTERVAL

    def _received_detect(self, now: float) -> None:
        self.events.append(Event("detect"))
        if self.role == DEVICE:
            if self.state != "up" and self.faults.detect:
                self.output.append(DETECT)
        elif self.state == "detect" and self.faults.detect:
            self.events.append(Event("detected"))
            self.state, self.next_attempt = "negotiate", now
            self._attempt(now)

    def _received(self, packet: Packet, now: float) -> None:
        if packet.control & RST:
            if self.state != "down":
                self.events.append(Event("reset"))
                self._down("reset received")
        elif packet.control & SYN:
            self._synchronize(packet, now)
        elif self.state == "negotiate" and self.role == DEVICE and packet.control & ACK:
            if packet.acknowledgement == self.sequence:
                self._up()
                self._established(packet, now)
        elif self.state == "up":
            self._established(packet, now)

    def _synchronize(self, packet: Packet, now: float) -> None:
        try:
            theirs = Synchronization.decode(packet.payload)
        except FormatError as error:
            self.events.append(Event("damaged", data=packet.payload, text=str(error)))
            return
        if self.role == ACCESSORY:
            if self.state == "negotiate" and packet.control & ACK:
                self.peer = theirs
                self.agreed = theirs
                self.in_order = packet.sequence
                self._up()
                self.send_acknowledgement()
            elif self.state == "up" and packet.control & ACK:
                self.send_acknowledgement()  # the other side missed the ACK
        elif self.state != "down":
            if self.state == "up":
                offer = self.offer
                self.restart()
                self.offer = offer
            self.peer = theirs
            self.in_order = packet.sequence
            self.agreed = theirs if self.echo_offer else theirs.with_values(
                window=self.offer.window, max_length=self.offer.max_length)
            self.state = "negotiate"
            self._attempt(now)

    def _up(self) -> None:
        self.state, self.next_attempt = "up", None
        self.sequence = (self.sequence + 1) & 0xFF
        self.events.append(Event("up"))

    def _down(self, text: str) -> None:
        self.state, self.next_attempt, self.acknowledge_at = "down", None, None
        self.outstanding.clear()
        self.queue.clear()
        self.queued_bytes = 0
        self.events.append(Event("down", text=text))

    # The established link

    @property
    def own_window(self) -> int:
        """The window this side declared."""
        return max(1, self.agreed.window if self.role == DEVICE else self.offer.window)

    def _established(self, packet: Packet, now: float) -> None:
        if packet.control & ACK:
            self._acknowledged(packet.acknowledgement)
        if packet.control & EAK:
            self._requested_again(packet.payload, now)
            return
        if not packet.is_data:
            return
        distance = forward_distance(packet.sequence, self.in_order)
        if distance == 1:
            self._deliver(packet, now)
            while (following := self.ahead.pop((self.in_order + 1) & 0xFF, None)) is not None:
                self._deliver(following, now)
        elif 1 < distance <= self.own_window:
            self.ahead[packet.sequence] = packet
            missing = bytes((self.in_order + i) & 0xFF for i in range(1, distance)
                            if (self.in_order + i) & 0xFF not in self.ahead)
            if missing and self.faults.acknowledge:
                self._write(Packet(ACK | EAK, self._last_sequence, self.in_order, 0, missing))
        else:
            if distance == 0 or distance > 127:
                self.duplicates += 1
                self.events.append(Event("duplicate", packet.session, packet.payload))
            self._acknowledge()

    def _deliver(self, packet: Packet, now: float) -> None:
        self.in_order = packet.sequence
        self.events.append(Event("data", packet.session, packet.payload))
        self.unacknowledged += 1
        if self.agreed.is_zero_ack or self.unacknowledged >= max(1, self.agreed.max_acknowledgements):
            self._acknowledge()
        elif self.acknowledge_at is None:
            self.acknowledge_at = now + self.agreed.acknowledgement_timeout / 1000

    def _acknowledge(self) -> None:
        self.acknowledge_at = None
        self.unacknowledged = 0
        if self.faults.acknowledge:
            self.send_acknowledgement()

    def _acknowledged(self, number: int) -> None:
        while self.outstanding:
            last = self.outstanding[-1].packet.sequence
            first = self.outstanding[0].packet.sequence
            if forward_distance(number, first) > forward_distance(last, first):
                return
            self.outstanding.popleft()

    def _requested_again(self, numbers: bytes, now: float) -> None:
        for entry in self.outstanding:
            if entry.packet.sequence in numbers:
                entry.sent = now
                self._write(entry.packet)

    def _fill_window(self, now: float) -> None:
        if self.state != "up":
            return
        window = max(1, self.peer.window) if self.faults.respect_window else 1 << 30
        while self.queue and (len(self.outstanding) < min(window, 127) or not self.faults.respect_window):
            session, payload = self.queue.popleft()
            self.queued_bytes -= len(payload)
            if not self.faults.acknowledge and self.frozen is None:
                self.frozen = self.in_order
            elif self.faults.acknowledge:
                self.frozen = None
                self.acknowledge_at, self.unacknowledged = None, 0
            number = self.in_order if self.frozen is None else self.frozen
            packet = Packet(ACK, self.sequence, number, session, payload)
            self.sequence = (self.sequence + 1) & 0xFF
            if not self.agreed.is_zero_ack and self.faults.respect_window:
                self.outstanding.append(Outstanding(packet, now))
            self._write(packet)

    def _retransmit(self, now: float) -> None:
        if not self.faults.retransmit or self.agreed.is_zero_ack:
            return
        timeout = self.agreed.retransmission_timeout / 1000
        for entry in self.outstanding:
            if now < entry.sent + timeout:
                continue
            if entry.retransmissions >= self.agreed.max_retransmissions:
                self._write(Packet(RST, self._last_sequence))
                self._down("retransmission limit")
                return
            entry.sent = now
            entry.retransmissions += 1
            self._write(entry.packet)

    def _write(self, packet: Packet) -> None:
        data: bytes | None = packet.encode()
        if self.faults.mutate is not None:
            data = self.faults.mutate(data, packet)
        if data is not None:
            self.output.append(data)
