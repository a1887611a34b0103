"""Webhooks that the service sends you: `verify` a received one, `sign` one for a test."""

from __future__ import annotations

import base64
import hmac
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from ._ed25519 import is_signed
from ._json import decode, decode_time, encode
from ._secret import Secret
from .errors import WebhookVerificationError

if TYPE_CHECKING:
    from .generated.enums import EventName

__all__ = ["SignedWebhook", "WebhookEvent", "WebhookVerificationError", "sign", "verify"]

DEFAULT_TOLERANCE = 300
_PREFIX = "whsec_"
_PUBLIC_PREFIX = "whpk_"


class HeaderLookup(Protocol):
    """Headers that are only found by their names, in whatever case."""

    def get(self, name: str, /) -> Any: ...


HeaderSource: TypeAlias = Mapping[str, Any] | Iterable[tuple[Any, Any]] | HeaderLookup
"""The headers as a framework has them, or pairs of names and values; also a WSGI environ, or Django's `request.META`.

An object that only has `get(name)` is one too.

Names and values can be text or bytes, and a value can be a list (the `multiValueHeaders` of AWS Lambda).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookEvent:
    """A verified delivery. `raw` also contains members that this version does not know."""

    event: EventName
    """The name of the event, such as `order.created`."""
    data: Mapping[str, Any]
    """The data of the event, as it was fired."""
    id: str
    """The id of the event. Each endpoint receives the event as a separate delivery."""
    delivery_id: str
    """The same on every attempt. Skip deliveries that you have already processed."""
    idempotency_key: str
    timestamp: datetime | str
    """When the event happened."""
    scope_kind: str
    scope_key: str
    """The id of the workspace."""
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
    payload: bytes | bytearray,
    headers: HeaderSource,
    secret: str | Sequence[str],
    *,
    tolerance: int = DEFAULT_TOLERANCE,
    now: float | None = None,
) -> WebhookEvent:
    """Returns the event of an authentic delivery.

    Args:
        payload: the request's body, byte for byte as it came.
        headers: the request's.
        secret: the endpoint's signing secret, or several, of which one must fit: old and new after a regeneration. A
            public key (`whpk_`) verifies the Ed25519 signatures of an endpoint that has them.
        tolerance: how many seconds old, or ahead, it may be.
        now: Unix seconds; for tests.

    Raises:
        WebhookVerificationError: it is not from the service, was changed, or is too old, or what was passed cannot be
            verified; `reason` says which.
    """
    content = _content(payload)
    given = _secrets(secret)
    del secret
    public_keys = [_public_key(one.reveal()) for one in given if one.reveal().startswith(_PUBLIC_PREFIX)]
    secrets = [one for one in given if not one.reveal().startswith(_PUBLIC_PREFIX)]
    keys = _keys(secrets)
    found = _headers(headers)
    # Repeated headers are joined by commas, by some gateways without a space.
    signatures = re.split(r",?\s+|,(?=v1a?,)", _required(found, "webhook-signature", "signature_missing"))
    delivery_id = _required(found, "webhook-id", "signature_missing")
    timestamp = _required(found, "webhook-timestamp", "timestamp_missing")
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise WebhookVerificationError("timestamp_invalid", "webhook-timestamp must be Unix time in whole seconds")
    covered = f"{delivery_id}.{timestamp}.".encode() + content
    is_signed_publicly = any(_is_signed(key, covered, signatures) for key in public_keys)
    if not is_signed_publicly and not _any_equal([_standard(key, covered) for key in keys], signatures):
        raise _unfit()
    # Of two signatures one is an older secret's, which may be the only one that we have.
    plain = found.get("x-service-signature") if sum(part.startswith("v1,") for part in signatures) < 2 else None
    if (
        not is_signed_publicly
        and plain is not None
        and not _any_equal([_hex(one.reveal(), content) for one in secrets], [plain])
    ):
        raise _unfit()
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookVerificationError(
            "timestamp_out_of_range", f"the timestamp is more than {tolerance} s from now: a replay, or a wrong clock"
        )
    return _event(content)


def sign(
    data: Mapping[str, Any],
    secret: str,
    *,
    event: EventName = "order.created",
    delivery_id: str = "dlv_test",
    timestamp: int | None = None,
    environment: str = "sandbox",
) -> SignedWebhook:
    """Returns a delivery as the service would send it, for tests of your receiver."""
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
    """Returns the headers with which the service would send this body."""
    return {
        "Content-Type": "application/json",
        "X-Service-Signature": _hex(secret, body),
        "X-Service-Timestamp": str(timestamp),
        "X-Service-Event": event,
        "X-Service-Delivery": delivery_id,
        "X-Service-Idempotency": delivery_id.replace("dlv_", "idk_"),
        "webhook-id": delivery_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": _standard(_key(secret), f"{delivery_id}.{timestamp}.".encode() + body),
    }


class WebhookTools:
    """`verify` and `sign` as members of a client's `webhooks`."""

    __slots__ = ()

    verify = staticmethod(verify)
    sign = staticmethod(sign)


def _content(payload: object) -> bytes:
    if isinstance(payload, memoryview):
        return payload.tobytes()
    if isinstance(payload, (bytes, bytearray)):
        return bytes(payload)
    what = "the raw body as bytes" if isinstance(payload, str) else f"the raw body, not a {type(payload).__name__}"
    raise WebhookVerificationError(
        "body_not_raw",
        f"verify needs {what}: after parsing or decoding, its bytes differ from the signed ones. "
        "Flask: request.get_data(); FastAPI: await request.body(); Django: request.body",
    )


def _secrets(given: object) -> list[Secret]:
    texts: list[object] = list(cast("list[object]", given)) if isinstance(given, (list, tuple)) else [given]
    if not texts or any(text is None for text in texts):
        raise WebhookVerificationError(
            "secret_missing", "the signing secret is missing: pass the text that begins with whsec_"
        )
    # A file has the end of its line.
    return [Secret(_text(text).strip()) for text in texts]


_READ = ("webhook-id", "webhook-timestamp", "webhook-signature", "x-service-signature")
"""The headers that `verify` reads."""


def _headers(given: object) -> dict[str, str]:
    """Returns the values by lower-case name. Repeated ones are joined by commas."""
    found: dict[str, list[str]] = {}
    for name, value in _pairs(given):
        # A WSGI environ has `HTTP_WEBHOOK_ID`.
        plain = _text(name).lower().replace("_", "-").removeprefix("http-")
        values: list[object] = list(cast("list[object]", value)) if isinstance(value, (list, tuple)) else [value]
        found.setdefault(plain, []).extend(text for text in map(_text, values) if text)
    return {name: ", ".join(values) for name, values in found.items() if values}


def _pairs(given: object) -> list[tuple[object, object]]:
    items: object = getattr(given, "items", None)
    get: object = getattr(given, "get", None)
    if not callable(items) and not hasattr(given, "__iter__") and callable(get):
        return [(name, get(name)) for name in _READ]
    try:
        pairs: list[Any] = list(cast("Any", items() if callable(items) else given))
        return [(name, value) for name, value in pairs]
    except (TypeError, ValueError):
        raise WebhookVerificationError(
            "signature_missing",
            f"verify needs the request's headers: names and their values, not a {type(given).__name__}. "
            "Flask, FastAPI and Django: request.headers; WSGI: environ; AWS Lambda: event['headers']",
        ) from None


def _text(value: object) -> str:
    """Returns the text of a header's name or value; empty for anything else. It can be encoded as UTF-8."""
    if isinstance(value, (bytes, bytearray)):
        return value.decode("latin-1")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _keys(secrets: Sequence[Secret]) -> list[Secret]:
    return [_key(secret.reveal()) for secret in secrets]


def _key(secret: str) -> Secret:
    """Returns the decoded bytes, with which Standard Webhooks sign, as text of one character per byte."""
    try:
        if secret.startswith(_PREFIX) and len(secret) > len(_PREFIX):
            return Secret(base64.b64decode(secret[len(_PREFIX) :], validate=True).decode("latin-1"))
    except ValueError:
        pass
    raise WebhookVerificationError("secret_invalid", "the signing secret must be whsec_ followed by base64") from None


def _public_key(text: str) -> bytes:
    try:
        key = base64.b64decode(text[len(_PUBLIC_PREFIX) :], validate=True)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise WebhookVerificationError("secret_invalid", "the public key must be whpk_ followed by 32 bytes in base64")
    return key


def _is_signed(public_key: bytes, covered: bytes, signatures: Sequence[str]) -> bool:
    for signature in signatures:
        if not signature.startswith("v1a,"):
            continue
        try:
            decoded = base64.b64decode(signature[len("v1a,") :], validate=True)
        except ValueError:
            continue
        if is_signed(public_key, covered, decoded):
            return True
    return False


def _required(headers: Mapping[str, str], name: str, reason: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookVerificationError(reason, f"the {name} header is missing: pass all headers of the request")
    return value


def _unfit() -> WebhookVerificationError:
    return WebhookVerificationError(
        "signature_invalid", "the signature does not match: the secret is wrong, or the body was changed"
    )


def _event(payload: bytes) -> WebhookEvent:
    try:
        parsed: object = decode(payload)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise WebhookVerificationError("body_invalid", "the body is not a JSON object")
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
    """Compares all pairs in constant time."""
    found = False
    for one in expected:
        for other in given:
            found |= hmac.compare_digest(one.encode(), other.encode())
    return found


def _hex(secret: str, content: bytes) -> str:
    return hmac.digest(secret.encode(), content, "sha256").hex()


def _standard(key: Secret, content: bytes) -> str:
    return "v1," + base64.b64encode(hmac.digest(key.reveal().encode("latin-1"), content, "sha256")).decode()


_TEXTS = ("event", "id", "delivery_id", "idempotency_key", "scope_kind", "scope_key", "environment")
