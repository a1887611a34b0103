"""What a call can raise. Branch on the class, or on `code`, which is one of the service's error catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ._http import Headers, HttpInfo, TransportFailure
from ._json import decode

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
    """Why a call failed, beside its words."""

    code: str | None = None
    status: int | None = None
    title: str | None = None
    detail: str | None = None
    request_id: str | None = None
    retryable: bool | None = None
    errors: tuple[Violation, ...] = ()
    retry_after: float | None = None
    idempotency_key: str | None = None
    attempts: int = 1
    headers: Headers = field(default_factory=Headers, repr=False)
    raw: Any = field(default=None, repr=False)


class ServiceError(Exception):
    """A call that failed. It can be pickled, and nothing in it shows the API key."""

    def __init__(self, message: str, failure: Failure | None = None) -> None:
        super().__init__(message)
        self._failure = failure or Failure()

    @property
    def code(self) -> str | None:
        """What to branch on; None where the answer was no problem document. New codes arrive as they are."""
        return self._failure.code

    @property
    def status(self) -> int | None:
        """The HTTP status; None where there was no answer."""
        return self._failure.status

    @property
    def title(self) -> str | None:
        """What the code means."""
        return self._failure.title

    @property
    def detail(self) -> str | None:
        """What to do about it."""
        return self._failure.detail

    @property
    def request_id(self) -> str | None:
        """Names the request in the service's log."""
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
        """Under which the write was sent. Give it to the next call and the write cannot happen twice."""
        return self._failure.idempotency_key

    @property
    def attempts(self) -> int:
        """How many tries were made."""
        return self._failure.attempts

    @property
    def headers(self) -> Headers:
        """Of the answer; empty where there was none."""
        return self._failure.headers

    @property
    def raw(self) -> Any:
        """The problem document as a dict, or the answer's text where it was none."""
        return self._failure.raw

    def __reduce__(self) -> tuple[type[ServiceError], tuple[str, Failure]]:
        return type(self), (str(self), self._failure)


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
    """400, 422: the request is malformed; `errors` names every value at fault."""


class RateLimitError(ServiceError):
    """429: the limit is used up."""

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the call succeeds."""
        return self._failure.retry_after


class ServerError(ServiceError):
    """5xx, or an answer that is not the service's."""


class ServiceConnectionError(ServiceError):
    """There was no answer. Whether a write happened is unknown: repeat it with its `idempotency_key`."""


class ServiceTimeoutError(ServiceConnectionError):
    """There was no answer in time. Whether a write happened is unknown: repeat it with its `idempotency_key`."""


class ConfigurationError(ValueError):
    """The client was made or called in a way that cannot work."""


class WebhookVerificationError(ValueError):
    """A webhook that is not to be believed."""


def error_of(info: HttpInfo) -> ServiceError:
    """The error that an answer means; any bytes will do."""
    problem = problem_of(info.content)
    code = _text(problem, "code")
    title, detail = _text(problem, "title"), _text(problem, "detail")
    failure = Failure(
        code=code,
        status=info.status,
        title=title,
        detail=detail,
        request_id=info.request_id or _text(problem, "request_id"),
        retryable=retryable_of(problem),
        errors=_violations(problem.get("errors")),
        retry_after=retry_after_of(info.headers),
        idempotency_key=info.idempotency_key,
        attempts=info.attempts,
        headers=info.headers,
        raw=problem or info.content.decode(errors="replace"),
    )
    words = " ".join(word for word in (title, detail) if word) or "The answer was no problem document."
    message = f"{info.status} {code or 'unknown'}: {words}"
    if failure.request_id is not None:
        message += f" (request {failure.request_id})"
    return _class_of(info.status, code)(message, failure)


def unreadable(info: HttpInfo) -> ServiceError:
    """The error of a 2xx whose body is not what the service sends."""
    text = info.content.decode(errors="replace")
    failure = Failure(
        status=info.status,
        request_id=info.request_id,
        idempotency_key=info.idempotency_key,
        attempts=info.attempts,
        headers=info.headers,
        raw=text,
    )
    return ServerError(f"{info.status}: the answer is not JSON; is base_url the service's?", failure)


def failure_error(failure: TransportFailure, idempotency_key: str | None, attempts: int) -> ServiceError:
    """The error of a call whose last try brought no answer."""
    kind = ServiceTimeoutError if failure.kind == "timeout" else ServiceConnectionError
    tries = "" if attempts == 1 else f" ({attempts} tries)"
    error = kind(failure.message + tries, Failure(idempotency_key=idempotency_key, attempts=attempts))
    error.__cause__ = failure.cause
    return error


def problem_of(content: bytes) -> Mapping[str, Any]:
    """The problem document, or an empty mapping where the body is none."""
    try:
        parsed: object = decode(content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}


def retryable_of(problem: Mapping[str, Any]) -> bool | None:
    value = problem.get("retryable")
    return value if isinstance(value, bool) else None


def retry_after_of(headers: Headers) -> float | None:
    """Seconds, or None where the header is absent or no number of seconds."""
    text = headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdigit() else None


def _class_of(status: int, code: str | None) -> type[ServiceError]:
    if code is not None and code.startswith("idempotency_"):
        return IdempotencyError
    if status >= 500 or status < 400:
        return ServerError
    return _BY_STATUS.get(status, ServiceError)


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


_BY_STATUS: Mapping[int, type[ServiceError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: ValidationError,
    429: RateLimitError,
}
