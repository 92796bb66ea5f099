# SPDX-License-Identifier: Apache-2.0
"""An app in its car: the picture, its input, and each panel beside it."""

import base64
import json
import unittest

from playwright.sync_api import expect

from tests.lab import LabTest

# The picture is H.264, so its values differ a little from those of the file.
MAXIMUM_DIFFERENCE = 6
MINIMUM_SPREAD = 8
# A picture of one pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Picture(LabTest):
    def test_the_first_picture_is_the_screen_of_the_app(self):
        tab = self.car()
        difference, spread = tab.difference(tab.save_bytes("picture"))
        self.assertGreater(spread, MINIMUM_SPREAD, "the picture has one color")
        self.assertLess(difference, MAXIMUM_DIFFERENCE)

    def test_a_browser_without_a_video_decoder_gets_pictures_too(self):
        lab = self.app()
        tab = self.tab("about:blank")
        tab.page.add_init_script("delete window.VideoDecoder")
        tab.open(lab.address)
        tab.wait_for_picture()
        difference, _ = tab.difference(tab.save_bytes("picture"))
        self.assertLess(difference, MAXIMUM_DIFFERENCE)

    def test_a_click_in_the_picture_changes_the_screen_and_the_ladder(self):
        tab = self.car()
        before, number = tab.save_bytes("picture"), tab.picture_number()
        tab.click_part("Places")
        tab.expect_screen("grid")
        expect(tab.rows("handler Places", kind="call")).to_have_count(1)
        expect(tab.rows("pushTemplate", kind="call")).to_have_count(1)
        tab.wait_for_picture(number)
        self.assertGreater(tab.difference(before)[0], MAXIMUM_DIFFERENCE)
        self.assertLess(tab.difference(tab.save_bytes("picture"))[0], MAXIMUM_DIFFERENCE)

    def test_a_drag_in_the_picture_pans_the_map(self):
        tab = self.car()
        box = tab.picture().bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        tab.page.mouse.move(x, y)
        tab.page.mouse.down()
        tab.page.mouse.move(x + 80, y + 40, steps=8)
        tab.page.mouse.up()
        expect(tab.page.locator("#recorder li").filter(has_text="- pan: {x: 4").first).to_be_visible()
        expect(tab.rows("pan").first).to_be_visible()

    def test_the_wheel_and_the_keys_move_the_knob(self):
        tab = self.car("--car", "knob")
        selected = tab.page.locator("#parts .part").filter(has=tab.page.locator(".chip", has_text="focus"))
        expect(selected).to_have_count(1)
        before = selected.inner_text()
        tab.picture().hover()
        tab.page.mouse.wheel(0, 60)
        expect(selected).not_to_have_text(before)
        expect(tab.page.locator("#recorder code").filter(has_text="turn: 1")).to_have_count(1)
        tab.page.keyboard.press("c")
        tab.page.keyboard.press("ArrowUp")
        expect(tab.page.locator("#recorder code").filter(has_text="turn: -1")).to_have_count(1)
        expect(selected).to_have_text(before, use_inner_text=True)
        tab.page.keyboard.press("Enter")
        expect(tab.page.locator("#recorder code").filter(has_text="press: true")).to_have_count(1)

    def test_the_other_displays_come_and_go(self):
        lab = self.app()
        tab = self.tab("about:blank")
        sockets = []
        tab.page.route_web_socket("**/socket", lambda socket: sockets.append((socket, socket.connect_to_server())))
        tab.open(lab.address)
        tab.wait_for_picture()
        # No sample app has a dashboard, so the test adds its picture to what the server sends.
        state = {"type": "state", "time": 1, "phone": {}, "isPaused": True}
        figure = tab.page.locator("#car figure").filter(has_text="dashboard")
        socket = sockets[-1][0]
        # A state of the server would replace the ones that follow.
        tab.page.get_by_role("button", name="Pause", exact=True).click()
        expect(tab.page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        socket.send(b"\1\1\0\0\0\0\0\1" + base64.b64decode(PIXEL))
        socket.send(json.dumps({**state, "displays": [0, 1]}))
        expect(figure).to_be_visible()
        expect(figure.locator("canvas")).to_have_attribute("data-picture", "1")
        socket.send(json.dumps({**state, "displays": [0]}))
        expect(figure).to_be_hidden()
        socket.send(json.dumps(state))
        expect(figure).to_be_visible()


class Panels(LabTest):
    def test_the_buttons_of_the_steps_work_and_follow_the_state(self):
        tab = self.car()
        tab.step("Lock")
        expect(tab.page.locator("#phone")).to_contain_text("locked")
        tab.step("Unlock")
        expect(tab.page.locator("#phone")).to_contain_text("unlocked")
        tab.step("Night")
        expect(tab.page.locator("#car .facts")).to_contain_text("dark")
        tab.step("Drive")
        expect(tab.page.locator("#car .facts")).to_contain_text("driving")
        tab.step("Home")
        tab.expect_screen("home")

    def test_a_step_with_arguments_has_a_form(self):
        tab = self.car()
        tab.page.click("#verbs .all > summary")
        tab.page.fill("#verbs input[type=search]", "disconnects")
        tab.page.click("#verbs .verb[data-verb=unplug] > summary")
        form = tab.page.locator("#verbs .verb[data-verb=unplug] form")
        form.locator("select").first.select_option("false")
        form.get_by_role("button").click()
        expect(tab.page.locator("#recorder code").filter(has_text="unplug: {noticed: false}")).to_have_count(1)

    def test_a_line_in_the_words_of_scenarios_is_performed_and_a_wrong_one_is_explained(self):
        tab = self.car()
        tab.send_line("tap: Places")
        tab.expect_screen("grid")
        tab.send_line("unplug: {noticed: perhaps}")
        tab.expect_note("expected true or false")
        field = tab.page.locator("#line")
        expect(field).to_have_value("")
        field.fill("new")
        for key, text in (("ArrowUp", "unplug: {noticed: perhaps}"), ("ArrowUp", "tap: Places"),
                          ("ArrowDown", "unplug: {noticed: perhaps}"), ("ArrowDown", "new")):
            field.press(key)
            expect(field).to_have_value(text)

    def test_the_phone_shows_what_the_head_unit_knows(self):
        tab = self.car()
        phone = tab.page.locator("#phone")
        expect(phone).to_contain_text("connected")
        expect(phone).to_contain_text("Harbour Maps")
        for line in ("tap: Favourites", "tap: Harbour", "tap: Go"):
            tab.send_line(line)
        expect(phone).to_contain_text("Route")

    def test_a_part_of_the_tree_is_outlined_in_the_picture_and_says_what_was_cut(self):
        tab = self.car()
        tab.part("Search").hover()
        expect(tab.page.locator("#car .target.chosen")).to_have_count(1)
        tab.click_part("Places")
        tab.expect_screen("grid")
        expect(tab.part("North Sta")).to_contain_text("cut")

    def test_a_fault_is_found_and_switched_on_and_changes_what_happens(self):
        tab = self.car()
        tab.page.fill("#faults input[type=search]", "loseDisconnect")
        fault = tab.page.locator("#faults [data-fault=loseDisconnect]")
        expect(tab.page.locator("#faults .faults .fault:visible")).to_have_count(1)
        fault.locator("input").focus()
        tab.page.keyboard.press("End")
        expect(fault).to_have_class("fault on")
        expect(tab.page.locator("#recorder code").filter(has_text="loseDisconnect: 1")).not_to_have_count(0)
        tab.step("Unplug")
        tab.step("Plug in")
        expect(tab.rows("their disconnect was lost")).to_have_count(1)
        tab.page.locator("#faults").get_by_role("button", name="All off").click()
        expect(fault).to_have_class("fault")

    def test_panels_collapse_and_the_choice_stays(self):
        tab = self.car()
        tab.page.click("#phone .collapse")
        expect(tab.page.locator("#phone .body")).to_be_hidden()
        tab.page.reload()
        tab.wait_for_picture()
        expect(tab.page.locator("#phone .body")).to_be_hidden()
        expect(tab.page.locator("#parts .body")).to_be_visible()


class Connection(LabTest):
    def lose_a_disconnect(self, tab):
        tab.step("Unplug unnoticed")
        expect(tab.page.locator("#phone")).to_contain_text("not connected")
        tab.step("Plug in")
        expect(tab.rows("old scenes dropped")).to_have_count(1)

    def test_after_a_lost_disconnect_the_careful_app_shows_its_map_and_the_ladder_shows_why(self):
        tab = self.car()
        self.lose_a_disconnect(tab)
        tab.expect_screen("map")
        tab.show_only("call")
        expect(tab.rows("setRootTemplate CPMapTemplate")).to_have_count(2)
        expect(tab.rows("didDisconnect")).to_have_count(0)

    def test_after_a_lost_disconnect_the_naive_app_shows_an_error(self):
        tab = self.car("--", "--naive")
        self.lose_a_disconnect(tab)
        tab.expect_screen("error")

    def test_a_connection_that_ends_is_explained(self):
        tab = self.car()
        tab.step("Unplug")
        tab.show_only("finding")
        expect(tab.rows(kind="finding").filter(has_text="session")).not_to_have_count(0)

    def test_a_noticed_disconnect_tells_the_app(self):
        tab = self.car()
        tab.step("Unplug")
        expect(tab.rows("didDisconnect", kind="call")).not_to_have_count(0)


class Time(LabTest):
    def test_time_stands_still_while_paused_and_passes_at_the_chosen_speed(self):
        tab = self.car()
        clock = tab.page.locator("#time .clock")
        tab.page.get_by_role("button", name="Pause", exact=True).click()
        expect(tab.page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        paused = clock.inner_text()
        tab.send_line("tap: Places")
        tab.expect_screen("grid")
        # A step itself may take a part of a second of virtual time.
        self.assertLess(float(clock.inner_text().split()[0]) - float(paused.split()[0]), 1)
        tab.page.locator("#time input[aria-label=Speed]").press("End")
        expect(tab.page.locator("#time .factor")).to_have_text("×100")
        tab.page.keyboard.press("Escape")
        tab.page.get_by_role("button", name="Play", exact=True).click()
        # A hundred seconds would take longer than the test may wait at the usual speed.
        tab.wait("100 s of virtual time", "() => parseFloat(document.querySelector('#time .clock').value) > 100")

    def test_a_step_passes_time_until_something_happens(self):
        tab = self.car()
        tab.page.get_by_role("button", name="Pause", exact=True).click()
        for line in ("tap: Favourites", "tap: Harbour", "tap: Go"):
            tab.send_line(line)
        expect(tab.rows("startNavigationSession").or_(tab.rows("startTrip")).or_(tab.rows("Go")).first).to_be_visible()
        count = tab.count()
        tab.page.get_by_role("button", name="Step to the next event").click()
        tab.wait_for_entries(count)
        expect(tab.page.get_by_role("button", name="Play", exact=True)).to_be_visible()

    def test_a_restart_begins_again_with_an_empty_record(self):
        tab = self.car()
        tab.click_part("Places")
        tab.expect_screen("grid")
        expect(tab.page.locator("#recorder code").filter(has_text="tap: Places")).to_have_count(1)
        tab.page.click("#restart")
        tab.expect_screen("map")
        expect(tab.page.locator("#recorder code").filter(has_text="tap: Places")).to_have_count(0)
        expect(tab.rows("handler Places")).to_have_count(0)
        self.assertLess(tab.difference(tab.save_bytes("picture"))[0], MAXIMUM_DIFFERENCE)

    def test_another_car_can_be_chosen(self):
        tab = self.car()
        tab.page.select_option("#cars select", "knob")
        expect(tab.page.locator("#car .facts")).to_contain_text("knob")
        tab.expect_screen("map")
        tab.step("Home")
        tab.expect_screen("home")


class Tabs(LabTest):
    def test_the_frame_has_the_shape_of_each_car(self):
        tab = self.car("--car", "ultra-wide")
        for car in ("standard", "ultra-wide"):
            tab.page.select_option("#cars select", car)
            expect(tab.page.locator("#car .facts")).to_contain_text(car)
            tab.wait(f"the shape of {car}", """() => {
              const canvas = document.querySelector("#car .screen canvas");
              const shape = getComputedStyle(canvas.parentElement).getPropertyValue("--aspect");
              return canvas.dataset.picture && Math.abs(shape - canvas.width / canvas.height) < 0.01;
            }""")

    def test_another_view_area_changes_the_size_of_the_picture(self):
        tab = self.car()
        for width, line in ((500, "viewArea: {width: 500, height: 480}"), (800, "viewArea: {width: 800, height: 480}")):
            tab.send_line(line)
            tab.wait(f"a picture {width} pixels wide",
                     "(width) => document.querySelector('#car .screen canvas').width === width", width)
            self.assertLess(tab.difference(tab.save_bytes("picture"))[0], MAXIMUM_DIFFERENCE)
        tab.send_line("viewArea: {width: 1000, height: 480}")
        tab.expect_note("the display has 800 × 480 pixels")

    def test_two_browsers_see_the_same_session(self):
        lab = self.app()
        one, other = self.tab(lab), self.tab(lab)
        for tab in (one, other):
            tab.wait_for_picture()
        one.click_part("Places")
        for tab in (one, other):
            tab.expect_screen("grid")
            expect(tab.rows("handler Places")).to_have_count(1)
        self.assertEqual(one.count(), other.count())
        picture = one.save_bytes("picture")
        for tab in (one, other):
            self.assertLess(tab.difference(picture)[0], MAXIMUM_DIFFERENCE)

    def test_a_reload_in_the_middle_gets_the_whole_record_and_a_picture(self):
        tab = self.car()
        tab.click_part("Places")
        tab.expect_screen("grid")
        count = tab.count()
        tab.page.reload()
        expect(tab.page.locator("html")).to_have_attribute("data-state", "open")
        tab.wait_for_picture()
        tab.expect_screen("grid")
        expect(tab.rows("handler Places")).to_have_count(1)
        self.assertGreaterEqual(tab.count(), count)
        self.assertLess(tab.difference(tab.save_bytes("picture"))[0], MAXIMUM_DIFFERENCE)

    def test_a_server_that_ends_is_reported_and_a_new_one_does_not_take_the_old_secret(self):
        lab = self.app()
        tab = self.tab(lab, may_report=("WebSocket", "ERR_CONNECTION"))
        tab.wait_for_picture()
        lab.end()
        expect(tab.page.locator("#lost")).to_be_visible()
        expect(tab.page.locator("#lost")).to_contain_text("connection to iap2 lab is lost")
        count = tab.count()
        following = self.app(listen=f"127.0.0.1:{lab.port}")
        self.assertNotEqual(following.secret, lab.secret)
        # The page goes on to try. The new server answers, and refuses.
        with tab.page.expect_console_message(lambda message: "handshake" in message.text):
            pass
        expect(tab.page.locator("html")).to_have_attribute("data-state", "lost")
        self.assertEqual(tab.count(), count)


if __name__ == "__main__":
    unittest.main()
