// swift-iap2 · Apache-2.0
// The failures of the field: a button for each. A switch and a restart stay on until the next click, steps are performed
// once, and for a failure that only the app can make the ladder is searched for the car's reports.

import { button, element, set, shortened } from "lab/dom";

const labels = { switch: "Switch on", restart: "Restart", steps: "Do", reports: "Show" };
const meanings = {
  switch: ({ words }) => `Sets ${words}.`,
  restart: ({ words }) => `Restarts with ${words}.`,
  steps: ({ words }) => `Performs ${words}.`,
  reports: () => "Only the app can make this failure. The car always reports it.",
};
const hints = {
  switch: "Click again to clear it", restart: "Click again to restart the app without it", steps: null,
  reports: "Searches the messages for the reports",
};
const isToggle = ({ deed }) => deed === "switch" || deed === "restart";

/** Creates the list. The panel of the faults puts it above its switches. */
export function failureList(lab) {
  const list = element("ul", { class: "failures" });
  const title = element("h3");
  const node = element("section", {}, title, list);
  let rows = [];

  const play = (failure) => lab.send({ do: "failure", n: failure.number });

  /** Searches the ladder for the reports of a failure, as if the user wrote the words into its field. */
  function show(failure) {
    const found = lab.state?.failures.found.get(failure.number);
    lab.emit({ type: "request", name: "search" });
    const field = document.getElementById("search");
    field.value = found?.words ?? failure.words.split(", ")[0];
    field.dispatchEvent(new Event("input"));
    if (!found) {
      lab.emit({ type: "note", level: "info", text: `The car has not reported this of the app yet: ${failure.title}.` });
      return;
    }
    // The search runs in the next frame, and Enter goes to its first match.
    requestAnimationFrame(() => requestAnimationFrame(() =>
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", cancelable: true }))));
  }

  function row(failure) {
    const { number, title, summary, deed } = failure;
    const control = button(labels[deed], () => (deed === "reports" ? show(failure) : play(failure)),
      { title: hints[deed], "aria-label": `${labels[deed]}: ${title}`, "aria-pressed": isToggle(failure) ? "false" : null });
    const count = element("span", { class: "chip", hidden: true });
    const item = element("li", { class: "failure", "data-failure": number, "data-deed": deed },
      element("span", { class: "number" }, String(number)),
      element("span", { class: "about" }, element("b", {}, shortened(title, 200)), element("small", {}, shortened(summary, 400)),
        element("small", {}, shortened(meanings[deed](failure), 400))),
      element("span", { class: "deed" }, control, count));
    return { failure, node: item, control, count };
  }

  return {
    node,
    hello(failures, mode) {
      set(title, "textContent", mode === "car" ? "Failures of the field" : "Behavior of other sides");
      node.setAttribute("aria-label", title.textContent);
      rows = failures.map(row);
      node.hidden = rows.length === 0;
      list.replaceChildren(...rows.map((item) => item.node));
    },
    /** Shows the state, and returns how many failures are on that no switch of the other list shows. */
    draw() {
      const { on, found } = lab.state.failures;
      let restarts = 0;
      for (const { failure, node: item, control, count } of rows) {
        const isOn = on.has(failure.number);
        item.classList.toggle("on", isOn);
        if (isToggle(failure)) set(control, "ariaPressed", String(isOn));
        if (isOn && failure.deed === "restart") restarts += 1;
        const reports = found.get(failure.number)?.count ?? 0;
        set(count, "hidden", failure.deed !== "reports");
        set(count, "textContent", reports === 0 ? "none yet" : `${reports.toLocaleString("en")} found`);
        count.classList.toggle("warning", reports > 0);
      }
      return restarts;
    },
    /** Takes back the restarts. The switches are cleared by their own list. */
    clear() {
      for (const { failure } of rows) {
        if (failure.deed === "restart" && lab.state?.failures.on.has(failure.number)) play(failure);
      }
    },
    find(wanted) {
      for (const { node: item } of rows) item.hidden = !item.textContent.toLowerCase().includes(wanted);
      set(node, "hidden", !rows.some(({ node: item }) => !item.hidden));
    },
  };
}
