// swift-iap2 · Apache-2.0
// Short messages for the user, and the banner of a lost connection.

import { button, element, set, shortened } from "lab/dom";

/** The maximum number of messages on the page, and the seconds that each stays. */
const limit = 5;
const duration = 8;

export function notes(list, banner) {
  return {
    note({ level, text }) {
      const note = element("div", { class: "message", "data-level": level }, element("bdi", {}, shortened(text, 2000)),
        button("Close", () => note.remove(), { symbol: "close", isBare: true }));
      list.append(note);
      while (list.children.length > limit) list.firstChild.remove();
      setTimeout(() => note.remove(), duration * 1000);
    },
    connection({ state, reason }) {
      banner.hidden = state !== "lost";
      const text = reason ? `iap2 lab does not serve this page: ${shortened(reason, 200)}. Trying again…`
        : "The connection to iap2 lab is lost. Reconnecting… If the program has ended, start it again and open the address that it prints.";
      set(banner, "textContent", state === "lost" ? text : "");
    },
  };
}
