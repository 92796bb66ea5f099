// swift-iap2 · Apache-2.0
// The recorder: lines of what the user did, expectations taken from the screen, and files of the session.

import { button, bytesOfBase64, download, element, inFrame, shortened } from "lab/dom";

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
    ...files.map(([what, label]) => button(label, () => lab.send({ do: "save", what }), { symbol: "save", "data-save": what })));
  body.append(hint, empty, list, saves);
  const name = panel.querySelector(".collapse").lastChild;
  let isPointing = false;
  let last = "";

  function setPointing(isOn) {
    if (!lab.can("record")) return;
    isPointing = isOn;
    point.setAttribute("aria-pressed", String(isOn));
    hint.hidden = !isOn;
    lab.emit({ type: "pointing", isOn });
    if (!isOn) lab.emit({ type: "outline", part: null });
  }

  const draw = inFrame(() => {
    const lines = lab.state?.recorded ?? [];
    const key = JSON.stringify(lines);
    if (key === last) return;
    const isLonger = list.children.length < lines.length;
    last = key;
    empty.hidden = lines.length > 0 || !lab.can("record");
    forget.disabled = lines.length === 0;
    list.replaceChildren(...lines.map((line, index) => element("li", { class: line.isExpectation ? "expectation" : null },
      element("code", { dir: "auto" }, shortened(line.text, 500)),
      button(`Remove line ${index + 1}`, () => lab.send({ do: "unrecord", index }), { symbol: "close", isBare: true }))));
    if (isLonger) list.scrollTop = list.scrollHeight;
  });

  return {
    hello() {
      panel.hidden = !lab.can("record") && !lab.can("save");
      for (const node of [point, forget, list]) node.hidden = !lab.can("record");
      saves.hidden = !lab.can("save");
      name.data = lab.can("record") ? panel.dataset.name : "Save";
      panel.setAttribute("aria-label", name.data);
      for (const node of saves.children) {
        node.hidden = !lab.can("record") && ["yaml", "swift", "picture"].includes(node.dataset.save);
      }
      last = "";
      setPointing(false);
      draw();
    },
    state: draw,
    pick({ part }) {
      lab.send({ do: "expect", part });
      setPointing(false);
    },
    request({ name }) {
      if (name === "expect") setPointing(!isPointing);
      if (name === "escape" && isPointing) setPointing(false);
    },
    file: showFile,
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
