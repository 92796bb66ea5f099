// swift-iap2 · Apache-2.0
// The recorder: lines of what the user did, expectations taken from the screen, and files of the session.

import { button, bytesOfBase64, download, element, inFrame, set, shortened } from "lab/dom";
import { film } from "lab/film";
import { saveStill, withStill } from "lab/still";

const files = [["yaml", "Scenario (YAML)"], ["swift", "Swift test"], ["capture", "Capture (pcapng)"], ["picture", "Picture"],
  ["html", "Session (HTML)"]];

export function recorder(body, lab) {
  const panel = body.parentElement;
  const point = button("Expect a part", () => setPointing(!isPointing),
    { symbol: "point", key: "e", "aria-pressed": "false", title: "Point at a part of the screen that a test expects" });
  const forget = button("Forget all", () => lab.send({ do: "forget" }));
  panel.querySelector(".tools").append(point, forget);
  const hint = element("p", { class: "hint", hidden: true, role: "status" },
    "Click a part on the picture or in the tree. Escape ends pointing.");
  const list = element("ol", { class: "lines", "aria-label": "Recorded lines" });
  const empty = element("p", { class: "empty" }, "Everything that you do is recorded here.");
  const saves = element("div", { class: "saves", role: "group", "aria-label": "Save" },
    ...files.map(([what, label]) => button(label, () => save(what), { symbol: "save", "data-save": what })));
  const earlier = element("div", { class: "saves earlier", role: "group", "aria-label": "Save what was recorded before the restart" },
    element("small"), ...files.slice(0, 2).map(([what, label]) =>
      button(label, () => lab.send({ do: "save", what, earlier: true }), { symbol: "save" })));
  const { toggle, ...screenFilm } = film();
  saves.append(toggle);
  body.append(hint, empty, list, saves, earlier);
  const name = panel.querySelector(".collapse").lastChild;
  let isPointing = false;
  /** The lines in the list. */
  let shown = [];

  /** Whether only the page has the pictures of this session. */
  const ownsPictures = () => !lab.hello.isStored && !lab.hello.saves.includes("picture");

  function save(what) {
    if (what === "picture" && ownsPictures()) saveStill();
    else lab.send({ do: "save", what });
  }

  function setPointing(isOn) {
    if (!lab.can("point")) return;
    isPointing = isOn;
    point.setAttribute("aria-pressed", String(isOn));
    hint.hidden = !isOn;
    lab.emit({ type: "pointing", isOn });
    if (!isOn) lab.emit({ type: "outline", part: null });
  }

  const item = (line) => {
    const node = element("li", { class: line.isExpectation ? "expectation" : null },
      element("code", { dir: "auto" }, shortened(line.text, 500)),
      button(`Remove line ${list.children.length + 1}`, () => lab.send({ do: "unrecord", index: [...list.children].indexOf(node) }),
        { symbol: "close", isBare: true }));
    return node;
  };

  const draw = inFrame(() => {
    const lines = lab.state?.recorded ?? [];
    empty.hidden = lines.length > 0 || !lab.can("record");
    forget.disabled = lines.length === 0;
    // A line has been added to the others as a rule, and a record may be long: equal lines keep their nodes.
    const isEqual = (line, index) => line.text === shown[index]?.text && line.isExpectation === shown[index]?.isExpectation;
    const change = lines.findIndex((line, index) => !isEqual(line, index));
    const kept = change < 0 ? lines.length : change;
    while (list.children.length > kept) list.lastChild.remove();
    for (const line of lines.slice(kept)) list.append(item(line));
    // Behind the frame, the height costs no layout.
    if (lines.length > shown.length) setTimeout(() => { list.scrollTop = list.scrollHeight; });
    shown = lines;
  });

  return {
    hello() {
      const offered = lab.hello.isStored ? [] : lab.hello.saves;
      panel.hidden = !lab.can("record") && offered.length === 0;
      point.hidden = !lab.can("point");
      for (const node of [forget, list]) node.hidden = !lab.can("record");
      saves.hidden = offered.length === 0;
      const { earlierLines } = lab.hello;
      earlier.hidden = lab.hello.isStored || earlierLines === 0;
      set(earlier.firstChild, "textContent", `Recorded before the restart: ${earlierLines} ${earlierLines === 1 ? "line" : "lines"}`);
      name.data = lab.can("record") ? panel.dataset.name : "Save";
      panel.setAttribute("aria-label", name.data);
      screenFilm.end();
      screenFilm.show(false);
      for (const node of saves.querySelectorAll("[data-save]")) {
        node.hidden = !offered.includes(node.dataset.save);
      }
      shown = [];
      list.replaceChildren();
      setPointing(false);
      draw();
    },
    state(state) {
      if (state.end !== null) screenFilm.end();
      draw();
    },
    picture({ display }) {
      if (display !== 0) return;
      screenFilm.show(true);
      if (ownsPictures()) set(saves.querySelector("[data-save=picture]"), "hidden", false);
    },
    connection({ state }) {
      if (state === "lost") screenFilm.end();
    },
    pick({ part }) {
      lab.send({ do: "expect", part });
      setPointing(false);
    },
    request({ name }) {
      if (name === "expect") setPointing(!isPointing);
      if (name === "escape" && isPointing) setPointing(false);
    },
    file({ name, text, base64 }) {
      showFile({ name, text: name.endsWith(".html") && ownsPictures() ? withStill(text) : text, base64 });
    },
  };
}

/** Shows a text with a button that saves it; saves bytes at once. */
function showFile({ name, text, base64 }) {
  if (base64 !== undefined) {
    download(name, bytesOfBase64(base64), "application/octet-stream");
    return;
  }
  const isPage = name.endsWith(".html");
  const save = button("Download", () => download(name, text, isPage ? "text/html" : "text/plain"), { symbol: "save", class: "primary" });
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(text);
    copy.lastChild.textContent = "Copied";
  });
  const dialog = element("dialog", { class: "file", "aria-label": name, close: () => dialog.remove() },
    element("header", {}, element("h2", {}, name), copy, save, button("Close", () => dialog.close(), { symbol: "close", isBare: true })),
    element("pre", { tabindex: 0 }, isPage ? `A page of ${text.length} characters that shows this session offline.` : shortened(text, 200_000)));
  document.body.append(dialog);
  dialog.showModal();
  save.focus();
}
