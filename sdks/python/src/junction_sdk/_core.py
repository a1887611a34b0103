"""A call from its arguments to its result, without any waiting or sending: two thin drivers do both, with and without async."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ._config import Config
from ._http import Call, Clock, HttpInfo, Request, Response, TransportFailure
from ._json import encode
from ._retry import is_retryable, wait_before
from ._signing import Signable, sign_v1
from .errors import ConfigurationError, ServiceError, error_of, failure_error, problem_of

READS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_HEADERS = frozenset(
    {"authorization", "content-type", "host", "idempotency-key", "x-service-signature", "x-service-timestamp"}
)


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


Steps: TypeAlias = Generator[Request | Wait, Response | TransportFailure | None, HttpInfo]
"""Yields what to do next, is sent how it ended, and returns the answer. Raises ServiceError."""


@dataclass(slots=True)
class Core:
    config: Config
    clock: Clock
    skew: float = 0.0
    """How far the service's clock is ahead of ours, in seconds, as it told us."""

    def run(self, call: Call) -> Steps:
        sending = _Sending(self, call)
        attempts, retries, ends_at = 0, 0, sending.ends_at
        may_correct = True
        while True:
            request = sending.request()
            outcome = yield request
            attempts += 1
            if outcome is None:
                raise RuntimeError("a driver must answer every request")
            info = sending.info(outcome, attempts)
            if info is not None and 200 <= info.status < 300:
                return info
            if may_correct and info is not None and self._correct_skew(info):
                may_correct = False
                continue
            wait = wait_before(retries, outcome, self.clock) if is_retryable(outcome) else None
            late = ends_at is not None and wait is not None and self.clock.monotonic() + wait >= ends_at
            if wait is None or late or retries >= sending.max_retries:
                raise sending.error(outcome, info, attempts)
            retries += 1
            yield Wait(wait)

    def _correct_skew(self, info: HttpInfo) -> bool:
        """Whether the answer says that our clock is wrong; then later tries are signed with the service's time."""
        if info.status != 401:
            return False
        problem = problem_of(info.content)
        server_time = problem.get("server_time")
        if problem.get("code") != "timestamp_out_of_range" or not isinstance(server_time, (int, float)):
            return False
        self.skew = server_time - self.clock.now()
        return True


@dataclass(slots=True)
class _Sending:
    """One call while it runs."""

    core: Core
    call: Call
    content: bytes = field(init=False, repr=False)
    idempotency_key: str | None = field(init=False)
    ends_at: float | None = field(init=False)
    max_retries: int = field(init=False)

    def __post_init__(self) -> None:
        options, config = self.call.options, self.core.config
        self.content = encode(self.call.body) if self.call.has_body else b""
        key = options.get("idempotency_key")
        self.idempotency_key = _checked(key) or str(uuid.uuid4()) if self.call.is_write else None
        deadline = options.get("deadline", config.deadline)
        self.ends_at = None if deadline is None else self.core.clock.monotonic() + deadline
        self.max_retries = options.get("max_retries", config.max_retries)

    def request(self) -> Request:
        """The next try: the same request, signed anew."""
        config, call = self.core.config, self.call
        timeout = call.options.get("timeout", config.timeout)
        if self.ends_at is not None:
            timeout = max(0.001, min(timeout, self.ends_at - self.core.clock.monotonic()))
        return Request(call.method, config.origin + call.target, self._headers(), self.content, timeout)

    def _headers(self) -> Mapping[str, str]:
        config, call = self.core.config, self.call
        timestamp = int(self.core.clock.now() + self.core.skew)
        signable = Signable(call.method, call.target, self.idempotency_key or "", self.content)
        headers = {
            "X-Service-Version": config.api_version,
            **_extra(call.options.get("headers")),
            "Authorization": f"Bearer {config.api_key.reveal()}",
            "X-Service-Timestamp": str(timestamp),
            "X-Service-Signature": sign_v1(signable, timestamp, config.signing_secret.reveal()),
            "User-Agent": config.user_agent,
        }
        if call.has_body:
            headers["Content-Type"] = "application/json"
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        return headers

    def info(self, outcome: Response | TransportFailure, attempts: int) -> HttpInfo | None:
        if isinstance(outcome, TransportFailure):
            return None
        headers = outcome.headers
        return HttpInfo(
            status=outcome.status,
            headers=headers,
            request_id=headers.get("x-service-request-id"),
            idempotency_key=self.idempotency_key,
            attempts=attempts,
            content=outcome.content,
        )

    def error(self, outcome: Response | TransportFailure, info: HttpInfo | None, attempts: int) -> ServiceError:
        if isinstance(outcome, TransportFailure):
            return failure_error(outcome, self.idempotency_key, attempts)
        if info is None:
            raise RuntimeError("an answer has its info")
        return error_of(info)


def _checked(key: str | None) -> str | None:
    if key is not None and not (1 <= len(key) <= 255 and all("!" <= letter <= "~" for letter in key)):
        raise ConfigurationError("an idempotency key has 1 to 255 visible ASCII characters")
    return key


def _extra(headers: Mapping[str, str] | None) -> Mapping[str, Any]:
    extra = dict(headers or {})
    taken = sorted(name for name in extra if name.lower() in _OWN_HEADERS)
    if taken:
        raise ConfigurationError(f"the client sets {', '.join(taken)} itself")
    return extra
