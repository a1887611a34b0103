"""A call from its arguments to its result. Two drivers wait and send for it, one of them async."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._config import Config, check_limits
from ._http import Call, CallOptions, Clock, Exchange, Headers, HttpInfo, Request, Response, TransportFailure
from ._json import decode, encode
from ._problem import problem_of
from ._retry import is_retryable, retry_after_of, wait_before
from ._signing import Signable, sign_v1
from .errors import ConfigurationError, ServiceError, error_of, failure_error

READS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_HEADERS = frozenset(
    {
        "authorization",
        "content-type",
        "host",
        "idempotency-key",
        "x-service-key",
        "x-service-signature",
        "x-service-timestamp",
    }
)
_logger = logging.getLogger("junction_sdk")


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


Steps: TypeAlias = Generator[Request | Wait, Response | TransportFailure | None, Exchange]
"""Yields the next operation, receives its result, and returns the response. Raises ServiceError."""


class Core:
    """The state of one client."""

    __slots__ = ("_skew", "clock", "config")

    def __init__(self, config: Config, clock: Clock) -> None:
        self.config = config
        self.clock = clock
        self._skew = 0.0

    def run(self, call: Call) -> Steps:
        sending = self._prepare(call)
        attempts, corrected = 0, False
        while True:
            sent = yield self._request(sending)
            attempts += 1
            if sent is None:
                raise RuntimeError("the driver must answer every request")
            outcome = readable(call, sent)
            info = _info(outcome, sending.idempotency_key, attempts)
            _log_try(call, outcome, info)
            if isinstance(outcome, Exchange):
                return Exchange(info, outcome.value)
            again = attempts <= sending.max_retries
            if not corrected and self._correct_clock(outcome):
                if again:
                    corrected = True
                    continue
                raise self._error(outcome, info, sending)
            wait = wait_before(attempts - 1, info.headers, self.clock) if again and is_retryable(outcome) else None
            if wait is None or self._is_late(sending, wait):
                raise self._error(outcome, info, sending)
            yield Wait(wait)

    def _prepare(self, call: Call) -> _Sending:
        options = call.options
        unknown = sorted(set(options) - set(CallOptions.__annotations__))
        if unknown:
            raise ConfigurationError(f"unknown option: {', '.join(unknown)}")
        deadline = options.get("deadline", self.config.deadline)
        max_retries = options.get("max_retries", self.config.max_retries)
        check_limits(options.get("timeout", self.config.timeout), deadline, max_retries)
        return _Sending(
            call=call,
            content=encode(call.body) if call.has_body else b"",
            idempotency_key=_idempotency_key(options.get("idempotency_key")) if call.is_write else None,
            ends_at=None if deadline is None else self.clock.monotonic() + deadline,
            max_retries=max_retries,
        )

    def _request(self, sending: _Sending) -> Request:
        """Returns the next attempt: the same request with a new signature."""
        config, call = self.config, sending.call
        timeout = call.options.get("timeout", config.timeout)
        if sending.ends_at is not None:
            timeout = max(0.001, min(timeout, sending.ends_at - self.clock.monotonic()))
        return Request(call.method, config.origin + call.target, self._headers(sending), sending.content, timeout)

    def _headers(self, sending: _Sending) -> Mapping[str, str]:
        config, call = self.config, sending.call
        headers = {
            "User-Agent": config.user_agent,
            "X-Service-Version": config.api_version,
            **_extra(call.options.get("headers")),
            config.proof.header: config.proof.value.reveal(),
        }
        if config.proof.signing_secret is not None:
            timestamp = int(self.clock.now() + self._skew)
            target = config.base_path + call.target
            signable = Signable(call.method, target, sending.idempotency_key or "", sending.content)
            headers["X-Service-Timestamp"] = str(timestamp)
            headers["X-Service-Signature"] = sign_v1(signable, timestamp, config.proof.signing_secret.reveal())
        if call.has_body:
            headers["Content-Type"] = "application/json"
        if sending.idempotency_key is not None:
            headers["Idempotency-Key"] = sending.idempotency_key
        return headers

    def _correct_clock(self, outcome: Response | TransportFailure) -> bool:
        """Whether the response contains the server's time, which later attempts then use."""
        if isinstance(outcome, TransportFailure) or outcome.status != 401:
            return False
        problem = problem_of(outcome.content)
        server_time = problem.get("server_time")
        if problem.get("code") != "timestamp_out_of_range" or not isinstance(server_time, (int, float)):
            return False
        self._skew = server_time - self.clock.now()
        return True

    def _is_late(self, sending: _Sending, wait: float) -> bool:
        return sending.ends_at is not None and self.clock.monotonic() + wait >= sending.ends_at

    def _error(self, outcome: Response | TransportFailure, info: HttpInfo, sending: _Sending) -> ServiceError:
        if isinstance(outcome, Response):
            return error_of(info, retry_after_of(info.headers, self.clock.now()))
        at_the_end = outcome.code == "timeout" and self._is_late(sending, 0.0)
        return failure_error(outcome, info, "deadline_exceeded" if at_the_end else outcome.code)


@dataclass(frozen=True, slots=True)
class _Sending:
    """The constant parts of all attempts."""

    call: Call
    content: bytes
    idempotency_key: str | None
    ends_at: float | None
    """The deadline on the monotonic clock."""
    max_retries: int


def readable(call: Call, outcome: Response | TransportFailure) -> Exchange | Response | TransportFailure:
    """Returns a valid response with its content. A truncated or foreign response is a failure."""
    if isinstance(outcome, TransportFailure) or not 200 <= outcome.status < 300:
        return outcome
    info = _info(outcome, None, 0)
    if call.answer == "none" or outcome.status == 204:
        return Exchange(info, None)
    is_json = call.answer == "object" or "json" in outcome.headers.get("content-type", "")
    if call.answer == "text" or not is_json:
        return Exchange(info, outcome.content.decode(errors="replace"))
    try:
        value = decode(outcome.content)
    except ValueError:
        return _unreadable(outcome)
    if call.answer == "object" and not isinstance(value, dict):
        return _unreadable(outcome)
    return Exchange(info, value)


def _log_try(call: Call, outcome: Exchange | Response | TransportFailure, info: HttpInfo) -> None:
    """Logs one line per attempt, without key, signature, body and query, which can contain personal data."""
    if _logger.isEnabledFor(logging.DEBUG):
        came = outcome.code if isinstance(outcome, TransportFailure) else info.status
        path = call.target.partition("?")[0]
        _logger.debug("%s %s, try %d: %s (request %s)", call.method, path, info.attempts, came, info.request_id)


def _unreadable(response: Response) -> TransportFailure:
    message = "The response is not the expected JSON. It may be truncated, or a proxy may have responded."
    return TransportFailure("connection", "response_unreadable", message, response=response)


def _info(outcome: Exchange | Response | TransportFailure, idempotency_key: str | None, attempts: int) -> HttpInfo:
    if isinstance(outcome, Exchange):
        found: HttpInfo | Response | None = outcome.http
    else:
        found = outcome.response if isinstance(outcome, TransportFailure) else outcome
    headers = Headers() if found is None else found.headers
    return HttpInfo(
        status=0 if found is None else found.status,
        headers=headers,
        request_id=headers.get("x-service-request-id"),
        idempotency_key=idempotency_key,
        attempts=attempts,
        content=b"" if found is None else found.content,
    )


def _idempotency_key(given: str | None) -> str:
    if given is None:
        return str(uuid.uuid4())
    if not (1 <= len(given) <= 255 and all("!" <= letter <= "~" for letter in given)):
        raise ConfigurationError("an idempotency key must be 1 to 255 visible ASCII characters")
    return given


def _extra(headers: Mapping[str, str] | None) -> Mapping[str, Any]:
    extra = dict(headers or {})
    taken = sorted(name for name in extra if name.lower() in _OWN_HEADERS)
    if taken:
        raise ConfigurationError(f"the client sets {', '.join(taken)} itself")
    return extra
