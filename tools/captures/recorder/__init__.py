# SPDX-License-Identifier: Apache-2.0
"""The recorder of the captures of this repository.

A kind of captures is a module with a function `files`, which returns the content of each file by its path below
captures/. `script` writes sessions by hand, `scene` plays them with the Python peers, `containers` has the formats of
other programs. Bytes of packets and messages come from tools/peers/iap2, so none is from the Swift sources.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# The peer, and what both peers share.
sys.path[:0] = [str(ROOT / "tools/peers/iap2"), str(ROOT / "tools/peers")]
