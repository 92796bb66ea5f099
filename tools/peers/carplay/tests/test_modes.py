# SPDX-License-Identifier: Apache-2.0
"""Tests of arbitration: the table of #modes-rule, which contains Apple's examples, and the rules of #modes-rule."""

import random
import unittest

from carplaypeer.modes import (ANYTIME, AUDIO, CALL, GRANTED, HEAD_UNIT, NEVER, NICE_TO_HAVE, NO_SPEECH, NOBODY, PHONE,
                               RECOGNIZING, REFUSED, SCREEN, SPEAKING, SPEECH, TURN_BY_TURN, USER, USER_INITIATED,
                               Arbiter, ModesView, borrow, speech, state, take, unborrow, untake)
from carplaypeer.problems import Problem


class Modes(unittest.TestCase):
    def setUp(self):
        self.arbiter = Arbiter()

    def ask(self, side: int, *resources, states=(), expect: int = GRANTED):
        before = self.arbiter.snapshot()
        self.assertEqual(self.arbiter.change(side, {"resources": list(resources), "appStates": list(states)}), expect)
        if expect == REFUSED:
            self.assertEqual(self.arbiter.snapshot(), before)

    def users(self) -> tuple[int, int]:
        return self.arbiter.resources[SCREEN].user, self.arbiter.resources[AUDIO].user

    def carplay_shown_with_music(self):
        self.ask(PHONE, take(SCREEN, NICE_TO_HAVE), take(AUDIO))

    def fm(self):
        self.carplay_shown_with_music()
        self.ask(HEAD_UNIT, take(AUDIO))

    def native_ui_with_phone_music(self):
        self.carplay_shown_with_music()
        self.ask(HEAD_UNIT, take(SCREEN))


class Table(Modes):
    def test_radio_button_while_the_phone_plays(self):
        self.carplay_shown_with_music()
        self.ask(HEAD_UNIT, take(AUDIO, USER_INITIATED, ANYTIME, ANYTIME))
        self.assertEqual(self.users(), (PHONE, HEAD_UNIT))

    def test_own_recognizer_during_fm_gives_screen_back_and_fm_resumes(self):
        self.fm()
        self.ask(HEAD_UNIT, borrow(SCREEN), borrow(AUDIO), states=[speech(RECOGNIZING)])
        self.assertEqual(self.users(), (HEAD_UNIT, HEAD_UNIT))
        self.ask(HEAD_UNIT, unborrow(SCREEN), unborrow(AUDIO), states=[speech(NO_SPEECH)])
        self.assertEqual(self.users(), (PHONE, HEAD_UNIT))
        self.assertEqual(self.arbiter.states[SPEECH], NOBODY)

    def test_reverse_gear_keeps_the_screen_while_a_call_rings(self):
        self.native_ui_with_phone_music()
        self.ask(HEAD_UNIT, borrow(SCREEN, USER_INITIATED, NEVER))
        self.assertEqual(self.users(), (HEAD_UNIT, PHONE))
        self.ask(PHONE, borrow(SCREEN), expect=REFUSED)
        self.ask(PHONE, borrow(AUDIO), states=[state(CALL, True)])
        self.assertEqual(self.users(), (HEAD_UNIT, PHONE))

    def test_siri_button_during_fm_then_play_music_leaves_fm_silent(self):
        self.native_ui_with_phone_music()
        self.ask(HEAD_UNIT, take(AUDIO))
        self.ask(PHONE, borrow(SCREEN), borrow(AUDIO), states=[speech(RECOGNIZING)])
        self.assertEqual(self.users(), (PHONE, PHONE))
        self.ask(PHONE, take(AUDIO), unborrow(SCREEN), unborrow(AUDIO), states=[speech(NO_SPEECH)])
        self.assertEqual(self.users(), (HEAD_UNIT, PHONE))
        self.assertEqual(self.arbiter.resources[AUDIO].owner, PHONE)

    def test_native_ui_returns_after_a_phone_call(self):
        self.native_ui_with_phone_music()
        self.ask(PHONE, borrow(SCREEN), borrow(AUDIO), states=[state(CALL, True)])
        self.assertEqual(self.users(), (PHONE, PHONE))
        self.ask(PHONE, unborrow(SCREEN), unborrow(AUDIO), states=[state(CALL, False)])
        self.assertEqual(self.users(), (HEAD_UNIT, PHONE))

    def test_a_route_started_on_the_phone_ends_the_cars_guidance(self):
        self.ask(HEAD_UNIT, states=[state(TURN_BY_TURN, True)])
        self.ask(PHONE, states=[state(TURN_BY_TURN, True)])
        self.assertEqual(self.arbiter.states[TURN_BY_TURN], PHONE)
        self.ask(HEAD_UNIT, states=[state(TURN_BY_TURN, False)])
        self.assertEqual(self.arbiter.states[TURN_BY_TURN], PHONE)

    def test_a_carplay_call_does_not_interrupt_a_hands_free_call(self):
        self.fm()
        self.ask(HEAD_UNIT, borrow(AUDIO, USER_INITIATED, NEVER), states=[state(CALL, True)])
        self.ask(PHONE, borrow(SCREEN), borrow(AUDIO), states=[state(CALL, True)], expect=REFUSED)
        self.assertEqual(self.users(), (PHONE, HEAD_UNIT))
        self.assertEqual(self.arbiter.states[CALL], HEAD_UNIT)

    def test_the_siri_button_ends_the_cars_recognizer(self):
        self.ask(HEAD_UNIT, borrow(SCREEN), borrow(AUDIO), states=[speech(RECOGNIZING)])
        self.ask(PHONE, borrow(SCREEN), borrow(AUDIO), states=[speech(RECOGNIZING)])
        self.assertEqual(self.arbiter.states[SPEECH], PHONE)
        self.assertEqual(self.users(), (PHONE, PHONE))

    def test_the_cars_own_icon_and_the_way_back(self):
        self.carplay_shown_with_music()
        self.ask(HEAD_UNIT, take(SCREEN))
        self.assertEqual(self.users(), (HEAD_UNIT, PHONE))
        self.ask(HEAD_UNIT, untake(SCREEN))
        self.assertEqual(self.users(), (PHONE, PHONE))


class Rules(Modes):
    def test_constraints_decide_by_priority(self):
        # Constraint → whether each of the priorities 100 and 500 passes.
        for constraint, passes in ((ANYTIME, (True, True)), (USER, (False, True)), (NEVER, (False, False))):
            for priority, granted in zip((NICE_TO_HAVE, USER_INITIATED), passes):
                for wish in (take(SCREEN, priority), borrow(SCREEN, priority)):
                    self.arbiter = Arbiter()
                    self.ask(PHONE, take(SCREEN, USER_INITIATED, constraint, constraint))
                    self.ask(HEAD_UNIT, wish, expect=GRANTED if granted else REFUSED)

    def test_a_request_is_all_or_nothing(self):
        self.carplay_shown_with_music()
        self.ask(PHONE, take(SCREEN, USER_INITIATED, NEVER, NEVER))
        self.ask(HEAD_UNIT, take(AUDIO), take(SCREEN), states=[state(TURN_BY_TURN, True)], expect=REFUSED)

    def test_what_is_not_owned_or_borrowed_cannot_be_given_back(self):
        self.ask(PHONE, untake(SCREEN), expect=REFUSED)
        self.ask(PHONE, unborrow(SCREEN), expect=REFUSED)
        self.ask(HEAD_UNIT, untake(SCREEN))
        self.assertEqual(self.users(), (PHONE, HEAD_UNIT))

    def test_the_owner_may_borrow_its_own_and_borrows_end_in_any_order(self):
        self.ask(HEAD_UNIT, borrow(AUDIO))
        self.ask(PHONE, borrow(AUDIO))
        self.ask(HEAD_UNIT, unborrow(AUDIO))
        self.assertEqual(self.users()[1], PHONE)
        self.ask(PHONE, unborrow(AUDIO))
        self.assertEqual(self.users()[1], HEAD_UNIT)

    def test_taking_drops_the_borrowers_of_the_other_side_only(self):
        self.ask(HEAD_UNIT, borrow(AUDIO))
        self.ask(PHONE, borrow(AUDIO))
        self.ask(PHONE, take(AUDIO))
        self.ask(HEAD_UNIT, unborrow(AUDIO), expect=REFUSED)
        self.ask(PHONE, unborrow(AUDIO))

    def test_borrows_are_bounded(self):
        for _ in range(32):
            self.ask(PHONE, borrow(SCREEN))
        self.ask(PHONE, borrow(SCREEN), expect=REFUSED)

    def test_malformed_requests_are_named(self):
        good = take(SCREEN)
        for request in ({"resources": 1}, {"resources": [1]}, {"resources": [good | {"resourceID": 3}]},
                        {"resources": [good | {"transferType": 5}]}, {"resources": [good | {"transferPriority": "x"}]},
                        {"resources": [{"resourceID": True, "transferType": 2}]}, {"appStates": [{"appStateID": 2}]},
                        {"appStates": [{"appStateID": 1, "speechMode": 0}]}, {"appStates": [{"appStateID": 4}]}):
            with self.assertRaises(Problem, msg=request):
                self.arbiter.change(PHONE, request)

    def test_random_requests_keep_the_invariants(self):
        source = random.Random(23)
        view = ModesView()
        for _ in range(3000):
            side = source.choice((PHONE, HEAD_UNIT))
            number, priority = source.choice((SCREEN, AUDIO)), source.choice((NICE_TO_HAVE, USER_INITIATED))
            bound = source.choice((ANYTIME, USER, NEVER))
            wish = source.choice((take(number, priority, bound, bound), untake(number), borrow(number, priority, bound),
                                  unborrow(number)))
            app = source.choice((speech(SPEAKING), speech(NO_SPEECH), state(CALL, True), state(CALL, False),
                                 state(TURN_BY_TURN, True)))
            before = self.arbiter.snapshot()
            status = self.arbiter.change(side, {"resources": [wish], "appStates": [app]})
            after = self.arbiter.snapshot()
            if status == REFUSED:
                self.assertEqual(after, before)
            view.update(after)
            self.assertTrue(set(view.users.values()) | set(view.owners.values()) <= {PHONE, HEAD_UNIT})
            self.assertEqual(view.states[SPEECH] == NOBODY, view.speech_mode == NO_SPEECH)


if __name__ == "__main__":
    unittest.main()
