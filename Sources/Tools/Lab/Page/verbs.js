// swift-iap2 · Apache-2.0
// What the user can do: buttons for the most used verbs, and a form for each verb of the server.

import { button, element, icon, inFrame, keyName, set, shortened } from "lab/dom";
import { form } from "lab/forms";

/** The most used verbs. Those with a key have it while the car has the focus, as in `iap2 car`. */
export const quick = [
  { group: "Connection", verb: "plug", label: "Plug in", symbol: "plug", key: "p" },
  { group: "Connection", verb: "unplug", label: "Unplug", symbol: "unplug", key: "u" },
  { group: "Connection", verb: "unplug", values: () => ({ noticed: false }), label: "Unplug unnoticed", symbol: "silent", key: "l",
    title: "Disconnects and loses the notice: the app is not told" },
  { group: "Connection", verb: "notice", label: "Deliver notice", symbol: "notice", key: "n",
    title: "Delivers the notice of a disconnection that was lost" },
  { group: "Connection", verb: "unplug", request: "loseNext", mode: "car", label: "Lose the next notification", symbol: "silent",
    isPressed: (state) => state.losesNextDisconnect,
    title: "The app is not told of the next disconnect of the cable. Click again to take it back" },
  { group: "Connection", verb: "cut", label: "Pull the cable", symbol: "unplug", key: "u" },
  { group: "Connection", verb: "halfOpen", label: "Pull unnoticed", symbol: "silent", key: "l" },
  { group: "Phone", verb: "lock", label: "Lock", symbol: "lock", key: "k", when: (state) => !state.isLocked },
  { group: "Phone", verb: "unlock", label: "Unlock", symbol: "unlock", key: "k", when: (state) => state.isLocked },
  { group: "Phone", verb: "open", label: "Open app", symbol: "open", key: "o" },
  { group: "Phone", verb: "otherApp", label: "Other app", symbol: "other", key: "x" },
  { group: "Car", verb: "drive", label: "Drive", symbol: "drive", key: "d", when: (state) => !state.isDriving },
  { group: "Car", verb: "park", label: "Park", symbol: "drive", key: "d", when: (state) => state.isDriving },
  { group: "Car", verb: "appearance", values: () => ({ style: "dark" }), label: "Night", symbol: "night", key: "y",
    when: (state) => state.look.appearance !== "dark" },
  { group: "Car", verb: "appearance", values: () => ({ style: "light" }), label: "Day", symbol: "day", key: "y",
    when: (state) => state.look.appearance === "dark" },
  { group: "Car", verb: "home", label: "Home", symbol: "home", key: "h" },
  { group: "Car", verb: "back", label: "Back", symbol: "back", key: "Backspace" },
  { group: "Knob", verb: "turn", values: () => ({ steps: -1 }), label: "Turn left", symbol: "left", key: "ArrowUp", isBare: true },
  { group: "Knob", verb: "press", label: "Press the knob", symbol: "press", key: "Enter", isBare: true },
  { group: "Knob", verb: "turn", values: () => ({ steps: 1 }), label: "Turn right", symbol: "right", key: "ArrowDown", isBare: true },
  { group: "Keys", verb: "key", values: () => ({ name: "previous" }), label: "Previous", symbol: "previous", key: "<", isBare: true },
  { group: "Keys", verb: "key", values: () => ({ name: "playPause" }), label: "Play or pause", symbol: "media", key: " ", isBare: true },
  { group: "Keys", verb: "key", values: () => ({ name: "next" }), label: "Next", symbol: "next", key: ">", isBare: true },
  { group: "Keys", verb: "nowPlaying", label: "Now Playing", symbol: "song", key: "m", isBare: true },
  { group: "Keys", verb: "voiceKey", label: "Siri", symbol: "voice", key: "v" },
  { group: "Keys", verb: "searchKey", key: "s", label: "Search key of the keyboard", isHidden: true },
  { group: "Keys", verb: "wait", values: () => ({ seconds: 1 }), key: "w", label: "Wait one second", isHidden: true },
];

/** Returns whether the server offers a quick verb, and needs no argument that it does not give. */
export function isOffered(item, lab) {
  if (item.mode && item.mode !== lab.hello.mode) return false;
  const verb = lab.can("input") && lab.hello.verbs.find((candidate) => candidate.name === item.verb);
  const given = item.values?.() ?? {};
  return Boolean(verb) && verb.arguments.every((argument) => !argument.isRequired || argument.name in given);
}

export const isWanted = (item, lab) => !item.when || !lab.state || item.when(lab.state);

export function verbs(body, lab) {
  const panel = body.parentElement;
  const bar = element("div", { class: "quick", role: "toolbar", "aria-label": "Most used steps" });
  const search = element("input", { type: "search", placeholder: "Find a step", "aria-label": "Find a step" });
  const list = element("div", { class: "verbs" });
  const all = element("details", { class: "all", open: matchMedia("(min-width: 1700px)").matches }, element("summary", {}, "All steps"), search, list);
  body.append(bar, all);
  let shown = [];

  function run(item) {
    if (item.request) lab.send({ do: item.request });
    else lab.verb(item.verb, item.values?.());
  }

  function row(verb) {
    const text = element("summary", {}, element("b", {}, verb.name), " ", element("span", {}, shortened(verb.summary, 400)));
    const node = element("details", { class: "verb", "data-verb": verb.name }, text);
    // A form is made when it is opened first: a session has more than a hundred verbs.
    node.addEventListener("toggle", () => {
      const { fields, values } = form(verb);
      node.append(element("form", { submit: (event) => {
        event.preventDefault();
        lab.verb(verb.name, values());
      } }, ...fields, element("button", { class: "primary", type: "submit" }, icon("play"), verb.name)));
    }, { once: true });
    return node;
  }

  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const node of list.querySelectorAll(".verb")) {
      node.hidden = !node.firstChild.textContent.toLowerCase().includes(wanted);
    }
    for (const group of list.children) group.hidden = !group.querySelector(".verb:not([hidden])");
  });

  const draw = inFrame(() => {
    for (const { node, item } of shown) {
      set(node, "hidden", !isWanted(item, lab));
      if (item.isPressed) set(node, "ariaPressed", String(Boolean(lab.state && item.isPressed(lab.state))));
    }
  });

  return {
    hello(hello) {
      const isOfferedHere = lab.can("input") && hello.verbs.length > 0;
      bar.hidden = !isOfferedHere;
      all.hidden = !isOfferedHere;
      panel.hidden = !isOfferedHere && !lab.can("lines") && hello.lines.length === 0;
      shown = quick.filter((item) => !item.isHidden && isOffered(item, lab)).map((item) => ({ item,
        node: button(item.label, () => run(item), { symbol: item.symbol, key: item.key, isBare: item.isBare,
          title: item.title, "data-verb": item.verb, "aria-keyshortcuts": item.key ? keyName(item.key) : null,
          "aria-pressed": item.isPressed ? "false" : null }) }));
      const groups = Map.groupBy(shown, ({ item }) => item.group);
      bar.replaceChildren(...[...groups].map(([name, items]) =>
        element("div", { role: "group", "aria-label": name }, ...items.map(({ node }) => node))));
      const kinds = Map.groupBy(hello.verbs, (verb) => verb.group || "other");
      list.replaceChildren(...[...kinds].map(([name, items]) => element("section", {}, element("h3", {}, name), ...items.map(row))));
      draw();
    },
    state: draw,
  };
}
