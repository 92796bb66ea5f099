# SPDX-License-Identifier: Apache-2.0
"""An independent peer of the iAP2 protocol for both roles, on Python's standard library.

The modules, from the wire upwards: `packets` (bytes of the link layer), `link` (negotiation and reliability),
`control` (control messages), `sessions` (a peer with its three session types), `roles` (accessory and device),
`transport` (sockets and ptys), `authentication` (certificates and signatures through `openssl`).
"""

import sys
from pathlib import Path

# The folder of `common`, which both peers share.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
