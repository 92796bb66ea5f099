# SPDX-License-Identifier: Apache-2.0
"""The help of the command and its subcommands, from `iap2 --experimental-dump-help`."""
from __future__ import annotations

import re

EVERYWHERE = ("help", "version")  # options that every command has


class Argument:
    """A positional argument, an option or a flag."""

    def __init__(self, description):
        self.value = description["valueName"]
        self.kind = description["kind"]
        self.is_required = not description["isOptional"]
        self.names = ["-" + name["name"] if name["kind"] == "short" else "--" + name["name"]
                      for name in description.get("names", [])]
        self.section = description.get("sectionTitle")
        abstract = description.get("abstract", "")
        notes = [abstract] if abstract else []
        if values := description.get("allValues"):
            notes.append("Values: " + ", ".join(f"`{value}`" for value in values) + ".")
        # Where the text states the default, that text is right: the value may be this machine's, as its number of
        # cores.
        if "defaultValue" in description and "(default" not in abstract:
            notes.append(f"Default: `{description['defaultValue']}`.")
        if description["isRepeating"] and "epeatable" not in abstract:
            notes.append("Repeatable.")
        if self.is_required and self.kind != "positional":
            notes.append("Required.")
        self.text = " ".join(notes)

    @property
    def term(self):
        """The argument as it is typed: `-o, --output <output>`."""
        if self.kind == "positional":
            return f"<{self.value}>"
        return ", ".join(self.names) + (f" <{self.value}>" if self.kind == "option" else "")

    @property
    def in_usage(self):
        return f"<{self.value}>" if self.kind == "positional" else self.names[-1] + (
            f" <{self.value}>" if self.kind == "option" else "")


class Command:
    """A command with the parts of its help."""

    def __init__(self, description):
        self.name = " ".join([*description.get("superCommands", []), description["commandName"]])
        self.abstract = description.get("abstract", "")
        shown = [Argument(item) for item in description.get("arguments", []) if item["shouldDisplay"]]
        self.positionals = [item for item in shown if item.kind == "positional"]
        self.options = [item for item in shown if item.kind != "positional"]
        self.subcommands = [Command(item) for item in description.get("subcommands", [])
                            if item["shouldDisplay"] and item["commandName"] != "help"]
        self.default = description.get("defaultSubcommand")
        self.blocks, self.examples, self.exits = [], [], []  # blocks: a text, or a list of lines as they are
        for paragraph in description.get("discussion", "").split("\n\n"):
            self.read(paragraph.split("\n"))

    def read(self, lines):
        """Sorts a paragraph of the discussion into text, lines as they are, examples and exit codes."""
        if lines[0] == "Examples:":
            self.examples += [line.strip() for line in lines[1:]]
            return
        text = " ".join(line for line in lines if line and not line.startswith(" "))
        sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text) if text else []
        ends = [sentence for sentence in sentences if re.match(r"(The )?[Ee]xit (code|status)", sentence)]
        self.exits += ends
        if rest := [sentence for sentence in sentences if sentence not in ends]:
            self.blocks.append(" ".join(rest))
        if verbatim := [line[2:] for line in lines if line.startswith(" ")]:
            self.blocks.append(verbatim)

    @property
    def title(self):
        """The last word of the name: the page and the man page are named by it."""
        return self.name.split(" ", 1)[-1]

    @property
    def own_options(self):
        return [option for option in self.options if option.names[-1].lstrip("-") not in EVERYWHERE]

    @property
    def usage(self):
        if self.subcommands:
            return f"{self.name} " + ("[<subcommand>]" if self.default else "<subcommand>")
        words = [self.name]
        if any(not option.is_required for option in self.own_options):
            words.append("[<options>]")
        words += [option.in_usage for option in self.own_options if option.is_required]
        words += [item.in_usage if item.is_required else f"[{item.in_usage}]" for item in self.positionals]
        return " ".join(words)

    def sections(self, options):
        """Pairs of a section's title and its options; options without a section come first."""
        groups = {}
        for option in options:
            groups.setdefault(option.section, []).append(option)
        return sorted(groups.items(), key=lambda group: group[0] is not None)

    def all(self):
        yield self
        for command in self.subcommands:
            yield from command.all()


WORD = re.compile(r"\(*`[^`]*`[^\s`]*|\(\?<\w+>[^)]*\)|\S+")
SPAN = re.compile(r"(\(*)`([^`]*)`(\S*)")
LITERAL = re.compile(r"[<>\[\]{}*_|\\=^~@$]|^--?\w|^-$|^\.\w|\w:[\w/\[]")


def pieces(text):
    """Splits a text of the help into words: (before, word, after, whether the word is typed as it stands)."""
    for match in WORD.finditer(text):
        word = match[0]
        if span := SPAN.fullmatch(word):
            yield *span.groups(), True
        elif word.startswith("(?<"):
            yield "", word, "", True
        else:
            before = "(" if word.startswith("(") and word.count("(") > word.count(")") else ""
            core = word[len(before):]
            after = ""
            while core and (core[-1] in ".,;:" or core[-1] == ")" and core.count(")") > core.count("(")):
                core, after = core[:-1], core[-1] + after
            if core.startswith("(") and core.endswith(")"):
                before, core, after = before + "(", core[1:-1], ")" + after
            yield before, core, after, bool(LITERAL.search(core)) and not core.startswith('"')
