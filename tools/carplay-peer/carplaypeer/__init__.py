# SPDX-License-Identifier: Apache-2.0
"""A second implementation of the CarPlay session's wire.

Section numbers such as A5.4 name sections of the dossier `carplay-session.md`. Its marks are kept where they matter:
`[o]` is a rule of this project's own ends and therefore a parameter, `p` is the observed behavior of two programs.
"""
