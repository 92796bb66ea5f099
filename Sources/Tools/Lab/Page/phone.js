// swift-iap2 · Apache-2.0
// The phone: its connection, battery and lock, its apps, song, calls and route.

import { element, icon, inFrame, set, shortened } from "lab/dom";

const text = (value, limit = 120) => (value === null || value === undefined ? "" : shortened(String(value), limit));
const records = (value) => (Array.isArray(value) ? value : []).filter((item) => item && typeof item === "object");

const isFilled = (value) => (Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined);
/** Returns whether anything is known of the phone. */
const hasContent = (shown) => Object.values(shown).some(isFilled);

export function phone(body) {
  const frame = element("div", { class: "handset" });
  body.append(frame);
  let last = "";
  let latest = null;

  const draw = inFrame(() => {
    const { phone: shown, isConnected, isLocked, losesNextDisconnect } = latest;
    const key = JSON.stringify([shown, isConnected, isLocked, losesNextDisconnect]);
    if (key === last) return;
    last = key;
    const song = shown.song && typeof shown.song === "object" ? shown.song : null;
    const route = shown.guidance && typeof shown.guidance === "object" ? shown.guidance : null;
    const apps = (Array.isArray(shown.apps) ? shown.apps : []).filter((app) => typeof app === "string");
    frame.replaceChildren(...[
      statusBar(shown, isConnected, isLocked, losesNextDisconnect),
      ...records(shown.calls).slice(0, 4).map((call) => card("call", "Call", text(call.name), text(call.state))),
      route && card("route", "Route", text(route.maneuver), text(route.roadAfter)),
      song && card("song", song.isPlaying ? "Plays" : "Paused", text(song.title), text(song.artist)),
      apps.length > 0 && element("ul", { class: "apps", "aria-label": "Apps" }, ...apps.slice(0, 24).map((app) =>
        element("li", {}, element("span", { class: "tile", "aria-hidden": "true" }, [...app][0] ?? ""),
          element("bdi", {}, text(app, 40))))),
    ].filter(Boolean));
  });

  return {
    hello() {
      last = "";
      frame.replaceChildren();
    },
    state(state) {
      set(body.parentElement, "hidden", state.isConnected === null && !hasContent(state.phone));
      latest = state;
      draw();
    },
  };
}

function statusBar({ battery, isCharging }, isConnected, isLocked, losesNextDisconnect) {
  const level = Number.isFinite(battery) ? Math.min(100, Math.max(0, Math.round(battery))) : null;
  const fill = element("i");
  if (level !== null) fill.style.width = `${level}%`;
  return element("div", { class: "status" },
    isConnected !== null && element("span", { class: isConnected ? "chip good" : "chip warning" }, icon(isConnected ? "plug" : "unplug"),
      isConnected ? "connected" : "not connected"),
    isLocked !== null && element("span", { class: "chip" }, icon(isLocked ? "lock" : "unlock"), isLocked ? "locked" : "unlocked"),
    losesNextDisconnect && element("span", { class: "chip warning" }, icon("silent"), "the next disconnect is lost"),
    level !== null && element("span", { class: "battery" },
      element("span", { class: `cell${level <= 20 ? " low" : ""}`, "aria-hidden": "true" }, fill),
      `${level} %${isCharging ? ", charging" : ""}`));
}

function card(symbol, label, title, detail) {
  return element("div", { class: "card" }, icon(symbol), element("div", {}, element("small", {}, label),
    element("bdi", { class: "title" }, title), detail && element("bdi", {}, detail)));
}
