# SPDX-License-Identifier: Apache-2.0
"""The recorder: what was clicked becomes a scenario, a test in Swift, a capture and a page, and all of them work."""

import re
import unittest
from pathlib import Path

from playwright.sync_api import expect

from tests.lab import APP, LabTest


class Recorder(LabTest):
    def record(self, *arguments):
        """Records a lost disconnect, after which the screen is expected to be a map."""
        tab = self.car(*arguments)
        tab.click_part("Places")
        tab.expect_screen("grid")
        self.expect_part(tab, "Harbour")
        tab.step("Back")
        tab.expect_screen("map")
        tab.step("Unplug unnoticed")
        expect(tab.page.locator("#phone")).to_contain_text("not connected")
        tab.step("Plug in")
        expect(tab.rows("old scenes dropped")).to_have_count(1)
        return tab

    def expect_part(self, tab, text):
        """Points at a part in the picture."""
        count = tab.page.locator("#recorder li.expectation").count()
        tab.page.locator("#recorder").get_by_role("button", name="Expect a part").click()
        tab.click_part(text)
        expect(tab.page.locator("#recorder li.expectation")).to_have_count(count + 1)

    def test_a_recorded_scenario_passes_on_the_careful_app_and_fails_on_the_naive_one(self):
        tab = self.record()
        self.expect_part(tab, "Places")
        text = tab.save_text("yaml")
        self.assertIn("- tap: Places", text)
        self.assertIn("- expect: {screen: {shows: Harbour}}", text)
        self.assertIn("- unplug: {noticed: false}", text)
        file = self.folder / "recorded.yaml"
        file.write_text(text, encoding="utf-8")
        self.iap2("run", file)
        self.assertIn("car: standard\n", text)
        file.write_text(text.replace("car: standard\n", "arguments: [--naive]\ncar: standard\n"), encoding="utf-8")
        output = self.iap2("run", file, status=1)
        self.assertIn("Places", output)

    def test_a_part_of_the_tree_is_expected_by_a_click_too_and_lines_are_removed(self):
        tab = self.car()
        tab.page.keyboard.press("e")
        expect(tab.page.locator("#recorder .hint")).to_be_visible()
        tab.part("Favourites").click()
        lines = tab.page.locator("#recorder li")
        expect(lines.last).to_contain_text("shows: Favourites")
        count = lines.count()
        tab.page.get_by_role("button", name=f"Remove line {count}", exact=True).click()
        expect(lines).to_have_count(count - 1)
        # The start of the app stays, so that what follows plays.
        tab.page.get_by_role("button", name="Forget all").click()
        expect(lines).to_have_count(2)
        tab.step("Unplug")
        tab.step("Plug in")
        expect(lines).to_have_count(4)
        file = self.folder / "recorded.yaml"
        file.write_text(tab.save_text("yaml"), encoding="utf-8")
        self.iap2("run", file)

    def test_a_recorded_test_in_swift_has_the_steps_and_the_expectations(self):
        tab = self.record()
        self.expect_part(tab, "Places")
        text = tab.save_text("swift")
        for line in ("import CarPlayTesting", "@testable import NavigationCode", "await car.tap(\"Places\")",
                     "#expect(car.screen.shows(\"Harbour\"))", "await car.unplug(noticed: false)", "await car.replug()",
                     "#expect(car.screen.shows(\"Places\"))"):
            self.assertIn(line, text)

    def test_a_saved_page_shows_the_session_from_a_file(self):
        tab = self.record()
        html = tab.save_text("html")
        self.assertNotIn("src=\"http", html)
        file = self.folder / "session.html"
        file.write_text(html, encoding="utf-8")
        stored = self.tab(file.as_uri(), offline=True)
        expect(stored.page.locator("html")).to_have_attribute("data-state", "stored")
        expect(stored.page.locator("#ladder")).to_have_attribute("data-count", str(tab.count()))
        stored.show_only("call")
        expect(stored.rows("handler Places")).to_have_count(1)
        stored.page.fill("#search", "pushTemplate")
        stored.page.press("#search", "Enter")
        expect(stored.page.locator("#detail .lines")).to_contain_text("of the interface controller")
        # The only picture, that of the end, has the number 0.
        expect(stored.picture()).to_have_attribute("data-picture", "0")
        for panel in ("#verbs", "#faults", "#recorder", "#restart", "#cars"):
            expect(stored.page.locator(panel)).to_be_hidden()

    def test_what_was_recorded_before_a_restart_can_still_be_saved(self):
        tab = self.record()
        recorded = tab.save_text("yaml")
        earlier = tab.page.locator("#recorder .earlier")
        expect(earlier).to_be_hidden()
        count = tab.page.locator("#recorder li").count()
        tab.page.click("#restart")
        expect(earlier).to_contain_text(f"before the restart: {count} lines")
        expect(tab.page.locator("#recorder li")).to_have_count(2)
        earlier.get_by_role("button", name="Scenario").click()
        with tab.page.expect_download() as download:
            tab.page.locator("dialog.file").get_by_role("button", name="Download").click()
        self.assertEqual(download.value.suggested_filename, "recorded-before.yaml")
        self.assertEqual(Path(download.value.path()).read_text(encoding="utf-8"), recorded)
        tab.page.keyboard.press("Escape")
        earlier.get_by_role("button", name="Swift test").click()
        expect(tab.page.locator("dialog.file pre")).to_contain_text('await car.tap("Places")')
        tab.page.keyboard.press("Escape")
        # A session in which nothing was done does not take it away.
        tab.page.click("#restart")
        expect(earlier).to_contain_text(f"before the restart: {count} lines")

    def test_the_saved_capture_is_decoded_by_the_command(self):
        tab = self.car()
        file = self.folder / "session.pcapng"
        file.write_bytes(tab.save_bytes("capture"))
        output = self.iap2("decode", file)
        for name in ("IdentificationInformation", "AuthenticationSucceeded", "CarPlayStartSession"):
            self.assertIn(name, output)

    def test_the_saved_scenario_names_the_app_as_the_user_did(self):
        self.assertRegex(self.car().save_text("yaml"), f'app: "?{re.escape(str(APP))}"?\n')


if __name__ == "__main__":
    unittest.main()
