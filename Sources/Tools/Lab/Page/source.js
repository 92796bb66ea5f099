// swift-iap2 · Apache-2.0
// The source of the messages: a server behind a WebSocket, or a session stored in the page itself.

import { bytesOfBase64, lowerBound } from "lab/dom";
import { checked, picture, warn } from "lab/messages";

/** The code with which a server closes a socket that it has no room for. Source: the IANA's WebSocket close codes. */
const tryAgainLater = 1013;

/** Opens the source of this page. It calls `receive` with each message. */
export function openSource(receive) {
  const record = document.getElementById("record");
  return record ? new StoredSource(JSON.parse(record.textContent), receive) : new LiveSource(receive);
}

/** A WebSocket that connects again after a loss. The server then sends the record from its start. */
class LiveSource {
  #receive;
  #socket;
  #delay = 0;

  constructor(receive) {
    this.#receive = receive;
    this.#connect();
  }

  send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #connect() {
    const address = new URL("socket", document.baseURI);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.#delay = 0;
      this.#receive({ type: "connection", state: "open" });
    });
    socket.addEventListener("message", (event) => this.#read(event.data));
    socket.addEventListener("close", ({ code, reason }) => {
      this.#delay = Math.min(5, this.#delay * 2 || 0.25);
      this.#receive({ type: "connection", state: "lost", reason: code === tryAgainLater ? reason : "" });
      setTimeout(() => this.#connect(), this.#delay * 1000);
    });
    this.#socket = socket;
  }

  #read(data) {
    let message = null;
    try {
      message = typeof data === "string" ? checked(JSON.parse(data)) : picture(data);
    } catch (error) {
      warn("message", error);
    }
    if (message) this.#receive(message);
  }
}

/** A session stored in the page. It answers what a server would answer, and plays in real time. */
class StoredSource {
  #receive;
  #record;
  #state;
  #pictures = new Map();
  #shown = new Map();
  #last = null;

  constructor(record, receive) {
    this.#receive = receive;
    this.#record = record;
    const entries = checked({ type: "entries", entries: record.entries }).entries;
    const state = checked({ ...record.state, type: "state" });
    const times = entries.map((entry) => entry.t).filter((time) => time !== null);
    const range = state.range ?? { start: times[0] ?? 0, end: times.at(-1) ?? 0 };
    this.#state = { ...state, range, time: range.end, isPaused: true, speed: 1 };
    for (const stored of Array.isArray(record.pictures) ? record.pictures : []) {
      if (typeof stored?.png !== "string") continue;
      const list = this.#pictures.get(stored.display) ?? [];
      // A picture without a time is the last one.
      list.push({ ...stored, t: Number.isFinite(stored.t) ? stored.t : range.end });
      this.#pictures.set(stored.display, list);
    }
    // The views exist only after the source was opened.
    queueMicrotask(() => {
      receive({ type: "connection", state: "stored" });
      receive({ ...checked({ ...record.hello, type: "hello" }), verbs: [], lines: [], faults: [], cars: [],
        can: ["time", "seek"], isStored: true });
      receive({ type: "entries", entries });
      this.#show();
    });
  }

  send(message) {
    const state = this.#state;
    if (message.ask === "detail") {
      const detail = checked({ ...this.#record.details?.[message.n], type: "detail", n: message.n });
      if (detail) this.#receive(detail);
    } else if (message.do === "seek") {
      this.#move(message.time);
    } else if (message.do === "play") {
      if (state.time >= state.range.end) this.#move(state.range.start);
      state.isPaused = false;
      this.#last = null;
      this.#show();
      requestAnimationFrame((now) => this.#advance(now));
    } else if (message.do === "pause") {
      state.isPaused = true;
      this.#show();
    } else if (message.do === "speed") {
      state.speed = message.value;
      this.#show();
    } else if (message.do === "step") {
      const next = this.#record.entries.find((entry) => entry.t > state.time);
      state.isPaused = true;
      this.#move(next?.t ?? state.range.end);
    }
  }

  #advance(now) {
    const state = this.#state;
    if (state.isPaused) return;
    const passed = this.#last === null ? 0 : (now - this.#last) / 1000;
    this.#last = now;
    this.#move(state.time + passed * state.speed);
    if (state.time >= state.range.end) {
      state.isPaused = true;
      this.#show();
    } else {
      requestAnimationFrame((next) => this.#advance(next));
    }
  }

  #move(time) {
    const { start, end } = this.#state.range;
    this.#state.time = Math.min(end, Math.max(start, time));
    this.#show();
  }

  /** Sends the state and the pictures of the time. Only the end has a tree of parts. */
  #show() {
    const isEnd = this.#state.time >= this.#state.range.end;
    this.#receive({ ...this.#state, ...(isEnd ? {} : { screen: null, targets: [] }) });
    for (const [display, list] of this.#pictures) {
      const index = Math.max(0, lowerBound(list, this.#state.time + 1e-9, (item) => item.t) - 1);
      if (this.#shown.get(display) === index) continue;
      this.#shown.set(display, index);
      this.#receive({ type: "picture", display, format: 0, number: index, data: bytesOfBase64(list[index].png) });
    }
  }
}
