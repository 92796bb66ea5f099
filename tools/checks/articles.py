# SPDX-License-Identifier: Apache-2.0
"""The Swift code of the documentation compiles as it is shown, with the public declarations alone.

A block stands between ```swift and ```, and compiles by itself, in Swift 6 mode with MemberImportVisibility, without a
warning. An article of a library imports only that library and those that it depends on. The first page of each library
product, LIBRARY.docc/LIBRARY.md, has a block before its topics. Swift code without the marks is a fault too, because it
would not be compiled.

A page may show the code of a package under Examples, whose tests `tools/test --all` runs. SHOWN has such pages: one of
their blocks equals the file of the package. The other blocks are compiled and not run.
"""
from __future__ import annotations

import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

from .facts import ROOT, Facts
from .markdown import line_of
from .report import Report
from .swift_source import imports_of

OPTIONS = ["-typecheck", "-swift-version", "6", "-enable-upcoming-feature", "MemberImportVisibility",
           "-warnings-as-errors", "-module-name", "Example"]
PAGE = re.compile(r"README\.md|Documentation/.*\.md|Sources/.*\.docc/[^/]*\.md")
SHOWN = dict.fromkeys(["README.md", "Documentation/Tasks/TestAnAppProtocolInCI.md"],
                      "Examples/EchoProtocolTests/Tests/EchoProtocolTests/EchoTests.swift")
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.M | re.S)
# A manifest is code for SwiftPM only.
MANIFEST = re.compile(r"^    // swift-tools-version.*\n(?:    .*\n)+", re.M)
CODE = re.compile(
    r"^(?:    |```\n)(?:import [A-Z]\w*$|(?:@\w+ )*(?:let|var|func|struct|await|try|for await) .*[=({])", re.M)


def blocks_of(text):
    """Pairs of the code of a block and the line of the page on which it begins."""
    return [(match.group(1), line_of(text, match.start(1))) for match in BLOCK.finditer(text)]


def check_text(page, text, libraries):
    """The faults of a page that show without a compiler. `libraries` has the libraries that each library depends on."""
    faults = []
    rest = text
    for pattern in (BLOCK, MANIFEST):
        rest = pattern.sub(lambda block: "\n" * block.group().count("\n"), rest)
    for match in CODE.finditer(rest):
        faults.append(f"{page}:{line_of(rest, match.start())}: Swift code without ```swift is not compiled")
    if (match := re.search(r"(\w+)\.docc/(\w+)\.md$", page)) and match.group(1) in libraries:
        library = match.group(1)
        known = {library, *libraries[library]}
        for code, line in blocks_of(text):
            faults += [f"{page}:{line + at - 1}: imports {name}, which {library} does not depend on"
                       for name, at in imports_of(code) if name in libraries and name not in known]
        if match.group(2) == library and not blocks_of(text.partition("\n## Topics\n")[0]):
            faults.append(f"{page}: the first page of {library} has no block of Swift code before its topics")
    return faults


def check_shown(pages, shown, root):
    """The faults of pages that show the code of a package. `shown` has the file for each page."""
    texts = dict(pages)
    return [f"{page}: no block equals {file}" for page, file in shown.items()
            if (root / file).read_text(encoding="utf-8") not in [code for code, _ in blocks_of(texts.get(page, ""))]]


def compile_block(page, code, line, flags, folder):
    """The output of the compiler for a block, with the lines of the page; empty if the block compiles."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        # The name lets a file have statements at its top level.
        file = pathlib.Path(name) / ("Example.swift" if "@main" in code or "@Test" in code else "main.swift")
        file.write_text(f'#sourceLocation(file: "{page}", line: {line})\n{code}', encoding="utf-8")
        library = ["-parse-as-library"] if file.name != "main.swift" else []
        done = subprocess.run(["swiftc", *OPTIONS, *library, *flags, str(file)], cwd=ROOT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode(errors="replace").strip() if done.returncode else ""


def compile_all(pages, flags):
    tasks = [(page, code, line) for page, text in pages for code, line in blocks_of(text)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = pool.map(lambda task: compile_block(*task, flags, folder), tasks)
        return [output for output in outputs if output], len(tasks)


def faults_of(pages, libraries, flags):
    """The faults of pages, and the number of their blocks."""
    faults = [fault for page, text in pages for fault in check_text(page, text, libraries)]
    found = {page for page, _ in pages}
    for library in libraries:
        if not any(page.endswith(f"/{library}.docc/{library}.md") for page in found):
            faults.append(f"{library} has no first page, {library}.docc/{library}.md")
    outputs, count = compile_all(pages, flags)
    return faults + outputs, count


def check(facts: Facts) -> Report:
    """Compiles each block of Swift code."""
    # The command imports every library but one, so both have the places of all C modules.
    flags = facts.flags_of("iap2") + facts.flags_of("CarPlaySession")
    pages = [(file, facts.needed_text(file)) for file in facts.files if PAGE.fullmatch(file)]
    faults, count = faults_of(pages, facts.needed_libraries, flags)
    return Report(faults + check_shown(pages, SHOWN, facts.root), f"{count} blocks of Swift code")
