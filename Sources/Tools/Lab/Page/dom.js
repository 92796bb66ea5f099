// swift-iap2 · Apache-2.0
// Elements, icons and small helpers. Texts become text nodes only: no text of a server is ever parsed as markup.

/** Creates an element. Attributes that are null or false are omitted; functions are listeners of the event they name. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const paths = {
  ladder: "M5 2v20M19 2v20M5 7h11m-3-3 3 3-3 3M19 16H8m3-3-3 3 3 3",
  play: "M7 4v16l13-8z",
  pause: "M8 4v16M16 4v16",
  step: "M5 4v16l10-8zM19 4v16",
  restart: "M4 12a8 8 0 1 0 3-6.2M7 2v4h4",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  plug: "M9 2v6M15 2v6M6 8h12v3a6 6 0 0 1-12 0zM12 17v5",
  unplug: "M9 2v6M15 2v6M6 8h12v3a6 6 0 0 1-12 0zM12 17v5M3 3l18 18",
  silent: "M18 9a6 6 0 0 0-9-5M6 9c0 6-2 7-2 7h12M10 20h4M3 3l18 18",
  notice: "M18 9a6 6 0 1 0-12 0c0 6-2 7-2 7h16s-2-1-2-7M10 20h4",
  lock: "M6 11h12v10H6zM8 11V7a4 4 0 0 1 8 0v4",
  unlock: "M6 11h12v10H6zM8 11V7a4 4 0 0 1 7.5-2",
  drive: "M4 17v-4l2-6h12l2 6v4zM4 13h16M7 17v3M17 17v3",
  night: "M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10z",
  day: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M19 5l-1 1M6 18l-1 1",
  home: "M3 11l9-8 9 8M6 9v11h12V9",
  back: "M15 4l-8 8 8 8",
  left: "M4 12a8 8 0 1 1 3 6.2M7 22v-4h4",
  right: "M20 12a8 8 0 1 0-3 6.2M17 22v-4h-4",
  press: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 10a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  previous: "M19 4v16L9 12zM5 4v16",
  next: "M5 4v16l10-8zM19 4v16",
  media: "M4 5v14l9-7zM16 5v14M20 5v14",
  voice: "M12 2a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3zM5 11a7 7 0 0 0 14 0M12 18v4",
  song: "M9 18V5l11-2v13M9 18a3 3 0 1 1-3-3c2 0 3 1 3 3zM20 16a3 3 0 1 1-3-3c2 0 3 1 3 3z",
  open: "M5 5h14v14H5zM9 12h6M12 9v6",
  other: "M4 4h7v7H4zM13 13h7v7h-7zM13 4h7v7h-7zM4 13h7v7H4z",
  call: "M5 3h4l2 5-3 2a12 12 0 0 0 6 6l2-3 5 2v4c0 1-1 2-2 2A17 17 0 0 1 3 5c0-1 1-2 2-2z",
  route: "M6 21V9a4 4 0 0 1 4-4h9M15 1l4 4-4 4",
  app: "M5 5h14v14H5z",
  close: "M5 5l14 14M19 5L5 19",
  up: "M5 15l7-7 7 7",
  down: "M5 9l7 7 7-7",
  follow: "M12 3v14M6 11l6 6 6-6M5 21h14",
  point: "M12 3v5M12 16v5M3 12h5M16 12h5M12 11v2M11 12h2",
  save: "M12 3v12M7 10l5 5 5-5M4 20h16",
  film: "M4 5h16v14H4zM8 5v14M16 5v14M4 10h4M4 14h4M16 10h4M16 14h4",
  cut: "M6 6l14 12M6 18L20 6M4 4a2.500 2.500 0 1 0 3 4M4 20a2.500 2.500 0 1 1 3-4",
};

/** Creates an icon. Icons are decoration: the control around them has the name. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name] ?? paths.app);
  svg.append(path);
  return svg;
}

/** Creates a button. The label is its name for everybody; with `isBare` only the icon is visible. */
export function button(label, action, { symbol, key, title, isBare, ...attributes } = {}) {
  const hint = [title ?? (isBare ? label : null), key ? `(${keyName(key)})` : null].filter(Boolean).join(" ");
  return element("button", { type: "button", "aria-label": isBare ? label : null, title: hint || null, click: action,
    class: isBare ? "bare" : null, ...attributes }, symbol ? icon(symbol) : null, isBare ? null : element("span", {}, label));
}

export const keyName = (key) => ({ " ": "Space", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" })[key] ?? key;

/** Returns a function that runs the work once in the next frame, however often it was called. */
export function inFrame(work) {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      work();
    });
  };
}

/** Sets a property of a node only if it changes, so that equal states cost no layout. */
export function set(node, name, value) {
  if (node[name] !== value) node[name] = value;
}

/** Returns the first characters of a text. A cut does not split a character of two code units. */
export function shortened(text, limit) {
  if (text.length <= limit) return text;
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1]) ? limit - 1 : limit;
  return text.slice(0, end) + "…";
}

export const seconds = (time, digits = 3) => (Number.isFinite(time) ? time.toFixed(digits) : "");

/** Offers bytes or a text as a download. */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function bytesOfBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Returns the first place in a sorted list whose value is at least the given one. */
export function lowerBound(list, value, valueOf = (item) => item) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueOf(list[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves the focus among siblings with the arrow keys, so that a list is one stop of the Tab key. */
export function rovingFocus(list, selector) {
  list.addEventListener("keydown", (event) => {
    const direction = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!direction) return;
    const items = [...list.querySelectorAll(selector)];
    const next = items[items.indexOf(document.activeElement) + direction];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    for (const item of items) item.tabIndex = item === next ? 0 : -1;
    next.focus();
  });
}
