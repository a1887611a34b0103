"""Problem documents (RFC 9457), read from any bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ._json import decode


def problem_of(content: bytes) -> Mapping[str, Any]:
    """Returns the problem document, or an empty mapping if the body is not one."""
    try:
        parsed: object = decode(content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}


def retryable_of(problem: Mapping[str, Any]) -> bool | None:
    value = problem.get("retryable")
    return value if isinstance(value, bool) else None
