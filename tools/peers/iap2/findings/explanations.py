# SPDX-License-Identifier: Apache-2.0
"""Sessions that fail for a known reason, captured by the command and explained by `iap2 explain`: C1."""

from __future__ import annotations

import json
import re
from typing import Callable

from iap2peer.behaviors import BEHAVIORS
from iap2peer.packets import Synchronization
from iap2peer.sessions import Peer

from .harness import Command, Outcome, Stage
from .registry import finding

ECHO = "com.example.echo"
CAPTURE = "capture.txt"
OPEN = ("--open", ECHO, "--send", "/dev/null", "--receive", "receive", "--linger", "0")


def captured(stage: Stage, role: str, behavior: str, *arguments: str, offer: Synchronization | None = None,
             until: Callable[[Command, Peer], bool] = lambda command, peer: False, limit: float = 4) -> dict:
    """Plays one session with one behavior and returns the explanation of its only connection."""
    options = ("--once", "--capture", CAPTURE, *arguments)
    command = stage.phone(*options) if role == "accessory" else stage.headunit(*options)
    peer: Peer = stage.accessory(offer=offer) if role == "accessory" else stage.device(offer=offer)
    BEHAVIORS[behavior].apply(peer)
    stage.run(lambda: command.exit_status is not None or until(command, peer), limit)
    peer.close()
    stage.run(lambda: command.exit_status is not None, 2)
    stage.interrupted(command, 2)
    explain = stage.start("explain", "--json", CAPTURE)
    stage.need(lambda: bool(explain.events), 5, "iap2 explain printed no object", explain)
    return explain.events[0]


def summary(explanation: dict) -> str:
    """Returns the point, the progress and the advice of an explanation."""
    causes = ", ".join(str(c.get("id")) for c in explanation.get("causes", []))
    return (f"point {explanation.get('point')}, complete {str(explanation.get('complete')).lower()}, "
            f"reached {', '.join(explanation.get('reached', []))}, causes {causes or 'none'}")


def text_of(explanation: dict) -> str:
    """Returns everything an explanation says, in lower case."""
    return json.dumps(explanation).lower()


@finding("explain-absent-parameter", "C1", "explain advises to add a required parameter that was absent")
def explain_absent_parameter(stage: Stage) -> Outcome:
    """An identification without parameter 0 (Name) is rejected three times."""
    explanation = captured(stage, "accessory", "no-name")
    text = text_of(explanation)
    advice = " ".join(str(c.get("check")) for c in explanation.get("causes", [])[:1])
    ok = "leave out" not in advice.lower() and any(w in text for w in ("missing", "absent", "required", "add "))
    return Outcome(ok, f"{summary(explanation)}; first advice: {advice!r}")


@finding("explain-damaged-packet", "C1", "explain names the checksum if the same packet was damaged eight times")
def explain_damaged_packet(stage: Stage) -> Outcome:
    """Each data packet of the accessory has a wrong payload checksum; it retransmits eight times and resets."""
    offer = Synchronization(retransmission_timeout=200, acknowledgement_timeout=20, max_retransmissions=8)
    explanation = captured(stage, "accessory", "bad-payload-checksum", offer=offer,
                           until=lambda command, peer: peer.saw("down"), limit=6)
    return Outcome("checksum" in text_of(explanation),
                   f"{summary(explanation)}; details: {', '.join(explanation.get('details', []))}")


@finding("explain-app-refused", "C1",
         "explain names an EA session that was refused, and does not call the session complete")
def explain_app_refused(stage: Stage) -> Outcome:
    """The accessory answers EA00 with status 1."""
    explanation = captured(stage, "accessory", "refuse-app", *OPEN)
    named = re.search(r"session-refused|ea session[^.]{0,80}refus|refus[^.]{0,80}ea session", text_of(explanation))
    return Outcome(named is not None and not explanation.get("complete"), summary(explanation))


@finding("explain-app-unanswered", "C1",
         "explain names an EA00 that was unanswered, and does not call the session complete")
def explain_app_unanswered(stage: Stage) -> Outcome:
    """The accessory leaves EA00 unanswered until the phone gives up, sends EA01 and resets."""
    explanation = captured(stage, "accessory", "no-app-status", *OPEN, limit=13)
    named = re.search(r"session-unanswered|0xea03", text_of(explanation))
    return Outcome(named is not None and not explanation.get("complete"), summary(explanation))


@finding("explain-own-timeout", "C1", "explain names the command's own --timeout if that ended the session")
def explain_own_timeout(stage: Stage) -> Outcome:
    """The accessory leaves AA00 unanswered; the phone's --timeout of 2 s ends the session."""
    explanation = captured(stage, "accessory", "no-certificate", "--timeout", "2")
    return Outcome("--timeout" in text_of(explanation), summary(explanation))


@finding("explain-no-authentication", "C1", "explain does not claim authentication where there was none")
def explain_no_authentication(stage: Stage) -> Outcome:
    """The device identifies the head unit and never asks for a certificate."""
    explanation = captured(stage, "device", "no-authentication",
                           until=lambda command, peer: peer.identified and command.saw("identified"))
    return Outcome("authentication" not in explanation.get("reached", []), summary(explanation))
