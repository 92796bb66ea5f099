// swift-iap2 · Apache-2.0
// Faults of the field as switches and chances, and the conditions of the link as sliders.

import { button, element, inFrame, set, shortened } from "lab/dom";

/** The conditions of the link: their names, units, and the greatest values of their sliders. */
const conditions = [
  { name: "loss", label: "Loss", maximum: 1, step: 0.01, show: percent },
  { name: "damage", label: "Damage", maximum: 1, step: 0.01, show: percent },
  { name: "delay", label: "Delay", maximum: 2, step: 0.01, show: (value) => `${Math.round(value * 1000)} ms` },
  { name: "rate", label: "Rate", maximum: 100_000, step: 500, show: (value) => (value ? `${value} B/s` : "no limit") },
];

function percent(value) {
  return `${Math.round(value * 100)} %`;
}

export function faults(body, lab) {
  const panel = body.parentElement;
  const count = element("span", { class: "count" });
  const clear = button("All off", () => {
    const isOn = ({ name }) => Boolean(lab.state?.faults[name]);
    const values = Object.fromEntries(lab.hello.faults.filter(isOn).map((fault) => [fault.name, fault.isChance ? 0 : false]));
    if (Object.keys(values).length) lab.verb("faults", values);
    if (lab.hello.conditions) lab.send({ do: "conditions", loss: 0, delay: 0, damage: 0, split: false, rate: 0 });
  });
  panel.querySelector(".tools").append(count, clear);
  const link = element("div", { class: "conditions", role: "group", "aria-label": "Conditions of the link" });
  const search = element("input", { type: "search", placeholder: "Find a fault", "aria-label": "Find a fault" });
  const list = element("div", { class: "faults" });
  body.append(link, search, list);
  let rows = [];
  let sliders = [];

  function slider(label, maximum, step, show, send) {
    const output = element("output");
    const input = element("input", { type: "range", min: 0, max: maximum, step, "aria-label": label });
    const update = (value) => {
      // A slider that is being moved shows the user's value.
      if (!input.matches(":active")) set(input, "value", String(value));
      set(output, "value", show(Number(input.value)));
      input.setAttribute("aria-valuetext", output.value);
    };
    const sendLater = inFrame(() => send(Number(input.value)));
    input.addEventListener("input", () => {
      output.value = show(Number(input.value));
      sendLater();
    });
    return { input, output, update };
  }

  function toggle(label, send) {
    const input = element("input", { type: "checkbox", role: "switch", "aria-label": label, change: () => send(input.checked) });
    return { input, output: null, update: (value) => set(input, "checked", value === true) };
  }

  function row(fault) {
    const send = (value) => lab.verb("faults", { [fault.name]: value });
    const control = fault.isChance ? slider(fault.name, 1, 0.05, percent, send) : toggle(fault.name, send);
    const node = element("label", { class: "fault", "data-fault": fault.name },
      element("span", { class: "about" }, element("b", {}, fault.name), element("small", {}, shortened(fault.summary, 400))),
      control.input, control.output);
    return { name: fault.name, node, update: control.update };
  }

  function setCondition(name, value) {
    const current = { loss: 0, delay: 0, damage: 0, split: false, rate: 0, ...lab.state?.conditions };
    const { loss, delay, damage, split, rate } = { ...current, [name]: value };
    lab.send({ do: "conditions", loss, delay, damage, split, rate });
  }

  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const { node } of rows) node.hidden = !node.textContent.toLowerCase().includes(wanted);
  });

  const draw = inFrame(() => {
    const { state } = lab;
    if (!state) return;
    let active = 0;
    for (const { name, node, update } of rows) {
      const value = state.faults[name] ?? 0;
      node.classList.toggle("on", Boolean(value));
      if (value) active += 1;
      update(value);
    }
    for (const { name, update } of sliders) update(state.conditions[name] ?? 0);
    set(count, "textContent", active ? `${active} on` : "");
  });

  return {
    hello(hello) {
      const isOffered = lab.can("input");
      panel.hidden = !isOffered || (hello.faults.length === 0 && !hello.conditions);
      link.hidden = !hello.conditions;
      search.hidden = hello.faults.length < 8;
      sliders = [
        ...conditions.map(({ name, label, maximum, step, show }) =>
          ({ name, label, ...slider(label, maximum, step, show, (value) => setCondition(name, value)) })),
        { name: "split", label: "Split packets", ...toggle("Split packets", (value) => setCondition("split", value)) },
      ];
      link.replaceChildren(...sliders.map(({ label, input, output }) => element("label", { class: "fault" },
        element("span", { class: "about" }, label), input, output)));
      rows = hello.faults.map(row);
      list.replaceChildren(...rows.map(({ node }) => node));
      draw();
    },
    state: draw,
  };
}
