# SPDX-License-Identifier: Apache-2.0
"""Each kind of fault is found in a small tree with that fault alone."""
import pathlib
import tempfile
import unittest

from checks.citations import PROTOCOL, Checker
from checks.facts import Facts


class Tree(Facts):
    """The facts of a tree that is not under version control."""

    files = ()


def faults_of(tree: dict[str, str]) -> list[tuple[str, int, str]]:
    """Returns the faults of files with these texts."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for file, content in tree.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(content, encoding="utf-8")
        facts = Tree(root, root)
        facts.files = sorted(tree)
        return Checker(facts).run()


class Citations(unittest.TestCase):
    def test_faults_are_found(self):
        mark = "#"  # apart, so that this file cites nothing that is missing
        good = {
            "Documentation/Protocol/Link.md":
                '<a id="packet"></a>\n## Packet\n\n- <a id="detect"></a>Text, see [set-up](#detect) and '
                f'[a page](Other.md{mark}two) and [CAT]. (medium; ours)\n'
                f'- <a id="odd"></a>Odd. (high; contradicted by ours)\n- <a id="bare"></a>Bare.\n\n'
                '| <a id="row"></a>row | high |\n\n'
                '`<a id="detect"></a>[x](no.md)`\n\n'
                f'[CAT]: Other.md{mark}two\n',
            "Documentation/Protocol/Other.md": "# One\n\n## Two\n\n[code](../../Sources/A.swift)\n",
            "Sources/A.swift":
                f"// Link.md{mark}detect, Other.md{mark}one; [more](../Documentation/Protocol/Link.md{mark}detect)\n",
            "Tests/picture.bin": "\0lost.md",
            "tools/peers/carplay/a.py": "# Marks: #packet, 1 [2 L].\n",
            "Documentation/Protocol/CarPlaySession.md": '<a id="packet"></a>\n# Text\n',
            "README.md": f"See Documentation/Protocol/Link.md{mark}packet.\n",
            "Sources/C.swift":
                f'evidence: "Link.md{mark}packet: text (high)"\n'
                f'KnownCause("a", "b", "c: Link.md{mark}" + "packet", nil, "d")\n'
                f'MessageInfo(0x1, "A", from: .device, "F", .high, ["Link.md{mark}packet", "ONE"])\n',
            "Documentation/Protocol/Sources.md":
                '- <a id="one"></a>ONE\n- <a id="far"></a>FAR Address and\n  license not recorded.\n\n'
                '<a id="withdrawn"></a>\n## Withdrawn\n\nText.\n\n- <a id="gone"></a>**GONE** `gone_one`, `a/gone`. A\n'
                '  reason.\n- <a id="unread"></a>`GONE.md`: a reason.\n\n<a id="next"></a>\n## Next\n\nThe FAR-GONE box.\n',
            "Sources/D.swift": f'.at("Link.md{mark}odd", .high, "why"), .at("Link.md{mark}detect", .low, "why")\n',
            "Sources/L/M/M.docc/M.md":
                f"Sent by the device. Confidence high: [row](../../../../Documentation/Protocol/Link.md{mark}row), "
                f"[ONE](../../../../Documentation/Protocol/Sources.md{mark}one).\n",
        }
        page = "Documentation/Protocol/Bad.md"
        cases = [
            ("broken link", page, "[a](Missing.md)\n", 1, "link Missing.md: no such file"),
            ("link out of the tree", page, "[a](../../../../x.md)\n", 1, "link ../../../../x.md: no such file"),
            ("broken anchor", page, f"\n[a](Link.md{mark}missing)\n", 2, f"link Link.md{mark}missing: no such anchor"),
            ("broken anchor in a definition", page, f"[CAT]\n\n[CAT]: Link.md{mark}missing\n", 3,
             f"link Link.md{mark}missing: no such anchor"),
            ("anchor of a code block", page, "```\n## Shown\n```\n\n[a](#shown)\n", 5, "link #shown: no such anchor"),
            ("reference without definition", page, "by [WIO]\n", 1, "[WIO] has no definition"),
            ("link over two lines", page, "[a\nb](Missing.md)\n", 2, "link Missing.md: no such file"),
            ("anchor twice", page, '<a id="a"></a>\n\n<a id="a"></a>\n', 3, "anchor a is already on line 1"),
            ("anchor of another heading", page, '<a id="a"></a>\n\ntext\n\n## A\n', 1,
             "anchor a is also that of the heading on line 5"),
            ("form of an anchor", page, '<a id="A_b"></a>\n', 1, "anchor A_b is not lower-case words with hyphens"),
            ("citation of a missing page", "Sources/B.swift", f"\n// Lost.md{mark}a\n", 2,
             f"citation Lost.md{mark}a: no such page in {PROTOCOL}"),
            ("citation of a missing anchor", "captures/B.txt", f"# Link.md{mark}a-b\n", 1,
             f"citation Link.md{mark}a-b: no such anchor"),
            ("broken link of the README", "README.md", "[a](Documentation/Tasks/Missing.md)\n", 1,
             "link Documentation/Tasks/Missing.md: no such file"),
            ("broken link of a command page", "Documentation/Commands/run.md", f"[a](../Protocol/Link.md{mark}no)\n", 1,
             f"link ../Protocol/Link.md{mark}no: no such anchor"),
            ("broken link of a tool", "tools/x/README.md", "[a](../y.md)\n", 1, "link ../y.md: no such file"),
            ("broken link of CONTRIBUTING", "CONTRIBUTING.md", "\n[a](b.md)\n", 2, "link b.md: no such file"),
            ("evidence without an anchor", "Sources/B.swift", '\nevidence:\n  "CAT, found" + " by trial")\n', 3,
             "evidence CAT, found by trial: no PAGE.md and anchor"),
            ("evidence whose anchor is missing", "Sources/B.swift", f'evidence: "Link.md{mark}no (high)"\n', 1,
             f"citation Link.md{mark}no: no such anchor"),
            ("evidence of a cause", "Sources/B.swift", 'KnownCause(\n  "id", "Text.",\n  "inferred", .low, "Check."),\n', 3,
             "evidence inferred: no PAGE.md and anchor"),
            ("evidence of a check", "Sources/B.swift", 'Check(\n  "A-1", .at("seen", .high))\n', 2,
             "evidence seen: no PAGE.md and anchor"),
            ("confidence of a check", "Sources/B.swift", f'Check(\n  "A-1", .at("Link.md{mark}detect", .high))\n', 2,
             f"confidence high: Link.md{mark}detect states medium"),
            ("check that cites a row", "Sources/B.swift", f'Check("A-1", .at("Link.md{mark}row", .high, "why"))\n', 1,
             f"confidence high: Link.md{mark}row is a row of a table; cite a fact with a confidence"),
            ("check that cites a heading", "Sources/B.swift", f'Check("A-1", .at("Link.md{mark}packet", .high))\n', 1,
             f"confidence high: Link.md{mark}packet is a heading; cite a fact with a confidence"),
            ("check that cites a heading's own anchor", "Sources/B.swift", f'.at("Other.md{mark}two", .high)\n', 1,
             f"confidence high: Other.md{mark}two is no fact; cite one with a confidence"),
            ("check of a fact without confidence", "Sources/B.swift", f'Check("A-1", .at("Link.md{mark}bare", .low))\n', 1,
             f"confidence low: Link.md{mark}bare states no confidence"),
            ("check of a contradicted fact", "Sources/B.swift", f'Check("A-1", .at("Link.md{mark}odd", .high))\n', 1,
             f"confidence high: Link.md{mark}odd names a contradiction; give the check a note that explains it"),
            ("fact that rests on a source without an address", page,
             f"Text. (high; [FAR],\n[ONE])\n\n[FAR]: Sources.md{mark}far\n[ONE]: Sources.md{mark}one\n", 1,
             "confidence high rests on FAR and ONE, of which FAR has no address"),
            ("message that rests on a source without an address", "Sources/B.swift",
             f'MessageInfo(0x1, "A", from: .device, "F", .high, ["Link.md{mark}packet", "ONE", "FAR"])\n', 1,
             "confidence high rests on FAR and ONE, of which FAR has no address"),
            ("citation of an article", "Sources/L/M/M.docc/B.md", f"\nSee Link.md{mark}row.\n", 2,
             f"citation Link.md{mark}row is no link"),
            ("label of an article", "Sources/L/M/M.docc/B.md",
             f"Sent by the device. Confidence low: [a](../../../../Documentation/Protocol/Link.md{mark}row), ONE.\n", 1,
             "source ONE is no link"),
            ("link of an article to a wrong folder", "Sources/L/M/M.docc/B.md",
             "[a](../../Documentation/Protocol/Link.md)\n", 1, "link ../../Documentation/Protocol/Link.md: no such file"),
            ("evidence of a message", "Sources/B.swift", 'MessageInfo(\n  1, "A", from: .device, "F", .high, ["CAT"])\n', 2,
             "evidence CAT: no PAGE.md and anchor"),
            ("label of a message", "Sources/B.swift",
             f'MessageInfo(0x1, "A", from: .device, "F", .high, ["Link.md{mark}packet", "ONE", "TWO"])\n', 1,
             "evidence TWO: no label of Sources.md"),
            ("evidence of a profile", "Sources/B.yaml",
             f'name: b\nevidence:\n  - "Link.md{mark}packet (high)"\n  - "ours"\nlink: {{}}\n', 4,
             "evidence ours: no PAGE.md and anchor"),
            ("source without its label", "Sources/B.swift", "\n// As in cat" "play.\n", 2,
             "names cat" "play, whose label is CAT"),
            ("citation by a wrong path", "README.md", f"x/Link.md{mark}detect\n", 1,
             f"citation x/Link.md{mark}detect: no such page"),
            ("withdrawn source of a page", page, f"\nText. (medium; [ONE], GONE)\n\n[ONE]: Sources.md{mark}one\n", 2,
             "names GONE, a withdrawn or unread source"),
            ("withdrawn source by its anchor", page, f"[a](Sources.md{mark}gone)\n", 1,
             f"names Sources.md{mark}gone, a withdrawn or unread source"),
            ("withdrawn source of printed evidence", "Sources/B.swift",
             f'\nevidence:\n  "Link.md{mark}packet: ONE,"\n  + " GONE, found by trial (medium)")\n', 4,
             "names GONE, a withdrawn or unread source"),
            ("withdrawn source by its name", "captures/README.md", "Text.\nFrom the Gone_One project.\n", 2,
             "names Gone_One, a withdrawn or unread source"),
            ("unread source", page, "See docs/GONE.md.\n", 1,
             "names GONE.md, a withdrawn or unread source"),
            ("page that is not there", "tools/b", "\n\n(notes.md, section 1)\n", 3,
             "names notes.md, which is no page of the repository"),
            ("anchor of the peer", "tools/peers/carplay/b.py", "\n#lost\n", 2, "#lost: no anchor of CarPlaySession.md"),
        ]
        self.assertEqual(faults_of(good), [])
        entry = "Documentation/Protocol/Sources.md"
        self.assertEqual(faults_of(good | {entry: good[entry].replace("`GONE.md`", "GONE.md")}),
                         [(entry, 12, "withdrawn source without an anchor and a name in backquotes")])
        for title, file, text, line, what in cases:
            with self.subTest(title):
                self.assertEqual(faults_of(good | {file: text}), [(file, line, what)])


if __name__ == "__main__":
    unittest.main()
