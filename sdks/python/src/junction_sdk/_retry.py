"""Decides whether and when a call is retried."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timezone
from email.utils import parsedate_to_datetime

from ._http import Clock, Headers, Response, TransportFailure
from ._problem import problem_of, retryable_of

LONGEST_RETRY_AFTER = 60.0
_FIRST_STEP = 0.5
_LONGEST_STEP = 8.0
_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


def is_retryable(outcome: Response | TransportFailure) -> bool:
    """Whether the same request can succeed when it is sent again."""
    if isinstance(outcome, TransportFailure):
        return True
    problem = problem_of(outcome.content)
    return retryable_of(problem) is not False and (outcome.status in _STATUSES or _still_runs(outcome.status, problem))


def wait_before(retry: int, headers: Headers, clock: Clock) -> float | None:
    """Returns the seconds to wait before retry 0, 1, …: full jitter, or Retry-After if that is longer.

    None: the service asks for so long that the caller should decide.
    """
    jitter = clock.random() * min(_LONGEST_STEP, _FIRST_STEP * 2.0**retry)
    asked = retry_after_of(headers, clock.now()) or 0.0
    return max(jitter, asked) if asked <= LONGEST_RETRY_AFTER else None


def retry_after_of(headers: Headers, now: float) -> float | None:
    """Returns the seconds, or None if the header is missing, or is neither a number of seconds nor a date."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, at.replace(tzinfo=at.tzinfo or timezone.utc).timestamp() - now)


def _still_runs(status: int, problem: Mapping[str, object]) -> bool:
    return status == 409 and problem.get("code") == "idempotency_in_progress"
