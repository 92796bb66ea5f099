// swift-iap2 · Apache-2.0
// The tree of parts of the screen. An index counts the parts with the outer ones first.

import { element, icon, inFrame, rovingFocus, set, shortened } from "lab/dom";

/** The maximum number of parts in the tree. */
const limit = 2000;

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
    const key = screen ? JSON.stringify(screen) : "";
    if (key === last) return;
    last = key;
    const focused = document.activeElement?.closest?.("#parts .part")?.dataset.part;
    const counter = { count: 0 };
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

function item(part, counter, level) {
  const { kind, title, detail, marks, children } = part;
  const isCut = part.cut === true || typeof part.cut === "string";
  const words = [
    part.focused && "focus", part.selected && "selected", part.spinner && "spinner", part.enabled === false && "disabled",
    ...(Array.isArray(marks) ? marks.slice(0, 12).map((mark) => (typeof mark === "string" ? mark : JSON.stringify(mark))) : []),
  ].filter(Boolean);
  // The reason of a cut is shown if the server knows one.
  const reason = typeof part.cut === "string" ? part.cut : typeof part.why === "string" ? part.why : "does not fit";
  const line = element("div", { class: `part${part.enabled === false ? " disabled" : ""}`, "data-part": counter.count,
    tabindex: -1, role: "treeitem", "aria-level": level },
  element("span", { class: "kind" }, shortened(String(kind ?? "part"), 40)),
  title ? element("bdi", { class: "title" }, shortened(String(title), 200)) : null,
  detail ? element("bdi", { class: "more" }, shortened(String(detail), 200)) : null,
  ...words.map((word) => element("span", { class: "chip" }, shortened(word, 40))),
  isCut ? element("span", { class: "chip warning" }, icon("cut"), `cut: ${shortened(reason, 120)}`) : null);
  counter.count += 1;
  const inner = [];
  for (const child of Array.isArray(children) ? children : []) {
    if (counter.count >= limit || level > 40) break;
    if (child && typeof child === "object") inner.push(item(child, counter, level + 1));
  }
  return element("li", { role: "none" }, line, inner.length ? element("ul", { role: "group" }, ...inner) : null);
}
