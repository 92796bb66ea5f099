// swift-iap2 · Apache-2.0
// Steps in the words of scenarios: buttons for those that fit this session, and a field for any other one.

import { button, element, icon, keyName, shortened } from "lab/dom";

/** A step that each mode takes, as an example in the empty field. */
const examples = { car: "unplug: {noticed: false}", other: 'phone: {call: {name: Ann, number: "1"}}' };

/** The maximum number of steps that the field keeps, and the longest step in bytes, as the server has it. */
const historyLimit = 100;
const maximumLine = 4096;

export function lines(body, lab) {
  const bar = element("div", { class: "steps", role: "toolbar", "aria-label": "Steps that fit this session" });
  const field = element("input", { type: "text", id: "line", "aria-label": "A step in the words of scenarios",
    title: "A step in the words of scenarios (:). Up and Down show earlier ones.", spellcheck: "false", autocomplete: "off",
    autocapitalize: "off" });
  const entry = element("form", { class: "line", submit }, element("label", { for: "line" }, "A step in the words of scenarios"), field,
    element("button", { class: "primary", type: "submit" }, icon("play"), "Send"));
  // The list of all steps, which may be long, comes last.
  body.lastElementChild.before(bar, entry);
  const history = [];
  /** The place in the history of the text that the field shows. The end is the new text. */
  let place = 0;
  let draft = "";

  function submit(event) {
    event.preventDefault();
    const text = field.value.trim();
    if (text === "") return;
    if (new TextEncoder().encode(text).length > maximumLine) {
      lab.emit({ type: "note", level: "warning", text: `A step is one line of at most ${maximumLine} bytes.` });
      return;
    }
    lab.line(text);
    if (history.at(-1) !== text) history.push(text);
    if (history.length > historyLimit) history.shift();
    place = history.length;
    draft = "";
    field.value = "";
  }

  field.addEventListener("keydown", (event) => {
    const change = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const next = place + change;
    if (!change || next < 0 || next > history.length) return;
    event.preventDefault();
    if (place === history.length) draft = field.value;
    place = next;
    field.value = history[place] ?? draft;
  });

  return {
    hello(hello) {
      bar.hidden = hello.lines.length === 0;
      bar.replaceChildren(...hello.lines.map(({ label, text, summary, key }) => button(shortened(label, 60), () => lab.line(text),
        { title: shortened(summary ? `${summary} ${text}` : text, 400), key, "aria-keyshortcuts": key ? keyName(key) : null })));
      entry.hidden = !lab.can("lines");
      field.placeholder = examples[hello.mode] ?? examples.other;
    },
    request({ name }) {
      if (name === "line" && lab.can("lines")) field.focus();
    },
  };
}
