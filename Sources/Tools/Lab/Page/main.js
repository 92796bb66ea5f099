// swift-iap2 · Apache-2.0
// The page of `iap2 lab`. A view is an object with a function for each type of message that it shows. Messages of the
// server and messages between views (select, outline, pointing, request) go the same way.

import { car } from "lab/car";
import { detail } from "lab/detail";
import { faults } from "lab/faults";
import { keys } from "lab/keys";
import { ladder } from "lab/ladder";
import { lines } from "lab/lines";
import { warn } from "lab/messages";
import { notes } from "lab/notes";
import { panels } from "lab/panels";
import { parts } from "lab/parts";
import { phone } from "lab/phone";
import { recorder } from "lab/recorder";
import { openSource } from "lab/source";
import { time } from "lab/time";
import { verbs } from "lab/verbs";

/** What the views share: the last greeting, the last state, and the ways to the server and to each other. */
const lab = {
  hello: null,
  state: null,
  can: (ability) => lab.hello?.can.includes(ability) ?? false,
  hasVerb: (name) => lab.can("input") && (lab.hello?.verbs.some((verb) => verb.name === name) ?? false),
  /** Returns the session's step that a key makes while the car has the focus. */
  lineOf: (key) => (lab.can("lines") && lab.hello?.lines.find((line) => line.key === key)) || null,
  send: (message) => source.send(message),
  line: (text) => lab.send({ do: "line", text }),
  verb: (name, values = {}) => lab.send({ do: "verb", verb: name, arguments: values }),
  emit: receive,
};

const body = (name) => document.querySelector(`#${name} .body`);
panels();
const views = [
  notes(document.getElementById("notes"), document.getElementById("lost")),
  time(document.getElementById("time"), lab),
  car(body("car"), lab),
  verbs(body("verbs"), lab),
  lines(body("verbs"), lab),
  phone(body("phone")),
  parts(body("parts"), lab),
  faults(body("faults"), lab),
  recorder(body("recorder"), lab),
  ladder(body("ladder"), lab),
  detail(body("detail"), lab),
  keys(lab),
];
const source = openSource(receive);

function receive(message) {
  if (message.type === "hello") {
    lab.hello = message;
    lab.state = null;
    document.documentElement.dataset.mode = message.mode;
  } else if (message.type === "state") {
    lab.state = message;
  } else if (message.type === "connection") {
    document.documentElement.dataset.state = message.state;
  }
  for (const view of views) {
    try {
      view[message.type]?.(message);
    } catch (error) {
      warn(message.type, error);
    }
  }
}
