// swift-iap2 · Apache-2.0
// Forms made from the description of a verb's arguments.

import { element, shortened } from "lab/dom";

/** Creates the inputs of a verb's arguments, and a function that returns their values without those left empty. */
export function form(verb) {
  const ordered = [...verb.arguments].sort((a, b) => (b.name === verb.main) - (a.name === verb.main));
  const inputs = ordered.map((argument) => ({ argument, ...input(argument) }));
  const fields = inputs.map(({ argument, node, isGroup }) => element(isGroup ? "fieldset" : "label", { class: "field" },
    element(isGroup ? "legend" : "span", {}, argument.name, argument.isRequired ? element("abbr", { title: "required" }, " *") : null),
    node, argument.summary ? element("small", {}, shortened(argument.summary, 300)) : null));
  return { fields, values: () => Object.fromEntries(inputs.map(({ argument, value }) => [argument.name, value()])
    .filter(([, value]) => value !== undefined)) };
}

function input({ name, type, isRequired, choices, minimum, maximum }) {
  if (type === "flag") {
    const node = select(isRequired, ["true", "false"], { true: "yes", false: "no" });
    return { node, value: () => (node.value === "" ? undefined : node.value === "true") };
  }
  if (type === "choice") {
    const node = select(isRequired, choices);
    return { node, value: () => node.value || undefined };
  }
  if (type === "choices") {
    const boxes = choices.map((choice) => element("input", { type: "checkbox", value: choice }));
    const node = element("div", { class: "boxes" }, ...boxes.map((box, index) => element("label", {}, box, choices[index])));
    return { node, isGroup: true, value: () => {
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      return chosen.length || isRequired ? chosen : undefined;
    } };
  }
  if (type === "whole" || type === "number") {
    const node = element("input", { type: "number", name, min: minimum, max: maximum, required: isRequired,
      step: type === "whole" ? 1 : "any" });
    return { node, value: () => (node.value === "" ? undefined : Number(node.value)) };
  }
  const node = element("input", { type: "text", name, required: isRequired, autocomplete: "off", spellcheck: "false" });
  return { node, value: () => (node.value === "" && !isRequired ? undefined : node.value) };
}

function select(isRequired, values, names = {}) {
  return element("select", { required: isRequired }, isRequired ? null : element("option", { value: "" }, "–"),
    ...values.map((value) => element("option", { value }, names[value] ?? value)));
}
