# SPDX-License-Identifier: Apache-2.0
"""`python3 -m iap2peer`, the same as `tools/peers/iap2/run`."""

import sys

from .cli import main

sys.exit(main())
