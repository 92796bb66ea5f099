# SPDX-License-Identifier: Apache-2.0
"""Pair-setup and pair-verify of both sides, without I/O (#pair-setup, #pair-verify).

A server answers the items of one message. A client is a generator: it yields the items of a message, receives the
bytes of the answer, and returns the agreed values. `alter(point, value)` lets a hostile peer change a value; a
conforming peer returns it unchanged.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from . import srp, tlv8
from .keys import derive, named_nonce, open_sealed, seal
from .limits import Limits
from .problems import Problem
from .tlv8 import Items

Alter = Callable[[str, Any], Any]
Random = Callable[[int], bytes]
TRANSIENT = 0x10
MAX_IDENTIFIER = 255  # in bytes; the public facts give no limit, and a UUID has 36


def unchanged(_point: str, value: Any) -> Any:
    """Returns the value unchanged: the `alter` of a conforming peer."""
    return value


@dataclass(frozen=True)
class Identity:
    """An identifier and the long-term signing key."""

    identifier: str
    seed: bytes = field(repr=False)

    @staticmethod
    def new(random: Random = os.urandom) -> Identity:
        """Returns an identity with a new UUID and a new key."""
        return Identity(str(uuid.UUID(bytes=random(16), version=4)).upper(), random(32))

    @property
    def public(self) -> bytes:
        """LTPK, 32 bytes."""
        return Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()

    def sign(self, data: bytes) -> bytes:
        """Returns the Ed25519 signature."""
        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(data)


class Pairings:
    """The own identity, and identifiers and long-term keys of paired peers, optionally in a file of mode 0600."""

    def __init__(self, identity: Identity | None = None, path: Path | None = None):
        self.path, self.peers = path, {}
        stored = json.loads(path.read_text()) if path and path.exists() else None
        if stored:
            own = stored["identity"]
            identity = identity or Identity(own["identifier"], bytes.fromhex(own["seed"]))
            self.peers = {name: bytes.fromhex(key) for name, key in stored["peers"].items()}
        self.identity = identity or Identity.new()
        if path and not stored:
            self._save()

    def add(self, identifier: str, public: bytes) -> None:
        """Stores a peer. A new key replaces the old one."""
        self.peers[identifier] = public
        self._save()

    def forget(self, identifier: str) -> None:
        """Removes a peer, if it is stored."""
        self.peers.pop(identifier, None)
        self._save()

    def _save(self) -> None:
        if not self.path:
            return
        text = json.dumps({"identity": {"identifier": self.identity.identifier, "seed": self.identity.seed.hex()},
                           "peers": {name: key.hex() for name, key in self.peers.items()}}, indent=1)
        temporary = self.path.with_name(self.path.name + ".new")
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
        temporary.replace(self.path)


def _open(key: bytes, nonce: str, sealed: bytes) -> dict[int, bytes]:
    try:
        return tlv8.decode_unique(open_sealed(key, named_nonce(nonce), sealed))
    except InvalidTag:
        raise Problem("badTag", nonce) from None


def _verify(public: bytes, signature: bytes, data: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError):
        raise Problem("badSignature", "an Ed25519 signature of pairing is wrong") from None


def _identifier(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        raise Problem("badTLV", "an identifier that is not UTF-8") from None
    if not 0 < len(value) <= MAX_IDENTIFIER:
        raise Problem("badTLV", "an identifier with a wrong length")
    return text


def _agree(private: X25519PrivateKey, public: bytes) -> bytes:
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise Problem("badPublicKey", "an X25519 public key gives no secret") from None


def _signed(identity: Identity, data: bytes, with_key: bool) -> Items:
    items = [(tlv8.IDENTIFIER, identity.identifier.encode())]
    if with_key:
        items.append((tlv8.PUBLIC_KEY, identity.public))
    return items + [(tlv8.SIGNATURE, identity.sign(data))]


class _Server:
    """The common part of both procedures: it answers with an error and restarts at M1."""

    name = ""

    def __init__(self, pairings: Pairings, random: Random, alter: Alter):
        self.pairings, self.random, self.alter = pairings, random, alter
        self.expected = 1
        self.problem: Problem | None = None  # problem of the last message

    def handle(self, body: bytes) -> bytes:
        """Returns the answer's body. Raises `badTLV` for a body that is not TLV8 or has no state."""
        items = tlv8.decode_unique(body)
        state = tlv8.state_of(items)
        self.problem = None
        if state not in (1, self.expected) or state % 2 == 0:
            return self._error(state, tlv8.UNKNOWN, Problem("badAnswer", f"{self.name} step {state} out of order"))
        self.expected = 1
        try:
            answer = self._step(state, items)
        except Problem as problem:
            return self._error(state, self._code(problem), problem)
        answer = self.alter(f"{self.name}.M{state + 1}", [(tlv8.STATE, bytes([state + 1]))] + answer)
        return tlv8.encode(answer)

    def _step(self, state: int, items: dict[int, bytes]) -> Items:
        raise NotImplementedError

    def _code(self, problem: Problem) -> int:
        return tlv8.MAX_TRIES if problem.cause == "tooManyTries" else tlv8.AUTHENTICATION

    def _error(self, state: int, code: int, problem: Problem) -> bytes:
        self.expected, self.problem = 1, problem
        return tlv8.encode([(tlv8.STATE, bytes([(state + 1) & 0xFF])), (tlv8.ERROR, bytes([code]))])


@dataclass
class Tries:
    """The count of wrong proofs on a connection. Those of others keep nobody out: the password is public."""

    wrong: int = 0


class SetupServer(_Server):
    """Pair-setup of the head unit."""

    name = "setup"

    def __init__(self, pairings: Pairings, tries: Tries | None = None, random: Random = os.urandom,
                 alter: Alter = unchanged, limits: Limits = Limits()):
        super().__init__(pairings, random, alter)
        self._tries, self._limits = tries or Tries(), limits
        self._srp: srp.Server | None = None
        self._key = b""
        self.paired: str | None = None  # the identifier of the phone, after a valid M5

    def _step(self, state: int, items: dict[int, bytes]) -> Items:
        if state == 1:
            return self._start(items)
        return self._prove(items) if state == 3 else self._exchange(items)

    def _start(self, items: dict[int, bytes]) -> Items:
        if self._tries.wrong >= self._limits.wrong_proofs:
            raise Problem("tooManyTries", f"{self._tries.wrong} wrong proofs")
        flags = int.from_bytes(items.get(tlv8.FLAGS, b""), "little")
        if items.get(tlv8.METHOD) != b"\0" or flags & TRANSIENT:
            raise Problem("badAnswer", "a method that is not pair-setup, or transient pairing")
        self._srp = srp.Server(self.random(32), self.random(16))
        self.expected = 3
        return [(tlv8.PUBLIC_KEY, self._srp.public), (tlv8.SALT, self._srp.salt)]

    def _prove(self, items: dict[int, bytes]) -> Items:
        agreed = None
        try:
            agreed = self._srp.exchange(items.get(tlv8.PUBLIC_KEY, b""), items.get(tlv8.PROOF, b""))
        finally:
            if agreed is None:
                self._tries.wrong += 1
        if agreed is None:
            raise Problem("badProof", "the proof of M3 is wrong")
        self._tries.wrong = 0
        self._key = agreed.key
        self.expected = 5
        return [(tlv8.PROOF, agreed.server_proof)]

    def _exchange(self, items: dict[int, bytes]) -> Items:
        key = derive(self._key, "Pair-Setup-Encrypt-Salt", "Pair-Setup-Encrypt-Info")
        inner = _open(key, "PS-Msg05", items.get(tlv8.ENCRYPTED, b""))
        identifier, public = inner.get(tlv8.IDENTIFIER, b""), inner.get(tlv8.PUBLIC_KEY, b"")
        signed = derive(self._key, "Pair-Setup-Controller-Sign-Salt", "Pair-Setup-Controller-Sign-Info")
        _verify(public, inner.get(tlv8.SIGNATURE, b""), signed + identifier + public)
        name = _identifier(identifier)
        own = self.pairings.identity
        signed = derive(self._key, "Pair-Setup-Accessory-Sign-Salt", "Pair-Setup-Accessory-Sign-Info")
        answer = _signed(own, signed + own.identifier.encode() + own.public, with_key=True)
        self.pairings.add(name, public)
        self.paired = name
        plain = tlv8.encode(self.alter("setup.M6.inner", answer))
        return [(tlv8.ENCRYPTED, seal(key, named_nonce("PS-Msg06"), plain))]


class VerifyServer(_Server):
    """Pair-verify of the head unit."""

    name = "verify"

    def __init__(self, pairings: Pairings, random: Random = os.urandom, alter: Alter = unchanged):
        super().__init__(pairings, random, alter)
        self.shared: bytes | None = None  # set after a valid M3
        self.phone: str | None = None
        self._secret = self._own = self._peer = self._key = b""

    def _step(self, state: int, items: dict[int, bytes]) -> Items:
        return self._start(items) if state == 1 else self._finish(items)

    def _start(self, items: dict[int, bytes]) -> Items:
        private = X25519PrivateKey.from_private_bytes(self.random(32))
        self._own, self._peer = private.public_key().public_bytes_raw(), items.get(tlv8.PUBLIC_KEY, b"")
        self._secret = _agree(private, self._peer)
        self._key = derive(self._secret, "Pair-Verify-Encrypt-Salt", "Pair-Verify-Encrypt-Info")
        own = self.pairings.identity
        inner = _signed(own, self._own + own.identifier.encode() + self._peer, with_key=False)
        plain = tlv8.encode(self.alter("verify.M2.inner", inner))
        self.expected = 3
        return [(tlv8.PUBLIC_KEY, self._own), (tlv8.ENCRYPTED, seal(self._key, named_nonce("PV-Msg02"), plain))]

    def _finish(self, items: dict[int, bytes]) -> Items:
        inner = _open(self._key, "PV-Msg03", items.get(tlv8.ENCRYPTED, b""))
        name = _identifier(inner.get(tlv8.IDENTIFIER, b""))
        if name not in self.pairings.peers:
            raise Problem("unknownPeer", f"phone {name}")
        _verify(self.pairings.peers[name], inner.get(tlv8.SIGNATURE, b""), self._peer + name.encode() + self._own)
        self.shared, self.phone = self._secret, name
        return []


Client = Generator[Items, bytes, Any]


def _answer(body: bytes, state: int) -> dict[int, bytes]:
    items = tlv8.decode_unique(body)
    if tlv8.state_of(items) != state:
        raise Problem("badAnswer", f"state {tlv8.state_of(items)} instead of {state}")
    if tlv8.ERROR in items:
        code = int.from_bytes(items[tlv8.ERROR], "little")
        raise Problem("tooManyTries" if code == tlv8.MAX_TRIES else "pairingRefused", f"error {code} in M{state}")
    return items


def setup_client(pairings: Pairings, random: Random = os.urandom, alter: Alter = unchanged,
                 padded_proof: bool = False) -> Client:
    """Runs pair-setup of the phone and stores the head unit. Returns its identifier."""
    own = pairings.identity
    body = yield alter("setup.M1", [(tlv8.METHOD, b"\0"), (tlv8.STATE, b"\1")])
    items = _answer(body, 2)
    client = srp.Client(random(32))
    agreed = client.exchange(items.get(tlv8.SALT, b""), items.get(tlv8.PUBLIC_KEY, b""), padded_proof)
    proof = agreed.padded_client_proof if padded_proof else agreed.client_proof
    body = yield alter("setup.M3", [(tlv8.STATE, b"\3"), (tlv8.PUBLIC_KEY, client.public), (tlv8.PROOF, proof)])
    if not agreed.accepts_server(_answer(body, 4).get(tlv8.PROOF, b"")):
        raise Problem("badProof", "the proof of M4 is wrong")
    key = derive(agreed.key, "Pair-Setup-Encrypt-Salt", "Pair-Setup-Encrypt-Info")
    signed = derive(agreed.key, "Pair-Setup-Controller-Sign-Salt", "Pair-Setup-Controller-Sign-Info")
    inner = _signed(own, signed + own.identifier.encode() + own.public, with_key=True)
    sealed = seal(key, named_nonce("PS-Msg05"), tlv8.encode(alter("setup.M5.inner", inner)))
    body = yield alter("setup.M5", [(tlv8.STATE, b"\5"), (tlv8.ENCRYPTED, sealed)])
    inner = _open(key, "PS-Msg06", _answer(body, 6).get(tlv8.ENCRYPTED, b""))
    identifier, public = inner.get(tlv8.IDENTIFIER, b""), inner.get(tlv8.PUBLIC_KEY, b"")
    signed = derive(agreed.key, "Pair-Setup-Accessory-Sign-Salt", "Pair-Setup-Accessory-Sign-Info")
    _verify(public, inner.get(tlv8.SIGNATURE, b""), signed + identifier + public)
    pairings.add(_identifier(identifier), public)
    return _identifier(identifier)


def verify_client(pairings: Pairings, random: Random = os.urandom, alter: Alter = unchanged) -> Client:
    """Runs pair-verify of the phone. Returns the shared secret and the identifier of the head unit.

    Raises `unknownPeer` for a head unit that is not stored. `pairingRefused` with M4 means that the head unit has not
    stored the phone.
    """
    own = pairings.identity
    private = X25519PrivateKey.from_private_bytes(random(32))
    ephemeral = private.public_key().public_bytes_raw()
    body = yield alter("verify.M1", [(tlv8.STATE, b"\1"), (tlv8.PUBLIC_KEY, ephemeral)])
    items = _answer(body, 2)
    peer = items.get(tlv8.PUBLIC_KEY, b"")
    shared = _agree(private, peer)
    key = derive(shared, "Pair-Verify-Encrypt-Salt", "Pair-Verify-Encrypt-Info")
    inner = _open(key, "PV-Msg02", items.get(tlv8.ENCRYPTED, b""))
    name = _identifier(inner.get(tlv8.IDENTIFIER, b""))
    if name not in pairings.peers:
        raise Problem("unknownPeer", f"head unit {name}")
    _verify(pairings.peers[name], inner.get(tlv8.SIGNATURE, b""), peer + name.encode() + ephemeral)
    inner = alter("verify.M3.inner", _signed(own, ephemeral + own.identifier.encode() + peer, with_key=False))
    sealed = seal(key, named_nonce("PV-Msg03"), tlv8.encode(inner))
    body = yield alter("verify.M3", [(tlv8.STATE, b"\3"), (tlv8.ENCRYPTED, sealed)])
    _answer(body, 4)
    return shared, name
