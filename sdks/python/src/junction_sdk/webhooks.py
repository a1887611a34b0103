"""Webhooks that the service sends you: `verify` what came in, `sign` one for a test."""

from __future__ import annotations

import base64
import binascii
import hmac
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, cast

from ._json import decode, decode_time, encode
from .errors import WebhookVerificationError

if TYPE_CHECKING:
    from .generated.enums import EventName

__all__ = ["SignedWebhook", "WebhookEvent", "WebhookVerificationError", "sign", "verify"]

DEFAULT_TOLERANCE = 300
_PREFIX = "whsec_"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEvent:
    """A delivery that was verified. Members that this version does not know survive in `raw`."""

    event: EventName
    """What happened: `order.created`."""
    data: Mapping[str, Any]
    """As it was fired."""
    id: str
    """The event's. Several endpoints get one event, each as a delivery of its own."""
    delivery_id: str
    """The same on every attempt: what you have seen once you need not do again."""
    idempotency_key: str
    timestamp: datetime | str
    """When it happened."""
    scope_kind: str
    scope_key: str
    """The workspace's id."""
    environment: str
    """`live` or `sandbox`."""
    raw: Mapping[str, Any] = field(repr=False)
    """The whole body."""


@dataclass(frozen=True, slots=True)
class SignedWebhook:
    """A request as the service would send it."""

    body: bytes
    headers: Mapping[str, str]


def verify(
    payload: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: int = DEFAULT_TOLERANCE,
    now: float | None = None,
) -> WebhookEvent:
    """The event of a delivery that is genuine.

    Args:
        payload: the request's body, byte for byte as it came.
        headers: the request's.
        secret: the endpoint's signing secret, or several, of which one must fit: after a regeneration old and new.
        tolerance: how many seconds old, or ahead, it may be.
        now: Unix seconds; for tests.

    Raises:
        WebhookVerificationError: it is not from the service, was changed, or is too old.
        TypeError: the payload is not bytes.
    """
    _check_payload(payload)
    secrets = _secrets(secret)
    found = {name.lower(): value for name, value in headers.items()}
    _check_signatures(payload, found, secrets)
    _check_age(found, tolerance, time.time() if now is None else now)
    return _event(payload)


def sign(
    data: Mapping[str, Any],
    secret: str,
    *,
    event: EventName = "order.created",
    delivery_id: str = "dlv_test",
    timestamp: int | None = None,
    environment: str = "sandbox",
) -> SignedWebhook:
    """A delivery as the service would send it, for tests of your receiver."""
    at = int(time.time()) if timestamp is None else timestamp
    occurred_at = datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    members = {
        "event": event,
        "delivery_id": delivery_id,
        "idempotency_key": delivery_id.replace("dlv_", "idk_"),
        "id": delivery_id.replace("dlv_", "evt_"),
        "type": event,
        "timestamp": occurred_at,
        "scope_kind": "workspace",
        "scope_key": "ws_test",
        "environment": environment,
        "data": data,
    }
    unsigned = encode({**members, "signature": ""})
    body = encode({**members, "signature": "sha256=" + _hex(secret, unsigned)})
    return SignedWebhook(body, headers_for(body, secret, delivery_id=delivery_id, timestamp=at, event=event))


def headers_for(body: bytes, secret: str, *, delivery_id: str, timestamp: int, event: str) -> dict[str, str]:
    """The headers with which the service would send this body."""
    return {
        "Content-Type": "application/json",
        "X-Service-Signature": _hex(secret, body),
        "X-Service-Timestamp": str(timestamp),
        "X-Service-Event": event,
        "X-Service-Delivery": delivery_id,
        "X-Service-Idempotency": delivery_id.replace("dlv_", "idk_"),
        "webhook-id": delivery_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": _standard(secret, f"{delivery_id}.{timestamp}.".encode() + body),
    }


class WebhookTools:
    """`verify` and `sign` as members of a client's `webhooks`."""

    __slots__ = ()

    verify = staticmethod(verify)
    sign = staticmethod(sign)


def _check_payload(payload: object) -> None:
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return
    if isinstance(payload, str):
        raise TypeError(
            "verify needs the body as bytes, as it came: decoding and encoding can change it. "
            "Flask: request.get_data(); FastAPI: await request.body(); Django: request.body"
        )
    raise TypeError(
        f"verify needs the raw body as bytes, not a parsed {type(payload).__name__}: "
        "written as JSON again it has other bytes, and no signature fits. "
        "Flask: request.get_data(); FastAPI: await request.body(); Django: request.body"
    )


def _secrets(secret: str | Sequence[str]) -> list[str]:
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(secrets):
        raise WebhookVerificationError("there is no signing secret to verify with")
    return secrets


def _check_signatures(payload: bytes, headers: Mapping[str, str], secrets: Iterable[str]) -> None:
    standard, plain = headers.get("webhook-signature"), headers.get("x-service-signature")
    if standard is not None:
        covered = f"{headers.get('webhook-id', '')}.{headers.get('webhook-timestamp', '')}.".encode() + payload
        # Unknown versions are for later; a regenerated secret signs beside the old one for a while.
        given = [part for part in standard.split() if part.startswith("v1,")]
        is_genuine = _any_equal([_standard(secret, covered) for secret in secrets], given)
    elif plain is not None:
        is_genuine = _any_equal([_hex(secret, payload) for secret in secrets], [plain])
    else:
        raise WebhookVerificationError("there is no webhook-signature header: this did not come from the service")
    if not is_genuine:
        raise WebhookVerificationError("the signature does not fit: another secret signed it, or the body was changed")


def _check_age(headers: Mapping[str, str], tolerance: int, now: float) -> None:
    text = headers.get("webhook-timestamp", headers.get("x-service-timestamp", ""))
    if not (text.isascii() and text.isdigit()):
        raise WebhookVerificationError("the timestamp is missing, or no number of seconds")
    if abs(now - int(text)) > tolerance:
        raise WebhookVerificationError(f"it is more than {tolerance} s old, or ahead: a replay, or a wrong clock")


def _event(payload: bytes) -> WebhookEvent:
    try:
        parsed: object = decode(payload)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise WebhookVerificationError("the body is no JSON object")
    raw = cast("dict[str, Any]", parsed)
    texts = {name: str(raw.get(name, "")) for name in _TEXTS}
    data: object = raw.get("data")
    return WebhookEvent(
        **texts,
        data=cast("dict[str, Any]", data) if isinstance(data, dict) else {},
        timestamp=decode_time(str(raw.get("timestamp", ""))),
        raw=raw,
    )


def _any_equal(expected: Iterable[str], given: Iterable[str]) -> bool:
    """Compares all with all, in a time that tells nothing of the values."""
    found = False
    for one in expected:
        for other in given:
            found |= hmac.compare_digest(one.encode(), other.encode())
    return found


def _hex(secret: str, content: bytes) -> str:
    return hmac.digest(secret.encode(), content, "sha256").hex()


def _standard(secret: str, content: bytes) -> str:
    return "v1," + base64.b64encode(hmac.digest(_key(secret), content, "sha256")).decode()


def _key(secret: str) -> bytes:
    """Standard Webhooks sign with the decoded bytes; a secret of another form is its own bytes."""
    if not secret.startswith(_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret[len(_PREFIX) :], validate=True)
    except binascii.Error:
        raise WebhookVerificationError("the signing secret is not whole: whsec_ is followed by base64") from None


_TEXTS = ("event", "id", "delivery_id", "idempotency_key", "scope_kind", "scope_key", "environment")
