# SPDX-License-Identifier: Apache-2.0
"""Auth-setup, MFi-SAP version 1 (#auth-setup), of both sides, and certificates of a test CA.

This module contains no key or certificate of Apple. A head unit signs with a test key, and a phone trusts the test CA
that the caller provides.
"""

from __future__ import annotations

import datetime
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

from .pairing import Alter, Random, unchanged
from .problems import Problem

VERSION = b"\1"
MAX_CERTIFICATE = 64 * 1024  # the limit of the body is larger; a certificate of a coprocessor has about 1000 bytes


class Keystream:
    """AES-128-CTR that continues across calls (#generation-old: `ekey` follows the signature in the keystream)."""

    def __init__(self, secret: bytes):
        key, initial = (hashlib.sha1(label + secret).digest()[:16] for label in (b"AES-KEY", b"AES-IV"))
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(initial)).encryptor()

    def apply(self, data: bytes) -> bytes:
        """Encrypts or decrypts the next bytes."""
        return self._cipher.update(data)


@dataclass(frozen=True)
class Signer:
    """The certificate and the key of a head unit."""

    certificate: bytes  # one X.509 or a PKCS#7, DER
    key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

    def sign(self, data: bytes) -> bytes:
        """Returns r | s over SHA-256 (chip 3.0), or PKCS#1 v1.5 over SHA-1 (chip 2.0)."""
        if isinstance(self.key, rsa.RSAPrivateKey):
            return self.key.sign(data, padding.PKCS1v15(), hashes.SHA1())
        r, s = utils.decode_dss_signature(self.key.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    @staticmethod
    def load(certificate: Path, key: Path) -> Signer:
        """Reads PEM files."""
        loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
        return Signer(loaded.public_bytes(serialization.Encoding.DER),
                      serialization.load_pem_private_key(key.read_bytes(), None))


def _secret(private: X25519PrivateKey, public: bytes) -> bytes:
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise Problem("badPublicKey", "an X25519 public key gives no secret") from None


@dataclass(frozen=True)
class Agreed:
    """The result of auth-setup, which both sides have."""

    keystream: Keystream  # positioned after the signature


def answer(request: bytes, signer: Signer, random: Random = os.urandom, alter: Alter = unchanged
           ) -> tuple[bytes, Agreed]:
    """Returns the head unit's answer. Raises `badRequest` for another length or version, `badPublicKey`."""
    if len(request) != 33 or request[:1] != VERSION:
        raise Problem("badRequest", "an auth-setup request without version 1 and 32 bytes")
    private = X25519PrivateKey.from_private_bytes(random(32))
    public, peer = private.public_key().public_bytes_raw(), request[1:]
    stream = Keystream(_secret(private, peer))
    signature = stream.apply(alter("auth.signature", signer.sign(public + peer)))
    certificate = alter("auth.certificate", signer.certificate)
    body = (alter("auth.public", public) + len(certificate).to_bytes(4, "big") + certificate
            + len(signature).to_bytes(4, "big") + signature)
    return alter("auth.answer", body), Agreed(stream)


class Client:
    """The phone's side. Without `trusted` it accepts any certificate, but still checks the signature."""

    def __init__(self, trusted: list[x509.Certificate] | None, random: Random = os.urandom):
        self._trusted = trusted
        self._private = X25519PrivateKey.from_private_bytes(random(32))
        self._public = self._private.public_key().public_bytes_raw()

    @property
    def request(self) -> bytes:
        """The body of the request, 33 bytes."""
        return VERSION + self._public

    def finish(self, body: bytes) -> Agreed:
        """Checks the answer. Raises `badAnswer`, `badPublicKey`, `badCertificate` or `badSignature`."""
        peer, rest = body[:32], body[32:]
        certificate, rest = _counted(rest)
        sealed, rest = _counted(rest)
        if len(peer) < 32 or rest:
            raise Problem("badAnswer", "an auth-setup answer with a wrong length")
        stream = Keystream(_secret(self._private, peer))
        signature = stream.apply(sealed)
        public = self._trusted_key(certificate)
        data = peer + self._public
        try:
            if isinstance(public, rsa.RSAPublicKey):
                public.verify(signature, data, padding.PKCS1v15(), hashes.SHA1())
            else:
                public.verify(_as_der(signature), data, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            raise Problem("badSignature", "the signature of auth-setup is wrong") from None
        return Agreed(stream)

    def _trusted_key(self, data: bytes) -> ec.EllipticCurvePublicKey | rsa.RSAPublicKey:
        certificate = _load(data)
        for issuer in self._trusted or []:
            try:
                certificate.verify_directly_issued_by(issuer)
                break
            except (ValueError, TypeError, InvalidSignature):
                continue
        else:
            if self._trusted is not None:
                raise Problem("badCertificate", "no trusted CA issued the certificate")
        public = certificate.public_key()
        if not isinstance(public, (rsa.RSAPublicKey, ec.EllipticCurvePublicKey)):
            raise Problem("badCertificate", "a key that is neither RSA nor ECDSA")
        return public


def _counted(data: bytes) -> tuple[bytes, bytes]:
    length = int.from_bytes(data[:4], "big")
    if len(data) < 4 or length > MAX_CERTIFICATE or length > len(data) - 4:
        raise Problem("badAnswer", "an auth-setup answer with a wrong length")
    return data[4:4 + length], data[4 + length:]


def _load(data: bytes) -> x509.Certificate:
    try:
        return x509.load_der_x509_certificate(data)
    except ValueError:
        pass
    try:
        return pkcs7.load_der_pkcs7_certificates(data)[0]
    except Exception:  # the loader raises errors of several kinds
        raise Problem("badCertificate", "neither X.509 nor PKCS#7") from None


def _as_der(signature: bytes) -> bytes:
    if len(signature) != 64:
        return signature  # DER, or invalid
    return utils.encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))


def make_test_authority(chip: int = 3) -> tuple[x509.Certificate, Signer]:
    """Creates a test CA and a head unit's certificate. They are valid for a day and have no value elsewhere."""
    authority_key = ec.generate_private_key(ec.SECP256R1())
    key = ec.generate_private_key(ec.SECP256R1()) if chip == 3 else rsa.generate_private_key(65537, 1024)
    authority = _certificate("TEST CA", authority_key.public_key(), "TEST CA", authority_key)
    certificate = _certificate("TEST ACCESSORY", key.public_key(), "TEST CA", authority_key)
    return authority, Signer(certificate.public_bytes(serialization.Encoding.DER), key)


def _certificate(subject: str, public, issuer: str, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"swift-iap2 {text}")])

    now = datetime.datetime.now(datetime.timezone.utc)
    return (x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(public)
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256()))
