// swift-iap2 · Apache-2.0
// Keys of the page and of the car, and the list of them.

import { button, element, keyName } from "lab/dom";
import { isOffered, isWanted, quick } from "lab/verbs";

/** Keys of the page. They act outside of text fields, and while the car does not have the focus. One with an ability or a
 * panel is for sessions that have it. */
const pageKeys = [
  { key: "c", label: "Go to the car", request: "car", panel: "car" },
  { key: "g", label: "Follow new messages, or stop following", request: "follow" },
  { key: "j", label: "Go to the messages", request: "ladder" },
  { key: ":", label: "Write a step in the words of scenarios", request: "line", ability: "lines" },
  { key: "/", label: "Search", request: "search" },
  { key: "f", label: "Filter", request: "filter" },
  { key: "e", label: "Expect a part of the screen", request: "expect", ability: "point" },
  { key: " ", label: "Pause or play", request: "toggleTime", ability: "time" },
  { key: ".", label: "Step to the next event", request: "step", ability: "time" },
  { key: "[", label: "Slower", request: "slower", ability: "time" },
  { key: "]", label: "Faster", request: "faster", ability: "time" },
  { key: "?", label: "Show this list", request: "help" },
  { key: "Escape", label: "Close the detail, end pointing", request: "escape" },
];

/** Keys of the car with the same meaning as another one. */
const synonyms = { ArrowLeft: "ArrowUp", ArrowRight: "ArrowDown", Escape: "Backspace", ",": "<", ".": ">" };
const directions = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;
const contains = (part, kind) => Boolean(part) && (part.kind === kind
  || (Array.isArray(part.children) && part.children.some((child) => contains(child, kind))));

/** Sends the verb of a key while the car has the focus. Arrow keys move a map that shows its panning buttons. */
export function carKeys(event, lab) {
  if (hasModifier(event) || event.target !== event.currentTarget || event.key === "?") return;
  if (event.key === "Escape" && event.target.classList.contains("pointing")) return;
  const direction = directions[event.key];
  if (direction && lab.hasVerb("panButton") && contains(lab.state?.screen, "pan button")) {
    lab.verb("panButton", { direction });
  } else {
    const key = synonyms[event.key] ?? event.key;
    const line = lab.lineOf(key);
    const item = line ? null : quick.find((candidate) => candidate.key === key && isOffered(candidate, lab) && isWanted(candidate, lab));
    if (line) lab.line(line.text);
    else if (item) lab.verb(item.verb, item.values?.());
    else return;
  }
  event.preventDefault();
  event.stopPropagation();
}

export function keys(lab) {
  const isHere = ({ ability, panel }) => (!ability || lab.can(ability)) && !(panel && document.getElementById(panel).hidden);

  function help() {
    const row = (key, label) => element("div", {}, element("dt", {}, ...key.map((name) => element("kbd", {}, keyName(name)))),
      element("dd", {}, label));
    const known = [...(lab.can("lines") ? lab.hello.lines : []), ...quick.filter((item) => isOffered(item, lab))];
    const offered = Map.groupBy(known.filter((item) => item.key), (item) => item.key);
    const carRows = [...offered].map(([key, items]) => row([key, ...Object.keys(synonyms).filter((other) => synonyms[other] === key)],
      items.map((item) => item.label).join(", ")));
    const dialog = element("dialog", { class: "help", "aria-label": "Keys", close: () => dialog.remove() },
      element("header", {}, element("h2", {}, "Keys"), button("Close", () => dialog.close(), { symbol: "close", isBare: true })),
      element("div", { class: "columns" },
        element("section", {}, element("h3", {}, "Page"), element("dl", {},
          ...pageKeys.filter(isHere).map(({ key, label }) => row([key], label)),
          row(["Tab"], "Go to the next control"))),
        element("section", {}, element("h3", {}, "Messages, parts, fields, bytes"), element("dl", {},
          row(["ArrowUp", "ArrowDown"], "Go to the previous or next one"), row(["Home", "End"], "Go to the first or last message"),
          row(["Enter"], "Next match in the search"), row(["Shift", "Enter"], "Previous match"),
          row(["ArrowLeft", "ArrowRight"], "Go from byte to byte, or move a border between panels"))),
        carRows.length ? element("section", {}, element("h3", {}, "Car, while it has the focus"), element("dl", {}, ...carRows)) : null));
    document.body.append(dialog);
    dialog.showModal();
  }

  document.getElementById("help").addEventListener("click", help);
  document.addEventListener("keydown", (event) => {
    if (hasModifier(event) || document.querySelector("dialog[open]")) return;
    const { target } = event;
    const isText = target.matches("textarea, select, input:not([type=checkbox], [type=range])");
    if (isText) {
      if (event.key === "Escape" && target.value === "") target.blur();
      return;
    }
    if (event.key === " " && target.matches("button, summary, input")) return;
    const item = pageKeys.find((candidate) => candidate.key === event.key && isHere(candidate));
    if (!item) return;
    event.preventDefault();
    lab.emit({ type: "request", name: item.request });
  });

  return {
    request({ name }) {
      if (name === "help") help();
      if (name === "car") document.querySelector("#car .screen").focus();
    },
  };
}
