// swift-iap2 · Apache-2.0
// The tree of parts of the screen. An index counts the parts with the outer ones first.

import { element, icon, inFrame, rovingFocus, set, shortened } from "lab/dom";

/** The maximum number of parts in the tree. */
const limit = 2000;
/** The maximum number of reports beside a part. */
const reportLimit = 8;

export function parts(body, lab) {
  const panel = body.parentElement;
  const tree = element("ul", { class: "tree", role: "tree", "aria-label": "Parts of the screen" });
  const empty = element("p", { class: "empty" }, "The screen has no parts.");
  body.append(empty, tree);
  rovingFocus(tree, ".part");
  let last = "";
  let outlined = null;
  let isPointing = false;

  const numberOf = (event) => {
    const node = event.target.closest?.(".part");
    return node ? Number(node.dataset.part) : null;
  };
  const outline = (part) => {
    if (part !== outlined) lab.emit({ type: "outline", part });
  };
  tree.addEventListener("pointerover", (event) => outline(numberOf(event)));
  tree.addEventListener("pointerleave", () => outline(null));
  tree.addEventListener("focusin", (event) => outline(numberOf(event)));
  tree.addEventListener("focusout", () => outline(null));
  tree.addEventListener("click", (event) => pick(numberOf(event)));
  tree.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    pick(numberOf(event));
  });
  function pick(part) {
    if (part !== null && isPointing) lab.emit({ type: "pick", part });
  }

  const draw = inFrame(() => {
    const screen = lab.state?.screen ?? null;
    const reports = lab.state?.reports ?? new Map();
    const key = screen ? JSON.stringify([screen, ...reports]) : "";
    if (key === last) return;
    last = key;
    const focused = document.activeElement?.closest?.("#parts .part")?.dataset.part;
    const counter = { count: 0, reports };
    tree.replaceChildren(...(screen ? [item(screen, counter, 1)] : []));
    empty.hidden = screen !== null;
    empty.textContent = lab.hello?.isStored ? "The tree of parts is stored for the end of the session only." : "The screen has no parts.";
    const kept = focused && tree.querySelector(`[data-part="${CSS.escape(focused)}"]`);
    (kept || tree.querySelector(".part"))?.setAttribute("tabindex", "0");
    if (kept) kept.focus();
  });

  return {
    hello() {
      last = "-";
      draw();
    },
    state(state) {
      set(panel, "hidden", state.screen === null && !lab.hello?.isStored && lab.hello?.mode !== "car");
      draw();
    },
    outline({ part }) {
      outlined = part;
      tree.querySelector(".chosen")?.classList.remove("chosen");
      const node = part === null ? null : tree.querySelector(`[data-part="${part}"]`);
      node?.classList.add("chosen");
      if (isPointing) node?.scrollIntoView({ block: "nearest" });
    },
    pointing({ isOn }) {
      isPointing = isOn;
      tree.classList.toggle("pointing", isOn);
    },
  };
}

const warning = (text) => element("span", { class: "chip warning" }, icon("cut"), shortened(text, 200));

/** Returns what the car reports about a part: what is cut, how the car shows it, what helps, and where the app does it. */
function why({ kind, what, carShows, remedy, place }, isCut) {
  const lines = [["the car", carShows], ["remedy", remedy], ["at", place]].filter(([, text]) => text);
  return element("div", { class: "why" }, warning(`${isCut && kind === "text" ? "cut" : kind}: ${what}`),
    ...lines.map(([name, text]) => element("small", {}, `${name}: `, element("bdi", {}, shortened(text, 400)))));
}

function item(part, counter, level) {
  const { kind, title, detail, marks, children } = part;
  const isCut = part.cut === true;
  const words = [
    part.focused && "focus", part.selected && "selected", part.spinner && "spinner", part.enabled === false && "disabled",
    ...(Array.isArray(marks) ? marks.slice(0, 12).map((mark) => (typeof mark === "string" ? mark : JSON.stringify(mark))) : []),
  ].filter(Boolean);
  const reports = counter.reports.get(counter.count) ?? [];
  // Texts of the system itself are cut without a report.
  const isExplained = !isCut || reports.length > 0;
  const line = element("div", { class: `part${part.enabled === false ? " disabled" : ""}`, "data-part": counter.count,
    tabindex: -1, role: "treeitem", "aria-level": level },
  element("span", { class: "kind" }, shortened(String(kind ?? "part"), 40)),
  title ? element("bdi", { class: "title" }, shortened(String(title), 200)) : null,
  detail ? element("bdi", { class: "more" }, shortened(String(detail), 200)) : null,
  ...words.map((word) => element("span", { class: "chip" }, shortened(word, 40))),
  isExplained ? null : warning("cut: does not fit"),
  ...reports.slice(0, reportLimit).map((report) => why(report, isCut)));
  counter.count += 1;
  const inner = [];
  for (const child of Array.isArray(children) ? children : []) {
    if (counter.count >= limit || level > 40) break;
    if (child && typeof child === "object") inner.push(item(child, counter, level + 1));
  }
  return element("li", { role: "none" }, line, inner.length ? element("ul", { role: "group" }, ...inner) : null);
}
