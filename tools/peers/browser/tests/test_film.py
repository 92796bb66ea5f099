# SPDX-License-Identifier: Apache-2.0
"""A film of the car's screen: the browser records it, and it plays."""

import base64
import re
import unittest

from playwright.sync_api import expect

from tests.lab import REPOSITORY, LabTest

# Plays a film up to its end. Returns its size in pixels, its length, and the spread of the colors of its last picture.
PLAY = """async (text) => {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const video = document.createElement("video");
  video.muted = true;
  video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
  // A recorded film has no length in its head. The browser finds it by a jump to the end.
  await new Promise((done, fail) => { video.onloadeddata = done; video.onerror = () => fail(video.error.message); });
  await new Promise((done) => { video.onseeked = done; video.currentTime = 1e6; });
  const { videoWidth: width, videoHeight: height } = video;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  // On a busy machine the picture comes behind the jump. Until then nothing is drawn.
  const end = performance.now() + 10_000;
  let values;
  do {
    await new Promise((done) => setTimeout(done, 20));
    context.drawImage(video, 0, 0);
    const pixels = context.getImageData(0, 0, width, height).data;
    values = pixels.filter((_, index) => index % 4 != 3);
    if (pixels[3]) break;
  } while (performance.now() < end);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = values.reduce((sum, value) => sum + Math.abs(value - mean), 0) / values.length;
  return [width, height, video.duration, spread];
}"""
MINIMUM_SPREAD = 8


class Film(LabTest):
    def toggle(self, tab):
        return tab.page.get_by_role("button", name="Film")

    def wait_for_film(self, tab):
        """Waits until the film that runs has pictures."""
        expect(self.toggle(tab)).to_have_text(re.compile(r"^Film \d+ s$"))

    def expect_film(self, tab, download):
        """Expects that a downloaded film has pictures of the car's size and no single color."""
        self.assertEqual(download.value.suggested_filename, "screen.webm")
        expect(self.toggle(tab)).to_have_attribute("aria-pressed", "false")
        file = self.folder / "screen.webm"
        download.value.save_as(file)
        # The page's own policy allows no video.
        player = self.tab("about:blank")
        width, height, length, spread = player.page.evaluate(PLAY, base64.b64encode(file.read_bytes()).decode())
        size = tab.picture().evaluate("(canvas) => [canvas.width, canvas.height]")
        self.assertEqual([width, height], size)
        self.assertGreater(length, 0)
        self.assertGreater(spread, MINIMUM_SPREAD, "the last picture has one color")

    def test_a_film_begins_and_ends_with_the_keyboard_and_plays(self):
        tab = self.car()
        toggle = self.toggle(tab)
        expect(toggle).to_have_attribute("aria-pressed", "false")
        toggle.focus()
        tab.page.keyboard.press("Space")
        expect(toggle).to_have_attribute("aria-pressed", "true")
        number = tab.picture_number()
        tab.click_part("Places")
        tab.expect_screen("grid")
        tab.wait_for_picture(number)
        self.wait_for_film(tab)
        toggle.focus()
        with tab.page.expect_download() as download:
            tab.page.keyboard.press("Enter")
        self.expect_film(tab, download)

    def test_a_restart_saves_the_film_that_runs(self):
        tab = self.car()
        self.toggle(tab).click()
        self.wait_for_film(tab)
        with tab.page.expect_download() as download:
            tab.page.click("#restart")
        tab.wait_for_picture()
        self.expect_film(tab, download)

    def test_a_scenario_has_films_and_a_session_without_a_picture_has_none(self):
        tab = self.tab(self.lab())
        tab.wait_for_picture()
        expect(self.toggle(tab)).to_be_visible()
        tab = self.tab(self.lab(REPOSITORY / "captures/real/boya-mini2.txt"))
        expect(tab.rows().first).to_be_visible()
        expect(self.toggle(tab)).to_be_hidden()

    def test_a_browser_without_a_recorder_offers_no_film(self):
        lab = self.app()
        tab = self.tab("about:blank")
        tab.page.add_init_script("delete window.MediaRecorder")
        tab.open(lab.address)
        tab.wait_for_picture()
        expect(tab.page.locator("#recorder [data-save=picture]")).to_be_visible()
        expect(self.toggle(tab)).to_be_hidden()


if __name__ == "__main__":
    unittest.main()
