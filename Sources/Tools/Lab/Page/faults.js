// swift-iap2 · Apache-2.0
// Faults of the field as switches and chances.

import { button, element, inFrame, set, shortened } from "lab/dom";

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
  });
  panel.querySelector(".tools").append(count, clear);
  const search = element("input", { type: "search", placeholder: "Find a fault", "aria-label": "Find a fault" });
  const list = element("div", { class: "faults" });
  body.append(search, list);
  let rows = [];

  function slider(label, send) {
    const output = element("output");
    const input = element("input", { type: "range", min: 0, max: 1, step: 0.05, "aria-label": label });
    const update = (value) => {
      // A slider that is being moved shows the user's value.
      if (!input.matches(":active")) set(input, "value", String(value));
      set(output, "value", percent(Number(input.value)));
      input.setAttribute("aria-valuetext", output.value);
    };
    const sendLater = inFrame(() => send(Number(input.value)));
    input.addEventListener("input", () => {
      output.value = percent(Number(input.value));
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
    const control = fault.isChance ? slider(fault.name, send) : toggle(fault.name, send);
    const node = element("label", { class: "fault", "data-fault": fault.name },
      element("span", { class: "about" }, element("b", {}, fault.name), element("small", {}, shortened(fault.summary, 400))),
      control.input, control.output);
    return { name: fault.name, node, update: control.update };
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
    set(count, "textContent", active ? `${active} on` : "");
  });

  return {
    hello(hello) {
      const isOffered = lab.can("input");
      panel.hidden = !isOffered || hello.faults.length === 0;
      search.hidden = hello.faults.length < 8;
      rows = hello.faults.map(row);
      list.replaceChildren(...rows.map(({ node }) => node));
      draw();
    },
    state: draw,
  };
}
