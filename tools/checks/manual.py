# SPDX-License-Identifier: Apache-2.0
"""Writes man pages and completions of the command, for `tools/package`.

The exit codes of the man pages are the table in Documentation/Commands/README.md. SOURCE_DATE_EPOCH sets their date.
"""
from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import re
import sys
import textwrap

from .facts import ROOT, run
from .help import Command, pieces
from .report import Failure

INDEX = "Documentation/Commands/README.md"
SHELLS = {"bash": "iap2.bash", "zsh": "_iap2", "fish": "iap2.fish"}


def roff(text):
    """Escapes a text: what is typed keeps its hyphens, quotes and carets as ASCII."""
    special = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"}
    return "".join(special.get(letter, letter if letter.isascii() else rf"\[u{ord(letter):04X}]") for letter in text)


def roff_term(text):
    """Bold for what is typed, italic for what stands for a value."""
    parts = re.split(r"(<[^>]*>)", text)
    return "".join(rf"\fI{roff(part[1:-1])}\fR" if part.startswith("<") and part.endswith(">") else
                   rf"\fB{roff(part)}\fR" for part in parts if part).replace(r"\fB, ", r"\fR, \fB")


def roff_text(text):
    words = []
    for before, core, after, literal in pieces(text):
        word = roff(core)
        if literal:
            if len(core) > 60:
                word = word.replace("[+", r"\:[+")  # where a form that is longer than a line may be broken
            word = rf"\fB{word}\fR"
        words.append(roff(before) + word + roff(after))
    # A line that begins with a dot or an apostrophe would be a request.
    lines = textwrap.wrap(" ".join(words), 79, break_long_words=False, break_on_hyphens=False)
    return "\n".join(r"\&" + line if line.startswith((".", "'")) else line for line in lines)


def roff_lines(lines):
    return [".PP", ".RS 4", ".nf", *(r"\&" + roff(line) for line in lines), ".fi", ".RE"]


def roff_arguments(arguments):
    return [line for item in arguments for line in (".TP", roff_term(item.term), roff_text(item.text) or r"\&")]


def roff_body(command, heading):
    """The parts of a man page from SYNOPSIS on, or those of a subcommand's section; `heading` begins each."""
    usage = command.usage[len(command.name) + 1:]
    is_page = heading == ".SH"
    lines = [".SH SYNOPSIS"] if is_page else []
    lines.append(rf"\fB{roff(command.name)}\fR" + (" " + roff_usage(usage) if usage else ""))
    lines += [".SH DESCRIPTION" if is_page else ".PP", roff_text(command.abstract)]
    for block in command.blocks:
        lines += [".PP", roff_text(block)] if isinstance(block, str) else roff_lines(block)
    if command.default:
        lines += [".PP", rf"Without a subcommand, \fB{roff(command.name + ' ' + command.default)}\fR is run."]
    title = (lambda text: f".SH {text.upper()}") if is_page else (lambda text: f".PP\n\\fB{text}\\fR")
    if command.positionals:
        lines += [title("Arguments"), *roff_arguments(command.positionals)]
    for section, options in command.sections(command.options):
        lines += [title("Options" + (f": {section}" if section else "")), *roff_arguments(options)]
    return lines


def roff_usage(usage):
    return re.sub(r"<([^>]*)>|([^<\[\] ]+)",
                  lambda word: rf"\fI{roff(word[1])}\fR" if word[1] else rf"\fB{roff(word[2])}\fR", usage)


def man_page(command, root, version, date, codes):
    name = command.name.replace(" ", "-")
    abstract = command.abstract.rstrip(".")
    lines = ['.\\" Made by tools/package from the help of the command.',
             f'.TH {name.upper()} 1 {date} "iap2 {version}" "User Commands"',
             # groff 1.23 sets the adjustment to the string AD at each paragraph.
             ".ds AD l", ".ad l", ".nh", ".SH NAME", rf"{roff(name)} \- {roff(abstract[0].lower() + abstract[1:])}",
             *roff_body(command, ".SH")]
    if command is root:
        lines.append(".SH COMMANDS")
        for sub in command.subcommands:
            lines += [".TP", rf"\fB{roff(sub.name.replace(' ', '-'))}\fR(1)", roff_text(sub.abstract)]
    else:
        for sub in command.subcommands:
            lines += [f".SH {roff(sub.name.upper())}", *roff_body(sub, ".PP")]
            if sub.exits:
                lines += [".PP", roff_text(" ".join(sub.exits))]
            if sub.examples:
                lines += [".PP", r"\fBExamples\fR", *roff_lines(sub.examples)]
    lines.append(".SH EXIT STATUS")
    if command.exits:
        lines += [roff_text(" ".join(command.exits)), ".PP", "In general:"]
    for code, meaning in codes:
        lines += [".TP", roff(code), roff_text(meaning)]
    if command.examples:
        lines += [".SH EXAMPLES", *roff_lines(command.examples)[1:]]
    others = [other for other in [root, *root.subcommands] if other is not command]
    see = others if command is root else [root]
    lines += [".SH SEE ALSO", ",\n".join(rf".BR {roff(other.name.replace(' ', '-'))} (1)" for other in see)
              .replace("(1),", "(1),")]
    return "\n".join(lines) + "\n"


def exit_codes(index: str) -> list[tuple[str, str]]:
    """Pairs of code and meaning, of the table in the text of Documentation/Commands/README.md."""
    section = index.partition("\n## Exit codes\n")[2].partition("\n## ")[0]
    codes = re.findall(r"^\| (\d+) \| (.+?) \|$", section, re.MULTILINE)
    if not codes:
        raise Failure(f"{INDEX} has no table below '## Exit codes'")
    return codes


def write(folder: pathlib.Path, name: str, text: str) -> None:
    """Writes a file into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def write_pages(folder: pathlib.Path, root: Command, version: str, codes: list[tuple[str, str]]) -> None:
    """Writes the man pages. `version` is what `iap2 --version` prints."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    date = (datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).date() if seconds
            else datetime.date.today())
    number = version.split("\n")[0].split()[-1]
    for command in [root, *root.subcommands]:
        write(folder, command.name.replace(" ", "-") + ".1", man_page(command, root, number, date, codes))


def write_completions(folder: pathlib.Path, iap2: str) -> None:
    """Writes the completions that the command prints."""
    for shell, name in SHELLS.items():
        write(folder, name, ask(iap2, "--generate-completion-script", shell))


def ask(iap2: str, *arguments: str) -> str:
    """Returns what the command prints."""
    return run(iap2, *arguments).stdout.decode()


def main() -> int:
    """Reads the command line. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="tools/package", description=__doc__)
    parser.add_argument("--iap2", metavar="FILE", required=True, help="the command")
    parser.add_argument("--man", metavar="FOLDER", type=pathlib.Path, help="write man pages of section 1")
    parser.add_argument("--completions", metavar="FOLDER", type=pathlib.Path,
                        help="write iap2.bash, _iap2 (zsh) and iap2.fish")
    arguments = parser.parse_args()
    try:
        if arguments.man:
            root = Command(json.loads(ask(arguments.iap2, "--experimental-dump-help"))["command"])
            codes = exit_codes((ROOT / INDEX).read_text(encoding="utf-8"))
            write_pages(arguments.man.absolute(), root, ask(arguments.iap2, "--version"), codes)
        if arguments.completions:
            write_completions(arguments.completions.absolute(), arguments.iap2)
    except (Failure, OSError) as failure:
        print(f"package: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
