# SPDX-License-Identifier: Apache-2.0
"""Peers that restart, pause, fall silent or leave a request unanswered: A4, A9, A12."""

from __future__ import annotations

import re
import time

from iap2peer.control import message, u8, u16
from iap2peer.packets import DETECT, SYN, Packet
from iap2peer.roles import Accessory, AccessoryBehavior
from iap2peer.transport import connect

from .harness import Command, Outcome, Stage, seconds, yes
from .registry import finding

ECHO = "com.example.echo"


def restarted(stage: Stage, command: Command, accessory: Accessory, wanted: str) -> Outcome:
    """The accessory forgets everything and detects again each second on the same transport."""
    stage.wait(0.5)
    since = len(command.events)
    accessory.identified = False
    accessory.link.restart()
    started = time.monotonic()
    again = stage.run(lambda: accessory.identified or accessory.saw("closed"), 10) and accessory.identified
    took = time.monotonic() - started
    causes = command.causes(since)
    evidence = (f"new link {seconds(took if again else None, 10)}; causes: {', '.join(causes) or 'none'}; "
                f"transport closed: {yes(accessory.saw('closed'))}")
    return Outcome(again and took < 6 and causes[:1] == [wanted], evidence)


@finding("restart-on-a-pty", "A4", "an accessory that restarted on a serial line gets a new link (peerRestarted)")
def restart_on_a_pty(stage: Stage) -> Outcome:
    """An accessory on a pty reboots: nothing closes, and DETECT comes each second."""
    command = stage.start("phone", "--transport", "pty", "--json", "--authentication", "any")
    pattern = re.compile(r"/dev/pts/\d+")

    def path() -> re.Match[str] | None:
        return next((m for e in command.events if (m := pattern.search(str(e.get("address", ""))))), None)

    stage.need(lambda: path() is not None, 5, "no pty was opened")
    match = path()
    assert match is not None
    accessory = Accessory(connect(f"serial:{match[0]}"))
    stage.peers.append(accessory)
    stage.identify(accessory)
    return restarted(stage, command, accessory, "peerRestarted")


@finding("restart-on-a-socket", "A4",
         "an accessory that restarted behind an open socket gets a new link (peerRestarted)")
def restart_on_a_socket(stage: Stage) -> Outcome:
    """The same on a Unix socket, as a serial server in front of a serial line would behave."""
    command = stage.phone()
    return restarted(stage, command, stage.identified_accessory(), "peerRestarted")


@finding("stray-detect", "A4", "a stray DETECT of a living accessory harms nothing")
def stray_detect(stage: Stage) -> Outcome:
    """The accessory sends three DETECT in one write, and one a second later, and goes on answering."""
    command = stage.phone()
    accessory = stage.identified_accessory()
    since = len(command.events)
    accessory.channel.send(DETECT * 3)
    stage.wait(1)
    accessory.channel.send(DETECT)
    stage.wait(4)
    ended = command.saw("disconnected", since)
    return Outcome(not ended and not accessory.saw("reset"), f"disconnected: {command.causes(since) or 'no'}")


@finding("unanswered-open", "A9", "an unanswered EA00 whose EA01 is delayed by a profile costs no processor time")
def unanswered_open(stage: Stage) -> Outcome:
    """The accessory acknowledges EA00 and never sends EA03; the phone's profile delays EA01 by 8 s."""
    (stage.directory / "send").write_bytes(b"x")
    (stage.directory / "late.yaml").write_text("role: phone\nname: late\ntiming:\n  delays:\n    0xEA01: 8000\n")
    command = stage.phone("--profile", "late.yaml", "--open", ECHO, "--send", "send", "--receive", "receive")
    accessory = stage.accessory(behavior=AccessoryBehavior(app_status=None))
    stage.identify(accessory)
    stage.need(lambda: bool(accessory.received(0xEA00)), 5, "no EA00 came")
    since = len(command.events)
    started = time.monotonic()
    share = 0.0
    while time.monotonic() - started < 20 and command.exit_status is None and not command.saw("disconnected", since):
        mark, at = command.processor_time(), time.monotonic()
        stage.wait(0.5)
        if command.exit_status is None:
            share = max(share, (command.processor_time() - mark) / (time.monotonic() - at))
    evidence = (f"busiest half second: {share * 100:.0f} % of a core; EA01 came: {yes(accessory.received(0xEA01))}; "
                f"causes: {', '.join(command.causes(since)) or 'none'}")
    return Outcome(share < 0.3 and "timeout" not in command.causes(since), evidence)


# A12


def pause(stage: Stage, role: str, duration: float) -> Outcome:
    """The peer neither reads nor writes for a time, and goes on as if nothing had been."""
    command = stage.phone() if role == "phone" else stage.headunit()
    peer = stage.identified_accessory() if role == "phone" else stage.identified_device()
    stage.wait(0.5)
    since = len(command.events)
    stage.peers.remove(peer)
    stage.wait(duration)
    stage.peers.append(peer)
    stage.wait(1.5)
    ended = command.select("disconnected", since)
    after = f" {ended[0]['latencyMilliseconds']:.0f} ms after the first evidence" if ended else ""
    return Outcome(not ended and not peer.saw("reset"),
                   f"paused for {duration:.0f} s: disconnected: {ended[0]['cause'] + after if ended else 'no'}")


@finding("pause-1s", "A12", "an accessory that pauses for 1 s stays connected")
def pause_1s(stage: Stage) -> Outcome:
    """A live accessory that does nothing for 1 s."""
    return pause(stage, "phone", 1)


@finding("pause-2s", "A12", "an accessory that pauses for 2 s stays connected")
def pause_2s(stage: Stage) -> Outcome:
    """A live accessory that does nothing for 2 s."""
    return pause(stage, "phone", 2)


@finding("pause-5s", "A12", "an accessory that pauses for 5 s stays connected")
def pause_5s(stage: Stage) -> Outcome:
    """A live accessory that does nothing for 5 s."""
    return pause(stage, "phone", 5)


@finding("pause-10s", "A12", "an accessory that pauses for 10 s stays connected")
def pause_10s(stage: Stage) -> Outcome:
    """A live accessory that does nothing for 10 s."""
    return pause(stage, "phone", 10)


@finding("pause-2s-headunit", "A12", "a phone that pauses for 2 s stays connected")
def pause_2s_headunit(stage: Stage) -> Outcome:
    """A live device that does nothing for 2 s."""
    return pause(stage, "headunit", 2)


@finding("pause-10s-headunit", "A12", "a phone that pauses for 10 s stays connected")
def pause_10s_headunit(stage: Stage) -> Outcome:
    """A live device that does nothing for 10 s."""
    return pause(stage, "headunit", 10)


@finding("idle-duplicates", "A12", "no acknowledged packet is retransmitted on an idle link")
def idle_duplicates(stage: Stage) -> Outcome:
    """The device acknowledges everything and is idle for 6 s."""
    command = stage.headunit()
    device = stage.identified_device()
    stage.wait(0.5)
    before = device.link.duplicates
    stage.wait(6)
    count = device.link.duplicates - before
    return Outcome(count == 0 and not command.saw("disconnected"),
                   f"{count} acknowledged packets were retransmitted in 6 s")


@finding("silence-alone", "A12",
         "silence alone ends a connection after 15 s at the earliest and 30 s at the latest", 45)
def silence_alone(stage: Stage) -> Outcome:
    """The device says nothing any more, on a transport that stays open."""
    command = stage.headunit()
    device = stage.identified_device()
    stage.wait(0.3)
    since = len(command.events)
    device.link.faults.silent = True
    started = time.monotonic()
    end = stage.disconnect_reported(command, 33, since)
    took = time.monotonic() - started
    return Outcome(end is not None and 14.5 <= took <= 31,
                   f"disconnected {seconds(took if end else None, 33)}: {end['cause'] if end else 'not reported'}")


@finding("charging-stopped", "A12", "silence beside charging that stopped ends a connection within 2 s")
def charging_stopped(stage: Stage) -> Outcome:
    """The device says that the charger is disconnected, with its last message. This has to hold always."""
    command = stage.headunit()
    device = stage.identified_device()
    device.send(message(0xAE01, (4, u8(1)), (5, u8(1)), (6, u16(50))))
    stage.wait(0.5)
    since = len(command.events)
    device.send(message(0xAE01, (4, u8(0)), (5, u8(0))))
    device.step()
    device.link.faults.silent = True
    started = time.monotonic()
    end = stage.disconnect_reported(command, 10, since)
    took = time.monotonic() - started
    return Outcome(end is not None and took <= 2.5,
                   f"disconnected {seconds(took if end else None, 10)}: {end['cause'] if end else 'not reported'}")


@finding("syn-flood", "D4", "a peer that sends SYN without end is not reported as a timeout", 30)
def syn_flood(stage: Stage) -> Outcome:
    """The accessory answers each SYN+ACK with another SYN, twenty a second, and never with ACK."""
    command = stage.phone("--timeout", "8")
    accessory = stage.accessory()
    accessory.link.faults.mutate = lambda data, packet: data if packet.control & SYN else None
    stage.need(lambda: accessory.saw("detected"), 5, "no detect came")
    synchronize = Packet(SYN, 0x2B, 0, 0, accessory.link.offer.encode()).encode()
    started = time.monotonic()
    while time.monotonic() - started < 12 and not command.saw("disconnected"):
        accessory.channel.send(synchronize)
        stage.wait(0.05)
    took = time.monotonic() - started
    causes = command.causes()
    return Outcome(bool(causes) and causes[0] != "timeout",
                   f"disconnected {seconds(took if causes else None, 12)}: {', '.join(causes) or 'not reported'}")
