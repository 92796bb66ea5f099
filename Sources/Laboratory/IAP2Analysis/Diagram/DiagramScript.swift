// swift-iap2 · Apache-2.0

/// The script of an HTML page: search, and kinds of steps on and off. Without scripts, the page shows everything.
enum DiagramScript {
  /// The script. Rows that match move up, so that no gaps stay; breaks, ticks and rules are hidden meanwhile.
  static let text = """
    "use strict";
    (() => {
    const find = document.getElementById("find"), count = document.getElementById("count");
    const kinds = [...document.querySelectorAll(".legend input")];
    const parts = [...document.querySelectorAll(".drawing")].map(part => {
    const svg = part.querySelector("svg"), cards = [...part.querySelectorAll("li")];
    const rows = [...svg.querySelectorAll("g.step")].map((row, i) => ({row, card: cards[i], kind: row.classList[1],
    top: parseInt(cards[i].style.top), height: parseInt(cards[i].style.height), words: null}));
    return {part, svg, rows, height: svg.getAttribute("height")};
    });
    function place(entry, shown, top) {
    entry.row.style.display = entry.card.style.display = shown ? "" : "none";
    entry.row.setAttribute("transform", `translate(0,${top - entry.top})`);
    entry.card.style.top = `${top}px`;
    }
    function apply() {
    const wanted = find.value.trim().toLowerCase().split(/\\s+/).filter(word => word);
    const off = new Set(kinds.filter(kind => !kind.checked).map(kind => kind.value));
    const isOn = wanted.length + off.size > 0;
    let shown = 0, all = 0;
    for (const {part, svg, rows, height} of parts) {
    let top = 10;
    for (const entry of rows) {
    entry.words ??= entry.card.textContent.toLowerCase();
    const fits = !off.has(entry.kind) && wanted.every(word => entry.words.includes(word));
    place(entry, fits || !isOn, isOn ? top : entry.top);
    all += 1;
    if (fits) { shown += 1; top += entry.height; }
    }
    svg.setAttribute("height", isOn ? Math.max(top + 10, 40) : height);
    part.classList.toggle("filtered", isOn);
    }
    count.textContent = isOn ? `${shown} of ${all} rows` : "";
    }
    find.addEventListener("input", apply);
    for (const kind of kinds) { kind.hidden = false; kind.addEventListener("change", apply); }
    document.getElementById("tools").hidden = false;
    })();
    """

  /// The SHA-256 of the script in Base64. The page's policy allows this script and no other.
  static let digest = "qtaFv9l9bSZaIX/kpPtCEFOIOO0Coo1JHKbVlNNfKJQ="
}
