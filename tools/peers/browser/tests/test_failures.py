# SPDX-License-Identifier: Apache-2.0
"""The failures of the field, the faults of a session, the reasons of cut parts, and the loss of the next notification."""

import json
import re
import unittest

from playwright.sync_api import expect

from tests.lab import LabTest


class FailureTest(LabTest):
    def failure(self, tab, number):
        return tab.page.locator(f"#faults [data-failure='{number}']")

    def click(self, tab, number):
        self.failure(tab, number).get_by_role("button").click()

    def expect_pressed(self, tab, number, is_on=True):
        expect(self.failure(tab, number).get_by_role("button")).to_have_attribute("aria-pressed", str(is_on).lower())

    def recorded(self, tab, text):
        return tab.page.locator("#recorder code").filter(has_text=text)


class Failures(FailureTest):
    def test_each_of_the_36_failures_has_a_button_that_does_something(self):
        tab = self.car()
        expect(tab.page.locator("#faults .failure")).to_have_count(36)
        deeds = tab.page.locator("#faults .failure").evaluate_all("(nodes) => nodes.map((node) => node.dataset.deed)")
        # Other entries may push a step out of the visible rows.
        tab.show_only("step")
        for number, deed in enumerate(deeds, 1):
            with self.subTest(number):
                self.click(tab, number)
                if deed in ("switch", "restart"):
                    self.expect_pressed(tab, number)
                    self.click(tab, number)
                    self.expect_pressed(tab, number, False)
                elif deed == "reports":
                    expect(tab.page.locator("#search")).not_to_have_value("")
                    tab.page.fill("#search", "")
                else:
                    expect(tab.rows(kind="step").last).to_be_visible()
                if deed == "restart":
                    tab.wait_for_picture()

    def test_a_switch_is_set_with_one_click_and_cleared_with_the_next(self):
        tab = self.car()
        self.click(tab, 16)
        self.expect_pressed(tab, 16)
        for name in ("splitStyles", "lateContentStyle"):
            expect(tab.page.locator(f"#faults [data-fault={name}]")).to_have_class("fault on")
        expect(self.recorded(tab, "splitStyles: true")).to_have_count(1)
        tab.page.locator("#faults").get_by_role("button", name="All off").click()
        self.expect_pressed(tab, 16, False)

    def test_a_disconnect_under_an_alert_ends_the_app(self):
        tab = self.car("--", "--naive")
        self.click(tab, 3)
        tab.send_line("alert: Stop?")
        tab.expect_screen("alert")
        tab.step("Unplug")
        tab.expect_entry("disconnected while a template was presented")

    def test_the_steps_of_a_failure_stand_in_the_ladder(self):
        tab = self.car()
        self.click(tab, 30)
        expect(tab.page.locator("#phone")).to_contain_text("locked")
        tab.show_only("step")
        for step in ("lock", "unplug", "plug"):
            expect(self.recorded(tab, f"- {step}: true")).to_have_count(1)
            expect(tab.rows(step, kind="step").first).to_be_visible()
        self.click(tab, 24)
        expect(tab.page.locator("#car .facts")).to_contain_text("driving")

    def test_a_setting_restarts_the_app_and_is_saved(self):
        tab = self.car()
        self.click(tab, 28)
        self.expect_pressed(tab, 28)
        tab.expect_entry("restarted with panGestures: false")
        tab.expect_screen("map")
        tab.send_line("pan: {x: 150, y: 0}")
        tab.expect_entry("reports no pan gestures")
        text = tab.save_text("yaml")
        self.assertIn("behavior: {panGestures: false}\n", text)
        self.assertIn("settings.behavior.panGestures = false", tab.save_text("swift"))
        file = self.folder / "recorded.yaml"
        file.write_text(text, encoding="utf-8")
        self.assertIn("reports no pan gestures", self.iap2("run", file))
        self.click(tab, 28)
        self.expect_pressed(tab, 28, False)
        self.assertNotIn("behavior:", tab.save_text("yaml"))

    def test_a_cold_start_and_another_profile_are_restarts(self):
        tab = self.car()
        self.click(tab, 7)
        self.expect_pressed(tab, 7)
        tab.expect_entry("without a phone scene")
        self.assertIn("launch: {phoneScene: false}", tab.save_text("yaml"))
        self.click(tab, 36)
        self.expect_pressed(tab, 36)
        expect(tab.page.locator("#car .facts")).to_contain_text("simulator")
        self.click(tab, 36)
        self.expect_pressed(tab, 36, False)
        expect(tab.page.locator("#car .facts")).to_contain_text("standard")

    def test_a_failure_of_the_app_is_counted_and_found_in_the_ladder(self):
        tab = self.car("--car", "knob")
        chip = self.failure(tab, 26).locator(".chip")
        expect(chip).to_have_text("none yet")
        self.click(tab, 26)
        tab.expect_note("has not reported this of the app yet")
        tab.send_line("tap: Search")
        tab.expect_screen("search")
        tab.send_line("type: a")
        expect(chip).to_have_text("1 found")
        self.click(tab, 26)
        expect(tab.rows("search results", kind="report").first).to_have_class(re.compile("current"))
        expect(tab.page.locator("#detail")).to_contain_text("put the best result first")

    def test_a_search_finds_failures_and_switches(self):
        tab = self.car()
        tab.page.fill("#faults input[type=search]", "watchdog")
        expect(tab.page.locator("#faults .failure:visible")).to_have_count(1)
        expect(tab.page.locator("#faults .fault:visible")).to_have_count(0)
        tab.page.fill("#faults input[type=search]", "")
        expect(tab.page.locator("#faults .failure:visible")).to_have_count(36)


class NextNotification(FailureTest):
    def button(self, tab):
        return tab.page.locator("#verbs button").filter(has_text="Lose the next notification")

    def test_the_next_disconnect_is_lost_and_only_that_one(self):
        tab = self.car("--", "--naive")
        button = self.button(tab)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(tab.page.locator("#phone")).to_contain_text("the next disconnect is lost")
        tab.step("Unplug")
        expect(button).to_have_attribute("aria-pressed", "false")
        expect(tab.rows("didDisconnect", kind="call")).to_have_count(0)
        tab.step("Plug in")
        tab.expect_screen("error")
        tab.step("Unplug")
        expect(tab.rows("didDisconnect", kind="call")).not_to_have_count(0)
        text = tab.save_text("yaml")
        steps = re.findall(r"- (faults: \{loseDisconnect: \d\}|unplug: true)", text)
        self.assertEqual(steps, ["faults: {loseDisconnect: 1}", "unplug: true", "faults: {loseDisconnect: 0}", "unplug: true"])
        file = self.folder / "recorded.yaml"
        file.write_text(text, encoding="utf-8")
        output = self.iap2("run", file)
        self.assertIn("No root template", output)
        self.assertEqual(output.count("templateApplicationScene(_:didDisconnect:from:)"), 1)
        test = tab.save_text("swift")
        self.assertLess(test.index("car.faults.loseDisconnect = 1"), test.index("await car.unplug"))
        self.assertIn("car.faults.loseDisconnect = 0", test)

    def test_it_is_taken_back(self):
        tab = self.car()
        button = self.button(tab)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "false")
        tab.step("Unplug")
        expect(tab.rows("didDisconnect", kind="call")).not_to_have_count(0)


class CutParts(FailureTest):
    def test_a_cut_part_says_why_and_what_helps(self):
        tab = self.car()
        tab.click_part("Places")
        tab.expect_screen("grid")
        part = tab.part("North Sta")
        expect(part).to_contain_text("does not fit")
        expect(part).to_contain_text("remedy: give a shorter text, or variants with the longest first")


class GenericFaults(FailureTest):
    """A server of its own would need another mode, so its messages are put into the page."""

    FAULTS = [
        {"name": "delay", "kind": "values", "values": [0, 10, 100, 1000], "unit": "ms", "summary": "Delays packets"},
        {"name": "loss", "kind": "chance", "summary": "Loses packets"}, {"name": "off", "kind": "flag", "summary": ""},
        {"name": "empty", "kind": "values", "values": []}, {"name": "strange", "kind": "other"},
    ]

    def open(self):
        """Opens a page whose server offers lines and no input. Returns the tab and the messages that the page sends."""
        sent, sockets = [], []
        tab = self.tab("about:blank", may_report=("ignored a malformed",))

        def serve(socket):
            sockets.append(socket)
            socket.on_message(lambda text: sent.append(json.loads(text)))

        tab.page.route_web_socket(re.compile("/socket$"), serve)
        tab.open(self.app().address)
        send = lambda message: sockets[-1].send(json.dumps(message))
        send({"type": "hello", "version": 1, "mode": "live", "title": "x", "lanes": [], "can": ["lines"], "faults": self.FAULTS})
        self.state = lambda **faults: send({"type": "state", "time": 1, "phone": {}, "displays": [], "faults": faults})
        self.state()
        return tab, sent

    def lines(self, sent):
        return [message["text"] for message in sent if message.get("do") == "line"]

    def test_values_chances_and_flags_are_steps_of_the_scenario(self):
        tab, sent = self.open()
        expect(tab.page.locator("#faults")).to_be_visible()
        expect(tab.page.locator("#faults .fault")).to_have_count(3)
        expect(tab.page.locator("#faults .failures")).to_be_hidden()
        slider = tab.page.get_by_role("slider", name="delay")
        slider.focus()
        tab.page.keyboard.press("ArrowRight")
        tab.page.keyboard.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", "100 ms")
        tab.wait("a delay of 100 ms", "() => document.querySelector('#faults [data-fault=delay] output').value === '100 ms'")
        self.state(delay=1000, loss=0.25, off=True)
        expect(slider).to_have_attribute("aria-valuetext", "1,000 ms")
        expect(tab.page.get_by_role("slider", name="loss")).to_have_attribute("aria-valuetext", "25 %")
        expect(tab.page.locator("#faults .count")).to_have_text("3 on")
        tab.page.get_by_role("switch", name="off").click()
        tab.page.locator("#faults").get_by_role("button", name="All off").click()
        self.state()
        expect(slider).to_have_attribute("aria-valuetext", "off")
        lines = self.lines(sent)
        self.assertEqual(lines[-2:], ["faults: {off: false}", "faults: {delay: 0, loss: 0, off: false}"])
        self.assertIn("faults: {delay: 100}", lines)


if __name__ == "__main__":
    unittest.main()
