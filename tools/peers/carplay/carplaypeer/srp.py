# SPDX-License-Identifier: Apache-2.0
"""SRP-6a with the 3072-bit group of RFC 5054 and SHA-512, in the byte rules of #pair-setup."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from .problems import Problem

# The 3072-bit MODP prime is 2^3072 - 2^3008 - 1 + 2^64 * (floor(2^2942 pi) + 1690314), RFC 3526 section 4.
LENGTH = 384
G = 5
USER, PASSWORD = "Pair-Setup", "3939"


def _pi_bits(bits: int) -> int:
    """Returns floor(2^bits · pi) by Machin's formula."""
    guard = 64
    one = 1 << (bits + guard)

    def arctangent(inverse: int) -> int:
        term, total, divisor, sign = one // inverse, 0, 1, 1
        while term:
            total += sign * (term // divisor)
            term //= inverse * inverse
            divisor, sign = divisor + 2, -sign
        return total

    return (4 * (4 * arctangent(5) - arctangent(239))) >> guard


N = 2**3072 - 2**3008 - 1 + 2**64 * (_pi_bits(2942) + 1690314)


def pad(number: int) -> bytes:
    """Returns the number as 384 bytes, big endian."""
    return number.to_bytes(LENGTH, "big")


def shortest(number: int) -> bytes:
    """Returns the number without leading zero bytes."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def digest(*parts: bytes) -> bytes:
    """Returns the SHA-512 of the joined parts."""
    return hashlib.sha512(b"".join(parts)).digest()


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


K_MULTIPLIER = _number(digest(pad(N), pad(G)))


def private_exponent(salt: bytes, user: str = USER, password: str = PASSWORD) -> int:
    """Returns x."""
    return _number(digest(salt, digest(f"{user}:{password}".encode())))


@dataclass(frozen=True)
class Exchange:
    """The values that both sides share after the exchange of the public keys."""

    key: bytes  # K, 64 bytes
    client_proof: bytes  # M1 with the shortest A and B, the form of ADK
    padded_client_proof: bytes  # M1 with padded A and B, the form of L
    server_proof: bytes  # M2 over the padded A and the client's proof
    short_server_proof: bytes  # M2 over the shortest A, the form of PA

    def accepts_client(self, proof: bytes) -> bool:
        """Compares a client's proof with both forms in constant time."""
        first = hmac.compare_digest(proof, self.client_proof)
        second = hmac.compare_digest(proof, self.padded_client_proof)
        return first or second

    def accepts_server(self, proof: bytes) -> bool:
        """Compares a server's proof with both forms in constant time."""
        first = hmac.compare_digest(proof, self.server_proof)
        second = hmac.compare_digest(proof, self.short_server_proof)
        return first or second


def _exchange(a_public: int, b_public: int, secret: int, salt: bytes, user: str, padded: bool) -> Exchange:
    key = digest(shortest(secret))
    group = bytes(x ^ y for x, y in zip(digest(shortest(N)), digest(shortest(G))))
    head = group + digest(user.encode()) + salt
    short_proof = digest(head, shortest(a_public), shortest(b_public), key)
    padded_proof = digest(head, pad(a_public), pad(b_public), key)
    proof = padded_proof if padded else short_proof
    return Exchange(key, short_proof, padded_proof, digest(pad(a_public), proof, key),
                    digest(shortest(a_public), proof, key))


def public_number(data: bytes) -> int:
    """Returns a peer's public key as a number. Raises `badPublicKey` for 0 modulo N and for more than 384 bytes."""
    number = _number(data)
    if not data or len(data) > LENGTH or number % N == 0:
        raise Problem("badPublicKey", "an SRP public key is 0 modulo N or has a wrong length")
    return number


class Client:
    """The phone's side. `private` is 32 random bytes."""

    def __init__(self, private: bytes, user: str = USER, password: str = PASSWORD):
        self._a = _number(private)
        self._user, self._password = user, password
        self._public = pow(G, self._a, N)

    @property
    def public(self) -> bytes:
        """A, padded."""
        return pad(self._public)

    def exchange(self, salt: bytes, server_public: bytes, padded: bool = False) -> Exchange:
        """Returns the agreement with a server. Raises `badPublicKey`."""
        b_public = public_number(server_public)
        u = _number(digest(pad(self._public), pad(b_public % N)))
        x = private_exponent(salt, self._user, self._password)
        secret = pow((b_public - K_MULTIPLIER * pow(G, x, N)) % N, self._a + u * x, N)
        return _exchange(self._public, b_public % N, secret, salt, self._user, padded)


class Server:
    """The head unit's side. `private` is 32 random bytes, `salt` is 16."""

    def __init__(self, private: bytes, salt: bytes, user: str = USER, password: str = PASSWORD):
        self._b, self.salt, self._user = _number(private), salt, user
        self._verifier = pow(G, private_exponent(salt, user, password), N)
        self._public = (K_MULTIPLIER * self._verifier + pow(G, self._b, N)) % N

    @property
    def public(self) -> bytes:
        """B, padded."""
        return pad(self._public)

    def exchange(self, client_public: bytes, proof: bytes) -> Exchange | None:
        """Returns the agreement if the client's proof is valid. Raises `badPublicKey`."""
        a_public = public_number(client_public) % N
        u = _number(digest(pad(a_public), pad(self._public)))
        secret = pow(a_public * pow(self._verifier, u, N), self._b, N)
        agreed = _exchange(a_public, self._public, secret, self.salt, self._user, padded=False)
        if not agreed.accepts_client(proof):
            return None
        # M2 covers the proof in the form that the client sent.
        padded = not hmac.compare_digest(proof, agreed.client_proof)
        return _exchange(a_public, self._public, secret, self.salt, self._user, padded)
