# SPDX-License-Identifier: Apache-2.0
"""Hostile and restarting peers played against the command `iap2`, each with a verdict."""

import iap2peer  # noqa: F401 (it makes `common` known)
