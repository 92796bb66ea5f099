# SPDX-License-Identifier: Apache-2.0
"""The ladder of messages: details with bytes, filter and search."""

import unittest

from playwright.sync_api import expect

from tests.lab import LabTest


class Detail(LabTest):
    def test_a_field_under_the_mouse_marks_its_bytes_and_a_byte_marks_its_field(self):
        tab = self.car()
        tab.page.fill("#search", "IdentificationInformation")
        tab.page.press("#search", "Enter")
        detail = tab.page.locator("#detail")
        expect(detail.locator("h3")).to_contain_text("IdentificationInformation 0x1D01")
        field = detail.locator(".field").filter(has=tab.page.locator(".value", has_text='"HU-1"')).first
        field.hover()
        marked = detail.locator(".bytes .chosen")
        # The field has the text with its end: "HU-1\0".
        expect(marked).not_to_have_count(0)
        values = bytes.fromhex("".join(marked.all_inner_texts()))
        self.assertIn(b"HU-1", values)
        self.assertLess(len(values), 16)
        place = detail.locator(".bytes .chosen").last
        name = field.locator(".name").inner_text()
        place.hover()
        expect(detail.locator(".field.chosen .name")).to_have_text(name)

    def test_the_bytes_of_a_message_are_those_of_the_wire(self):
        tab = self.car()
        tab.page.fill("#search", "StartIdentification")
        tab.page.press("#search", "Enter")
        expect(tab.page.locator("#detail h3")).to_contain_text("StartIdentification 0x1D00")
        shown = "".join(tab.page.locator("#detail .bytes span").all_inner_texts())
        self.assertEqual(shown, "404000061d00")

    def test_the_detail_of_a_call_says_whose_it_is(self):
        tab = self.car()
        tab.click_part("Places")
        tab.rows("pushTemplate", kind="call").click()
        expect(tab.page.locator("#detail .lines")).to_contain_text("of the interface controller")

    def test_the_rows_are_reached_with_the_keys(self):
        tab = self.car()
        rows = tab.page.locator("#ladder .rows")
        tab.page.keyboard.press("j")
        rows.press("Home")
        expect(tab.page.locator("#ladder .row.selected")).to_have_count(1)
        first = tab.page.locator("#detail .facts").inner_text()
        place = tab.page.locator("#ladder .row.selected").get_attribute("id")
        rows.press("ArrowDown")
        expect(tab.page.locator("#detail .facts")).not_to_have_text(first)
        # The rows are drawn a frame later than the detail.
        expect(rows).not_to_have_attribute("aria-activedescendant", place)
        selected = tab.page.locator("#ladder .row.selected").get_attribute("id")
        expect(rows).to_have_attribute("aria-activedescendant", selected)


class Finders(LabTest):
    def test_the_filter_is_that_of_decode(self):
        tab = self.car()
        text = "control and from = device"
        tab.page.fill("#filter", text)
        tab.show_only("message")
        expect(tab.rows(kind="message").first).to_be_visible()
        expect(tab.rows("AuthenticationResponse")).to_have_count(0)
        # The session goes on, so messages may come between the file and the count.
        for attempt in range(5):
            (self.folder / f"{attempt}.pcapng").write_bytes(tab.save_bytes("capture"))
            wanted = self.iap2("decode", self.folder / f"{attempt}.pcapng", "--json", "--filter", text).splitlines()
            shown = tab.page.locator("#ladder .count").inner_text().split(" of ")[0]
            if int(shown) == len(wanted):
                break
        self.assertEqual(int(shown), len(wanted), wanted)

    def test_a_wrong_filter_is_explained_and_an_empty_one_shows_all(self):
        tab = self.car()
        tab.page.fill("#filter", "control and (")
        expect(tab.page.locator("#ladder .problem")).to_be_visible()
        tab.page.fill("#filter", "control")
        expect(tab.page.locator("#ladder .problem")).to_be_hidden()
        expect(tab.rows(kind="event")).to_have_count(0)
        tab.page.fill("#filter", "")
        expect(tab.rows(kind="event")).not_to_have_count(0)

    def test_the_filter_goes_on_for_new_messages(self):
        tab = self.car()
        tab.page.fill("#filter", "control and from = accessory")
        expect(tab.rows(kind="event")).to_have_count(0)
        before = tab.page.locator("#ladder .count").inner_text()
        tab.step("Unplug")
        tab.step("Plug in")
        expect(tab.page.locator("#ladder .count")).not_to_have_text(before)
        expect(tab.rows("IdentificationInformation")).not_to_have_count(0)
        expect(tab.rows(kind="event")).to_have_count(0)

    def test_the_search_counts_its_matches_and_goes_from_one_to_the_next(self):
        tab = self.car()
        tab.page.fill("#search", "template")
        found = tab.page.locator("#ladder .found")
        expect(found).to_have_text("3")
        tab.page.press("#search", "Enter")
        expect(found).to_have_text("1 of 3")
        expect(tab.page.locator("#ladder .row.current")).to_contain_text("template", ignore_case=True)
        tab.page.press("#search", "Enter")
        expect(found).to_have_text("2 of 3")
        tab.page.press("#search", "Shift+Enter")
        expect(found).to_have_text("1 of 3")

    def test_kinds_are_hidden_and_shown(self):
        tab = self.car()
        expect(tab.rows(kind="packet")).to_have_count(0)
        tab.page.click("#ladder .kinds [data-kind=packet]")
        tab.page.click("#ladder .kinds [data-kind=message]")
        expect(tab.rows(kind="packet")).not_to_have_count(0)
        expect(tab.rows(kind="message")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
