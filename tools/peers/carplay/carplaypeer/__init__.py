# SPDX-License-Identifier: Apache-2.0
"""A second implementation of the CarPlay session's wire.

Marks such as #pair-setup, and letters of public sources such as [2 L C], are explained in the README of this
folder.
`[o]` marks a rule of this project's own ends, which is therefore a parameter. `p` marks the observed behavior of two
programs, which may be derived from confidential papers.
"""

import sys
from pathlib import Path

# The folder of `common`, which both peers use.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
