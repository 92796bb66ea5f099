# SPDX-License-Identifier: Apache-2.0
"""The server of the page: its addresses, files for several pages, and filters that would take for ever."""

import json
import os
import socket
import stat
import time
import unittest
from pathlib import Path

from playwright.sync_api import expect

from tests.lab import COMMAND, ENVIRONMENT, LIMIT, LabTest, Program

# A program in place of xdg-open. It keeps what a browser would get.
OPEN = """#!/bin/sh
cp -p "$1" "$OPENED.file"
printf '%s' "$1" > "$OPENED.new"
mv "$OPENED.new" "$OPENED"
"""


class Addresses(LabTest):
    def test_a_server_on_all_interfaces_prints_addresses_that_open_the_page(self):
        lab = Program(COMMAND, "lab", "--headless-check", "--listen", "0.0.0.0:0")
        self.addCleanup(self.end, lab)
        addresses = json.loads(lab.line())["addresses"]
        self.assertTrue(addresses[0].startswith("http://127.0.0.1:"), addresses)
        self.assertFalse([address for address in addresses if "0.0.0.0" in address])
        for address in addresses:
            with self.subTest(address=address):
                # Another address than that of this machine has no decoder of H.264, so the page gets PNG. The browser
                # reports that it ignores a header there.
                tab = self.tab(address, may_report=("Cross-Origin-Opener-Policy",))
                expect(tab.page.locator("html")).to_have_attribute("data-state", "open")
                tab.wait_for_picture()

    def test_the_program_that_opens_the_page_gets_a_private_file_without_the_secret_in_its_name(self):
        program, opened = self.folder / "xdg-open", self.folder / "opened"
        program.write_text(OPEN, encoding="utf-8")
        program.chmod(0o700)
        ENVIRONMENT["OPENED"] = str(opened)
        ENVIRONMENT["PATH"] = f"{self.folder}:{os.environ['PATH']}"
        self.addCleanup(ENVIRONMENT.update, PATH=os.environ["PATH"])
        lab = self.lab("--open")
        deadline = time.monotonic() + LIMIT
        while not opened.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        path, copy = Path(opened.read_text(encoding="utf-8")), Path(f"{opened}.file")
        self.assertNotIn(lab.secret, str(path))
        self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o600)
        self.assertTrue(path.exists())
        page = self.folder / "opened.html"
        copy.rename(page)
        tab = self.tab(page.as_uri())
        expect(tab.page.locator("html")).to_have_attribute("data-state", "open")
        self.assertFalse(path.exists())


class Pages(LabTest):
    def test_two_pages_that_save_at_once_get_their_own_files(self):
        lab = self.app()
        one, other = self.tab(lab), self.tab(lab)
        for tab in (one, other):
            tab.wait_for_picture()
        with one.page.expect_download() as capture, other.page.expect_download() as picture:
            one.page.evaluate("() => document.querySelector('#recorder [data-save=capture]').click()")
            other.page.evaluate("() => document.querySelector('#recorder [data-save=picture]').click()")
            other.page.evaluate("() => document.querySelector('#recorder [data-save=yaml]').click()")
        self.assertEqual(capture.value.suggested_filename, "session.pcapng")
        self.assertEqual(picture.value.suggested_filename, "screen.png")
        expect(other.page.locator("dialog.file")).to_have_attribute("aria-label", "recorded.yaml")
        expect(one.page.locator("dialog.file")).to_have_count(0)


    def test_a_page_too_many_is_told_so_and_opens_when_another_one_closes(self):
        lab = self.app()
        tabs = [self.tab(lab) for _ in range(8)]
        tabs[0].wait_for_picture()
        extra = self.tab("about:blank")
        extra.page.goto(lab.address)
        expect(extra.page.locator("#lost")).to_contain_text("too many pages are open")
        tabs[0].page.close()
        expect(extra.page.locator("html")).to_have_attribute("data-state", "open")
        expect(extra.page.locator("#lost")).to_be_hidden()

    def test_connections_of_other_programs_keep_no_page_out(self):
        lab = self.app()
        idle = [socket.create_connection(("127.0.0.1", lab.port)) for _ in range(600)]
        self.addCleanup(lambda: [connection.close() for connection in idle])
        self.tab(lab).wait_for_picture()


class Filters(LabTest):
    def test_a_pattern_that_could_take_for_ever_is_refused_with_its_reason(self):
        tab = self.car()
        tab.page.fill("#filter", 'text ~ "(a+)+b"')
        expect(tab.page.locator("#ladder .problem")).to_contain_text("repeated group")
        tab.page.fill("#filter", 'message ~ "Ident.*Info"')
        expect(tab.page.locator("#ladder .problem")).to_be_hidden()
        tab.show_only("message")
        expect(tab.rows("IdentificationInformation")).not_to_have_count(0)
        expect(tab.rows("Authentication")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
