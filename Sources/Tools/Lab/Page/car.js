// swift-iap2 · Apache-2.0
// The car's displays: pictures on canvases, and mouse, touch, wheel and keys on them.

import { element, inFrame, set } from "lab/dom";
import { PictureDecoder } from "lab/decoder";
import { carKeys } from "lab/keys";

/** Pixels of a wheel's movement that turn the knob by one step. */
const wheelStep = 60;
/** An enlargement this near to a whole factor is rounded down to it, so that pixels stay sharp. */
const snapping = 0.12;

export function car(body, lab) {
  const main = element("div", { class: "screen", tabindex: 0, role: "application",
    "aria-label": "Screen of the car" });
  const others = element("div", { class: "others" });
  const facts = element("p", { class: "facts" });
  body.append(main, others, facts);

  const panel = body.parentElement;
  let displays = new Map();
  let outlined = null;
  let isPointing = false;
  let askedForPNG = false;

  function display(id) {
    if (displays.has(id)) return displays.get(id);
    const name = lab.hello?.displays.find((item) => item.id === id)?.name || `display ${id}`;
    const figure = id === 0 ? main
      : element("div", { class: "screen", role: "img", "aria-label": `The car's ${name}` });
    if (id !== 0) others.append(element("figure", {}, figure, element("figcaption", {}, name)));
    const created = new Display(id, figure, lab, {
      askForPNG() {
        if (!askedForPNG) lab.send({ do: "pictures", format: "png" });
        askedForPNG = true;
      },
      pick: (part) => lab.emit({ type: "pick", part }),
      isPointing: () => isPointing,
      drawn: () => { drawnCount += 1; },
    });
    displays.set(id, created);
    return created;
  }

  let drawnCount = 0;
  let rate = 0;
  setInterval(() => {
    rate = drawnCount;
    drawnCount = 0;
    showFacts();
  }, 1000);

  /** Whether a stored session shows the picture of its end at an earlier time. */
  const isLater = () => Boolean(lab.hello?.isStored && lab.state?.range && lab.state.time < lab.state.range.end);
  const showFacts = inFrame(() => {
    main.classList.toggle("later", isLater());
    const { look = {}, isDriving, front } = lab.state ?? {};
    const words = [look.name, look.pixelWidth ? `${look.pixelWidth} × ${look.pixelHeight}` : null,
      look.drivingSide ? `driver on the ${look.drivingSide}` : null, look.appearance,
      Array.isArray(look.inputs) ? look.inputs.join(", ") : null, (isDriving ?? null) === null ? null : isDriving ? "driving" : "parked",
      front ? `front: ${front}` : null, isLater() ? "the picture is that of the end" : null, rate > 1 ? `${rate} fps` : null];
    set(facts, "textContent", words.filter(Boolean).map(String).join(" · ").slice(0, 400));
  });

  const drawOutlines = inFrame(() => {
    displays.get(0)?.outline(lab.state?.targets ?? [], outlined, isPointing);
  });

  /** Hides the displays that the session does not show any more. The main one stays. */
  function showDisplays() {
    const shown = lab.state.displays;
    for (const [id, item] of displays) if (id !== 0) item.setHidden(shown !== null && !shown.includes(id));
  }

  main.addEventListener("keydown", (event) => carKeys(event, lab));
  main.addEventListener("wheel", turning(lab), { passive: false });

  return {
    hello(hello) {
      for (const item of displays.values()) item.close();
      displays = new Map();
      others.replaceChildren();
      askedForPNG = false;
      main.replaceChildren();
      main.setAttribute("aria-label", `Screen of the car.${lab.hasVerb("turn")
        || lab.lineOf("ArrowUp") ? " Arrow keys turn the knob, Enter presses it, Escape goes back." : ""}`);
      // A session without a car has no pictures. The first one shows the panel.
      panel.hidden = hello.mode !== "car";
      display(0);
      if (typeof VideoDecoder === "undefined" && !hello.isStored) displays.get(0).askForPNG();
    },
    picture(picture) {
      panel.hidden = false;
      display(picture.display).show(picture);
    },
    state() {
      showFacts();
      drawOutlines();
      showDisplays();
      const { look } = lab.state;
      if (look.pixelWidth > 0) panel.hidden = false;
      if (!displays.get(0)?.hasPicture && look.pixelWidth > 0 && look.pixelHeight > 0) {
        displays.get(0)?.resize(Math.min(8192, look.pixelWidth), Math.min(8192, look.pixelHeight));
      }
    },
    outline({ part }) {
      outlined = part;
      drawOutlines();
    },
    pointing({ isOn }) {
      isPointing = isOn;
      main.classList.toggle("pointing", isOn);
      drawOutlines();
    },
  };
}

/** Returns a listener that turns the knob with the wheel. */
function turning(lab) {
  let rest = 0;
  return (event) => {
    const hasVerb = lab.hasVerb("turn");
    if (!hasVerb && !lab.lineOf("ArrowUp") || event.ctrlKey) return;
    event.preventDefault();
    rest += event.deltaY * (event.deltaMode === 1 ? wheelStep : 1);
    const steps = Math.trunc(rest / wheelStep);
    rest -= steps * wheelStep;
    if (hasVerb) {
      if (steps) lab.verb("turn", { steps });
      return;
    }
    // A step for each detent, as the keys make them.
    const line = lab.lineOf(steps < 0 ? "ArrowUp" : "ArrowDown");
    for (let count = Math.abs(steps); line && count > 0; count -= 1) lab.line(line.text);
  };
}

/** One display: a canvas with the pictures, and a layer with outlines of parts. */
class Display {
  #id;
  #figure;
  #lab;
  #callbacks;
  #canvas = element("canvas", { width: 800, height: 480 });
  #layer = element("div", { class: "layer" });
  #finger = element("div", { class: "finger", hidden: true });
  #context;
  #decoder;
  #observer;
  #touch = null;
  #markCount = 0;
  #outlined = "";
  #listeners = new AbortController();
  hasPicture = false;

  constructor(id, figure, lab, callbacks) {
    this.#id = id;
    this.#figure = figure;
    this.#lab = lab;
    this.#callbacks = callbacks;
    this.#context = this.#canvas.getContext("2d", { alpha: false });
    this.#decoder = new PictureDecoder(
      (image, width, height, number) => this.#draw(image, width, height, number),
      () => lab.send({ do: "keyFrame", display: id }),
      callbacks.askForPNG,
    );
    this.#layer.append(this.#finger);
    figure.append(this.#canvas, this.#layer);
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(figure);
    this.#setAspect();
    this.#listen();
  }

  askForPNG() {
    this.#callbacks.askForPNG();
  }

  close() {
    this.#decoder.close();
    this.#observer.disconnect();
    this.#listeners.abort();
  }

  /** Hides the figure with its caption, or shows it again. */
  setHidden(isHidden) {
    set(this.#figure.parentElement, "hidden", isHidden);
  }

  show(picture) {
    this.#decoder.decode(picture);
  }

  resize(width, height) {
    if (this.#canvas.width === width && this.#canvas.height === height) return;
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.#setAspect();
    this.#fit();
  }

  /** Gives the figure the shape of its picture. The main one had that of the session before. */
  #setAspect() {
    this.#figure.style.setProperty("--aspect", String(this.#canvas.width / this.#canvas.height));
  }

  #draw(image, width, height, number) {
    this.hasPicture = true;
    this.resize(width, height);
    this.#context.drawImage(image, 0, 0, width, height);
    this.#canvas.dataset.picture = String(number);
    this.#callbacks.drawn();
    // The browser keeps every mark, so an hour of pictures needs a limit.
    this.#markCount = (this.#markCount + 1) % 1000;
    if (this.#markCount === 0) performance.clearMarks("picture");
    performance.mark("picture", { detail: { display: this.#id, number } });
  }

  /** Fits the picture into the figure with its aspect, in whole device pixels. */
  #fit() {
    const { width, height } = this.#canvas;
    const factor = devicePixelRatio;
    const room = Math.min(this.#figure.clientWidth / width, this.#figure.clientHeight / height) * factor;
    if (!(room > 0)) return;
    const whole = Math.floor(room);
    const scale = whole >= 1 && room - whole < snapping * whole ? whole : room;
    this.#canvas.style.imageRendering = scale === whole && whole > 1 ? "pixelated" : "auto";
    const size = [`${Math.round(width * scale) / factor}px`, `${Math.round(height * scale) / factor}px`];
    for (const node of [this.#canvas, this.#layer]) [node.style.width, node.style.height] = size;
  }

  /** Outlines the target of one part, or of all parts while the user points. */
  outline(targets, part, isPointing) {
    const shown = targets.filter((target) => isPointing || target.part === part).slice(0, 500);
    const { width, height } = this.#canvas;
    // States come often, and rarely change the outlines.
    const key = JSON.stringify([shown, part, width, height]);
    if (key === this.#outlined) return;
    this.#outlined = key;
    this.#layer.replaceChildren(this.#finger, ...shown.map((target) => {
      const box = element("div", { class: target.part === part ? "target chosen" : "target" });
      box.style.left = `${100 * Number(target.x) / width}%`;
      box.style.top = `${100 * Number(target.y) / height}%`;
      box.style.width = `${100 * Number(target.width) / width}%`;
      box.style.height = `${100 * Number(target.height) / height}%`;
      return box;
    }));
  }

  #listen() {
    const options = { signal: this.#listeners.signal };
    const sendMove = inFrame(() => {
      if (this.#touch?.isMoved) this.#send("move");
    });
    this.#canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.#touch) return;
      const point = this.#point(event);
      if (this.#callbacks.isPointing()) {
        // A place without a part belongs to the screen, which is the first part.
        this.#callbacks.pick(this.#partAt(point) ?? 0);
        return;
      }
      if (!this.#lab.can("input")) return;
      this.#canvas.setPointerCapture(event.pointerId);
      this.#touch = { id: event.pointerId, ...point, isMoved: false };
      this.#send("down");
      this.#showFinger();
    }, options);
    this.#canvas.addEventListener("pointermove", (event) => {
      if (this.#callbacks.isPointing()) this.#lab.emit({ type: "outline", part: this.#partAt(this.#point(event)) });
      if (event.pointerId !== this.#touch?.id) return;
      Object.assign(this.#touch, this.#point(event), { isMoved: true });
      sendMove();
      this.#showFinger();
    }, options);
    const end = (event) => {
      if (event.pointerId !== this.#touch?.id) return;
      // The last move must arrive before the end, and a cancelled touch ends where it was.
      if (event.type === "pointerup") Object.assign(this.#touch, this.#point(event));
      if (this.#touch.isMoved) this.#send("move");
      this.#send("up");
      this.#touch = null;
      this.#showFinger();
    };
    this.#canvas.addEventListener("pointerup", end, options);
    this.#canvas.addEventListener("pointercancel", end, options);
  }

  #send(phase) {
    const { x, y } = this.#touch;
    this.#touch.isMoved = false;
    this.#lab.send({ do: "touch", display: this.#id, phase, x, y });
  }

  #showFinger() {
    this.#finger.hidden = !this.#touch;
    if (!this.#touch) return;
    this.#finger.style.left = `${100 * this.#touch.x / this.#canvas.width}%`;
    this.#finger.style.top = `${100 * this.#touch.y / this.#canvas.height}%`;
  }

  #point(event) {
    const place = this.#canvas.getBoundingClientRect();
    const { width, height } = this.#canvas;
    const limit = (value, end) => Math.min(end - 1, Math.max(0, Math.floor(value)));
    return {
      x: limit((event.clientX - place.left) / place.width * width, width),
      y: limit((event.clientY - place.top) / place.height * height, height),
    };
  }

  /** Returns the part whose target contains the point; the smallest one if there are several. */
  #partAt({ x, y }) {
    const hit = (this.#lab.state?.targets ?? [])
      .filter((item) => x >= item.x && y >= item.y && x < item.x + item.width && y < item.y + item.height)
      .sort((a, b) => a.width * a.height - b.width * b.height)[0];
    return Number.isInteger(hit?.part) ? hit.part : null;
  }
}
