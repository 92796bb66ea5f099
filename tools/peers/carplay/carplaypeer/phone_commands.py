# SPDX-License-Identifier: Apache-2.0
"""The phone's answers to commands of the head unit (#commands)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import hid, modes, plists
from .modes import AUDIO, HEAD_UNIT, SCREEN
from .problems import Problem
from .rtsp import PLIST, Response

if TYPE_CHECKING:
    from .phone import Phone

BUTTON_DOWN, BUTTON_UP = 2, 3  # siriAction, p; 1 prewarms


def answer_command(phone: Phone, command: dict[str, Any]) -> Response:
    """Answers one command. An unknown one is answered 200 [o]. Raises `badPlist`."""
    name, params = command.get("type"), command.get("params", {})
    if not isinstance(name, str) or not isinstance(params, dict):
        raise Problem("badPlist", "a command without a type, or with params that are not a dictionary")
    phone.emit("carPlayCommand", name=name, direction="toPhone")
    if name == "changeModes":
        return _change_modes(phone, params)
    if name == "hidSendReport":
        _input(phone, command)
    elif name == "requestSiri":
        _siri(phone, params)
    elif name == "requestUI":
        phone.tasks.start(phone.change_modes(reasonStr="requestUI", resources=[modes.take(SCREEN)]))
    elif name == "forceKeyFrame" and 110 in phone.streams:
        phone.streams[110].wants_config = True
    elif name == "iAPSendMessage":
        if not isinstance(params.get("data"), bytes):
            raise Problem("badPlist", "iAPSendMessage without data")
        phone.iap_received(params["data"])
    return Response()


def _change_modes(phone: Phone, params: dict[str, Any]) -> Response:
    """Answers the request; `modesChanged` follows. A refused request causes no `modesChanged`."""
    status = phone.arbiter.change(HEAD_UNIT, params)
    body: dict[str, Any] = {"status": status}
    if status == modes.GRANTED:
        body["params"] = phone.arbiter.snapshot()
        phone.tasks.start(phone.tell_modes())
    return Response(headers={"Content-Type": PLIST}, body=plists.encode(body))


def _siri(phone: Phone, params: dict[str, Any]) -> None:
    """Borrows screen and speakers when the button is pressed, and returns them when it is released.

    This phone has no assistant.
    """
    action = params.get("siriAction")
    if action == BUTTON_DOWN:
        phone.tasks.start(phone.change_modes(
            reasonStr="siri", resources=[modes.borrow(SCREEN), modes.borrow(AUDIO)],
            appStates=[modes.speech(modes.RECOGNIZING)]))
    elif action == BUTTON_UP:
        phone.tasks.start(phone.change_modes(
            reasonStr="siri ended", resources=[modes.unborrow(SCREEN), modes.unborrow(AUDIO)],
            appStates=[modes.speech(modes.NO_SPEECH)]))


def _input(phone: Phone, command: dict[str, Any]) -> None:
    identifier, report = command.get("uuid"), command.get("hidReport")
    if not isinstance(identifier, str) or not isinstance(report, bytes):
        raise Problem("badPlist", "hidSendReport without uuid or hidReport")
    descriptor = phone.facts.hid_devices.get(identifier) if phone.facts else None
    if descriptor is None:
        raise Problem("badPlist", "a report of a device that /info does not list")
    if descriptor.usage == hid.DIGITIZER << 16 | 0x04 and (touch := descriptor.touch(report)):
        display = phone.facts.display(110) or {}
        phone.emit("carPlayInput", kind="touch", touching=touch[0], x=round(touch[1] * display.get("widthPixels", 0)),
                   y=round(touch[2] * display.get("heightPixels", 0)))
        return
    values = {f"{entry.usages[0]:#x}": value for entry, value in descriptor.read(report)
              if not entry.is_array and entry.size > 1 and entry.usages and value}
    phone.emit("carPlayInput", kind="keys", device=identifier,
               usages=[f"{usage:#x}" for usage in descriptor.pressed(report)], values=values)
