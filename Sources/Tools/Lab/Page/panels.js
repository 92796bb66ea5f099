// swift-iap2 · Apache-2.0
// Headings that collapse their panels, splitters between panels, and the choice of light or dark.

import { element, icon } from "lab/dom";

/** Choices of the user that stay in this browser. Pages from files may have no storage. */
export const choices = {
  get(name) {
    try {
      return localStorage.getItem(`lab.${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`lab.${name}`, value);
    } catch { /* The choice lasts until the page is closed. */ }
  },
};

export function panels() {
  for (const node of document.querySelectorAll("[data-icon]")) node.prepend(icon(node.dataset.icon));
  for (const panel of document.querySelectorAll(".panel")) addHeading(panel);
  const main = document.querySelector("main");
  const left = document.getElementById("left");
  const detail = document.getElementById("detail");
  left.after(splitter("Width of the car", "--left", 25, 65, 46, (event) => 100 * event.clientX / main.clientWidth, "x"));
  detail.after(splitter("Height of the detail", "--detail", 15, 75, 38, (event) => {
    const place = detail.parentElement.getBoundingClientRect();
    return 100 * (place.bottom - event.clientY) / place.height;
  }, "y"));
  addTheme(document.getElementById("theme"));
  const car = document.getElementById("car");
  new ResizeObserver(() => document.documentElement.style.setProperty("--pinned", `${car.offsetHeight + 8}px`)).observe(car);
}

function addHeading(panel) {
  const { name } = panel.dataset;
  const body = panel.querySelector(".body");
  body.id = `${panel.id}-body`;
  const toggle = element("button", { type: "button", class: "collapse", "aria-controls": body.id }, icon("down"), name);
  const show = (isOpen) => {
    panel.classList.toggle("collapsed", !isOpen);
    toggle.setAttribute("aria-expanded", String(isOpen));
  };
  show(choices.get(panel.id) !== "collapsed");
  toggle.addEventListener("click", () => {
    const isOpen = panel.classList.contains("collapsed");
    show(isOpen);
    choices.set(panel.id, isOpen ? "open" : "collapsed");
  });
  panel.setAttribute("aria-label", name);
  panel.prepend(element("header", {}, element("h2", {}, toggle), element("div", { class: "tools" })));
}

/** Creates a bar that changes a percentage in a custom property, with the mouse or the arrow keys. */
function splitter(label, property, minimum, maximum, initial, percentOf, axis) {
  const bar = element("div", { class: `splitter ${axis}`, role: "separator", tabindex: 0, "aria-label": label,
    "aria-orientation": axis === "x" ? "vertical" : "horizontal", "aria-valuemin": minimum, "aria-valuemax": maximum });
  const show = (percent) => {
    const value = Math.min(maximum, Math.max(minimum, percent));
    bar.setAttribute("aria-valuenow", value.toFixed(0));
    document.documentElement.style.setProperty(property, `${value}%`);
    choices.set(property, value.toFixed(1));
  };
  show(Number(choices.get(property)) || initial);
  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    bar.focus();
  });
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) show(percentOf(event));
  });
  bar.addEventListener("dblclick", () => show(initial));
  bar.addEventListener("keydown", (event) => {
    const change = { ArrowLeft: -2, ArrowRight: 2, ArrowUp: 2, ArrowDown: -2 }[event.key];
    if (!change) return;
    event.preventDefault();
    event.stopPropagation();
    show(Number(bar.getAttribute("aria-valuenow")) + change);
  });
  return bar;
}

function addTheme(control) {
  const root = document.documentElement;
  const stored = choices.get("theme");
  if (stored) root.dataset.theme = stored;
  control.addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    choices.set("theme", root.dataset.theme);
  });
}
