// swift-iap2 · Apache-2.0
// A film of the car's screen. The browser records the canvas from a click to the next one, or to the session's end.

import { button, download } from "lab/dom";

const type = "video/webm";
/** Pictures a second at most, and bits a second. */
const rate = 30;
const bitRate = 4_000_000;
/** Milliseconds between two pictures of a screen that does not change. */
const restInterval = 100;
/** Milliseconds of film in each piece that the browser hands over. */
const pieceTime = 1000;
/** Bytes after which a film ends by itself. */
const limit = 512 << 20;

const isSupported = typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(type)
  && typeof HTMLCanvasElement.prototype.captureStream === "function";

/** Creates the button that starts and stops a film. It is hidden until the session has a picture. */
export function film() {
  const toggle = button("Film", () => (stop ? stop() : start()), { symbol: "film", "aria-pressed": "false", hidden: true,
    title: "Records the car's screen until the next click, and saves it as screen.webm" });
  const label = toggle.lastChild;
  /** Ends the film that is running; null if there is none. */
  let stop = null;

  function start() {
    const canvas = document.querySelector("#car .screen canvas");
    const context = canvas.getContext("2d");
    const stream = canvas.captureStream(rate);
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: bitRate });
    const pieces = [];
    let size = 0;
    // The browser records a picture only when the canvas was drawn on.
    const touch = () => context.drawImage(canvas, 0, 0, 1, 1, 0, 0, 1, 1);
    const timer = setInterval(touch, restInterval);
    const end = () => {
      if (stop !== end) return;
      stop = null;
      clearInterval(timer);
      toggle.setAttribute("aria-pressed", "false");
      label.textContent = "Film";
      if (recorder.state !== "inactive") recorder.stop();
    };
    recorder.addEventListener("dataavailable", ({ data }) => {
      pieces.push(data);
      size += data.size;
      if (stop === end && size > 0) label.textContent = `Film ${pieces.length} s`;
      if (size > limit) end();
    });
    recorder.addEventListener("error", end);
    recorder.addEventListener("stop", () => {
      end();
      for (const track of stream.getTracks()) track.stop();
      if (size > 0) download("screen.webm", new Blob(pieces), type);
    });
    recorder.start(pieceTime);
    touch();
    stop = end;
    toggle.setAttribute("aria-pressed", "true");
  }

  return {
    toggle,
    /** The session ends or restarts: a film that is running is saved. */
    end: () => stop?.(),
    /** Shows the button in a session with a picture, and hides it in one without. */
    show(hasPicture) {
      toggle.hidden = !hasPicture || !isSupported;
    },
  };
}
