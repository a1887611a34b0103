"""Whether and when a try is repeated."""

from __future__ import annotations

from dataclasses import dataclass

from ._http import Clock, Response, TransportFailure
from .errors import problem_of, retry_after_of, retryable_of

LONGEST_RETRY_AFTER = 60.0
_FIRST_STEP = 0.5
_LONGEST_STEP = 8.0
_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Budget:
    """What a call may use up: `retries` beside its first try, and the moment (of the monotonic clock) it must end."""

    retries: int
    ends_at: float | None


def is_retryable(outcome: Response | TransportFailure) -> bool:
    """Whether the same request may well succeed when sent again."""
    if isinstance(outcome, TransportFailure):
        return True
    if outcome.status != 409 and outcome.status not in _STATUSES:
        return False
    problem = problem_of(outcome.content)
    if retryable_of(problem) is False:
        return False
    return outcome.status != 409 or problem.get("code") == "idempotency_in_progress"


def wait_before(retry: int, outcome: Response | TransportFailure, clock: Clock) -> float | None:
    """Seconds to wait before retry 0, 1, …: what the service asks for, or full jitter. None: it asks for too long."""
    asked = None if isinstance(outcome, TransportFailure) else retry_after_of(outcome.headers)
    if asked is None:
        return clock.random() * min(_LONGEST_STEP, _FIRST_STEP * 2.0**retry)
    return asked if asked <= LONGEST_RETRY_AFTER else None
