# SPDX-License-Identifier: Apache-2.0
"""Peers that restart, pause, fall silent or leave a request unanswered: A4, A9, A12."""

from __future__ import annotations

import time

from iap2peer.control import message, u8, u16
from iap2peer.packets import DETECT
from iap2peer.roles import AccessoryBehavior

from .harness import Outcome, Stage, seconds, yes
from .registry import finding

ECHO = "com.example.echo"


@finding("restart-without-reset", "A4", "an accessory that restarted and sends only DETECT gets a new link (peerRestarted)")
def restart_without_reset(stage: Stage) -> Outcome:
    """The accessory forgets everything and detects again each second on the same transport, as after a reboot."""
    command = stage.phone()
    accessory = stage.identified_accessory()
    stage.wait(0.5)
    since = len(command.events)
    accessory.identified = False
    accessory.link.restart()
    started = time.monotonic()
    again = stage.run(lambda: accessory.identified, 10)
    took = time.monotonic() - started
    causes = command.causes(since)
    evidence = (f"new link {seconds(took if again else None, 10)}; causes: {', '.join(causes) or 'none'}; "
                f"detects sent: {int(took) + 1}")
    return Outcome(again and took < 6 and causes[:1] == ["peerRestarted"], evidence)


@finding("restart-of-a-phone", "A4", "a phone that restarted without RST is noticed by the head unit within 30 s", 40)
def restart_of_a_phone(stage: Stage) -> Outcome:
    """The device forgets everything and waits for DETECT: it answers nothing that belongs to the old link."""
    command = stage.headunit()
    device = stage.identified_device()
    since = len(command.events)
    device.identified = False
    device.link.restart()
    started = time.monotonic()
    again = stage.run(lambda: device.identified, 32)
    took = time.monotonic() - started
    return Outcome(again, f"new link {seconds(took if again else None, 32)}; causes: {command.causes(since)}")


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
    """The accessory acknowledges EA00 and never sends EA03; the phone has the profile slow-phone."""
    (stage.directory / "send").write_bytes(b"x")
    command = stage.phone("--profile", "slow-phone", "--open", ECHO, "--send", "send", "--receive", "receive")
    accessory = stage.accessory(behavior=AccessoryBehavior(app_status=None))
    stage.identify(accessory, 15)
    stage.need(lambda: bool(accessory.received(0xEA00)), 5, "no EA00 came")
    since = len(command.events)
    before, started = command.processor_time(), time.monotonic()
    share = 0.0
    while time.monotonic() - started < 13 and command.exit_status is None and not command.saw("disconnected", since):
        mark, at = command.processor_time(), time.monotonic()
        stage.wait(1)
        if command.exit_status is None:
            share = max(share, (command.processor_time() - mark) / (time.monotonic() - at))
    used = max(command.processor_time() - before, 0)
    evidence = (f"busiest second: {share * 100:.0f} % of a core, {used:.1f} s in all; "
                f"EA01 came: {yes(accessory.received(0xEA01))}; causes: {command.causes(since) or 'none'}")
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


@finding("idle-duplicates", "A12", "no packet is sent twice on an idle link where nothing is in doubt")
def idle_duplicates(stage: Stage) -> Outcome:
    """The device acknowledges everything and is idle for 6 s."""
    command = stage.headunit()
    device = stage.identified_device()
    stage.wait(0.5)
    before = device.link.duplicates
    stage.wait(6)
    count = device.link.duplicates - before
    return Outcome(count == 0 and not command.saw("disconnected"), f"{count} acknowledged packets came again in 6 s")


@finding("silence-alone", "A12", "silence alone ends a connection after 15 s at the earliest and 30 s at the latest", 45)
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
    """The device says that the charger is gone, with its last message. This has to hold always."""
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
