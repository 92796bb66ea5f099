# SPDX-License-Identifier: Apache-2.0
"""Arbitration of screen, main audio and app states (#modes). The arbiter runs on the phone and does no I/O.

The principle is Apple's (#modes). The numbers for borrow, unborrow, 500 and 1000 come from one implementation, and the
exact rule of decision is `[o]` (#modes-rule).
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from .problems import Problem

NOBODY, PHONE, HEAD_UNIT = 0, 1, 2
SCREEN, AUDIO = 1, 2
SPEECH, CALL, TURN_BY_TURN = 1, 2, 3
TAKE, UNTAKE, BORROW, UNBORROW = 1, 2, 3, 4
NICE_TO_HAVE, USER_INITIATED = 100, 500
ANYTIME, USER, NEVER = 100, 500, 1000
NO_SPEECH, SPEAKING, RECOGNIZING = -1, 1, 2

GRANTED, REFUSED = 0, 1  # `status`; only 0 and "not 0" are known [1 C]


def other(side: int) -> int:
    """Returns the opposite side."""
    return HEAD_UNIT if side == PHONE else PHONE


def meets(priority: int, constraint: int) -> bool:
    """Returns whether a request of this priority satisfies a constraint."""
    return constraint <= ANYTIME or (constraint < NEVER and priority >= USER_INITIATED)


@dataclass
class Borrow:
    """One borrow on the stack of a resource."""

    side: int
    unborrow: int


@dataclass
class Resource:
    """The owner, the constraints and the borrowers of the screen or of main audio."""

    owner: int = HEAD_UNIT
    take: int = ANYTIME
    borrow: int = ANYTIME
    borrowers: list[Borrow] = field(default_factory=list)

    @property
    def user(self) -> int:
        """The side that may use the resource now."""
        return self.borrowers[-1].side if self.borrowers else self.owner

    def _top(self, otherwise: int) -> int:
        return self.borrowers[-1].unborrow if self.borrowers else otherwise

    def _take(self, side: int, wish: dict[str, int]) -> bool:
        if side != self.user and not meets(wish["transferPriority"], self._top(self.take)):
            return False
        self.owner, self.take, self.borrow = side, wish["takeConstraint"], wish["borrowConstraint"]
        self.borrowers = [entry for entry in self.borrowers if entry.side == side]
        return True

    def _untake(self, side: int, _wish: dict[str, int]) -> bool:
        if side != self.owner:
            return False
        self.owner, self.take, self.borrow = other(side), ANYTIME, ANYTIME
        return True

    def _borrow(self, side: int, wish: dict[str, int]) -> bool:
        if side != self.user and not meets(wish["transferPriority"], self._top(self.borrow)):
            return False
        if len(self.borrowers) >= MAX_BORROWS:
            return False
        self.borrowers.append(Borrow(side, wish["unborrowConstraint"]))
        return True

    def _unborrow(self, side: int, _wish: dict[str, int]) -> bool:
        for index in range(len(self.borrowers) - 1, -1, -1):
            if self.borrowers[index].side == side:
                del self.borrowers[index]
                return True
        return False

    def apply(self, side: int, wish: dict[str, int]) -> bool:
        """Applies one transfer and returns whether it was granted."""
        return TRANSFERS[wish["transferType"]][0](self, side, wish)


MAX_BORROWS = 32  # the public facts give no limit; a peer that only borrows must not grow the stack

# Transfer type → its rule, and the keys that it requires.
TRANSFERS = {
    TAKE: (Resource._take, ("transferPriority", "takeConstraint", "borrowConstraint")),
    UNTAKE: (Resource._untake, ()),
    BORROW: (Resource._borrow, ("transferPriority", "unborrowConstraint")),
    UNBORROW: (Resource._unborrow, ()),
}


@dataclass
class Arbiter:
    """The complete state. Before /info the head unit owns both resources (#modes-start)."""

    resources: dict[int, Resource] = field(default_factory=lambda: {SCREEN: Resource(), AUDIO: Resource()})
    states: dict[int, int] = field(default_factory=lambda: {SPEECH: NOBODY, CALL: NOBODY, TURN_BY_TURN: NOBODY})
    speech_mode: int = NO_SPEECH
    reason: str = ""

    def change(self, side: int, request: dict[str, Any]) -> int:
        """Applies the `params` of a `changeModes`, all or nothing. Returns `status`. Raises `badPlist`."""
        resources, states = read_request(request)
        before = deepcopy((self.resources, self.states, self.speech_mode))
        # A request for an app state has no own priority: the priority of its resources counts, or that of a user.
        priority = max((wish.get("transferPriority", 0) for wish in resources), default=0) or USER_INITIATED
        granted = (all(self.resources[wish["resourceID"]].apply(side, wish) for wish in resources)
                   and all(self._change_state(side, wish, priority) for wish in states))
        if not granted:
            self.resources, self.states, self.speech_mode = before
            return REFUSED
        self.reason = str(request.get("reasonStr", ""))
        return GRANTED

    def _change_state(self, side: int, wish: dict[str, Any], priority: int) -> bool:
        number = wish["appStateID"]
        holder = self.states[number]
        begins = wish["speechMode"] != NO_SPEECH if number == SPEECH else wish["state"]
        if not begins:
            if holder == side:
                self._set_state(number, NOBODY, NO_SPEECH)
            return True
        if number == CALL and holder == other(side):
            return False
        if number == SPEECH and (self.states[CALL] == other(side)
                                 or holder == other(side) and priority < USER_INITIATED):
            return False
        self._set_state(number, side, wish.get("speechMode", NO_SPEECH))
        return True

    def _set_state(self, number: int, holder: int, mode: int) -> None:
        self.states[number] = holder
        if number == SPEECH:
            self.speech_mode = mode

    def snapshot(self) -> dict[str, Any]:
        """Returns the `params` of `modesChanged`."""
        return {
            "reasonStr": self.reason,
            "resources": [{"resourceID": number, "entity": self.resources[number].user,
                           "permanentEntity": self.resources[number].owner} for number in (SCREEN, AUDIO)],
            "appStates": [{"appStateID": SPEECH, "entity": self.states[SPEECH], "speechMode": self.speech_mode},
                          {"appStateID": CALL, "entity": self.states[CALL]},
                          {"appStateID": TURN_BY_TURN, "entity": self.states[TURN_BY_TURN]}],
        }


def _integer(value: Any, allowed: tuple[int, ...] | None = None) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or (allowed is not None and value not in allowed):
        raise Problem("badPlist", "a value of changeModes is not one of its numbers")
    return value


def _dictionaries(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise Problem("badPlist", "resources or appStates is not an array of dictionaries")
    return value


def read_request(request: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Checks the shape of a `changeModes`. Returns its resources and app states. Raises `badPlist`."""
    resources, states = [], []
    for entry in _dictionaries(request.get("resources", [])):
        wish = {"resourceID": _integer(entry.get("resourceID"), (SCREEN, AUDIO)),
                "transferType": _integer(entry.get("transferType"), tuple(TRANSFERS))}
        for key in TRANSFERS[wish["transferType"]][1]:
            wish[key] = _integer(entry.get(key))
        resources.append(wish)
    for entry in _dictionaries(request.get("appStates", [])):
        wish = {"appStateID": _integer(entry.get("appStateID"), (SPEECH, CALL, TURN_BY_TURN))}
        if wish["appStateID"] == SPEECH:
            wish["speechMode"] = _integer(entry.get("speechMode"), (NO_SPEECH, SPEAKING, RECOGNIZING))
        elif isinstance(entry.get("state"), bool):
            wish["state"] = entry["state"]
        else:
            raise Problem("badPlist", "an app state without a boolean")
        states.append(wish)
    return resources, states


def take(resource: int, priority: int = USER_INITIATED, constraint: int = ANYTIME, borrow: int = ANYTIME
         ) -> dict[str, int]:
    """Returns an entry of `resources` that takes a resource."""
    return {"resourceID": resource, "transferType": TAKE, "transferPriority": priority,
            "takeConstraint": constraint, "borrowConstraint": borrow}


def untake(resource: int) -> dict[str, int]:
    """Returns an entry of `resources` that gives up ownership."""
    return {"resourceID": resource, "transferType": UNTAKE}


def borrow(resource: int, priority: int = USER_INITIATED, constraint: int = ANYTIME) -> dict[str, int]:
    """Returns an entry of `resources` that borrows a resource."""
    return {"resourceID": resource, "transferType": BORROW, "transferPriority": priority,
            "unborrowConstraint": constraint}


def unborrow(resource: int) -> dict[str, int]:
    """Returns an entry of `resources` that ends a borrow."""
    return {"resourceID": resource, "transferType": UNBORROW}


def speech(mode: int) -> dict[str, int]:
    """Returns an entry of `appStates` for speech."""
    return {"appStateID": SPEECH, "speechMode": mode}


def state(number: int, value: bool) -> dict[str, Any]:
    """Returns an entry of `appStates` for a call or turn by turn."""
    return {"appStateID": number, "state": value}


@dataclass
class ModesView:
    """The head unit's view: the last `modesChanged`.

    The head unit uses a resource only after the phone reported that the head unit owns it.
    """

    users: dict[int, int] = field(default_factory=lambda: {SCREEN: NOBODY, AUDIO: NOBODY})
    owners: dict[int, int] = field(default_factory=lambda: {SCREEN: NOBODY, AUDIO: NOBODY})
    states: dict[int, int] = field(default_factory=lambda: {SPEECH: NOBODY, CALL: NOBODY, TURN_BY_TURN: NOBODY})
    speech_mode: int = NO_SPEECH

    def update(self, params: dict[str, Any]) -> None:
        """Reads the `params` of `modesChanged`. Values of absent keys are kept. Raises `badPlist`."""
        entities = (NOBODY, PHONE, HEAD_UNIT)
        fresh = deepcopy(self)
        for entry in _dictionaries(params.get("resources", [])):
            number = _integer(entry.get("resourceID"), (SCREEN, AUDIO))
            fresh.users[number] = _integer(entry.get("entity"), entities)
            fresh.owners[number] = _integer(entry.get("permanentEntity", fresh.owners[number]), entities)
        for entry in _dictionaries(params.get("appStates", [])):
            number = _integer(entry.get("appStateID"), (SPEECH, CALL, TURN_BY_TURN))
            fresh.states[number] = _integer(entry.get("entity"), entities)
            if number == SPEECH:
                fresh.speech_mode = _integer(entry.get("speechMode", NO_SPEECH))
        self.users, self.owners, self.states, self.speech_mode = (
            fresh.users, fresh.owners, fresh.states, fresh.speech_mode)

    def names(self) -> dict[str, str]:
        """Returns the state as words for an event."""
        words = {NOBODY: "none", PHONE: "phone", HEAD_UNIT: "headUnit"}
        speech_words = {NO_SPEECH: "none", SPEAKING: "speaking", RECOGNIZING: "recognizing"}
        return {"screen": words[self.users[SCREEN]], "mainAudio": words[self.users[AUDIO]],
                "speech": speech_words.get(self.speech_mode, str(self.speech_mode)),
                "phoneCall": words[self.states[CALL]], "turnByTurn": words[self.states[TURN_BY_TURN]]}
