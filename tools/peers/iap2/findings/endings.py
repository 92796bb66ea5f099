# SPDX-License-Identifier: Apache-2.0
"""Connections whose end is held up, forgotten or misnamed: A2, A3, A5, A6, A7, A8."""

from __future__ import annotations

from typing import Callable

from iap2peer.control import Message, message
from iap2peer.packets import RST, Packet, Synchronization
from iap2peer.roles import Accessory, AccessoryBehavior, Device, DeviceBehavior
from iap2peer.sessions import AppSession, Peer
from iap2peer.transport import Channel, Listener, connect

from .harness import Command, Outcome, Stage, seconds, yes
from .registry import finding

ECHO = "com.example.echo"
END = 5.0
SERVICE_END = 8.0
"""The time within which a service that does not return must have been cut off."""
WIDE = Synchronization(window=127, max_length=65535)


def judge_release(stage: Stage, command: Command, since: int, limit: float = END) -> Outcome:
    """Asks whether the end is reported, the next peer is served and Ctrl-C ends the command."""
    end = stage.disconnect_reported(command, END, since)
    served = stage.serves_next(limit)
    ended = stage.interrupted(command, limit)
    evidence = (f"disconnected reported: {end['cause'] if end else 'no'}; next peer served: {yes(served)}; "
                f"Ctrl-C ends the command: {seconds(ended, limit)}")
    return Outcome(bool(end) and served and ended is not None, evidence)


@finding("stopped-reader", "A2", "a peer that stops reading and half-closes is disconnected, and the next is served")
def stopped_reader(stage: Stage) -> Outcome:
    """The device asks for an echo of far more than the socket holds, never reads again and ends its direction."""
    command = stage.headunit()
    device = stage.identified_device(offer=WIDE, receive_buffer=4096)
    app = device.open_app(ECHO)
    stage.need(lambda: app.status == 0, 3, "the EA session did not open")
    since = len(command.events)
    device.reading = False
    device.link.faults.respect_window = False
    device.link.faults.retransmit = False
    device.send_app(app.id, bytes(2 << 20))
    stage.run(lambda: device.link.is_idle and not device.channel.pending, 3)
    device.channel.half_close()
    return judge_release(stage, command, since)


@finding("stopped-reader-closing", "A2", "a peer that stops reading and closes is disconnected, and the next is served")
def stopped_reader_closing(stage: Stage) -> Outcome:
    """As stopped-reader, but the socket is closed whole: the blocked write fails. This has to hold always."""
    command = stage.headunit()
    device = stage.identified_device(offer=WIDE, receive_buffer=4096)
    app = device.open_app(ECHO)
    stage.need(lambda: app.status == 0, 3, "the EA session did not open")
    since = len(command.events)
    device.reading = False
    device.link.faults.respect_window = False
    device.send_app(app.id, bytes(1 << 20))
    stage.run(lambda: device.link.is_idle and not device.channel.pending, 3)
    device.close()
    return judge_release(stage, command, since)


def accepting(stage: Stage, service: Listener, app: AppSession) -> None:
    """Serves until the service was called and the EA session is open."""
    accepted: list[Channel] = []

    def connected() -> bool:
        channel = service.accept()
        if channel is not None:
            accepted.append(channel)
            stage.others.append(channel)
        return bool(accepted) and app.status == 0

    stage.need(connected, 5, "the service was not called")


def leave(device: Device) -> None:
    """The device resets the link and closes the transport."""
    device.link.reset()
    device.flush()
    device.close()


@finding("idle-service", "A3", "a service that neither reads nor closes holds neither peers nor Ctrl-C")
def idle_service(stage: Stage) -> Outcome:
    """The service accepts the session's connection and does nothing. Then the device resets."""
    service = stage.listener()
    command = stage.headunit(service=f"tcp:{service.address}")
    device = stage.identified_device()
    accepting(stage, service, device.open_app(ECHO))
    since = len(command.events)
    leave(device)
    return judge_release(stage, command, since, SERVICE_END)


@finding("full-service", "A3", "a service that reads nothing, with bytes waiting, holds neither peers nor Ctrl-C")
def full_service(stage: Stage) -> Outcome:
    """The service reads nothing; the device sends it more than the sockets hold, and resets."""
    service = stage.listener()
    command = stage.headunit(service=f"tcp:{service.address}")
    device = stage.identified_device()
    app = device.open_app(ECHO)
    accepting(stage, service, app)
    device.link.faults.respect_window = False
    device.send_app(app.id, bytes(12 << 20))
    stage.run(lambda: device.link.is_idle and not device.channel.pending, 5)
    since = len(command.events)
    leave(device)
    return judge_release(stage, command, since, SERVICE_END)


@finding("unreachable-service", "A3", "a service whose connection is not accepted holds neither peers nor Ctrl-C")
def unreachable_service(stage: Stage) -> Outcome:
    """The service's backlog is full, so that the call to it stays unanswered. Then the device resets."""
    service = stage.listener(backlog=0)
    for _ in range(4):
        try:
            stage.others.append(connect(service.address, 0.3))
        except OSError:
            break
    command = stage.headunit(service=f"tcp:{service.address}")
    device = stage.identified_device()
    app = device.open_app(ECHO)
    stage.run(lambda: app.status is not None, 1)
    since = len(command.events)
    leave(device)
    return judge_release(stage, command, since, SERVICE_END)


@finding("talking-service", "A3", "a service that goes on sending after the end holds neither peers nor Ctrl-C")
def talking_service(stage: Stage) -> Outcome:
    """The service sends all the time and never reads. The device acknowledges nothing for a while, and resets."""
    service = stage.listener()
    command = stage.headunit(service=f"tcp:{service.address}")
    device = stage.identified_device()
    app = device.open_app(ECHO)
    accepting(stage, service, app)
    channel = stage.others[-1]
    assert isinstance(channel, Channel)
    device.link.faults.acknowledge = False

    def talk() -> bool:
        if len(channel.pending) < 1 << 16:
            channel.send(bytes(1 << 16))
        return False

    stage.run(talk, 1)
    since = len(command.events)
    leave(device)
    return judge_release(stage, command, since, SERVICE_END)


# A5: an end that was decided stays decided


def after_decision(stage: Stage, command: Command, peer: Peer, since: int, wanted: str) -> Outcome:
    """The peer resets the link behind a decided end. No further link may come of it on the same transport."""
    links = len(command.select("linkUp"))
    detects = peer.count("detect")
    peer.link.faults.acknowledge = True
    peer.link.output.append(Packet(RST, 0).encode())
    peer.flush()
    peer.link.restart()  # the peer would play along with a link that begins again
    end = stage.disconnect_reported(command, END, since)
    stage.run(lambda: command.exit_status is not None or len(command.select("linkUp")) > links, END)
    again = len(command.select("linkUp")) > links
    detected = peer.count("detect") > detects
    evidence = (f"disconnected reported: {', '.join(command.causes(since)) or 'no'}; detect again: {yes(detected)}; "
                f"second link up: {yes(again)}; exit {command.exit_status}")
    return Outcome(bool(end) and end["cause"] == wanted and not again, evidence)


@finding("decided-requested", "A5", "Ctrl-C stays decided if the peer resets while messages wait behind a full window")
def decided_requested(stage: Stage) -> Outcome:
    """A device with a window of 1 stops acknowledging, so that messages wait. Then Ctrl-C, then RST."""
    command = stage.headunit()
    device = stage.device(offer=Synchronization(window=1))
    device.link.faults.acknowledge = True
    stage.identify(device)
    device.link.faults.acknowledge = False
    stage.run(lambda: bool(device.received(0xAE03)), 1)
    since = len(command.events)
    command.interrupt()
    stage.wait(0.3)
    return after_decision(stage, command, device, since, "requested")


@finding("decided-requested-phone", "A5", "Ctrl-C at a phone stays decided if the peer resets behind a full window")
def decided_requested_phone(stage: Stage) -> Outcome:
    """An accessory with a window of 1 stops acknowledging when it is accepted, so that updates wait."""
    command = stage.phone()
    accessory = stage.identified_accessory(offer=Synchronization(window=1))
    accessory.link.faults.acknowledge = False
    accessory.send(message(0xAE00, (0, b""), (1, b""), (4, b""), (5, b""), (6, b"")))
    stage.wait(0.3)
    since = len(command.events)
    command.interrupt()
    stage.wait(0.3)
    return after_decision(stage, command, accessory, since, "requested")


@finding("decided-timeout", "A5", "a timeout stays decided if the peer resets while messages wait behind a full window")
def decided_timeout(stage: Stage) -> Outcome:
    """A device with a window of 1 acknowledges nothing and asks for two answers; one waits."""
    command = stage.headunit("--timeout", "2", "--silence", "0")

    class Unacknowledging(Device):
        """A device that asks for everything and acknowledges nothing."""

        def link_up(self) -> None:
            self.link.faults.acknowledge = False
            self.send(Message(0xAA00))
            self.send(Message(0x1D00))

    device = Unacknowledging(stage.channel(), DeviceBehavior(unanswered={0xAA01, 0x1D01}),
                             Synchronization(window=1))
    stage.peers.append(device)
    stage.need(lambda: bool(device.received(0xAA01) or device.received(0x1D01)), 5, "no answer came")
    stage.run(lambda: command.saw("disconnected"), 2.3)
    return after_decision(stage, command, device, 0, "timeout")


@finding("decided-authentication", "A5", "AA04 stays decided if the peer resets behind a full window")
def decided_authentication(stage: Stage) -> Outcome:
    """A device with a window of 1 does not acknowledge AA03, asks for the identification, which waits, and refuses."""
    command = stage.headunit()
    device = stage.device(offer=Synchronization(window=1),
                          behavior=DeviceBehavior(fails_authentication=True, unanswered={0xAA03}))
    stage.need(lambda: bool(device.received(0xAA03)), 5, "no signature came")
    device.link.faults.acknowledge = False
    device.link.frozen = (device.link.in_order - 1) & 0xFF
    device.send(Message(0x1D00))
    stage.wait(0.2)
    device.send(Message(0xAA04))
    stage.wait(0.3)
    return after_decision(stage, command, device, 0, "authenticationFailed")


@finding("decided-authentication-phone", "A5",
         "a phone's refusal stays decided if the peer resets behind a full window")
def decided_authentication_phone(stage: Stage) -> Outcome:
    """An accessory with a window of 1 acknowledges nothing and sends no certificate of the test CA; AA04 waits."""
    command = stage.phone("--authentication", "test")

    class Unacknowledging(Accessory):
        """An accessory that acknowledges nothing."""

        def link_up(self) -> None:
            self.link.faults.acknowledge = False

    accessory = Unacknowledging(stage.channel(), AccessoryBehavior(), Synchronization(window=1))
    stage.peers.append(accessory)
    stage.need(lambda: bool(accessory.received(0xAA00)), 5, "no AA00 came")
    stage.wait(0.3)
    return after_decision(stage, command, accessory, 0, "authenticationFailed")


# A6: the cause of an end


def cause_of(stage: Stage, command: Command, wanted: str, what: str) -> Outcome:
    """Judges the cause of the first end."""
    end = stage.disconnect_reported(command, END)
    cause = end["cause"] if end else "none reported"
    return Outcome(cause == wanted, f"{what}: cause {cause}, wanted {wanted}")


def hanging_up(stage: Stage, peer: Peer, message_id: int, count: int, delay: float) -> None:
    """Serves until the peer sent a message `count` times, and closes its transport after `delay` seconds."""
    def sent() -> bool:
        return sum(e.event == "sent" and e.detail.startswith(f"{message_id:04X}") for e in peer.log) >= count

    stage.need(lambda: sent() and not peer.channel.pending, 5, f"{message_id:04X} was not sent {count} times")
    if delay:
        stage.peers.remove(peer)  # the peer neither reads nor acknowledges any more
        stage.wait(delay)
        stage.peers.append(peer)
    peer.close()


def each_delay(stage: Stage, play: Callable[[Stage, float], Outcome]) -> Outcome:
    """Plays a hang-up at once, and 20 and 200 ms after the refusal. All have to be ok."""
    outcomes = []
    for delay in (0.0, 0.02, 0.2):
        with Stage(stage.program, stage.left(10)) as inner:
            outcome = play(inner, delay)
            outcomes.append(Outcome(outcome.ok, f"after {delay * 1000:.0f} ms {outcome.evidence}"))
    return Outcome(all(o.ok for o in outcomes), "; ".join(o.evidence for o in outcomes))


@finding("refused-authentication-headunit", "A6",
         "a head unit whose peer hangs up behind AA04 reports authenticationFailed")
def refused_authentication_headunit(stage: Stage) -> Outcome:
    """The device sends AA04 and closes the transport."""
    def play(inner: Stage, delay: float) -> Outcome:
        command = inner.headunit()
        device = inner.device(behavior=DeviceBehavior(fails_authentication=True))
        hanging_up(inner, device, 0xAA04, 1, delay)
        return cause_of(inner, command, "authenticationFailed", "transport closed")

    return each_delay(stage, play)


@finding("refused-authentication-phone", "A6", "a phone whose peer hangs up on AA04 reports authenticationFailed")
def refused_authentication_phone(stage: Stage) -> Outcome:
    """The accessory has no certificate of the test CA. It closes the transport when AA04 comes."""
    command = stage.phone("--authentication", "test")
    stage.accessory(behavior=AccessoryBehavior(hang_up_on={0xAA04}))
    return cause_of(stage, command, "authenticationFailed", "transport closed on AA04")


@finding("refused-identification-headunit", "A6",
         "a head unit whose peer hangs up behind its last 1D03 reports identificationRejected")
def refused_identification_headunit(stage: Stage) -> Outcome:
    """The device rejects the name, which no head unit can leave out, and closes the transport."""
    def play(inner: Stage, delay: float) -> Outcome:
        command = inner.headunit()
        device = inner.device(behavior=DeviceBehavior(rejections=100, rejected_parameters=(0,)))
        hanging_up(inner, device, 0x1D03, 1, delay)
        return cause_of(inner, command, "identificationRejected", "transport closed")

    return each_delay(stage, play)


@finding("refused-identification-phone", "A6",
         "a phone whose peer hangs up on the third 1D03 reports identificationRejected")
def refused_identification_phone(stage: Stage) -> Outcome:
    """The accessory lists a location message without the component, and closes on the third 1D03."""
    command = stage.phone()

    class Hanging(Accessory):
        """An accessory that closes the transport on its third 1D03."""

        def _rejected(self, received: Message) -> None:
            super()._rejected(received)
            if self.rejections == 3:
                self.close()

    accessory = Hanging(stage.channel(), AccessoryBehavior(
        sent_messages=[0xAE00, 0xAE02, 0xAE03, 0xEA03, 0xFFFB], give_up_after=100))
    stage.peers.append(accessory)
    outcome = cause_of(stage, command, "identificationRejected", "transport closed on a rejection")
    return Outcome(outcome.ok, f"{outcome.evidence}; rejections received: {accessory.rejections}")


def requested(stage: Stage, command: Command, peer: Peer) -> Outcome:
    """Ctrl-C while the link is idle; the peer closes the transport as soon as RST comes."""
    stage.wait(0.2)
    command.interrupt()
    stage.run(lambda: peer.saw("reset"), 2)
    peer.close()
    return cause_of(stage, command, "requested", f"Ctrl-C, RST seen: {yes(peer.saw('reset'))}, transport closed")


@finding("requested-headunit", "A6", "a head unit that was asked to end reports requested if the peer hangs up on RST")
def requested_headunit(stage: Stage) -> Outcome:
    """Ctrl-C at an identified connection."""
    command = stage.headunit()
    return requested(stage, command, stage.identified_device())


@finding("requested-full-window", "A6", "an end that was asked for is requested if the peer hangs up before RST")
def requested_full_window(stage: Stage) -> Outcome:
    """As decided-requested, but the device closes the transport while messages wait."""
    command = stage.headunit()
    device = stage.identified_device(offer=Synchronization(window=1))
    device.link.faults.acknowledge = False
    stage.run(lambda: bool(device.received(0xAE03)), 1)
    command.interrupt()
    stage.wait(0.1)
    device.close()
    return cause_of(stage, command, "requested", "Ctrl-C with a full window, transport closed")


# A7: an orderly end


def delivery(command: Command, arrived: int, total: int) -> Outcome:
    """Judges an orderly end: every byte that `bytesSent` counts has arrived, or the rest is reported."""
    closed = command.select("externalAccessoryClosed")
    claimed = sum(int(e.get("bytesSent", 0)) for e in closed)
    words = ("undelivered", "not delivered", "unsent")
    text = command.error_path.read_text(errors="replace").lower()
    said = any(w in text for w in words) or any(
        w in f"{key} {value}".lower() for e in command.events for key, value in e.items() for w in words)
    ok = arrived == total or said or (bool(closed) and arrived == claimed)
    return Outcome(ok, f"{arrived} of {total} bytes arrived; bytesSent reported: {claimed if closed else 'no'}; "
                       f"undelivered bytes reported: {yes(said)}")


@finding("orderly-end-phone", "A7", "a phone that ends in order delivers what it took, or says what it could not")
def orderly_end_phone(stage: Stage) -> Outcome:
    """The accessory sends 400,000 bytes before it acknowledges the phone's 400,000, then takes them quickly."""
    total = 400_000
    (stage.directory / "send").write_bytes(bytes(total))
    command = stage.phone("--open", ECHO, "--expect-echo", "--send", "send", "--receive", "receive", "--once")
    accessory = stage.accessory(behavior=AccessoryBehavior(protocols={ECHO: "discard"}),
                                offer=Synchronization(window=4, max_length=1024, acknowledgement_timeout=20))
    stage.need(lambda: bool(accessory.apps), 5, "no EA session was opened")
    accessory.link.faults.acknowledge = False
    app = next(iter(accessory.apps.values()))
    accessory.send_app(app.id, bytes(total))
    stage.run(lambda: accessory.link.is_idle, 5)
    stage.wait(0.3)
    accessory.link.faults.acknowledge = True
    accessory.link.send_acknowledgement()
    stage.run(lambda: accessory.saw("reset") or accessory.saw("closed"), 8)
    stage.run(lambda: command.saw("externalAccessoryClosed"), 1)
    return delivery(command, app.received_count, total)


@finding("orderly-end-phone-interrupted", "A7",
         "a phone that Ctrl-C ends delivers what it took, or says what it could not")
def orderly_end_phone_interrupted(stage: Stage) -> Outcome:
    """The phone sends 400,000 bytes that the accessory does not acknowledge until Ctrl-C was sent."""
    total = 400_000
    (stage.directory / "send").write_bytes(bytes(total))
    command = stage.phone("--open", ECHO, "--send", "send", "--receive", "receive", "--once")
    accessory = stage.accessory(behavior=AccessoryBehavior(protocols={ECHO: "discard"}),
                                offer=Synchronization(window=4, max_length=1024))
    stage.need(lambda: bool(accessory.apps), 5, "no EA session was opened")
    accessory.link.faults.acknowledge = False
    stage.wait(1)
    command.interrupt()
    stage.wait(0.1)
    accessory.link.faults.acknowledge = True
    accessory.link.send_acknowledgement()
    stage.run(lambda: accessory.saw("reset") or accessory.saw("closed"), 10)
    stage.run(lambda: command.saw("externalAccessoryClosed"), 1)
    return delivery(command, accessory.apps[1].received_count, total)


@finding("orderly-end-headunit", "A7", "a head unit that ends in order delivers the echo it took, or says what it lost")
def orderly_end_headunit(stage: Stage) -> Outcome:
    """The device has 120,000 bytes echoed, holds the echo back, and goes on taking it when Ctrl-C was sent."""
    total = 120_000
    command = stage.headunit()
    device = stage.identified_device(offer=Synchronization(window=4, max_length=1024))
    app = device.open_app(ECHO)
    stage.need(lambda: app.status == 0, 3, "the EA session did not open")
    device.link.faults.acknowledge = False
    device.link.faults.respect_window = False
    device.send_app(app.id, bytes(total))
    stage.run(lambda: device.link.is_idle, 3)
    stage.wait(0.5)
    command.interrupt()
    stage.wait(0.1)
    device.link.faults.acknowledge = True
    device.link.send_acknowledgement()
    stage.run(lambda: device.saw("reset") or device.saw("closed"), 10)
    stage.run(lambda: command.saw("externalAccessoryClosed"), 1)
    return delivery(command, app.received_count, total)


@finding("bridge-end", "A7", "a bridge delivers what a client wrote before it closed")
def bridge_end(stage: Stage) -> Outcome:
    """A client writes 400,000 bytes and closes at once; the accessory takes them slowly and answers nothing."""
    total = 400_000
    port = stage.listener()
    address = port.address
    port.close()
    command = stage.listening("bridge", "--authentication", "any", "--protocol", ECHO, "--tcp-listen", address,
                              "--once")
    accessory = stage.accessory(behavior=AccessoryBehavior(protocols={ECHO: "discard"}),
                                offer=Synchronization(window=4, max_length=1024, acknowledgement_timeout=20))
    stage.identify(accessory)
    client = connect(address, 3)
    stage.others.append(client)
    client.send(bytes(total))
    stage.run(lambda: (client.flush() or not client.pending), 10)
    client.half_close()
    stage.run(lambda: accessory.saw("appClosed") or accessory.saw("reset") or accessory.saw("closed"), 12)
    count = sum(a.received_count for a in accessory.apps.values())
    stage.run(lambda: command.saw("externalAccessoryClosed"), 1)
    return delivery(command, count, total)


# A8


@finding("open-at-the-end", "A8", "a phone whose peer ends while an EA session is being opened exits")
def open_at_the_end(stage: Stage) -> Outcome:
    """The accessory hangs up when EA00 comes. The library's `open()` after the end is not reachable from a peer."""
    (stage.directory / "send").write_bytes(b"x")
    command = stage.phone("--open", ECHO, "--send", "send", "--receive", "receive", "--once")
    stage.accessory(behavior=AccessoryBehavior(hang_up_on={0xEA00}))
    ended = stage.run(lambda: command.exit_status is not None, 8)
    return Outcome(ended, f"transport closed at EA00: exit {command.exit_status if ended else 'none within 8 s'}, "
                          f"causes {command.causes()}")

