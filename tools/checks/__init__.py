# SPDX-License-Identifier: Apache-2.0
"""The checks of the repository, one module each, for `tools/check`.

A module has the sentence of `--list` as the first line of its text, a function `check`, and a function `write` if the
check compares something that it can write. Both take the `Facts` of the run and return a `Report`.
"""
