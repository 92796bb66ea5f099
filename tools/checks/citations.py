# SPDX-License-Identifier: Apache-2.0
"""Links, anchors and citations of the documentation and the sources resolve, and evidence has the form it needs.

1. Each relative link and #anchor of the Markdown files outside Sources resolves, and anchors are unique in their page.
2. Each citation PAGE.md, '#' and ANCHOR in the text files of the repository resolves to Documentation/Protocol, or with
   a folder to a page of Documentation, such as those of CarPlay.
3. Each page that a text file outside Documentation names, NAME.md, is a page of the repository. In tools/peers/carplay a
   word behind '#' is an anchor of the session's page.
4. Each evidence that a command prints (of identification rules, causes, conformance checks, messages and profiles) has
   such a citation, and the sources of a message are labels of Sources.md.
5. The code and the profiles name a source by its label.
6. A conformance check or a rule of CarPlay sessions cites a fact with a confidence, not a row of a table and not a
   heading. Its own confidence is one that the fact states, unless the check explains the difference. If the fact names
   a source that contradicts it, the check explains that.
7. A fact or message of high confidence that names a source without an address names two others too.
8. In an article, Sources/**/*.docc/*.md, each citation and each source of a message is a link that resolves from there.
9. No text file names a source of the section "withdrawn" of Sources.md, by its label or by a name that the section has
   in backquotes, except the section itself.
"""
from __future__ import annotations

import pathlib
import re
import urllib.parse

from .facts import Facts
from .markdown import line_of, without_code
from .report import Report

PROTOCOL = pathlib.PurePosixPath("Documentation/Protocol")
SOURCES = str(PROTOCOL / "Sources.md")
ARTICLE = re.compile(r"^Sources/.*\.docc/[^/]+\.md$")
CITING = ("Sources/", "Tests/", "captures/", "tools/", "Examples/")
ENTRANCES = ("README.md", "CONTRIBUTING.md")  # pages outside of all folders
# The name of a page; not a pattern, the end of an address, a link or a citation, which have rules of their own.
NAMED = re.compile(r"(?<![\w*{}.:/-])(?<!\]\()(?:[\w.-]+/)*(?P<page>[\w-]+\.md)\b(?!#)")
# Texts about pages that are made up.
MADE_UP = "tools/checks/"
# The peer cites one page, and leaves its name out.
PEER, PEER_PAGE = "tools/peers/carplay/", "CarPlaySession.md"
PEER_ANCHOR = re.compile(r"(?<![\w.#)/&:])#(?P<anchor>[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\b")
CITATION = re.compile(r"(?P<path>[\w./-]*/)?\b(?P<page>[A-Z][A-Za-z]+\.md)#(?P<anchor>[a-z0-9-]+)")
INLINE_LINK = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
DEFINITION = re.compile(r"^ {0,3}\[([^\]]+)\]:\s*<?(\S+?)>?\s*$", re.MULTILINE)
REFERENCE = re.compile(r"\[([A-Z][A-Z0-9-]+|captures)\](?![\[(:])")
# Names of sources that have a label of Sources.md, in lower case.
LABELS = {
    "bridge" "thing": "BRIDGE", "cat" "play": "CAT", "wio" "moc": "WIO", "pod" "box": "PODBOX", "homekit" "adk": "ADK",
    "pry" "er": "PRYER", "lite" "emf": "LITEEMF", "xcert" "play": "XCERT", "open" "carplay": "XCERT",
    "wwdc17-" "717": "W17-717", "wwdc17-" "719": "W17-719", "wwdc16-" "722": "W16-722",
}
SOURCE_NAME = re.compile(r"(?<![\w/-])(" + "|".join(LABELS) + r")(?![\w-])", re.IGNORECASE)
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
JOINED = rf"{LITERAL}(?:\s*\+\s*{LITERAL})*"
# The evidence that commands print, as the code writes it.
PRINTED = [
    re.compile(rf"\bevidence(?::|\s*=)\s*(?P<evidence>{JOINED})"),
    re.compile(rf"\bKnownCause\(\s*{JOINED},\s*{JOINED},\s*(?P<evidence>{JOINED})"),
    re.compile(rf"[(,]\s*\.at\(\s*(?P<evidence>{JOINED})"),
]
MESSAGE = re.compile(
    rf"\bMessageInfo\(\s*[\w.]+,\s*{LITERAL}[^\[\]]*?\[(?P<evidence>\s*{LITERAL}(?:,\s*{LITERAL})*),?\s*\]")
COMPUTED = re.compile(r"[A-Z][A-Za-z]+\.md#\\\(")
PROFILE = re.compile(r"^evidence:\n(?P<items>(?:  - .*\n)+)", re.MULTILINE)
# The fact of a check, its confidence, and the note that explains a difference.
GRADED = re.compile(
    r'(?:\.at\(|\bevidence:)\s*"(?P<page>[A-Z]\w+\.md)#(?P<anchor>[a-z0-9-]+)(?P<remark>[^"]*)",\s*'
    r"\.(?P<grade>high|medium|low)\s*"
    rf"(?P<note>,\s*{LITERAL}\s*)?(?:\)|,\s*repair:)")
GRADE = re.compile(r"\b(high|medium|low|unverified)\b")
CONTRADICTION = re.compile(r"\b(?:contradicted by|sources (?:disagree|differ))\b")
# A source without an address, in Sources.md, and the sources of a fact or message of high confidence.
UNNAMED = re.compile(
    r'<a id="([a-z0-9-]+)"></a>(?:(?!<a id=)[^#])*?\bAddress(?:es)?(?:\s+and\s+licenses?)?\s+not\s+recorded')
HIGH = re.compile(r"\(high\b(?P<sources>(?:[^()]|\([^()]*\))*)\)")
REST = re.compile(r"contradicted\s+by|;\s*(?:medium|low|unverified)\b")  # what follows is of another confidence
# The sources of a message, as `iap2 messages --markdown` prints them.
MESSAGE_SOURCES = re.compile(r"^Sent by the \w+\. Confidence \w+: (?P<sources>.*)\.$", re.MULTILINE)
# The section of Sources.md with the withdrawn and the unread sources, and an entry of it.
WITHDRAWN = re.compile(r'^<a id="withdrawn"></a>\n## .*\n(?P<entries>(?:(?!<a id=|## ).*\n)*)', re.MULTILINE)
WITHDRAWN_ENTRY = re.compile(r'- <a id="(?P<anchor>[a-z0-9-]+)"></a>(?:\*\*(?P<label>[A-Z0-9-]+)\*\* )?'
                             r"(?P<names>`[^`]+`(?:, `[^`]+`)*)")
INDENTED = re.compile(r"^ {4}.*$", re.MULTILINE)  # a code block, without which the lines keep their numbers
ANCHOR_FORM = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def is_page(file: str) -> bool:
    """Whether the links of a file are checked. Articles, below Sources, have rules of their own."""
    return file.endswith(".md") and not file.startswith("Sources/")


class Checker:
    """Collects the faults of the files of a checkout."""

    def __init__(self, facts: Facts):
        self.files, self.text, self.page = facts.files, facts.text, facts.page
        self.known = set(self.files)
        self.pages = {pathlib.PurePosixPath(file).name for file in self.files}
        for file in self.files:
            self.known.update(str(parent) for parent in pathlib.PurePosixPath(file).parents)
        self.faults = []
        self.unnamed = None  # the labels of sources without an address, once they were read
        self.links = self.citations = self.anchors = self.evidence = 0

    def fault(self, file, line, what):
        self.faults.append((file, line, what))

    def run(self):
        withdrawn = self.withdrawn_names()
        for file in self.files:
            if withdrawn and not file.startswith(MADE_UP) and self.text(file) is not None:
                self.check_withdrawn(file, withdrawn)
            documentation = file.startswith("Documentation/")
            if is_page(file):
                self.check_page(file)
            if documentation or file.startswith(CITING) or file in ENTRANCES:
                if self.text(file) is not None:
                    if not documentation:
                        self.check_names(file)
                        self.check_citations(file)
                    if ARTICLE.search(file):
                        self.check_article(file)
                if file.startswith("Sources/") and file.endswith((".swift", ".yaml")):
                    self.check_evidence(file)
                    self.check_labels(file)
        self.faults.sort()
        return self.faults

    def check_page(self, file):
        page, seen = self.page(file), {}
        self.anchors += len(page.explicit)
        for anchor, line in page.explicit:
            if anchor in seen:
                self.fault(file, line, f"anchor {anchor} is already on line {seen[anchor]}")
            elif not ANCHOR_FORM.fullmatch(anchor):
                self.fault(file, line, f"anchor {anchor} is not lower-case words with hyphens")
            elif anchor in page.slugs and page.slugs[anchor] != line + 1:
                self.fault(file, line, f"anchor {anchor} is also that of the heading on line {page.slugs[anchor]}")
            seen.setdefault(anchor, line)

        text = without_code(self.text(file))
        defined = {name.lower() for name, _ in DEFINITION.findall(text)}
        # The labels of sources stand in the documentation alone.
        for reference in REFERENCE.finditer(text) if file.startswith("Documentation/") else []:
            if reference[1].lower() not in defined:
                self.fault(file, line_of(text, reference.start()), f"[{reference[1]}] has no definition")
        for link in INLINE_LINK.finditer(text):
            self.check_link(file, line_of(text, link.start(1)), link[1])
        for definition in DEFINITION.finditer(text):
            self.check_link(file, line_of(text, definition.start()), definition[2])
        for high in HIGH.finditer(text) if file.startswith(f"{PROTOCOL}/") else []:
            sources = REST.split(high["sources"])[0]
            self.check_witnesses(file, line_of(text, high.start()), REFERENCE.findall(sources))

    def check_link(self, file, line, target):
        if re.match(r"[a-zA-Z][\w+.-]*:", target) or target.startswith("//"):
            return
        self.links += 1
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        aim = self.resolve(pathlib.PurePosixPath(file).parent / path) if path else file
        if aim is None or aim not in self.known:
            self.fault(file, line, f"link {target}: no such file")
        elif anchor and aim.endswith(".md") and anchor not in self.page(aim).anchors:
            self.fault(file, line, f"link {target}: no such anchor")

    def check_witnesses(self, file, line, labels):
        if self.unnamed is None:
            self.unnamed = {name.upper() for name in UNNAMED.findall(self.text(SOURCES) or "")}
        named = set(labels) - self.unnamed
        if self.unnamed & set(labels) and len(named) < 2:
            self.fault(file, line, f"confidence high rests on {' and '.join(sorted(set(labels)))}, of which "
                       f"{' and '.join(sorted(self.unnamed & set(labels)))} has no address")

    def withdrawn_names(self):
        """Returns a pattern of the labels, anchors and names of the withdrawn and unread sources, or None."""
        text = self.text(SOURCES) or ""
        section, words = WITHDRAWN.search(text), []
        for item in re.finditer(r"^- ", section["entries"], re.MULTILINE) if section else []:
            entry = WITHDRAWN_ENTRY.match(section["entries"], item.start())
            if not entry:
                line = line_of(text, section.start("entries") + item.start())
                self.fault(SOURCES, line, "withdrawn source without an anchor and a name in backquotes")
                continue
            # A name may be written in any case. The label is no part of a longer name.
            words += [rf"(?i:{re.escape(name)})" for name in re.findall("`([^`]+)`", entry["names"])]
            if entry["label"]:
                words += [re.escape(entry["label"]), rf"Sources\.md#{entry['anchor']}"]
        words.sort(key=len, reverse=True)  # the whole of a name is found first
        return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])") if words else None

    def check_withdrawn(self, file, names):
        text = self.text(file)
        if file == SOURCES:  # with the same number of lines
            text = WITHDRAWN.sub(lambda section: re.sub(r"[^\n]", " ", section[0]), text)
        for name in names.finditer(text):
            self.fault(file, line_of(text, name.start()), f"names {name[0]}, a withdrawn or unread source")

    @staticmethod
    def resolve(path):
        parts = []
        for part in path.parts:
            if part == "..":
                if not parts:
                    return None
                parts.pop()
            elif part != ".":
                parts.append(part)
        return "/".join(parts) or "."

    def check_citations(self, file):
        text = self.text(file)
        for citation in CITATION.finditer(text):
            self.citations += 1
            line, path = line_of(text, citation.start()), citation["path"]
            name = f"{path or ''}{citation['page']}#{citation['anchor']}"
            # With a path it is a link: from its file, from the root of the repository, or from the documentation.
            aims = [str(PROTOCOL / citation["page"])]
            if path:
                aims = [self.resolve(base / path / citation["page"]) for base in
                        (pathlib.PurePosixPath(file).parent, pathlib.PurePosixPath("."), PROTOCOL.parent)]
            found = [aim for aim in aims if aim in self.known]
            if not found:
                where = "page" if path else f"page in {PROTOCOL}"
                self.fault(file, line, f"citation {name}: no such {where}")
            elif all(citation["anchor"] not in self.page(aim).anchors for aim in found):
                self.fault(file, line, f"citation {name}: no such anchor")

    def check_evidence(self, file):
        text = self.text(file)
        for pattern in PRINTED if file.endswith(".swift") else []:
            for match in pattern.finditer(text):
                evidence = "".join(literal[1:-1] for literal in re.findall(LITERAL, match["evidence"]))
                self.check_printed(file, line_of(text, match.start("evidence")), evidence)
        for check in GRADED.finditer(text) if file.endswith(".swift") else []:
            if what := self.misgraded(check):
                self.fault(file, line_of(text, check.start("grade")), f"confidence {check['grade']}: {what}")
        for message in MESSAGE.finditer(text) if file.endswith(".swift") else []:
            fact, *labels = [literal[1:-1] for literal in re.findall(LITERAL, message["evidence"])]
            line = line_of(text, message.start("evidence"))
            if ".high" in message[0]:
                self.check_witnesses(file, line, labels)
            self.check_printed(file, line, fact)
            for label in labels:
                if label.lower() not in self.page(SOURCES).anchors or label != label.upper():
                    self.fault(file, line, f"evidence {label}: no label of Sources.md")
        for profile in PROFILE.finditer(text) if file.endswith(".yaml") else []:
            first = line_of(text, profile.start("items"))
            for line, item in enumerate(profile["items"].splitlines(), first):
                self.check_printed(file, line, item.removeprefix("  - ").strip('"'))

    def misgraded(self, check):
        """What is wrong with the confidence of a check, or None."""
        name, page = f"{check['page']}#{check['anchor']}", self.text(str(PROTOCOL / check["page"])) or ""
        # A rule of CarPlay sessions explains a difference in the remark behind the anchor.
        note = check["note"] or (check["remark"] if check[0].startswith("evidence") else None)
        mark = f'<a id="{check["anchor"]}"></a>'
        if mark not in page:
            return f"{name} is no fact; cite one with a confidence"
        before, after = page.split(mark, 1)
        if before.rpartition("\n")[2].lstrip().startswith("|"):
            return f"{name} is a row of a table; cite a fact with a confidence"
        if re.match(r"\s*#", after):
            return f"{name} is a heading; cite a fact with a confidence"
        fact = re.split(r"\n(?:\n|\s*- |#)|<a id=", after, maxsplit=1)[0]
        stated = sorted(set(GRADE.findall(fact)))
        if not stated:
            return f"{name} states no confidence"
        if not note and check["grade"] not in stated:
            return f"{name} states {' or '.join(stated)}"
        if not note and CONTRADICTION.search(fact):
            return f"{name} names a contradiction; give the check a note that explains it"
        return None

    def check_article(self, file):
        """Whether the citations of an article are links that resolve from the article."""
        text = INDENTED.sub("", without_code(self.text(file)))
        for link in INLINE_LINK.finditer(text):
            if f"{PROTOCOL}/" in link[1]:
                self.check_link(file, line_of(text, link.start(1)), link[1])
        plain = INLINE_LINK.sub(lambda link: re.sub(r"[^\n]", " ", link[0]), text)
        for citation in CITATION.finditer(plain):
            self.fault(file, line_of(text, citation.start()), f"citation {citation[0]} is no link")
        for message in MESSAGE_SOURCES.finditer(text):
            for source in message["sources"].split(", "):
                if not INLINE_LINK.fullmatch(source):
                    self.fault(file, line_of(text, message.start("sources")), f"source {source} is no link")

    def check_printed(self, file, line, evidence):
        """Whether an evidence has a citation; `check_citations` finds out whether it resolves."""
        self.evidence += 1
        # A computed anchor resolves in what is generated from it: the page of the conformance checks.
        if not CITATION.search(evidence) and not COMPUTED.search(evidence):
            self.fault(file, line, f"evidence {evidence}: no PAGE.md and anchor")

    def check_labels(self, file):
        text = self.text(file)
        for name in SOURCE_NAME.finditer(text):
            label = LABELS[name[1].lower()]
            if name[1] != label:
                self.fault(file, line_of(text, name.start()), f"names {name[1]}, whose label is {label}")

    def check_names(self, file):
        if file.startswith(MADE_UP):
            return
        text = self.text(file)
        for name in NAMED.finditer(text):
            if name["page"] not in self.pages:
                self.fault(file, line_of(text, name.start()), f"names {name['page']}, which is no page of the repository")
        for mark in PEER_ANCHOR.finditer(text) if file.startswith(PEER) else []:
            self.citations += 1
            if mark["anchor"] not in self.page(str(PROTOCOL / PEER_PAGE)).anchors:
                self.fault(file, line_of(text, mark.start()), f"#{mark['anchor']}: no anchor of {PEER_PAGE}")


def check(facts: Facts) -> Report:
    """Reads every text file of the checkout."""
    checker = Checker(facts)
    faults = [f"{file}:{line}: {what}" for file, line, what in checker.run()]
    pages = sum(map(is_page, facts.files))
    return Report(faults, f"{pages} pages, {checker.anchors} anchors, {checker.links} links, {checker.citations} "
                  f"citations, {checker.evidence} printed evidences")
