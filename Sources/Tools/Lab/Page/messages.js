// swift-iap2 · Apache-2.0
// Reads messages of the server. Every message is checked here, so the views can rely on the types of its values.

/** The kinds of entries, in the order of their buttons. */
export const kinds = ["step", "call", "message", "event", "stream", "report", "finding", "fault", "output", "end", "screen", "packet"];
const levels = new Set(["detail", "info", "notice", "warning", "error"]);

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value) => (typeof value === "string" ? value : "");
const flag = (value) => (typeof value === "boolean" ? value : null);
const number = (value) => (Number.isFinite(value) ? value : null);
const list = (value) => (Array.isArray(value) ? value : []);
const objects = (value) => list(value).filter(isObject);
const object = (value) => (isObject(value) ? value : {});

function entry(value) {
  if (!isObject(value) || !Number.isSafeInteger(value.n) || value.n < 0) {
    warn("entry", value);
    return null;
  }
  return {
    n: value.n, t: number(value.t), from: text(value.from), to: text(value.to),
    kind: kinds.includes(value.kind) ? value.kind : "event", name: text(value.name), text: text(value.text),
    level: levels.has(value.level) ? value.level : "info", more: value.more === true, expectable: value.expectable === true,
    stream: text(value.stream), state: text(value.state),
  };
}

/** What a click on a failure of the field does. */
const deeds = new Set(["switch", "steps", "restart", "reports"]);

/** Returns a fault with its kind, or null for one without values. */
function fault({ name, kind, summary, values, unit }) {
  const shared = { name, summary: text(summary) };
  if (kind === "flag" || kind === "chance") return { ...shared, kind };
  const numbers = list(values).filter(Number.isFinite);
  return kind === "values" && numbers.length > 0 ? { ...shared, kind, values: numbers, unit: text(unit) } : null;
}

/** Returns the reports about parts of the screen, by the number of the part. */
function reports(value) {
  const known = objects(value).filter((report) => Number.isSafeInteger(report.part));
  return Map.groupBy(known.map((report) => ({
    part: report.part, kind: text(report.kind), what: text(report.what), carShows: text(report.carShows),
    remedy: text(report.remedy), place: text(report.place),
  })), (report) => report.part);
}

function failures(value) {
  return {
    on: new Set(list(object(value).on).filter(Number.isSafeInteger)),
    found: new Map(objects(object(value).found).filter((found) => Number.isSafeInteger(found.number))
      .map((found) => [found.number, { count: number(found.count) ?? 0, words: text(found.words) }])),
  };
}

const named = (value) => objects(value).filter((item) => typeof item.name === "string");

const readers = {
  hello: (value) => ({
    version: text(value.version), mode: text(value.mode) || "live", title: text(value.title),
    lanes: objects(value.lanes).map((lane) => ({ id: text(lane.id), name: text(lane.name) })),
    verbs: named(value.verbs).map((verb) => ({
      name: verb.name, group: text(verb.group), summary: text(verb.summary), main: text(verb.main),
      arguments: named(verb.arguments).map((argument) => ({
        name: argument.name, type: text(argument.type), isRequired: argument.isRequired === true,
        summary: text(argument.summary), choices: list(argument.choices).filter((choice) => typeof choice === "string"),
        minimum: number(argument.minimum), maximum: number(argument.maximum),
      })),
    })),
    lines: objects(value.lines).map((line) => ({ label: text(line.label), text: text(line.text), summary: text(line.summary), key: text(line.key) })),
    faults: named(value.faults).map(fault).filter(Boolean),
    failures: objects(value.failures).filter((failure) => Number.isSafeInteger(failure.number) && deeds.has(failure.deed))
      .map((failure) => ({ number: failure.number, title: text(failure.title), summary: text(failure.summary),
        deed: failure.deed, words: text(failure.words) })),
    cars: list(value.cars).filter((car) => typeof car === "string"), car: text(value.car),
    can: list(value.can), saves: list(value.saves), earlierLines: number(value.earlierLines) ?? 0,
    displays: objects(value.displays).map((display) => ({ id: number(display.id) ?? 0, name: text(display.name) })),
  }),
  entries: (value) => ({ entries: list(value.entries).map(entry).filter(Boolean) }),
  dropped: (value) => (Number.isSafeInteger(value.before) ? { before: value.before } : null),
  state: (value) => ({
    time: number(value.time), isPaused: value.isPaused === true, speed: number(value.speed) ?? 1,
    end: value.end === null || value.end === undefined ? null : text(value.end) || "ended", front: text(value.front),
    isConnected: flag(value.isConnected), isDriving: flag(value.isDriving), isLocked: flag(value.isLocked),
    look: object(value.look), phone: object(value.phone), screen: isObject(value.screen) ? value.screen : null,
    displays: Array.isArray(value.displays) ? value.displays.filter(Number.isInteger) : null,
    targets: objects(value.targets), faults: object(value.faults), failures: failures(value.failures),
    reports: reports(value.reports), losesNextDisconnect: value.losesNextDisconnect === true,
    recorded: objects(value.recorded).map((line) => ({ text: text(line.text), isExpectation: line.isExpectation === true })),
    range: isObject(value.range) ? { start: number(value.range.start) ?? 0, end: number(value.range.end) ?? 0 } : null,
  }),
  detail: (value) => (Number.isSafeInteger(value.n)
    ? {
      n: value.n, title: text(value.title), hex: /^([0-9a-f]{2})*$/i.test(text(value.hex)) ? text(value.hex) : "",
      fields: named(value.fields).map((field) => ({
        name: field.name, value: field.value === undefined ? "" : String(field.value), depth: number(field.depth) ?? 0,
        start: number(field.start), end: number(field.end),
      })),
      lines: list(value.lines).filter((line) => typeof line === "string"), json: value.json,
      findings: objects(value.findings).map((finding) => ({
        level: levels.has(finding.level) ? finding.level : "info", text: text(finding.text), source: text(finding.source),
      })),
    }
    : null),
  filter: (value) => ({
    id: value.id, problem: text(value.problem) || null, isFirst: value.isFirst === true,
    numbers: list(value.numbers).filter(Number.isSafeInteger),
  }),
  file: (value) => (typeof value.text === "string" || typeof value.base64 === "string"
    ? { name: text(value.name) || "session", text: value.text, base64: value.base64 } : null),
  note: (value) => ({ level: levels.has(value.level) ? value.level : "info", text: text(value.text) }),
};

/** Returns the message with values of the right types, or null for a malformed one. */
export function checked(value) {
  const reader = isObject(value) && Object.hasOwn(readers, value.type) ? readers[value.type] : null;
  const message = reader?.(value);
  if (message) return { type: value.type, ...message };
  warn("message", value);
  return null;
}

/** Returns the picture of a binary message, or null for a malformed one. */
export function picture(buffer) {
  const bytes = new Uint8Array(buffer);
  if (bytes.length < 9 || bytes[0] !== 1 || bytes[2] > 2) {
    warn("picture", bytes.length);
    return null;
  }
  const number = new DataView(buffer).getUint32(4);
  return { type: "picture", display: bytes[1], format: bytes[2], number, data: bytes.subarray(8) };
}

let warnings = 0;

/** Warns about a malformed value. A broken server must not fill the console. */
export function warn(what, value) {
  warnings += 1;
  if (warnings <= 100) console.warn(`ignored a malformed ${what}`, value);
}
