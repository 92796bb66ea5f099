# SPDX-License-Identifier: Apache-2.0
"""Certificates and signatures of an accessory. Everything cryptographic is done by the program `openssl`."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from common.places import AUTHORITY, CERTIFICATE, KEY

from .packets import FormatError

OPENSSL_TIMEOUT = 10


class AuthenticationError(Exception):
    """A certificate or key that cannot be used."""


@dataclass
class FixedCredentials:
    """Any certificate bytes and any signature bytes."""

    certificate: bytes = bytes.fromhex("3000")
    signature: bytes = bytes(64)

    def sign(self, challenge: bytes) -> bytes:
        """Returns the fixed signature."""
        return self.signature


@dataclass
class KeyCredentials:
    """An accessory certificate as PKCS#7 and a P-256 key that signs challenges."""

    certificate_file: Path = CERTIFICATE
    key_file: Path = KEY

    @property
    def certificate(self) -> bytes:
        """The certificate as PKCS#7 signedData, DER."""
        return openssl("crl2pkcs7", "-nocrl", "-certfile", str(self.certificate_file), "-outform", "DER")

    def sign(self, challenge: bytes) -> bytes:
        """Returns r and s, 32 bytes each. The challenge is the digest itself."""
        return raw_signature(openssl("pkeyutl", "-sign", "-inkey", str(self.key_file), data=challenge))


def test_authority() -> Path:
    """The CA of `KeyCredentials`, for `iap2 phone --authentication FILE`."""
    return AUTHORITY


def has_openssl() -> bool:
    """Returns whether the program is installed."""
    return shutil.which("openssl") is not None


def openssl(*arguments: str, data: bytes = b"") -> bytes:
    """Runs `openssl` and returns what it prints."""
    try:
        result = subprocess.run(["openssl", *arguments], input=data, capture_output=True, timeout=OPENSSL_TIMEOUT,
                                check=False)
    except FileNotFoundError as error:
        raise AuthenticationError("openssl is not installed; send fixed bytes instead (--signature)") from error
    if result.returncode:
        raise AuthenticationError(f"openssl {arguments[0]}: {result.stderr.decode(errors='replace').strip()}")
    return result.stdout


def raw_signature(der: bytes) -> bytes:
    """Converts a DER ECDSA signature of P-256 to r and s, 32 bytes each."""
    try:
        if der[0] != 0x30 or der[1] != len(der) - 2 or der[2] != 0x02:
            raise FormatError("no ECDSA signature")
        r_end = 4 + der[3]
        if der[r_end] != 0x02 or r_end + 2 + der[r_end + 1] != len(der):
            raise FormatError("no ECDSA signature")
        r, s = int.from_bytes(der[4:r_end], "big"), int.from_bytes(der[r_end + 2:], "big")
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")
    except (IndexError, OverflowError) as error:
        raise FormatError("no ECDSA signature of P-256") from error
