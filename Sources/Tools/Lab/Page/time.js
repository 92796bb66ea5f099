// swift-iap2 · Apache-2.0
// The session's title and end, its time, and what begins it again.

import { button, element, inFrame, seconds, set } from "lab/dom";

const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export function time(bar, lab) {
  const toggle = button("Pause", () => lab.emit({ type: "request", name: "toggleTime" }),
    { symbol: "pause", isBare: true, key: " ", class: "bare primary" });
  const pauseIcon = toggle.firstChild;
  const playIcon = button("", null, { symbol: "play" }).firstChild;
  const step = button("Step to the next event", () => lab.send({ do: "step" }), { symbol: "step", isBare: true, key: "." });
  const speed = element("input", { type: "range", min: 0, max: speeds.length - 1, step: 1, "aria-label": "Speed",
    title: "Speed ([ and ])", input: () => setSpeed(Number(speed.value)) });
  const factor = element("output", { class: "factor" });
  const clock = element("output", { class: "clock", "aria-label": "Time in seconds" });
  const seek = element("input", { type: "range", class: "seek", min: 0, max: 0, step: "any", "aria-label": "Time in the record" });
  const sendSeek = inFrame(() => lab.send({ do: "seek", time: Number(seek.value) }));
  let isSeeking = false;
  seek.addEventListener("input", sendSeek);
  seek.addEventListener("pointerdown", () => { isSeeking = true; });
  for (const name of ["pointerup", "pointercancel", "blur"]) seek.addEventListener(name, () => { isSeeking = false; });
  const controls = element("span", { class: "controls" }, toggle, step, speed, factor);
  bar.append(controls, seek, clock);

  const title = document.getElementById("title");
  const mode = document.getElementById("mode");
  const end = document.getElementById("end");
  const cars = document.getElementById("cars");
  const choice = cars.querySelector("select");
  choice.addEventListener("change", () => lab.send({ do: "car", name: choice.value }));
  const restart = document.getElementById("restart");
  restart.addEventListener("click", () => lab.send({ do: "restart" }));

  const nearest = (value) => speeds.reduce((best, item, index) =>
    Math.abs(Math.log(item / value)) < Math.abs(Math.log(speeds[best] / value)) ? index : best, 0);
  /** What was asked for and is not in a state yet. Keys may be quicker than the server. */
  let wanted = {};
  const present = () => ({ ...lab.state, ...wanted });
  function setSpeed(index) {
    if (!lab.can("time") || !speeds[index]) return;
    wanted.speed = speeds[index];
    lab.send({ do: "speed", value: speeds[index] });
  }
  function setPaused(isPaused) {
    wanted.isPaused = isPaused;
    lab.send({ do: isPaused ? "pause" : "play" });
  }

  const draw = inFrame(() => {
    const { state } = lab;
    if (!state) return;
    set(clock, "value", `${seconds(state.time, 2)} s`);
    const label = state.isPaused ? "Play" : "Pause";
    if (toggle.getAttribute("aria-label") !== label) {
      toggle.setAttribute("aria-label", label);
      toggle.title = `${label} (Space)`;
      toggle.replaceChildren(state.isPaused ? playIcon : pauseIcon);
    }
    set(speed, "value", String(nearest(state.speed)));
    set(factor, "value", `×${state.speed}`);
    speed.setAttribute("aria-valuetext", `times ${state.speed}`);
    end.hidden = state.end === null;
    set(end, "textContent", state.end === null ? "" : `Ended: ${state.end}`.slice(0, 200));
    if (state.range) {
      set(seek, "min", String(state.range.start));
      set(seek, "max", String(state.range.end));
      if (!isSeeking && state.time !== null) set(seek, "value", String(state.time));
      seek.setAttribute("aria-valuetext", `${seconds(state.time, 2)} seconds`);
    }
  });

  return {
    hello(hello) {
      title.textContent = hello.title.slice(0, 200);
      document.title = `${hello.title.slice(0, 80)} · iap2 lab`;
      mode.textContent = hello.isStored ? "stored session" : hello.mode;
      controls.hidden = !lab.can("time");
      seek.hidden = !lab.can("seek");
      // A record without times has no clock.
      clock.hidden = hello.mode === "capture" && !lab.can("seek");
      bar.classList.toggle("seekable", lab.can("seek"));
      restart.hidden = !lab.can("restart");
      cars.hidden = hello.cars.length < 2 || !lab.can("restart");
      choice.replaceChildren(...hello.cars.map((name) => element("option", { value: name, selected: name === hello.car }, name)));
      isSeeking = false;
      wanted = {};
    },
    state(state) {
      // A state that was made before the request still comes, so only the wanted value ends the wish.
      for (const name of Object.keys(wanted)) if (state[name] === wanted[name]) delete wanted[name];
      draw();
    },
    request({ name }) {
      if (!lab.can("time") || !lab.state) return;
      if (name === "toggleTime") setPaused(!present().isPaused);
      if (name === "step") lab.send({ do: "step" });
      if (name === "slower") setSpeed(nearest(present().speed) - 1);
      if (name === "faster") setSpeed(nearest(present().speed) + 1);
    },
  };
}
