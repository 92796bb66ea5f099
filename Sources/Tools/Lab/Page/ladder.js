// swift-iap2 · Apache-2.0
// The ladder: one row an entry, lanes as columns, streams as bars beside the rows. Only the visible rows have nodes, and
// these nodes are used again while the user scrolls.

import { button, element, inFrame, lowerBound, seconds, set, shortened } from "lab/dom";
import { kinds as allKinds } from "lab/messages";
import { Record } from "lab/record";

/** Rows above and below the visible ones, so that fast scrolling shows no gaps. */
const overscan = 12;
/** Characters of a text in a row. The detail shows all of it. */
const nameLimit = 120;
const textLimit = 260;
/** Slots for streams beside the rows. Further streams share the last one. */
const slots = 6;
/** Milliseconds of a frame for the search. */
const searchBudget = 6;
/** Milliseconds for the search before the user goes to a match. */
const moveBudget = 200;
/** Milliseconds without typing before the server gets a filter. */
const filterDelay = 250;

const marks = { warning: "▲", error: "✕", notice: "◆" };

export function ladder(body, lab) {
  const panel = body.parentElement;
  const record = new Record();
  const count = element("span", { class: "count" });
  const follow = button("Follow", () => setFollow(!isFollowing), { symbol: "follow", "aria-pressed": "true",
    title: "Shows new messages as they come", key: "g" });
  panel.querySelector(".tools").append(count, follow);

  const filter = element("input", { type: "search", id: "filter", placeholder: "Filter: control and from = device",
    "aria-label": "Filter", spellcheck: "false", autocomplete: "off", title: "Filter, as in decode --filter (f)" });
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  const search = element("input", { type: "search", id: "search", placeholder: "Search", "aria-label": "Search",
    spellcheck: "false", autocomplete: "off", title: "Search in names and texts (/)" });
  const found = element("output", { class: "found" });
  const tools = element("div", { class: "finders" }, filter, element("span", { class: "finder" }, search, found,
    button("Previous match", () => moveMatch(-1), { symbol: "up", isBare: true }),
    button("Next match", () => moveMatch(1), { symbol: "down", isBare: true })));
  const kinds = element("div", { class: "kinds", role: "group", "aria-label": "Kinds of messages" });
  const heads = element("div", { class: "lanes", "aria-hidden": "true" });
  const head = element("div", { class: "head" }, element("span", { class: "time" }, "s"), heads);
  const lines = element("div", { class: "lines", "aria-hidden": "true" });
  const content = element("div", { class: "content", role: "presentation" });
  const scroller = element("div", { class: "rows", role: "listbox", tabindex: 0, "aria-label": "Messages" }, content);
  const empty = element("p", { class: "empty" }, "No messages yet.");
  body.append(tools, problem, kinds, head, element("div", { class: "view" }, lines, scroller, empty));

  const highlight = typeof Highlight === "undefined" ? null : new Highlight();
  if (highlight) CSS.highlights.set("found", highlight);

  let lanes = new Map();
  let pool = [];
  let bars = [];
  let rowHeight = 24;
  let laneWidth = 80;
  let viewHeight = 0;
  let lastTop = 0;
  let contentHeight = -1;
  let isFollowing = true;
  let selected = null;
  let selectedTime = null;
  let current = null;
  let now = null;
  let filterId = 0;
  let filterTimer = null;
  let kindKey = "";

  const draw = inFrame(drawRows);

  /** The number of rows up to the session's time, where a record has later ones. */
  const reached = () => (now === null ? record.view.length
    : lowerBound(record.view, now + 1e-9, (entry) => entry.at));

  // MARK: Frames

  function drawRows() {
    // While it follows, only this function scrolls: a user who scrolls ends that. A place that the browser has to tell
    // costs a layout of the whole page, so it is asked for otherwise only, and set after all other changes.
    const before = isFollowing ? lastTop : scroller.scrollTop;
    const removed = record.release();
    if (record.isSearching) record.search(searchBudget);
    const { view } = record;
    const end = reached();
    const height = view.length * rowHeight;
    const limit = Math.max(0, height - viewHeight);
    const wanted = isFollowing ? end * rowHeight - viewHeight : before - removed * rowHeight;
    const top = Math.min(limit, Math.max(0, wanted));

    // Rows that replace all others with each frame need none in reserve.
    const reserve = isFollowing ? 0 : overscan;
    const first = Math.max(0, Math.floor(top / rowHeight) - reserve);
    const last = Math.min(view.length, Math.ceil((top + viewHeight) / rowHeight) + reserve);
    highlight?.clear();
    for (let index = first; index < last; index += 1) {
      const row = pool[index % pool.length];
      row.show(index, view[index], index >= end);
      if (highlight && record.matches.length) row.highlight();
    }
    for (const row of pool) if (row.index < first || row.index >= last) row.hide();
    drawBars(first, last);
    drawCounts();
    const active = selected === null ? null : pool.find((row) => row.entry?.n === selected);
    if (active) scroller.setAttribute("aria-activedescendant", active.node.id);
    else scroller.removeAttribute("aria-activedescendant");
    if (height !== contentHeight) {
      contentHeight = height;
      content.style.height = `${height}px`;
    }
    lastTop = top;
    if (top !== before) scroller.scrollTop = top;
    if (record.isSearching) draw();
  }

  function drawBars(first, last) {
    const { view, streams } = record;
    let used = 0;
    for (const stream of streams) {
      const begin = lowerBound(view, stream.begin, (entry) => entry.n);
      const end = stream.end === null ? view.length : lowerBound(view, stream.end + 1, (entry) => entry.n);
      if (begin >= last || end <= first || end <= begin) continue;
      const bar = bars[used] ?? newBar();
      used += 1;
      const from = Math.max(begin, first - 1);
      const to = Math.min(end, last + 1);
      bar.hidden = false;
      bar.title = shortened(stream.name, 80);
      bar.className = `bar tint${stream.slot % slots}`;
      bar.style.setProperty("--slot", Math.min(stream.slot, slots - 1));
      bar.style.transform = `translateY(${from * rowHeight + (begin >= from ? rowHeight / 2 : 0)}px)`;
      bar.style.height = `${(to - from) * rowHeight - (begin >= from ? rowHeight / 2 : 0) - (stream.end !== null && end <= to ? rowHeight / 2 : 0)}px`;
    }
    for (const bar of bars.slice(used)) bar.hidden = true;
  }

  function newBar() {
    const bar = element("div", { class: "bar" });
    bars.push(bar);
    content.append(bar);
    return bar;
  }

  function drawCounts() {
    const total = record.entries.length;
    const shown = record.view.length;
    panel.dataset.count = String(total);
    set(count, "textContent", shown === total ? total.toLocaleString("en") : `${shown.toLocaleString("en")} of ${total.toLocaleString("en")}`);
    set(empty, "hidden", shown > 0);
    set(empty, "textContent", total > 0 ? "No message matches the filter and the kinds." : "No messages yet.");
    const position = lowerBound(record.matches, current ?? 0);
    set(found, "value", search.value === "" ? ""
      : `${record.matches[position] === current ? `${position + 1} of ` : ""}${record.matches.length.toLocaleString("en")}${record.isSearching ? "…" : ""}`);
    const key = [...record.counts.keys()].join();
    if (key !== kindKey) {
      kindKey = key;
      kinds.replaceChildren(...allKinds.filter((kind) => record.counts.has(kind)).map(kindToggle));
    }
  }

  function kindToggle(kind) {
    const toggle = button(kind, () => {
      record.setKind(kind, record.hidden.has(kind));
      toggle.setAttribute("aria-pressed", String(!record.hidden.has(kind)));
      draw();
    }, { "data-kind": kind, "aria-pressed": String(!record.hidden.has(kind)) });
    return toggle;
  }

  // MARK: Rows

  class Row {
    index = -1;
    entry = null;
    #key = "";
    #time = element("span", { class: "time" }, "");
    #arrow = element("i");
    #lanes = element("span", { class: "lanes" }, this.#arrow);
    #kind = element("span", { class: "kind" }, "");
    #mark = element("span", { class: "mark" }, "");
    #name = element("bdi", { class: "name" }, "");
    #text = element("bdi", { class: "more" }, "");

    constructor(place) {
      this.node = element("div", { class: "row", role: "option", id: `row-${place}`, hidden: true }, this.#time, this.#lanes,
        this.#kind, element("span", { class: "what" }, this.#mark, this.#name, " ", this.#text));
      this.node.addEventListener("click", () => {
        if (this.entry) select(this.entry);
      });
    }

    show(index, entry, isLater) {
      if (this.index !== index) {
        this.index = index;
        this.node.style.transform = `translateY(${index * rowHeight}px)`;
      }
      const key = `${record.version} ${entry.n} ${isLater} ${selected === entry.n} ${current === entry.n}`;
      if (key === this.#key) return;
      if (this.entry === null) this.node.hidden = false;
      if (this.entry !== entry) this.#fill(entry);
      this.#key = key;
      set(this.node, "className", `row${isLater ? " later" : ""}${selected === entry.n ? " selected" : ""}${current === entry.n ? " current" : ""}`);
      this.node.setAttribute("aria-selected", String(selected === entry.n));
    }

    #fill(entry) {
      const { node } = this;
      this.entry = entry;
      const from = lanes.get(entry.from) ?? 0;
      const to = lanes.get(entry.to) ?? from;
      // Rows are filled a thousand times a second: only what differs is written.
      set(node.dataset, "kind", entry.kind);
      set(node.dataset, "level", entry.level);
      set(this.#time.firstChild, "data", seconds(entry.t));
      set(this.#kind.firstChild, "data", entry.kind);
      set(this.#mark.firstChild, "data", marks[entry.level] ? `${marks[entry.level]} ` : "");
      this.#name.firstChild.data = shortened(entry.name, nameLimit);
      this.#text.firstChild.data = shortened(entry.text, textLimit);
      set(this.#arrow, "className", from === to ? "note" : to > from ? "arrow right" : "arrow left");
      set(this.#arrow.style, "left", `${laneWidth * (Math.min(from, to) + 0.5)}px`);
      set(this.#arrow.style, "width", from === to ? "" : `${laneWidth * Math.abs(to - from)}px`);
      const way = from === to ? entry.from : `${entry.from} to ${entry.to}`;
      node.setAttribute("aria-label", shortened(
        `${seconds(entry.t)} s, ${way}, ${entry.kind}${marks[entry.level] ? `, ${entry.level}` : ""}: ${entry.name} ${entry.text}`, textLimit));
    }

    /** Marks what the search found, without changing the nodes. */
    highlight() {
      for (const node of [this.#name.firstChild, this.#text.firstChild]) {
        const place = record.found(node.data);
        if (!place) continue;
        const range = new StaticRange({ startContainer: node, startOffset: place.start, endContainer: node, endOffset: place.end });
        highlight.add(range);
      }
    }

    hide() {
      if (this.entry === null) return;
      this.node.hidden = true;
      this.index = -1;
      this.entry = null;
      this.#key = "";
    }
  }

  function measure() {
    // A row that was visible stays visible when the detail opens below it.
    const place = selected === null ? -1 : record.indexOf(selected);
    const wasVisible = place >= 0 && place * rowHeight >= lastTop - rowHeight && place * rowHeight < lastTop + viewHeight;
    rowHeight = Math.round(1.75 * parseFloat(getComputedStyle(document.documentElement).fontSize));
    viewHeight = scroller.clientHeight;
    body.style.setProperty("--row", `${rowHeight}px`);
    const width = scroller.clientWidth;
    const share = width * (width < 700 ? 0.26 : 0.34) / Math.max(2, lanes.size);
    laneWidth = Math.round(Math.min(110, Math.max(44, share)));
    body.style.setProperty("--lane", `${laneWidth}px`);
    const size = Math.ceil(viewHeight / rowHeight) + 2 * overscan + 2;
    if (size > pool.length) {
      for (let place = pool.length; place < size; place += 1) pool.push(new Row(place));
      content.replaceChildren(...pool.map((row) => row.node), ...bars);
    }
    // An index belongs to the row of its remainder, so a changed pool or height begins again.
    for (const row of pool) row.hide();
    if (wasVisible) reveal(place);
    draw();
  }

  // MARK: Scrolling and selection

  function setFollow(isOn) {
    isFollowing = isOn;
    follow.setAttribute("aria-pressed", String(isOn));
    draw();
  }

  scroller.addEventListener("scroll", () => {
    const top = scroller.scrollTop;
    const end = Math.max(0, reached() * rowHeight - viewHeight);
    if (isFollowing && top < lastTop - 1 && top < end - 1) setFollow(false);
    else if (!isFollowing && now === null && top > lastTop && top >= end - 1) setFollow(true);
    lastTop = top;
    draw();
  }, { passive: true });

  function reveal(index) {
    const top = scroller.scrollTop;
    if (index * rowHeight < top) scroller.scrollTop = index * rowHeight;
    else if ((index + 1) * rowHeight > top + viewHeight) scroller.scrollTop = (index + 1) * rowHeight - viewHeight;
  }

  function select(entry) {
    selected = entry.n;
    selectedTime = entry.t;
    if (entry !== record.view.at(-1)) setFollow(false);
    lab.emit({ type: "select", entry });
    if (lab.hello?.isStored && entry.t !== null) lab.send({ do: "seek", time: entry.t });
    draw();
  }

  function selectIndex(index) {
    const place = Math.min(record.view.length - 1, Math.max(0, index));
    const entry = record.view[place];
    if (!entry) return;
    select(entry);
    reveal(place);
  }

  scroller.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 1);
    const change = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (!change || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const from = selected === null ? -1 : record.indexOf(selected);
    selectIndex(from >= 0 ? from + change : change === -Infinity ? 0 : change === Infinity ? record.view.length
      : Math.floor(scroller.scrollTop / rowHeight));
    if (event.key === "End" && now === null) setFollow(true);
  });

  // MARK: Filter and search

  function sendFilter() {
    clearTimeout(filterTimer);
    filterId += 1;
    const text = filter.value.trim();
    lab.send({ ask: "filter", id: filterId, text });
    if (text) return;
    problem.hidden = true;
    filter.removeAttribute("aria-invalid");
    record.setFilter(null);
    draw();
  }

  filter.addEventListener("input", () => {
    clearTimeout(filterTimer);
    filterTimer = setTimeout(sendFilter, filterDelay);
  });
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") sendFilter();
  });

  search.addEventListener("input", () => {
    current = null;
    record.setSearch(search.value);
    draw();
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    moveMatch(event.shiftKey ? -1 : 1);
  });

  /** Goes to the next or the previous match, from the current one or from the first visible row. */
  function moveMatch(direction) {
    // A search that is typed and sent at once has not begun yet.
    if (record.isSearching) record.search(moveBudget);
    const { matches } = record;
    if (!matches.length) return;
    const from = current ?? record.view[Math.floor(scroller.scrollTop / rowHeight)]?.n ?? 0;
    let place = lowerBound(matches, from);
    if (matches[place] === current || direction < 0) place += direction;
    current = matches[(place + matches.length) % matches.length];
    const entry = record.view[record.indexOf(current)];
    if (!entry) return;
    select(entry);
    reveal(record.indexOf(current));
  }

  new ResizeObserver(measure).observe(scroller);

  return {
    hello(hello) {
      record.clear();
      lanes = new Map(hello.lanes.map((lane, index) => [lane.id, index]));
      body.style.setProperty("--lanes", lanes.size);
      heads.replaceChildren(...hello.lanes.map((lane) => element("bdi", {}, shortened(lane.name || lane.id, 40))));
      lines.replaceChildren(...hello.lanes.map(() => element("i")));
      selected = null;
      current = null;
      now = null;
      kindKey = "-";
      filter.hidden = hello.isStored === true;
      setFollow(true);
      measure();
      if (filter.value.trim() && !hello.isStored) sendFilter();
    },
    entries({ entries }) {
      record.append(entries);
      draw();
    },
    dropped({ before }) {
      record.drop(before);
      draw();
    },
    state(state) {
      const time = lab.can("seek") ? state.time : null;
      if (time === now) return;
      now = time;
      const isSelected = now !== null && now === selectedTime;
      if (now !== null && !isFollowing && !isSelected) reveal(Math.max(0, reached() - 1));
      draw();
    },
    filter({ id, problem: text, numbers, isFirst }) {
      if (id !== filterId || filter.value.trim() === "") return;
      problem.hidden = text === null;
      problem.textContent = shortened(text ?? "", 500);
      filter.setAttribute("aria-invalid", String(text !== null));
      if (text !== null) return;
      if (isFirst) record.setFilter(numbers);
      else record.extendFilter(numbers);
      draw();
    },
    request({ name }) {
      if (name === "filter") filter.focus();
      if (name === "search") search.focus();
      if (name === "ladder") scroller.focus();
      if (name === "follow") setFollow(!isFollowing);
    },
  };
}
