"""Signs requests with scheme `v1`: an HMAC-SHA256 over everything that the service acts on."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from zlib import crc32

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKSUM_LENGTH = 6


@dataclass(frozen=True, slots=True)
class Signable:
    """The values that `v1` covers. `target` is the path and query as on the wire. `idempotency_key` can be empty."""

    method: str
    target: str
    idempotency_key: str
    content: bytes = field(repr=False)


def string_to_sign(request: Signable, timestamp: int) -> str:
    digest = hashlib.sha256(request.content).hexdigest()
    return f"v1\n{timestamp}\n{request.method}\n{request.target}\n{request.idempotency_key}\n{digest}"


def sign_v1(request: Signable, timestamp: int, secret: str) -> str:
    """Returns 64 lower-case hex digits."""
    return hmac.digest(secret.encode(), string_to_sign(request, timestamp).encode(), "sha256").hex()


def key_is_whole(api_key: str) -> bool:
    """Whether the last six characters are the checksum of the others. Detects typos offline."""
    text, checksum = api_key[:-_CHECKSUM_LENGTH], api_key[-_CHECKSUM_LENGTH:]
    number = crc32(text.encode())
    digits = ""
    while number:
        number, digit = divmod(number, len(_BASE62))
        digits = _BASE62[digit] + digits
    return digits.rjust(_CHECKSUM_LENGTH, "0") == checksum
