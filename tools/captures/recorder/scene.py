# SPDX-License-Identifier: Apache-2.0
"""Sessions of two Python peers in virtual time, as captures in the text form."""

from __future__ import annotations

import dataclasses
import io
import select
from typing import Callable

from iap2peer import sessions
from iap2peer.behaviors import BEHAVIORS, LATER
from iap2peer.control import Message, Parameter
from iap2peer.packets import Synchronization
from iap2peer.roles import Accessory, AccessoryBehavior, Device, DeviceBehavior
from iap2peer.transport import pair

CHALLENGE = bytes(range(32))
QUICK = Synchronization(retransmission_timeout=200, acknowledgement_timeout=20, max_retransmissions=4)
STEP = 0.002


class VirtualTime:
    """A clock that only `play` moves. It stands in for the module `time` of the peer."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """Returns the virtual time in seconds."""
        return self.now


class Scene:
    """Both peers of one session, and the capture of one of them."""

    def __init__(self, accessory: AccessoryBehavior | None = None, device: DeviceBehavior | None = None,
                 offer: Synchronization | None = None, answer: Synchronization | None = None) -> None:
        self.clock = VirtualTime()
        sessions.time = self.clock
        self.text = io.StringIO()
        left, right = pair()
        self.device_behavior = device or DeviceBehavior()
        self.device_behavior.challenge = self.device_behavior.challenge or CHALLENGE
        self.capture = sessions.TextCapture(self.text, "device")
        self.device = Device(left, self.device_behavior, answer or offer, None, self.capture, None)
        self.accessory = Accessory(right, accessory or AccessoryBehavior(), offer)

    def be(self, name: str, role: str = "accessory") -> "Scene":
        """Gives a peer a named behavior of tools/peers/iap2."""
        BEHAVIORS[name].apply(self.accessory if role == "accessory" else self.device)
        return self

    def play(self, seconds: float = 5, until: Callable[[], bool] = lambda: False) -> "Scene":
        """Serves both peers for some virtual seconds."""
        end = self.clock.now + seconds
        while self.clock.now < end and not until():
            self.device.step()
            self.clock.now += STEP
            self.accessory.step()
            self.clock.now = self._next(end)
        return self

    def _next(self, end: float) -> float:
        open_channels = [p.channel for p in (self.device, self.accessory)
                         if not p.channel.closed and not p.channel.ended and p.reading]
        if select.select(open_channels, [], [], 0)[0] or self.device.link.events or self.accessory.link.events:
            return self.clock.now
        times = [t for t in (self.device.link.deadline(), self.accessory.link.deadline()) if t is not None]
        return max(self.clock.now, min(times + [end]))

    def up(self) -> "Scene":
        """Plays until the link is up on both sides."""
        return self.play(3, lambda: self.device.link.is_up and self.accessory.link.is_up)

    def identified(self) -> "Scene":
        """Plays until both sides know that the accessory is identified, and a little longer."""
        return self.play(5, lambda: self.device.identified and self.accessory.identified).play(0.2)

    def later(self, name: str, role: str = "device") -> "Scene":
        """Lets a peer take an action of tools/peers/iap2."""
        LATER[name][1](self.accessory if role == "accessory" else self.device)
        return self

    def reset(self, role: str = "device") -> "Scene":
        """Lets a peer reset the link."""
        peer = self.accessory if role == "accessory" else self.device
        peer.link.reset()
        return self.play(0.1)

    def text_of(self, title: str) -> str:
        """Returns the capture as text, without bytes that are in other records."""
        return f"# Played by tools/captures/record, both sides by tools/peers/iap2: {title}\n{self.text.getvalue()}"


SCENES: dict[str, tuple[str, Callable[[], Scene]]] = {}


def scene(name: str, title: str) -> Callable[[Callable[[], Scene]], Callable[[], Scene]]:
    """Registers a scene under the name of its capture."""
    def register(make: Callable[[], Scene]) -> Callable[[], Scene]:
        SCENES[name] = (title, make)
        return make
    return register


def simple(name: str, title: str, make: Callable[[], Scene]) -> None:
    """Registers a scene of one expression."""
    scene(name, title)(make)


def accessory(**values) -> AccessoryBehavior:
    """Returns an accessory's behavior without power, so that nothing follows identification by itself."""
    return dataclasses.replace(AccessoryBehavior(powers_device=False), **values)


def replacing(s: Scene, parameter: Parameter) -> Scene:
    """Replaces a parameter of the accessory's identification."""
    plain = s.accessory.identification

    def changed() -> Message:
        whole = plain()
        return Message(whole.id, tuple(parameter if p.id == parameter.id else p for p in whole.parameters))

    s.accessory.identification = changed
    return s


def identifying(*omitted: int, extra: tuple[Parameter, ...] = (), sent: tuple[int, ...] | None = None,
                rejected: tuple[int, ...] = (6,), give_up: int = 3, answers: bool = True) -> Scene:
    """Returns a scene with an identification that the device rejects. Without answers, 0x1D03 is the last message."""
    chosen = accessory(omitted_parameters=set(omitted), extra_parameters=list(extra), give_up_after=give_up,
                       unanswered=set() if answers else {0x1D03})
    if sent is not None:
        chosen.sent_messages = list(sent)
    return Scene(chosen, DeviceBehavior(rejections=99, rejected_parameters=rejected))


def opened(chosen: AccessoryBehavior | None = None) -> Scene:
    """An identified accessory, and an app that opens its protocol."""
    s = Scene(chosen or accessory()).identified()
    s.device.open_app("com.example.echo")
    return s.play(0.3)


def closing(s: Scene) -> Scene:
    """The app closes its session and the device the link."""
    s.device.close_app(s.device.apps[1])
    return s.play(0.3).reset()


def sending(s: Scene) -> Scene:
    """The app sends some bytes."""
    s.device.send_app(1, b"TEMP?\n")
    return s.play(0.3)


def opened_quickly() -> Scene:
    """An EA session on a link with short timeouts."""
    s = Scene(accessory(), offer=QUICK).identified()
    s.device.open_app("com.example.echo")
    return s.play(0.3)


def anew(s: Scene) -> Scene:
    """Lets both sides begin with detect after a reset."""
    for peer in (s.device, s.accessory):
        peer.identified = peer.authenticated = False
        peer.link.restart()
    return s
