"""JSON in the form that the service requires: UTF-8, no NaN, times with a zone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, timezone
from typing import Any, cast


def encode(value: Any) -> bytes:
    """Returns the bytes of a body. Raises TypeError for types unknown to JSON, ValueError for NaN and infinities."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_encode_other)
    try:
        return text.encode()
    except UnicodeEncodeError:
        # A lone surrogate is legal in JSON only as an escape.
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_encode_other).encode()


def decode(content: bytes) -> Any:
    """Returns the parsed body. Raises ValueError if the bytes are not JSON."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def encode_time(value: datetime) -> str:
    """Returns RFC 3339 in UTC. Raises ValueError for a time without a zone, which is ambiguous."""
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone: use datetime.now(timezone.utc), or replace(tzinfo=...)")
    return value.astimezone(timezone.utc).replace(tzinfo=None).isoformat() + "Z"


def decode_time(value: Any) -> Any:
    """Returns a datetime with a zone, or the unchanged value if it is not RFC 3339."""
    if not isinstance(value, str):
        return value
    try:
        # Before Python 3.11 `fromisoformat` does not know Z.
        return datetime.fromisoformat(value[:-1] + "+00:00" if value.endswith("Z") else value)
    except ValueError:
        return value


def _encode_other(value: Any) -> Any:
    if isinstance(value, datetime):
        return encode_time(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON: make it a str, a number, a list or a dict")
