# SPDX-License-Identifier: Apache-2.0
"""Reads Swift sources as far as the checks need it."""
import functools
import re

# Attributes and access levels before the keyword, and the names behind the module's (`import struct IAP2.Limits`), do
# not matter.
_IMPORT = re.compile(r"(?<![\w`.])import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func)\s+)?`?(\w+)")
# The start of a comment or of a text, or a parenthesis.
_TOKEN = re.compile(r'//[^\n]*|/\*|(#*)("""|")|[()]')
_COMMENT = re.compile(r"/\*|\*/")


def imports_of(text):
    """Pairs of the name of an imported module and the line of the import."""
    code = code_of(text)
    return [(match.group(1), code.count("\n", 0, match.start()) + 1) for match in _IMPORT.finditer(code)]


@functools.lru_cache(maxsize=None)
def code_of(text):
    r"""A file with spaces in place of comments and texts. Code inside of texts, as in "\(count)", stays."""
    pieces = []

    def skip(start, end):
        pieces.append(re.sub(r"[^\n]", " ", text[start:end]))
        return end

    def skip_comment(start):
        depth, at = 1, start + 2
        while depth and (token := _COMMENT.search(text, at)):
            depth, at = depth + (1 if token.group() == "/*" else -1), token.end()
        return skip(start, len(text) if depth else at)

    def skip_string(start, hashes, quote):
        start = skip(start, start + len(hashes + quote))
        # The end of the text, an escape, or the end of the line in a text that must end there.
        end = re.compile(rf"{quote}{hashes}|\\{hashes}(.)" + ("|\n" if quote == '"' else ""), re.S)
        while token := end.search(text, start):
            start = skip(start, token.end())
            if token.group(1) == "(":
                start = read(start, in_text=True)
            elif token.group(1) is None:
                return start
        return skip(start, len(text))

    def read(start, in_text):
        """Reads to the end of the file, or behind the parenthesis that closes code in a text."""
        depth = 0
        while token := _TOKEN.search(text, start):
            pieces.append(text[start : token.start()])
            word = token.group()
            if word in "()":
                pieces.append(word)
                start = token.end()
                if in_text and depth == 0 and word == ")":
                    return start
                depth += 1 if word == "(" else -1
            elif word == "/*":
                start = skip_comment(token.start())
            elif word.startswith("//"):
                start = skip(token.start(), token.end())
            else:
                start = skip_string(token.start(), token.group(1), token.group(2))
        pieces.append(text[start:])
        return len(text)

    read(0, in_text=False)
    return "".join(pieces)
