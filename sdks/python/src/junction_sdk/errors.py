"""The errors of a call. Branch on the class, or on `code`, which is from the service's error catalog."""

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
    """One invalid value."""

    pointer: str
    """The position in the body, as a JSON Pointer."""
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The facts of a failed call."""

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
    """A failed call. It can be pickled, and does not contain the API key."""

    def __init__(self, failure: Failure) -> None:
        status = "" if failure.status is None else f"{failure.status} "
        request = "" if failure.request_id is None else f" (request {failure.request_id})"
        super().__init__(f"{status}{failure.code}: {failure.message}{request}")
        self._failure = failure

    @property
    def code(self) -> str:
        """The code to branch on. Unknown codes are passed through."""
        return self._failure.code

    @property
    def message(self) -> str:
        """What to do about the error, with the first invalid value, if any."""
        return self._failure.message

    @property
    def status(self) -> int | None:
        """The HTTP status. None without a response."""
        return self._failure.status

    @property
    def request_id(self) -> str | None:
        """The id of the request in the service's log. Send it to support."""
        return self._failure.request_id

    @property
    def retryable(self) -> bool | None:
        """Whether the same request can succeed later without a change. None if unknown."""
        return self._failure.retryable

    @property
    def errors(self) -> tuple[Violation, ...]:
        """All invalid values. Empty if there are none."""
        return self._failure.errors

    @property
    def idempotency_key(self) -> str | None:
        """The idempotency key of the write. Repeat the call with this key, so that it takes effect only once."""
        return self._failure.idempotency_key

    @property
    def attempts(self) -> int:
        """The number of attempts."""
        return self._failure.attempts

    @property
    def headers(self) -> Headers:
        """The response headers. Empty without a response."""
        return self._failure.headers

    @property
    def raw(self) -> str:
        """The text of the response. Empty without a response."""
        return self._failure.raw

    @property
    def problem(self) -> Mapping[str, Any]:
        """The problem document, with members of specific codes. Empty if the response is not one."""
        return self._failure.problem

    def __reduce__(self) -> tuple[type[ServiceError], tuple[Failure]]:
        return type(self), (self._failure,)


class AuthenticationError(ServiceError):
    """401: the credential or its signature was refused."""


class PermissionDeniedError(ServiceError):
    """403: the credential is not allowed to do this."""


class NotFoundError(ServiceError):
    """404: the object, action or path does not exist."""


class ConflictError(ServiceError):
    """409: the object's state does not allow this operation."""


class IdempotencyError(ServiceError):
    """The idempotency key is malformed, was used for another request, or belongs to a request that is still running."""


class ValidationError(ServiceError):
    """400, 413, 415, 422: the request is not valid. `errors` contains the invalid values."""


class RateLimitError(ServiceError):
    """429: the rate limit is exceeded."""

    @property
    def retry_after(self) -> float | None:
        """The number of seconds after which the call can succeed."""
        return self._failure.retry_after


class ServerError(ServiceError):
    """5xx: the service failed."""


class ServiceConnectionError(ServiceError):
    """No valid response was received. It is unknown whether a write took effect. Repeat it with its
    `idempotency_key`.
    """


class ServiceTimeoutError(ServiceError):
    """No response in time. It is unknown whether a write took effect. Repeat it with its `idempotency_key`."""


class ConfigurationError(ValueError):
    """The client was created or called incorrectly."""


class WebhookVerificationError(ValueError):
    """A webhook that is not authentic."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """The reason to branch on, such as `signature_invalid` or `timestamp_out_of_range`."""

    def __reduce__(self) -> tuple[type[WebhookVerificationError], tuple[str, str]]:
        return type(self), (self.reason, str(self))


def error_of(info: HttpInfo, retry_after: float | None) -> ServiceError:
    """Returns the error for a response with any bytes."""
    if 300 <= info.status < 400:
        message = "The response is a redirect. Redirects are not followed, because they would forward the API key."
        return ServiceConnectionError(_failure(info, "redirect_refused", message))
    problem = problem_of(info.content)
    code = _text(problem, "code") or f"http_{info.status}"
    said = _text(problem, "detail") or _text(problem, "title") or "The response has no details."
    message = " ".join([said, *_faults(problem.get("errors"))])
    return _class_of(info.status, code)(_failure(info, code, message, problem, retry_after))


def failure_error(failure: TransportFailure, info: HttpInfo, code: str) -> ServiceError:
    """Returns the error of a call whose last attempt had no readable response."""
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
    """Returns the first invalid value and the number of others, for logs that show only the message."""
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
