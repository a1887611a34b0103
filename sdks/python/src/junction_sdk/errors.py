"""What a call can raise. Branch on the class, or on `code`, which is one of the service's error catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ._http import Headers, HttpInfo, TransportFailure
from ._problem import problem_of, retryable_of

__all__ = [
    "AuthenticationError",
    "ConfigurationError",
    "ConflictError",
    "IdempotencyError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "ServerError",
    "ServiceConnectionError",
    "ServiceError",
    "ServiceTimeoutError",
    "ValidationError",
    "Violation",
    "WebhookVerificationError",
]


@dataclass(frozen=True, slots=True)
class Violation:
    """One value at fault."""

    pointer: str
    """Where in the body it is: a JSON Pointer."""
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call failed."""

    code: str
    message: str
    status: int | None = None
    request_id: str | None = None
    retryable: bool | None = None
    errors: tuple[Violation, ...] = ()
    retry_after: float | None = None
    idempotency_key: str | None = None
    attempts: int = 1
    headers: Headers = field(default_factory=Headers, repr=False)
    raw: str = field(default="", repr=False)
    problem: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)


class ServiceError(Exception):
    """A call that failed. It can be pickled, and nothing in it shows the API key."""

    def __init__(self, failure: Failure) -> None:
        status = "" if failure.status is None else f"{failure.status} "
        request = "" if failure.request_id is None else f" (request {failure.request_id})"
        super().__init__(f"{status}{failure.code}: {failure.message}{request}")
        self._failure = failure

    @property
    def code(self) -> str:
        """What to branch on. Codes that this version does not know arrive as they are."""
        return self._failure.code

    @property
    def message(self) -> str:
        """What to do about it, with the first value at fault where the answer names any."""
        return self._failure.message

    @property
    def status(self) -> int | None:
        """The HTTP status; None where no answer came."""
        return self._failure.status

    @property
    def request_id(self) -> str | None:
        """Names the request in the service's log; say it when you ask for help."""
        return self._failure.request_id

    @property
    def retryable(self) -> bool | None:
        """Whether the same request can succeed later without a change; None where the answer does not say."""
        return self._failure.retryable

    @property
    def errors(self) -> tuple[Violation, ...]:
        """The values at fault, all at once; empty where none is."""
        return self._failure.errors

    @property
    def idempotency_key(self) -> str | None:
        """Under which the write was sent. Give it to the next call, and the write cannot happen twice."""
        return self._failure.idempotency_key

    @property
    def attempts(self) -> int:
        """How many tries were made."""
        return self._failure.attempts

    @property
    def headers(self) -> Headers:
        """Of the answer; empty where none came."""
        return self._failure.headers

    @property
    def raw(self) -> str:
        """The text of the answer; empty where none came."""
        return self._failure.raw

    @property
    def problem(self) -> Mapping[str, Any]:
        """The problem document, with the members that only some codes have; empty where the answer is none."""
        return self._failure.problem

    def __reduce__(self) -> tuple[type[ServiceError], tuple[Failure]]:
        return type(self), (self._failure,)


class AuthenticationError(ServiceError):
    """401: the credential or its signature was refused."""


class PermissionDeniedError(ServiceError):
    """403: the credential may not do this."""


class NotFoundError(ServiceError):
    """404: there is no such object, action or path."""


class ConflictError(ServiceError):
    """409: the object's state does not allow it."""


class IdempotencyError(ServiceError):
    """The idempotency key is malformed, belongs to another request, or to one that still runs."""


class ValidationError(ServiceError):
    """400, 413, 415, 422: the request is at fault; `errors` names the values that are."""


class RateLimitError(ServiceError):
    """429: the limit is used up."""

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the call succeeds."""
        return self._failure.retry_after


class ServerError(ServiceError):
    """5xx: the fault is the service's."""


class ServiceConnectionError(ServiceError):
    """No answer came, or one that is not the service's. Whether a write was done is unknown: repeat it with its
    `idempotency_key`.
    """


class ServiceTimeoutError(ServiceError):
    """No answer came in time. Whether a write was done is unknown: repeat it with its `idempotency_key`."""


class ConfigurationError(ValueError):
    """The client was made or called in a way that cannot work."""


class WebhookVerificationError(ValueError):
    """A webhook that is not to be believed."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """What to branch on: `signature_invalid`, `timestamp_out_of_range` and so on."""

    def __reduce__(self) -> tuple[type[WebhookVerificationError], tuple[str, str]]:
        return type(self), (self.reason, str(self))


def error_of(info: HttpInfo, retry_after: float | None) -> ServiceError:
    """The error that an answer means; any bytes will do."""
    if 300 <= info.status < 400:
        message = "The answer leads elsewhere. It is not followed, since the API key would go with it."
        return ServiceConnectionError(_failure(info, "redirect_refused", message))
    problem = problem_of(info.content)
    code = _text(problem, "code") or f"http_{info.status}"
    said = _text(problem, "detail") or _text(problem, "title") or "The answer says no more."
    message = " ".join([said, *_faults(problem.get("errors"))])
    return _class_of(info.status, code)(_failure(info, code, message, problem, retry_after))


def failure_error(failure: TransportFailure, info: HttpInfo, code: str) -> ServiceError:
    """The error of a call whose last try brought no answer, or one that cannot be read."""
    kind = ServiceTimeoutError if failure.kind == "timeout" else ServiceConnectionError
    error = kind(_failure(info, code, failure.message))
    error.__cause__ = failure.cause
    return error


def _failure(
    info: HttpInfo,
    code: str,
    message: str,
    problem: Mapping[str, Any] | None = None,
    retry_after: float | None = None,
) -> Failure:
    known = problem or {}
    return Failure(
        code=code,
        message=message,
        status=info.status or None,
        request_id=info.request_id or _text(known, "request_id"),
        retryable=retryable_of(known),
        errors=_violations(known.get("errors")),
        retry_after=retry_after,
        idempotency_key=info.idempotency_key,
        attempts=info.attempts,
        headers=info.headers,
        raw=info.content.decode(errors="replace"),
        problem=known,
    )


def _class_of(status: int, code: str) -> type[ServiceError]:
    if code.startswith("idempotency_"):
        return IdempotencyError
    return ServerError if 500 <= status < 600 else _BY_STATUS.get(status, ServiceError)


def _text(problem: Mapping[str, Any], name: str) -> str | None:
    value = problem.get(name)
    return value if isinstance(value, str) else None


def _violations(value: object) -> tuple[Violation, ...]:
    if not isinstance(value, list):
        return ()
    found = (cast("dict[str, Any]", entry) for entry in cast("list[object]", value) if isinstance(entry, dict))
    return tuple(
        Violation(_text(entry, "pointer") or "", _text(entry, "code") or "", _text(entry, "message") or "")
        for entry in found
    )


def _faults(errors: object) -> list[str]:
    """The first value at fault and the number of others, for a log that shows the message alone."""
    faults = [f"{one.pointer or 'the body'} {one.message}" for one in _violations(errors) if one.message]
    if len(faults) < 2:
        return faults
    return [f"{faults[0]} (and {len(faults) - 1} more)"]


_BY_STATUS: Mapping[int, type[ServiceError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    408: ServiceTimeoutError,
    409: ConflictError,
    413: ValidationError,
    415: ValidationError,
    422: ValidationError,
    429: RateLimitError,
}
