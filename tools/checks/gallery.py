# SPDX-License-Identifier: Apache-2.0
"""Every sample screen is drawn in every look, as one page, .build/gallery/index.html."""
from __future__ import annotations

import html

from .facts import Facts
from .report import Report
from .screens import draw, looks_of, samples

FOLDER = ".build/gallery"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Screens of a car</title>
<style>body{font:16px sans-serif;margin:2em;background:#888}div{display:flex;flex-wrap:wrap;gap:1em}
figure{margin:0}img{height:240px}</style><h1>Screens of a car</h1>ROWS</html>
"""


def check(facts: Facts) -> Report:
    """Draws the pictures and writes the page."""
    folder = facts.root / FOLDER
    orders = [(sample["screen"], look, folder / f"{look}-{sample['name']}.png")
              for sample in samples() for look in looks_of(sample)]
    answers = draw(facts.screen_program, orders)
    faults = [f"{file.name}: {answer['problem']}" for (*_, file), answer in zip(orders, answers)
              if "problem" in answer]
    if len(answers) != len(orders):
        faults.append(f"{len(answers)} of {len(orders)} pictures were drawn")
    rows = []
    for sample in samples():
        name = html.escape(sample["name"])
        pictures = "".join(f'<figure><img loading="lazy" src="{look}-{name}.png" alt="{name}, {look}">'
                           f"<figcaption>{look}</figcaption></figure>" for look in looks_of(sample))
        rows.append(f"<h2>{name}</h2><div>{pictures}</div>")
    (folder / "index.html").write_text(PAGE.replace("ROWS", "".join(rows)), encoding="utf-8")
    cut = sum(len(answer.get("cut", [])) for answer in answers)
    return Report(faults, f"{len(answers)} pictures, {cut} texts shortened: {FOLDER}/index.html")
