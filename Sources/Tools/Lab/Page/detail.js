// swift-iap2 · Apache-2.0
// The detail of a message: what is wrong with it, and its fields beside its bytes.

import { button, element, rovingFocus, seconds, shortened } from "lab/dom";

/** The maximum number of details that are kept. */
const cacheLimit = 200;
/** Bytes that are shown at first. */
const byteLimit = 2048;
const tints = 6;

export function detail(body, lab) {
  const panel = body.parentElement;
  const cache = new Map();
  let entry = null;
  let isLost = false;
  let columns = 16;
  panel.querySelector(".tools").append(button("Close the detail", close, { symbol: "close", isBare: true }));
  panel.hidden = true;

  function close() {
    entry = null;
    panel.hidden = true;
  }

  function show() {
    const known = cache.get(entry.n);
    const way = entry.from === entry.to ? entry.from : `${entry.from} → ${entry.to}`;
    body.replaceChildren(...[
      element("h3", {}, element("bdi", {}, shortened(known?.title || entry.name, 2000))),
      element("p", { class: "facts" }, [`#${entry.n}`, entry.t === null ? "" : `${seconds(entry.t, 6)} s`, way, entry.kind,
        entry.level === "info" ? "" : entry.level].filter(Boolean).join(" · ")),
      entry.text && element("p", { class: "text" }, element("bdi", {}, shortened(entry.text, 20_000))),
      entry.expectable && lab.can("record") ? button("Expect this", () => lab.send({ do: "expect", n: entry.n }),
        { symbol: "point", title: "Adds an expectation of this event to the recorder" }) : null,
      ...(known ? findings(known) : []),
      known && (known.fields.length || known.hex) ? fieldsAndBytes(known, columns) : null,
      known?.lines.length ? lineList(known.lines) : null,
      known?.json === undefined ? null : jsonBlock(known.json),
      !known && entry.more ? element("p", { class: "empty" }, isLost ? "Not loaded: the connection to iap2 lab is lost." : "Loading…") : null,
    ].filter(Boolean));
  }

  new ResizeObserver(() => {
    const fitting = body.clientWidth > 46 * parseFloat(getComputedStyle(body).fontSize) ? 16 : 8;
    if (fitting === columns) return;
    columns = fitting;
    if (entry) show();
  }).observe(body);

  return {
    connection({ state }) {
      isLost = state === "lost";
      if (entry) show();
    },
    hello() {
      cache.clear();
      close();
    },
    select(message) {
      entry = message.entry;
      panel.hidden = false;
      body.scrollTop = 0;
      if (entry.more && !cache.has(entry.n)) lab.send({ ask: "detail", n: entry.n });
      show();
    },
    detail(message) {
      cache.delete(message.n);
      cache.set(message.n, message);
      if (cache.size > cacheLimit) cache.delete(cache.keys().next().value);
      if (message.n === entry?.n) show();
    },
    request({ name }) {
      if (name === "escape" && panel.contains(document.activeElement)) close();
    },
  };
}

function findings({ findings: list }) {
  return list.map(({ level, text, source }) => element("div", { class: "finding", "data-level": level },
    element("b", {}, level), element("bdi", {}, shortened(text, 4000)),
    source ? element("code", { title: "Source of the rule" }, shortened(source, 400)) : null));
}

function lineList(lines) {
  return element("ul", { class: "lines" }, ...lines.slice(0, 2000).map((line) =>
    element("li", {}, element("code", { dir: "auto" }, shortened(line, 4000)))));
}

function jsonBlock(json) {
  const text = JSON.stringify(json, null, 2);
  return element("details", { class: "json" }, element("summary", {}, "JSON"),
    button("Copy", () => navigator.clipboard.writeText(text)), element("pre", { tabindex: 0 }, shortened(text, 100_000)));
}

/** Creates fields beside bytes. A field under the pointer or with the focus marks its bytes, and a byte marks its field. */
function fieldsAndBytes({ fields, hex }, columns) {
  const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, index) => parseInt(hex.slice(2 * index, 2 * index + 2), 16));
  const isLeaf = (index) => (fields[index + 1]?.depth ?? 0) <= fields[index].depth;
  let leaves = 0;
  const rows = fields.slice(0, 5000).map((field, index) => {
    const hasBytes = field.start !== null && field.end !== null && field.end > field.start;
    const tint = hasBytes && isLeaf(index) ? (leaves += 1) % tints : null;
    const node = element("li", { class: "field", tabindex: index ? -1 : 0, "data-field": index },
      element("span", { class: tint === null ? "swatch" : `swatch tint${tint}` }),
      element("bdi", { class: "name" }, shortened(field.name, 300)), element("bdi", { class: "value" }, shortened(field.value, 4000)));
    node.style.setProperty("--depth", Math.min(12, field.depth));
    return { node, field, tint, hasBytes };
  });
  const tintOf = new Map();
  for (const { field, tint } of rows) {
    if (tint !== null) for (let place = field.start; place < Math.min(field.end, bytes.length); place += 1) tintOf.set(place, tint);
  }
  const list = element("ul", { class: "fields", "aria-label": "Fields" }, ...rows.map(({ node }) => node));
  rovingFocus(list, ".field");
  const dump = element("div", { class: "hex", tabindex: bytes.length ? 0 : null, role: "group",
    "aria-label": "Bytes. Arrow keys move from byte to byte." });
  let cells = [];
  let cursor = -1;

  function fill(limit) {
    cells = [];
    const lines = [];
    for (let start = 0; start < Math.min(limit, bytes.length); start += columns) {
      const values = [...bytes.subarray(start, start + columns)];
      const cell = (place, text) => {
        const node = element("span", { class: tintOf.has(place) ? `tint${tintOf.get(place)}` : null, "data-byte": place }, text);
        (cells[place] ??= []).push(node);
        return node;
      };
      lines.push(element("div", {}, element("span", { class: "offset" }, start.toString(16).padStart(4, "0")),
        element("span", { class: "bytes" }, ...values.map((value, index) => cell(start + index, value.toString(16).padStart(2, "0")))),
        element("span", { class: "characters" }, ...values.map((value, index) =>
          cell(start + index, value > 32 && value < 127 ? String.fromCharCode(value) : "·")))));
    }
    const rest = bytes.length - limit;
    dump.replaceChildren(...lines, ...(rest > 0 ? [button(`Show ${rest} more bytes`, () => fill(bytes.length))] : []));
  }

  function mark(row, from, isFromBytes) {
    for (const node of list.querySelectorAll(".chosen")) node.classList.remove("chosen");
    for (const nodes of cells) for (const node of nodes ?? []) node.classList.remove("chosen", "cursor");
    if (from !== null) for (const node of cells[from] ?? []) node.classList.add("cursor");
    if (!row) return;
    row.node.classList.add("chosen");
    if (isFromBytes) row.node.scrollIntoView({ block: "nearest" });
    if (!row.hasBytes) return;
    for (let place = row.field.start; place < Math.min(row.field.end, cells.length); place += 1) {
      for (const node of cells[place]) node.classList.add("chosen");
    }
    if (!isFromBytes) cells[row.field.start]?.[0].scrollIntoView({ block: "nearest" });
  }

  /** Returns the innermost field that contains a byte: the shortest one, and of equal ones the deepest. */
  const rowOfByte = (place) => rows.filter(({ field, hasBytes }) => hasBytes && field.start <= place && place < field.end)
    .sort((a, b) => (a.field.end - a.field.start) - (b.field.end - b.field.start) || b.field.depth - a.field.depth)[0];

  const fieldEvent = (event) => {
    const node = event.target.closest?.(".field");
    if (node) mark(rows[Number(node.dataset.field)], null, false);
  };
  list.addEventListener("pointerover", fieldEvent);
  list.addEventListener("focusin", fieldEvent);
  list.addEventListener("pointerleave", () => mark(null, null));
  dump.addEventListener("pointerover", (event) => {
    const place = event.target.dataset?.byte;
    if (place !== undefined) mark(rowOfByte(Number(place)), Number(place), true);
  });
  dump.addEventListener("pointerleave", () => mark(null, null));
  dump.addEventListener("keydown", (event) => {
    const change = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (!change) return;
    event.preventDefault();
    event.stopPropagation();
    cursor = Math.min(cells.length - 1, Math.max(0, cursor < 0 ? 0 : cursor + change));
    mark(rowOfByte(cursor), cursor, true);
    cells[cursor]?.[0].scrollIntoView({ block: "nearest" });
  });
  fill(byteLimit);
  return element("div", { class: "dissection" }, fields.length ? list : null, bytes.length ? dump : null);
}
