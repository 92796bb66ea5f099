// swift-iap2 · Apache-2.0
// The picture on the page's canvas as a file, for a session whose server only passes the pictures of somebody else on.

import { bytesOfBase64, download } from "lab/dom";

const record = /(<script type="application\/json" id="record">)(.*?)(<\/script>)/s;

/** Returns the picture that the main display shows, as PNG in Base64; null without one. */
function still() {
  const canvas = document.querySelector("#car .screen canvas");
  return canvas?.dataset.picture ? canvas.toDataURL("image/png").split(",")[1] : null;
}

export function saveStill() {
  const png = still();
  if (png) download("screen.png", bytesOfBase64(png), "image/png");
}

/** Returns a page that shows the session offline, with the present picture in its record. */
export function withStill(html) {
  const png = still();
  if (!png) return html;
  return html.replace(record, (_, begin, json, end) => {
    const stored = { ...JSON.parse(json), pictures: [{ display: 0, png }] };
    // A text in the record must not end the element.
    return begin + JSON.stringify(stored).replaceAll("<", "\\u003c") + end;
  });
}
