# SPDX-License-Identifier: Apache-2.0
"""Places in the repository, and the material of its tests. None of this material is of use outside of tests."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
FIXTURES = REPOSITORY / "Tests/Tools/CommandTests/Fixtures"
# The second test authority, and the certificate and key of an accessory that it signed.
AUTHORITY, CERTIFICATE, KEY = (FIXTURES / name for name in (
    "other-ca.pem", "other-accessory.pem", "other-accessory.key"))
