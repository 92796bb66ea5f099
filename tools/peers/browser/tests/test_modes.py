# SPDX-License-Identifier: Apache-2.0
"""Sessions without an app: both roles in memory, one role on a transport, and recorded ones."""

import re
import socket
import unittest

from playwright.sync_api import expect

from tests.lab import APP, COMMAND, REPOSITORY, LabTest, Program

PLAY = {"name": "Play", "exact": True}


def free_address():
    """Returns an address of this machine at whose port nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def visible_panels(tab):
    return tab.page.locator(".panel:visible").evaluate_all("(panels) => panels.map((panel) => panel.id)")


class ScenarioMode(LabTest):
    def test_both_roles_wait_at_the_first_step_and_the_car_has_a_picture(self):
        tab = self.tab(self.lab())
        tab.wait_for_picture()
        expect(tab.rows(kind="step")).to_have_count(1)
        expect(tab.rows("expect headUnit linkUp", kind="step")).to_have_count(1)
        expect(tab.page.get_by_role("button", **PLAY)).to_be_visible()
        self.assertEqual(tab.page.locator("#time .clock").inner_text(), "0.00 s")
        self.assertEqual(visible_panels(tab), ["car", "verbs", "phone", "parts", "faults", "recorder", "ladder"])

    def test_a_step_goes_to_the_next_event_and_play_to_the_end_of_the_day(self):
        tab = self.tab(self.lab())
        count = tab.count()
        tab.page.get_by_role("button", name="Step to the next event").click()
        tab.wait_for_entries(count)
        expect(tab.page.get_by_role("button", **PLAY)).to_be_visible()
        tab.page.get_by_role("button", **PLAY).click()
        expect(tab.page.locator("#phone")).to_contain_text("First Song")
        tab.expect_screen("home")
        tab.page.click("#restart")
        expect(tab.page.locator("#phone")).not_to_contain_text("First Song")

    def test_a_line_and_a_button_make_further_steps(self):
        file = self.folder / "short.yaml"
        file.write_text("headUnit: {features: all}\nsteps:\n  - expect: {headUnit: identified}\n", encoding="utf-8")
        tab = self.tab(self.lab("--scenario", file))
        tab.page.get_by_role("button", **PLAY).click()
        tab.send_line('phone: {call: {name: Ann Jones, number: "1"}}')
        expect(tab.page.locator("#phone")).to_contain_text("Ann Jones")
        tab.step("Pull the cable")
        expect(tab.page.locator("#phone")).to_contain_text("not connected")
        tab.send_line("phone: {call")
        tab.expect_note("step:")

    def test_every_button_sends_a_step_that_scenarios_know(self):
        file = self.folder / "short.yaml"
        file.write_text("carPlay: true\nsteps:\n  - expect: {headUnit: identified}\n", encoding="utf-8")
        tab = self.tab(self.lab("--scenario", file))
        tab.page.get_by_role("button", **PLAY).click()
        tab.expect_screen("home")
        buttons = tab.page.locator("#verbs .steps button")
        for place in range(buttons.count()):
            buttons.nth(place).click()
        tab.send_line("unknown: true")
        tab.expect_note("unknown")
        # Notes go away after some seconds, so this does not wait.
        self.assertEqual(tab.page.locator("#notes .message").count(), 1, tab.page.locator("#notes").inner_text())

    def test_a_scenario_over_the_air_shows_how_the_sides_find_each_other(self):
        tab = self.tab(self.lab("--scenario", "wireless-carplay"))
        tab.page.get_by_role("button", **PLAY).click()
        tab.page.locator("#time input[aria-label=Speed]").press("End")
        tab.show_only("event")
        for event in ("accessoryWiFi", "carPlayStarted", "carPlayFound", "carPlayEnded", "carPlayCalled",
                      "carPlayCallAnswered"):
            with self.subTest(event=event):
                tab.expect_entry(event)

    def test_the_saved_capture_of_a_scenario_is_decoded_by_the_command(self):
        tab = self.tab(self.lab("--scenario", "day"))
        tab.page.get_by_role("button", **PLAY).click()
        tab.expect_entry("IdentificationAccepted")
        file = self.folder / "day.pcapng"
        file.write_bytes(tab.save_bytes("capture"))
        self.assertIn("IdentificationAccepted", self.iap2("decode", file))

    def test_what_was_done_beside_a_scenario_is_saved_and_plays(self):
        tab = self.tab(self.lab("--scenario", "music"))
        tab.page.get_by_role("button", **PLAY).click()
        tab.expect_entry("identified")
        tab.show_only("event")
        tab.page.fill("#search", "identified")
        tab.page.press("#search", "Enter")
        tab.page.get_by_role("button", name="Expect this").click()
        tab.step("Call comes in")
        delay = tab.page.get_by_role("slider", name="delay")
        # Each key is a line if the page is slow, so this is one change.
        delay.fill("4")
        expect(tab.page.locator("#recorder .lines li")).to_have_count(3)
        expect(tab.page.locator("#recorder .lines")).to_contain_text("faults: {delay: 10}")
        tab.page.locator("#recorder .lines li").filter(has_text="call").get_by_role("button").click()
        expect(tab.page.locator("#recorder .lines li")).to_have_count(2)
        text = tab.save_text("yaml")
        self.assertRegex(text, "expect: {(phone|headUnit): identified, earlier: true}")
        self.assertNotIn("call:", text)
        file = self.folder / "recorded.yaml"
        file.write_text(text, encoding="utf-8")
        self.iap2("run", file)
        file.write_text(text.replace("identified, ", "carPlaySession, "), encoding="utf-8")
        self.iap2("run", file, status=1)
        test = tab.save_text("swift")
        self.assertIn("ScenarioPlayer(scenario", test)
        self.assertIn("faults: {delay: 10}", test)

    def test_a_side_behaves_like_a_profile_from_a_click_to_the_next_one(self):
        tab = self.tab(self.lab("--scenario", "music"))
        slow = tab.page.get_by_role("button", name="Restart: slow-phone")
        slow.click()
        expect(slow).to_have_attribute("aria-pressed", "true")
        tab.page.get_by_role("button", **PLAY).click()
        tab.expect_entry("IdentificationAccepted")
        file = self.folder / "recorded.yaml"
        text = tab.save_text("yaml")
        self.assertIn("behavior: {phone: slow-phone}", text)
        file.write_text(text, encoding="utf-8")
        self.iap2("run", file)
        slow.click()
        expect(slow).to_have_attribute("aria-pressed", "false")

    def test_the_picture_of_the_car_is_part_of_the_session(self):
        file = self.folder / "short.yaml"
        file.write_text("carPlay: true\nsteps:\n  - expect: {headUnit: carPlaySession, values: {state: live}}\n",
                        encoding="utf-8")
        tab = self.tab(self.lab("--scenario", file))
        tab.page.get_by_role("button", **PLAY).click()
        tab.expect_screen("home")
        tab.click_part("Settings")
        tab.expect_screen("list")
        tab.show_only("step")
        expect(tab.rows("touch: [", kind="step")).to_have_count(1)
        expect(tab.page.locator("#recorder .lines li")).to_have_count(1)
        expect(tab.page.locator("#recorder .lines")).to_contain_text("headUnit: {session: {touch: [")
        tab.page.locator("#car .screen").first.focus()
        tab.page.keyboard.press("h")
        tab.expect_screen("home")
        tab.step("Night")
        expect(tab.page.locator("#car .facts")).to_contain_text("dark")
        recorded = self.folder / "recorded.yaml"
        recorded.write_text(tab.save_text("yaml"), encoding="utf-8")
        self.iap2("run", recorded)

    def test_a_lost_link_is_explained_where_it_stops(self):
        file = self.folder / "short.yaml"
        file.write_text("headUnit: {features: all}\nsteps:\n  - expect: {headUnit: connected}\n", encoding="utf-8")
        tab = self.tab(self.lab("--scenario", file))
        tab.page.get_by_role("button", **PLAY).click()
        tab.expect_entry("identified")
        tab.step("Pull the cable")
        expect(tab.rows("complete", kind="finding")).to_be_visible()


class CaptureMode(LabTest):
    def test_every_real_capture_is_shown_with_its_findings(self):
        for name in ("boya-mini2", "canon-ivy", "detect"):
            file = REPOSITORY / f"captures/real/{name}.txt"
            with self.subTest(file=file.name):
                tab = self.tab(self.lab(file))
                expect(tab.rows().first).to_be_visible()
                expect(tab.page.locator("#title")).to_have_text(file.name)
                self.assertEqual(visible_panels(tab), ["recorder", "ladder"])
                for control in ("#time .controls", "#restart", "#cars", "#recorder [data-save=yaml]",
                                "#recorder [data-save=swift]", "#recorder [data-save=picture]"):
                    expect(tab.page.locator(control)).to_be_hidden()
                decoded = self.iap2("decode", file)
                for name in tab.rows(kind="message").locator(".name").all_inner_texts():
                    self.assertTrue(name in decoded or name == "synchronization", name)

    def test_a_session_of_carplay_is_opened_with_its_key_log(self):
        capture = REPOSITORY / "captures/carplay/peer-headunit"
        tab = self.tab(self.lab(f"{capture}.pcap", "--key-log", f"{capture}.keys"))
        tab.page.fill("#search", "hidSendReport, touch, down, x 320, y 200")
        tab.page.press("#search", "Enter")
        expect(tab.page.locator("#detail .lines")).to_contain_text("hidReport")
        closed = self.tab(self.lab(f"{capture}.pcap"))
        closed.show_only("finding")
        expect(closed.rows("no key log has the secret")).to_have_count(1)

    def test_discovery_and_the_end_of_a_session_stand_in_its_ladder(self):
        capture = REPOSITORY / "captures/carplay/avahi"
        tab = self.tab(self.lab(f"{capture}.pcap", "--key-log", f"{capture}.keys"))
        explained = self.iap2("explain", f"{capture}.pcap", "--key-log", f"{capture}.keys")
        tab.show_only("event")
        # An announcement that is decoded has a row already, so only the other steps have rows of their own.
        for step, row in (("announces Test Car, _airplay._tcp, port 7000", "_airplay._tcp: Test Car at"),
                          ("announces Test Phone, _carplay-ctrl._tcp, port 7001", "_carplay-ctrl._tcp: Test Phone at"),
                          ("connects; the capture has no control request before that",) * 2):
            self.assertIn(step, explained)
            expect(tab.rows(row).first).to_be_visible()
            expect(tab.rows(step)).to_have_count(1 if step == row else 0)
        tab.show_only("finding")
        expect(tab.rows("complete").filter(has_text="The phone ended the session in order")).to_have_count(1)
        expect(tab.rows("rule broken").filter(has_text="CDI-02")).to_have_count(1)

    def test_the_slider_shows_a_session_up_to_its_time(self):
        file = self.folder / "day.pcapng"
        self.iap2("run", "day", "--capture", file)
        tab = self.tab(self.lab(file))
        slider = tab.page.locator("#time .seek")
        expect(slider).to_be_visible()
        expect(tab.rows().first).to_be_visible()
        expect(tab.page.locator("#ladder .row.later")).to_have_count(0)
        slider.focus()
        slider.press("Home")
        expect(tab.page.locator("#ladder .row.later:not([hidden])").first).to_be_visible()
        start = tab.page.locator("#time .clock").inner_text()
        slider.press("End")
        expect(tab.page.locator("#time .clock")).not_to_have_text(start)
        expect(tab.page.locator("#ladder .row.later:not([hidden])")).to_have_count(0)

    def test_a_capture_without_times_has_neither_slider_nor_clock(self):
        tab = self.tab(self.lab(REPOSITORY / "captures/real/boya-mini2.txt"))
        expect(tab.rows().first).to_be_visible()
        expect(tab.page.locator("#time .seek")).to_be_hidden()
        expect(tab.page.locator("#time .clock")).to_be_hidden()

    def test_a_file_without_a_session_ends_the_command_with_a_reason(self):
        file = self.folder / "empty.txt"
        file.write_text("nothing\n", encoding="utf-8")
        self.assertIn("nothing in", self.iap2("lab", "--headless-check", file, status=65))


class LiveMode(LabTest):
    def peer(self, role):
        """Starts the other role, a head unit with all features. Returns the transport that leads to it."""
        arguments = []
        if role == "headunit":
            profile = self.folder / "profile.yaml"
            profile.write_text("features: all\n", encoding="utf-8")
            arguments = ["--profile", profile]
        peer = Program(COMMAND, role, "--transport", "tcp-listen:127.0.0.1:0", *arguments)
        self.addCleanup(self.stop, peer)
        while line := peer.line():
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                return f"tcp:127.0.0.1:{found[1]}"
        raise AssertionError(f"{role} has no address: {peer.messages()}")

    def stop(self, peer):
        peer.end()
        peer.log.close()

    def meet(self, role, option):
        tab = self.tab(self.lab(option, self.peer(role)))
        tab.expect_entry("IdentificationAccepted")
        expect(tab.page.locator("#phone")).to_contain_text("connected")
        for control in ("#car", "#parts", "#time .controls", "#restart", "#faults .failures", "#recorder [data-save=swift]"):
            expect(tab.page.locator(control)).to_be_hidden()
        return tab

    def test_our_phone_meets_a_head_unit_and_takes_a_step(self):
        tab = self.meet("headunit", "--headunit")
        tab.step("Call comes in")
        tab.expect_entry("CallStateUpdate")
        tab.show_only("step")
        expect(tab.rows("phone call", kind="step")).to_have_count(1)
        tab.send_line("phone: {call")
        tab.expect_note("step:")

    def test_our_head_unit_meets_a_phone_and_takes_a_step(self):
        tab = self.meet("phone", "--phone")
        tab.step("Play or pause")
        tab.show_only("step")
        expect(tab.rows(kind="step")).to_have_count(1)
        file = self.folder / "live.pcapng"
        file.write_bytes(tab.save_bytes("capture"))
        self.assertIn("IdentificationAccepted", self.iap2("decode", file))

    def test_the_loss_of_all_packets_ends_the_link_of_a_live_session(self):
        tab = self.meet("phone", "--phone")
        tab.page.get_by_role("slider", name="loss").press("End")
        expect(tab.page.locator("#phone")).to_contain_text("not connected")
        self.assertIn("faults: {loss: 1}", tab.save_text("yaml"))

    def carplay(self, role, *arguments):
        """Starts the other role with CarPlay sessions and pairings of its own."""
        pairings = self.folder / f"{role}.json"
        peer = Program(COMMAND, role, *arguments, "--carplay", "--pairings", pairings)
        self.addCleanup(self.stop, peer)
        return peer

    def test_the_page_shows_and_touches_the_screen_of_somebody_elses_phone(self):
        address = free_address()
        lab = self.lab("--phone", f"tcp-listen:{address}", "--carplay")
        tab = self.tab(lab)
        self.carplay("phone", "--transport", f"tcp:{address}", "--app", APP)
        tab.wait_for_picture()
        number = tab.picture_number()
        tab.picture().click(position={"x": 200, "y": 150})
        tab.wait_for_picture(number)
        tab.expect_entry("hidSendReport")
        tab.step("Home")
        tab.wait_for_picture(number + 1)
        # The wheel, and keys while the picture has the focus, are steps of the record.
        tab.page.locator("#car .screen").first.focus()
        tab.page.keyboard.press("Enter")
        tab.page.keyboard.press("ArrowUp")
        tab.picture().hover()
        tab.page.mouse.wheel(0, 60)
        lines = tab.page.locator("#recorder .lines li")
        expect(lines).to_have_count(5)
        self.assertEqual([re.search(r"session: {(\w+: -?\w*)", line)[1] for line in lines.locator("code").all_inner_texts()],
                         ["touch: ", "knob: home", "knob: select", "turn: -1", "turn: 1"])
        play = self.folder / "recorded.yaml"
        play.write_text(tab.save_text("yaml"), encoding="utf-8")
        self.assertIn("expect: {headUnit: carPlaySession, values: {state: live}, earlier: true}", play.read_text())
        # The server only passes the pictures on, so the page saves its own.
        self.assertTrue(tab.save_bytes("picture").startswith(b"\x89PNG"))
        file = self.folder / "session.html"
        file.write_text(tab.save_text("html"), encoding="utf-8")
        stored = self.tab(file.as_uri(), offline=True)
        expect(stored.picture()).to_have_attribute("data-picture", "0")
        self.assertNotEqual(stored.page.get_attribute("#ladder", "data-count"), "0")
        tab.page.keyboard.press("?")
        keys = tab.page.locator("dialog.help")
        expect(keys).to_contain_text("Press the knob")
        for wrong in ("Expect a part", "Pause or play", "Plug in"):
            expect(keys).not_to_contain_text(wrong)
        tab.page.keyboard.press("Escape")

    def test_the_page_shows_an_app_in_somebody_elses_head_unit(self):
        address = free_address()
        peer = self.carplay("headunit", "--transport", f"tcp-listen:{address}")
        peer.line()
        tab = self.tab(self.lab("--headunit", f"tcp:{address}", "--app", APP))
        tab.wait_for_picture()
        tab.expect_entry("setRootTemplate")
        tab.show_only("stream")
        expect(tab.rows("screen begins")).to_be_visible()
        self.assertEqual(tab.page.locator("#title").inner_text(), f"head unit at tcp:{address}")

    def test_a_peer_that_is_not_there_yet_is_awaited(self):
        lab = self.lab("--headunit", f"tcp:{free_address()}")
        tab = self.tab(lab)
        expect(tab.page.locator("#phone")).to_contain_text("not connected")
        self.assertEqual(tab.count(), 0)


if __name__ == "__main__":
    unittest.main()
