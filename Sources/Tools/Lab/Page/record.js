// swift-iap2 · Apache-2.0
// The record of a session: its entries, those that are shown, those that a search finds, and the streams.

import { lowerBound } from "lab/dom";

const numberOf = (entry) => entry.n;

/** Kinds that are hidden at first, because they are many. */
const hiddenAtFirst = ["packet", "screen"];

/** Dropped entries that are released together, in a long record. */
const releaseStep = 512;

export class Record {
  /** All entries that the server keeps, by number. */
  entries = [];
  /** The entries that filter and kinds let through. */
  view = [];
  /** The number of entries of each kind since the greeting. */
  counts = new Map();
  hidden = new Set(hiddenAtFirst);
  /** Streams from their begin to their end, each in the first free slot beside the rows. */
  streams = [];
  /** The numbers of entries that a search finds, in order. */
  matches = [];
  isSearching = false;
  /** Changes whenever a row at the same place may have to be drawn again. */
  version = 0;
  #matching = null;
  #pattern = null;
  #scanned = 0;
  #droppedBefore = 0;
  /** The time of the last entry. An entry without a time has that of the entry before it. */
  #time = -Infinity;

  /** Forgets the entries. The choices of the user stay. */
  clear() {
    this.entries = [];
    this.counts.clear();
    this.streams = [];
    this.#droppedBefore = 0;
    this.#time = -Infinity;
    this.#matching = null;
    this.#rebuild();
  }

  append(entries) {
    let last = this.entries.at(-1)?.n ?? -1;
    for (const entry of entries) {
      if (entry.n <= last) continue;
      last = entry.n;
      this.#time = Math.max(this.#time, entry.t ?? this.#time);
      entry.at = this.#time;
      this.entries.push(entry);
      this.counts.set(entry.kind, (this.counts.get(entry.kind) ?? 0) + 1);
      if (entry.kind === "stream") this.#addStream(entry);
      if (this.#isShown(entry)) this.view.push(entry);
    }
    this.isSearching = this.#pattern !== null;
  }

  drop(before) {
    this.#droppedBefore = Math.max(this.#droppedBefore, before);
  }

  /** Releases the dropped entries and returns how many rows of the view they were. Call it once a frame. */
  release() {
    const before = this.#droppedBefore;
    const count = lowerBound(this.entries, before, numberOf);
    // Removing from the front moves the whole list, so a few dropped entries wait for more.
    if (count === 0 || count < Math.min(releaseStep, this.entries.length / 64)) return 0;
    this.entries.splice(0, count);
    const removed = lowerBound(this.view, before, numberOf);
    this.view.splice(0, removed);
    this.matches.splice(0, lowerBound(this.matches, before));
    this.#scanned = Math.max(0, this.#scanned - removed);
    this.streams = this.streams.filter((stream) => stream.end === null || stream.end >= before);
    if (this.#matching) for (const n of this.#matching) if (n < before) this.#matching.delete(n);
    return removed;
  }

  setKind(kind, isShown) {
    if (isShown) this.hidden.delete(kind);
    else this.hidden.add(kind);
    this.#rebuild();
  }

  /** Begins to show only entries with these numbers; null shows all again. */
  setFilter(numbers) {
    this.#matching = numbers ? new Set(numbers) : null;
    this.#rebuild();
  }

  /** Adds numbers that match the filter. Their entries may have arrived earlier or come later. */
  extendFilter(numbers) {
    if (!this.#matching || !numbers.length) return;
    for (const n of numbers) this.#matching.add(n);
    this.#rebuild(numbers[0]);
  }

  setSearch(text) {
    this.#pattern = text ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu") : null;
    this.#restartSearch(0);
  }

  /** Returns where the search finds its text in another text, or null. */
  found(text) {
    const match = this.#pattern?.exec(text);
    return match ? { start: match.index, end: match.index + match[0].length } : null;
  }

  /** Searches on for some milliseconds. */
  search(budget) {
    const deadline = performance.now() + budget;
    const { view } = this;
    while (this.#pattern && this.#scanned < view.length) {
      const entry = view[this.#scanned];
      if (this.#pattern.test(entry.name) || this.#pattern.test(entry.text)) this.matches.push(entry.n);
      this.#scanned += 1;
      if (this.#scanned % 256 === 0 && performance.now() > deadline) return;
    }
    this.isSearching = false;
  }

  indexOf(n) {
    const index = lowerBound(this.view, n, numberOf);
    return this.view[index]?.n === n ? index : -1;
  }

  #isShown(entry) {
    return !this.hidden.has(entry.kind) && (!this.#matching || this.#matching.has(entry.n));
  }

  /** Makes the view again, from an entry on. */
  #rebuild(from = 0) {
    const kept = lowerBound(this.view, from, numberOf);
    this.view.length = kept;
    for (let index = lowerBound(this.entries, from, numberOf); index < this.entries.length; index += 1) {
      if (this.#isShown(this.entries[index])) this.view.push(this.entries[index]);
    }
    this.version += 1;
    this.#restartSearch(Math.min(kept, this.#scanned));
  }

  #restartSearch(scanned) {
    this.#scanned = scanned;
    this.matches.length = scanned ? lowerBound(this.matches, (this.view[scanned - 1]?.n ?? -1) + 1) : 0;
    this.isSearching = this.#pattern !== null;
    this.version += 1;
  }

  #addStream(entry) {
    const open = this.streams.filter((stream) => stream.end === null);
    if (entry.state === "end") {
      const stream = open.find((candidate) => candidate.name === entry.stream);
      if (stream) stream.end = entry.n;
    } else {
      // A stream that begins again has ended, even if its end was not reported.
      const earlier = open.find((candidate) => candidate.name === entry.stream);
      if (earlier) earlier.end = entry.n;
      let slot = 0;
      while (open.some((stream) => stream !== earlier && stream.slot === slot)) slot += 1;
      this.streams.push({ name: entry.stream, begin: entry.n, end: null, slot });
    }
  }
}
