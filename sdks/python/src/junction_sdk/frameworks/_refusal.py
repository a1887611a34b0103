"""What a receiver answers to a webhook that is not to be believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from .._json import encode
from ..webhooks import HeaderSource, WebhookEvent, WebhookVerificationError, verify

Secrets: TypeAlias = str | Sequence[str] | Callable[[], str | Sequence[str]]
"""A signing secret, several of which one must fit, or what finds them anew for each request."""

STATUS = 401
_OURS = frozenset({"body_not_raw", "secret_missing", "secret_invalid"})
MEDIA_TYPE = "application/problem+json"


def verified(body: bytes, headers: HeaderSource, secret: Secrets, tolerance: int) -> WebhookEvent:
    """Raises WebhookVerificationError."""
    return verify(body, headers, secret() if callable(secret) else secret, tolerance=tolerance)


def refusal(error: WebhookVerificationError) -> bytes:
    """A problem document, so that the service's delivery log shows what was wrong.

    Raises the error again where the receiver's own secret is at fault: its developer has to see that.
    """
    if error.reason in _OURS:
        raise error
    problem = {"title": "The webhook was refused.", "status": STATUS, "code": error.reason, "detail": str(error)}
    return encode(problem)
