# SPDX-License-Identifier: Apache-2.0
"""Keys of the session, derived from secrets of pairing (#keys) or of the old generation (#generation-old)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def derive(secret: bytes, salt: str, info: str) -> bytes:
    """Returns 32 bytes of HKDF-SHA512."""
    return HKDF(hashes.SHA512(), 32, salt.encode(), info.encode()).derive(secret)


def named_nonce(name: str) -> bytes:
    """Returns the nonce of one pairing message, such as `PS-Msg05`."""
    return bytes(4) + name.encode()


def counter_nonce(counter: int) -> bytes:
    """Returns the nonce of frame number `counter`, from 0."""
    return bytes(4) + counter.to_bytes(8, "little")


def seal(key: bytes, nonce: bytes, plain: bytes, associated: bytes = b"") -> bytes:
    """Returns ciphertext and tag of ChaCha20-Poly1305."""
    return ChaCha20Poly1305(key).encrypt(nonce, plain, associated or None)


def open_sealed(key: bytes, nonce: bytes, sealed: bytes, associated: bytes = b"") -> bytes:
    """Returns the plaintext. Raises `cryptography.exceptions.InvalidTag`."""
    return ChaCha20Poly1305(key).decrypt(nonce, sealed, associated or None)


def unsigned64(number: int) -> int:
    """Returns a stream id modulo 2^64. A binary plist may hold it as a negative number (#keys)."""
    return number & 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True)
class ChannelKeys:
    """The two keys of a channel, each named by the side that writes with it."""

    phone_writes: bytes
    head_unit_writes: bytes


def control_keys(shared: bytes) -> ChannelKeys:
    """Returns the keys of the control channel."""
    return ChannelKeys(derive(shared, "Control-Salt", "Control-Write-Encryption-Key"),
                       derive(shared, "Control-Salt", "Control-Read-Encryption-Key"))


def event_keys(shared: bytes) -> ChannelKeys:
    """Returns the keys of the event channel. The head unit uses the write key to write."""
    return ChannelKeys(derive(shared, "Events-Salt", "Events-Read-Encryption-Key"),
                       derive(shared, "Events-Salt", "Events-Write-Encryption-Key"))


def stream_keys(shared: bytes, stream_id: int) -> ChannelKeys:
    """Returns the keys of a stream with this `streamConnectionID` or `seed`."""
    salt = f"DataStream-Salt{unsigned64(stream_id)}"
    return ChannelKeys(derive(shared, salt, "DataStream-Output-Encryption-Key"),
                       derive(shared, salt, "DataStream-Input-Encryption-Key"))


def old_screen_key(session_key: bytes, stream_id: int) -> tuple[bytes, bytes]:
    """Returns key and IV of AES-128-CTR for a screen stream of the old generation (#generation-old)."""
    number = str(unsigned64(stream_id)).encode()
    return (hashlib.sha512(b"AirPlayStreamKey" + number + session_key).digest()[:16],
            hashlib.sha512(b"AirPlayStreamIV" + number + session_key).digest()[:16])
