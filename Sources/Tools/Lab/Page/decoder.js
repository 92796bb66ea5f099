// swift-iap2 · Apache-2.0
// Decodes the pictures of a display, in order, and hands over each one that is to be drawn.

/** The longest queue of a decoder. A longer one is dropped until a picture that stands alone. */
const maximumQueue = 5;
/** Milliseconds between two requests for a picture that stands alone. */
const requestInterval = 500;
/** Failures in a row after which the page asks for PNG instead of H.264. */
const maximumFailures = 3;

const format = { png: 0, standsAlone: 1, follows: 2 };

export class PictureDecoder {
  #draw;
  #askForKeyFrame;
  #askForPNG;
  #decoder = null;
  #codec = null;
  #needsKeyFrame = true;
  #lastRequest = -Infinity;
  #failures = 0;
  #numbers = new Map();
  #time = 0;
  #bitmap = { isBusy: false, next: null };

  /** `draw` gets a VideoFrame or an ImageBitmap and the number of the picture; the decoder closes both. */
  constructor(draw, askForKeyFrame, askForPNG) {
    this.#draw = draw;
    this.#askForKeyFrame = askForKeyFrame;
    this.#askForPNG = askForPNG;
  }

  decode(picture) {
    if (picture.format === format.png) this.#decodePNG(picture);
    else if (typeof VideoDecoder === "undefined") this.#askForPNG();
    else this.#decodeVideo(picture);
  }

  close() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#decoder = null;
    this.#needsKeyFrame = true;
    this.#numbers.clear();
    this.#bitmap.next = null;
  }

  /** Decodes the newest picture. One that comes during a decoding replaces the one that waits. */
  async #decodePNG(picture) {
    if (this.#bitmap.isBusy) {
      this.#bitmap.next = picture;
      return;
    }
    this.#bitmap.isBusy = true;
    try {
      const bitmap = await createImageBitmap(new Blob([picture.data], { type: "image/png" }));
      this.#draw(bitmap, bitmap.width, bitmap.height, picture.number);
      bitmap.close();
    } catch (error) {
      console.warn("ignored a picture that is no PNG", error);
    }
    this.#bitmap.isBusy = false;
    const { next } = this.#bitmap;
    this.#bitmap.next = null;
    if (next) this.#decodePNG(next);
  }

  #decodeVideo(picture) {
    const isKey = picture.format === format.standsAlone;
    if ((this.#decoder?.decodeQueueSize ?? 0) > maximumQueue) {
      // What waits is still decoded, unless a picture that stands alone makes it useless.
      if (isKey) this.close();
      this.#needsKeyFrame = true;
    }
    if (this.#needsKeyFrame && !isKey) {
      this.#requestKeyFrame();
      return;
    }
    try {
      if (isKey) this.#configure(codecOf(picture.data));
      this.#needsKeyFrame = false;
      this.#time += 1;
      this.#numbers.set(this.#time, picture.number);
      this.#decoder.decode(new EncodedVideoChunk({ type: isKey ? "key" : "delta", timestamp: this.#time, data: picture.data }));
    } catch (error) {
      this.#fail(error);
    }
  }

  #configure(codec) {
    if (this.#decoder && this.#codec === codec) return;
    this.close();
    const decoder = new VideoDecoder({
      output: (frame) => {
        this.#failures = 0;
        this.#draw(frame, frame.displayWidth, frame.displayHeight, this.#numbers.get(frame.timestamp));
        this.#numbers.delete(frame.timestamp);
        frame.close();
      },
      error: (error) => {
        if (decoder === this.#decoder) this.#fail(error);
      },
    });
    decoder.configure({ codec, optimizeForLatency: true });
    this.#decoder = decoder;
    this.#codec = codec;
  }

  #fail(error) {
    console.warn("the decoder failed", error);
    this.close();
    this.#failures += 1;
    if (this.#failures >= maximumFailures) this.#askForPNG();
    else this.#requestKeyFrame();
  }

  #requestKeyFrame() {
    const now = performance.now();
    if (now - this.#lastRequest < requestInterval) return;
    this.#lastRequest = now;
    this.#askForKeyFrame();
  }
}

/** Returns the codec string of a byte stream with an SPS: its profile, constraints and level. */
function codecOf(bytes) {
  for (let place = 0; place + 6 < bytes.length; place += 1) {
    const isStart = bytes[place] === 0 && bytes[place + 1] === 0 && bytes[place + 2] === 1;
    if (!isStart || (bytes[place + 3] & 0x1f) !== 7) continue;
    const profile = bytes.subarray(place + 4, place + 7);
    return `avc1.${[...profile].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }
  throw new Error("the picture has no SPS");
}
