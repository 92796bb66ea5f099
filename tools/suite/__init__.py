# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of `tools/test`: several at a time, with one table of results at the end."""
