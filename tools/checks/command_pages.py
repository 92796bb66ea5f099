# SPDX-License-Identifier: Apache-2.0
"""The pages in Documentation/Commands are the command's help, and its command lines and man pages are right.

Every command line in a Markdown file has a subcommand and options that exist. groff formats the man pages without a
warning, where it is installed.
"""
from __future__ import annotations

import re
import shutil
import textwrap

from . import manual
from .facts import Facts, run
from .help import Command, pieces
from .report import Failure, Report

# Samples for build servers, of which each line is code.
SAMPLES = "Documentation/CI/"
PAGES, INDEX_NAME = "Documentation/Commands", "README.md"
INDEX = f"{PAGES}/{INDEX_NAME}"
REPAIR = "tools/check --write command-pages"
BEGIN, END = f"<!-- commands: made by {REPAIR} -->", "<!-- end of commands -->"


def markdown_text(text):
    words = [before + (f"`{core}`" if literal else core) + after for before, core, after, literal in pieces(text)]
    # Words that are typed side by side are one piece of code.
    joined = []
    for word in words:
        if joined and re.fullmatch(r"`[^`]+`", joined[-1]) and re.match(r"`[^`]+`", word):
            joined[-1] = joined[-1][:-1] + " " + word[1:]
        else:
            joined.append(word)
    return " ".join(joined)


def wrapped(text, first="", rest=""):
    lines = textwrap.wrap(text, 120, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                          break_on_hyphens=False)
    # A line must not begin like a list or a heading.
    return lines[:1] + [re.sub(r"^(\s*)(?=(?:\d+[.)]|[-+#>])(?: |$))", r"\1\\", line) for line in lines[1:]]


def markdown_arguments(arguments):
    return [line for item in arguments
            for line in wrapped(f"`{item.term}`: {markdown_text(item.text)}", "- ", "  ")]


def markdown_body(command, level):
    """The parts of a page below its title, as lines."""
    mark = "#" * level
    lines = [*wrapped(markdown_text(command.abstract)), "", "    " + command.usage, ""]
    if command.default:
        lines += [f"Without a subcommand, `{command.name}` is `{command.name} {command.default}`.", ""]
    for block in command.blocks:
        lines += (wrapped(markdown_text(block)) if isinstance(block, str) else ["    " + line for line in block]) + [""]
    if command.subcommands:
        lines += [f"{mark} Subcommands", "", "| Subcommand | Purpose |", "|---|---|"]
        lines += [f"| [`{sub.title}`](#{sub.name.replace(' ', '-')}) | {markdown_text(sub.abstract)} |"
                  for sub in command.subcommands] + [""]
    if command.examples:
        lines += [f"{mark} Examples", "", *("    " + example for example in command.examples), ""]
    if command.positionals:
        lines += [f"{mark} Arguments", "", *markdown_arguments(command.positionals), ""]
    for title, options in command.sections(command.own_options):
        lines += [f"{mark} Options" + (f": {title[0].lower() + title[1:]}" if title else ""), "",
                  *markdown_arguments(options), ""]
    if command.exits:
        lines += [f"{mark} Exit codes", "", *wrapped(markdown_text(" ".join(command.exits))), ""]
    return lines


def markdown_page(command):
    lines = [f"# {command.name}", "", f"<!-- Made by {REPAIR} from the command's help; do not edit. -->", "",
             *markdown_body(command, 2)]
    for sub in command.subcommands:
        lines += [f"## {sub.name}", "", *markdown_body(sub, 3)]
    lines += [f"See also: [all commands]({INDEX_NAME}), [exit codes]({INDEX_NAME}#exit-codes), "
              f"[JSON output]({INDEX_NAME}#json-output)."]
    return "\n".join(lines) + "\n"


def markdown_list(root):
    lines = ["| Command | Purpose |", "|---|---|"]
    lines += [f"| [`{command.name}`]({command.title}.md) | {markdown_text(command.abstract)} |"
              for command in root.subcommands]
    return "\n".join(lines)


def pages(root: Command, index: str) -> dict[str, str]:
    """The text of each page by its path; the index keeps what is written by hand."""
    start, end = index.find(BEGIN), index.find(END)
    if start < 0 or end < start:
        raise Failure(f"{INDEX} has no place for the list of commands, between '{BEGIN}' and '{END}'")
    made = {f"{PAGES}/{command.title}.md": markdown_page(command) for command in root.subcommands}
    made[INDEX] = index[: start + len(BEGIN)] + "\n" + markdown_list(root) + "\n" + index[end:]
    return made


INVOCATION = re.compile(r"(?:^|[|;&(]\s*|\$ )(?:sudo )?(?:tools/|\.build/release/)?iap2 ([^|;&#]*)")


def faults_of_lines(root: Command, documents: dict[str, str]) -> tuple[list[str], int]:
    """The command lines in the documents whose subcommand or option does not exist, and the number of all."""
    known = {command.name: {name for option in command.options for name in option.names} for command in root.all()}
    defaults = {command.name: command.default for command in root.all() if command.default}
    faults, count = [], 0
    for file, text in documents.items():
        is_code, begun = not file.endswith(".md"), ""
        for number, line in enumerate(text.split("\n"), 1):
            line, begun = begun + (line.lstrip() if begun else line), ""
            if line.endswith("\\"):
                begun = line[:-1]  # goes on in the next line
            elif line.startswith("```"):
                is_code = not is_code
            elif is_code or line.startswith("    "):
                for invocation in INVOCATION.findall(re.sub(r"^(- )?(run: )?", "", line.strip())):
                    count += 1
                    words = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", invocation).split()
                    faults += [f"{file}:{number}: {what}" for what in faults_of(words, known, defaults)]
    return faults, count


def faults_of(words, known, defaults):
    name = "iap2"
    while words and f"{name} {words[0]}" in known:
        name, words = f"{name} {words[0]}", words[1:]
    if words and re.fullmatch(r"[a-z][a-z-]+", words[0]) and any(k.startswith(name + " ") for k in known):
        return [f"{name} has no subcommand {words[0]}"] if words[0] != "help" else []
    # What follows -- are arguments of an app.
    words = words[:words.index("--")] if "--" in words else words
    options = set(known[name]) | known.get(f"{name} {defaults.get(name)}", set())
    return [f"{name} has no option {word}" for word in (w.split("=")[0].rstrip(")") for w in words)
            if re.fullmatch(r"--?[a-z][a-z-]*", word) and word not in options | {"--experimental-dump-help",
                                                                                 "--generate-completion-script"}]


def groff_warnings(facts: Facts, root: Command) -> tuple[list[str], int]:
    """The warnings of groff for the man pages, and the number of pages; none where groff is not installed."""
    if not shutil.which("groff"):
        return [], 0
    folder = facts.folder("man")
    manual.write_pages(folder, root, facts.ask("--version"), manual.exit_codes(facts.needed_text(INDEX)))
    files = sorted(folder.glob("*.1"))
    said = [run("groff", "-man", "-Tutf8", "-ww", str(file)).stderr.decode().strip() for file in files]
    return [warning for warning in said if warning], len(files)


def made_pages(facts: Facts) -> tuple[Command, dict[str, str]]:
    """The command, and the text of each page by its path."""
    root = Command(facts.help)
    return root, pages(root, facts.needed_text(INDEX))


def write(facts: Facts) -> None:
    """Writes the pages, and removes those of commands that do not exist."""
    _, made = made_pages(facts)
    for file, text in made.items():
        facts.write(file, text)
    for path in (facts.root / PAGES).glob("*.md"):
        if f"{PAGES}/{path.name}" not in made:
            path.unlink()


def check(facts: Facts) -> Report:
    """Compares pages, command lines and man pages with the command."""
    root, made = made_pages(facts)
    faults = []
    for file, text in made.items():
        if facts.text(file) is None:
            faults.append(f"{file}: does not exist")
        elif facts.text(file) != text:
            faults.append(f"{file}: differs from the help of the command")
    faults += [f"{file}: the command does not exist" for file in facts.below(PAGES, ".md") if file not in made]
    documents = {file: facts.needed_text(file) for file in facts.files
                 if file.endswith(".md") or file.startswith(SAMPLES)}
    unknown, count = faults_of_lines(root, documents)
    warnings, formatted = groff_warnings(facts, root)
    shown = f"{formatted} man pages" if formatted else "man pages not formatted: groff is not installed"
    return Report(faults + unknown + warnings, f"{len(made)} pages, {count} command lines, {shown}", REPAIR)
