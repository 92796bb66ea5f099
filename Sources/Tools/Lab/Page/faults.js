// swift-iap2 · Apache-2.0
// Faults: the failures of the field, and the switches, chances and values that can be changed while the session runs.

import { button, element, inFrame, set, shortened } from "lab/dom";
import { failureList } from "lab/failures";

/** Milliseconds without a move after which a slider rests, and after a move in which the server answers. */
const restTime = 150;
const answerTime = 600;

const percent = (value) => `${Math.round(value * 100)} %`;

/** Returns a value in words. A value without a unit is a share. */
function words(value, unit) {
  if (value === 0) return "off";
  return unit ? `${value.toLocaleString("en")} ${unit}` : percent(value);
}

const isOn = (value) => value === true || (typeof value === "number" && value !== 0);

export function faults(body, lab) {
  const panel = body.parentElement;
  const count = element("span", { class: "count" });
  const clear = button("All off", () => {
    const values = lab.hello.faults.filter(({ name }) => isOn(lab.state?.faults[name]))
      .map(({ name, kind }) => [name, kind === "flag" ? false : 0]);
    if (values.length) send(values);
    failures.clear();
  });
  panel.querySelector(".tools").append(count, clear);
  const search = element("input", { type: "search", placeholder: "Find a fault", "aria-label": "Find a fault" });
  const failures = failureList(lab);
  const heading = element("h3", {}, "Switches and chances");
  const list = element("div", { class: "faults" });
  const switches = element("section", { "aria-label": "Switches and chances" }, heading, list);
  body.append(search, failures.node, switches);
  let rows = [];

  /** Sends values by name: as a step of the car, or as a line of a scenario. */
  function send(values) {
    if (lab.hello.mode === "car") lab.verb("faults", Object.fromEntries(values));
    else lab.send({ do: "line", text: `faults: {${values.map(([name, value]) => `${name}: ${value}`).join(", ")}}` });
  }

  /** Creates a slider. A position of it has a value, and a value has its nearest position. */
  function slider(label, { maximum, step, valueOf, positionOf, textOf }, change) {
    const output = element("output");
    const input = element("input", { type: "range", min: 0, max: maximum, step, "aria-label": label });
    const show = (value) => {
      set(output, "value", textOf(value));
      input.setAttribute("aria-valuetext", output.value);
    };
    let timer = null;
    let movedAt = -Infinity;
    input.addEventListener("input", () => {
      show(valueOf(Number(input.value)));
      movedAt = performance.now();
      clearTimeout(timer);
      // Each change is a step of the record, so only the place where the slider rests is one.
      timer = setTimeout(() => change(valueOf(Number(input.value))), restTime);
      setTimeout(draw, answerTime);
    });
    const update = (value) => {
      // A slider that is being moved shows the user's value, until the server has answered.
      if (input.matches(":active") || performance.now() - movedAt < answerTime) return;
      set(input, "value", String(positionOf(value)));
      show(value);
    };
    return { input, output, update };
  }

  function toggle(label, change) {
    const input = element("input", { type: "checkbox", role: "switch", "aria-label": label, change: () => change(input.checked) });
    return { input, output: null, update: (value) => set(input, "checked", value === true) };
  }

  function control({ name, kind, values, unit }) {
    const change = (value) => send([[name, value]]);
    if (kind === "flag") return toggle(name, change);
    if (kind === "chance") {
      return slider(name, { maximum: 1, step: 0.05, valueOf: (place) => place, positionOf: (value) => value, textOf: percent }, change);
    }
    const distance = (value, place) => Math.abs(values[place] - value);
    const nearest = (value) => values.reduce((best, _, place) => (distance(value, place) < distance(value, best) ? place : best), 0);
    return slider(name, { maximum: values.length - 1, step: 1, valueOf: (place) => values[place], positionOf: nearest,
      textOf: (value) => words(value, unit) }, change);
  }

  function row(fault) {
    const { input, output, update } = control(fault);
    const node = element("label", { class: "fault", "data-fault": fault.name },
      element("span", { class: "about" }, element("b", {}, fault.name), element("small", {}, shortened(fault.summary, 400))),
      input, output);
    return { name: fault.name, node, update };
  }

  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const { node } of rows) node.hidden = !node.textContent.toLowerCase().includes(wanted);
    set(switches, "hidden", !rows.some(({ node }) => !node.hidden));
    failures.find(wanted);
  });

  const draw = inFrame(() => {
    const { state } = lab;
    if (!state) return;
    let active = failures.draw();
    for (const { name, node, update } of rows) {
      const value = ["number", "boolean"].includes(typeof state.faults[name]) ? state.faults[name] : 0;
      node.classList.toggle("on", isOn(value));
      if (isOn(value)) active += 1;
      update(value);
    }
    set(count, "textContent", active ? `${active} on` : "");
  });

  return {
    hello(hello) {
      const isOffered = (lab.can("input") || lab.can("lines")) && !hello.isStored;
      panel.hidden = !isOffered || hello.faults.length + hello.failures.length === 0;
      search.hidden = hello.faults.length + hello.failures.length < 8;
      search.value = "";
      failures.hello(isOffered ? hello.failures : [], hello.mode);
      rows = hello.faults.map(row);
      switches.hidden = rows.length === 0;
      heading.hidden = hello.failures.length === 0;
      list.replaceChildren(...rows.map(({ node }) => node));
      draw();
    },
    state: draw,
  };
}
