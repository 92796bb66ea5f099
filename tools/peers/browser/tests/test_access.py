# SPDX-License-Identifier: Apache-2.0
"""The page for everybody: names of controls, contrast, keys, and the sizes of screens."""

import unittest

from playwright.sync_api import expect

from tests.lab import LabTest

MINIMUM_CONTRAST = 4.5
# Visible controls without a name.
NAMELESS = """() => [...document.querySelectorAll(
  "a[href], button, input, select, textarea, summary, [tabindex='0'], [role]")]
  .filter((node) => node.checkVisibility() && !["presentation", "none", "group"].includes(node.role)
    && !(node.ariaLabel || node.textContent.trim() || node.labels?.length || node.title))
  .map((node) => node.outerHTML.slice(0, 160))"""
# The control that has the focus, if another one stands over its middle.
COVERED = """() => {
  const node = document.activeElement;
  const { x, y, width, height } = node.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return node === document.body || node.contains(top) || top?.contains(node) ? [] : [node.outerHTML.slice(0, 160)];
}"""
# Texts whose contrast with what stands behind them is too low.
FAINT = """(minimum) => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const channels = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [red, green, blue] = color.map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (node) => {
    const layers = [];
    for (let place = node; place; place = place.parentElement) {
      const color = channels(getComputedStyle(place).backgroundColor);
      if (color[3]) layers.push(color);
      if (color[3] === 255) break;
    }
    return layers.reverse().reduce((under, color) =>
      under.map((value, index) => value + (color[index] - value) * color[3] / 255), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility({ opacityProperty: true })) continue;
    if (node.closest("noscript, option, script, style, :disabled")) continue;
    const [light, dark] = [luminance(channels(getComputedStyle(node).color)), luminance(behind(node))]
      .sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < minimum) found.push(`${contrast.toFixed(2)} ${node.outerHTML.slice(0, 120)}`);
  }
  return found;
}"""


class Access(LabTest):
    def fill(self, tab):
        """Shows what the page has: a detail, marks, a search, an error, open forms and pointing."""
        tab.step("Unplug unnoticed")
        tab.step("Plug in")
        tab.send_line("tap: nothing")
        tab.expect_note("nothing")
        tab.page.locator("#verbs .all").evaluate("(node) => { node.open = true; }")
        tab.page.locator("#verbs .verb").first.locator("summary").click()
        tab.page.fill("#search", "IdentificationInformation")
        tab.page.press("#search", "Enter")
        expect(tab.page.locator("#detail .field").first).to_be_visible()
        tab.page.locator("#detail .field").nth(3).hover()

    def test_every_control_has_a_name(self):
        tab = self.car()
        self.fill(tab)
        self.assertEqual(tab.page.evaluate(NAMELESS), [])
        tab.page.keyboard.press("Escape")
        tab.page.click("#help")
        self.assertEqual(tab.page.evaluate(NAMELESS), [])

    def test_every_text_has_enough_contrast_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                tab = self.car(color_scheme=scheme, viewport={"width": 1920, "height": 1400}, reduced_motion="reduce")
                self.assertEqual(tab.page.evaluate(FAINT, MINIMUM_CONTRAST), [])
                self.fill(tab)
                self.assertEqual(tab.page.evaluate(FAINT, MINIMUM_CONTRAST), [])
                tab.page.locator("#recorder").get_by_role("button", name="Expect a part").click()
                self.assertEqual(tab.page.evaluate(FAINT, MINIMUM_CONTRAST), [])
                tab.page.click("#help")
                expect(tab.page.locator("dialog.help")).to_be_visible()
                self.assertEqual(tab.page.evaluate(FAINT, MINIMUM_CONTRAST), [])

    def test_the_theme_is_switched_and_stays(self):
        tab = self.car(color_scheme="light")
        tab.page.click("#theme")
        expect(tab.page.locator("html")).to_have_attribute("data-theme", "dark")
        tab.page.reload()
        expect(tab.page.locator("html")).to_have_attribute("data-theme", "dark")

    def test_the_tab_key_reaches_every_control_of_the_page(self):
        tab = self.car()
        reached = set()
        for _ in range(300):
            tab.page.keyboard.press("Tab")
            name = tab.page.evaluate("document.activeElement === document.body ? null : document.activeElement.closest"
                                     "('section, header')?.id || document.activeElement.tagName")
            if name is None:
                break
            reached.add(name)
        self.assertLessEqual({"top", "car", "verbs", "parts", "faults", "recorder", "ladder"}, reached)

    def test_no_control_with_the_focus_is_under_another_one(self):
        for width in (1600, 1920):
            with self.subTest(width=width):
                tab = self.car(viewport={"width": width, "height": 1000}, reduced_motion="reduce")
                tab.page.locator("#recorder button").last.focus()
                covered = []
                for _ in range(80):
                    tab.page.keyboard.press("Shift+Tab")
                    covered += tab.page.evaluate(COVERED)
                self.assertEqual(covered, [])

    def test_nothing_is_cut_off_from_small_to_large_screens(self):
        lab = self.app()
        for width, height in ((1024, 700), (1440, 900), (1920, 1080), (3840, 2160)):
            with self.subTest(width=width):
                tab = self.tab(lab, viewport={"width": width, "height": height})
                tab.wait_for_picture()
                self.assertEqual(tab.page.evaluate(
                    "[document.documentElement.scrollWidth, document.body.scrollHeight]"), [width, height])
                for panel in ("#car", "#ladder", "#time", "#menu"):
                    place = tab.page.locator(panel).bounding_box()
                    self.assertGreaterEqual(place["x"], 0, panel)
                    self.assertLessEqual(place["x"] + place["width"], width, panel)
                    self.assertGreater(place["width"], 100, panel)

    def test_motion_is_reduced_for_those_who_want_it(self):
        tab = self.car(reduced_motion="reduce")
        moving = tab.page.evaluate("""() => [...document.querySelectorAll("*")].filter((node) =>
          getComputedStyle(node).transitionDuration.split(",").some((time) => parseFloat(time) > 0)).length""")
        self.assertEqual(moving, 0)


if __name__ == "__main__":
    unittest.main()
