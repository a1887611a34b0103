"""Test tools: a transport with configurable responses, and example objects of the service."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from ._http import Headers, Request, Response, TransportFailure
from ._json import encode
from ._model import Model, read_model

if TYPE_CHECKING:
    from ._client import AsyncJunction, Junction

__all__ = [
    "API_KEY",
    "BASE_URL",
    "WEBHOOK_SECRET",
    "MockClock",
    "MockTransport",
    "SentRequest",
    "example",
    "example_json",
]

API_KEY = "jn_test_00000000000000000000000000000000000000000002X4FHy"
"""A well-formed API key that no service accepts."""
BASE_URL = "https://junction.example.com"
WEBHOOK_SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

_ALWAYS = {"X-Service-Request-Id": "req_test"}

M = TypeVar("M", bound=Model)


def example_json(cls: type[Model], **members: Any) -> dict[str, Any]:
    """Returns an object as the service would send it. `members` replace those of the example."""
    from .generated.examples import EXAMPLES

    made: dict[str, Any] = jsonlib.loads(EXAMPLES[cls.__name__])
    return {**made, **members}


def example(cls: type[M], **members: Any) -> M:
    """Returns an example object, such as `example(Delivery, state="failed")`. Members are as in JSON."""
    return read_model(cls, example_json(cls, **members))


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as the transport received it."""

    method: str
    path: str
    query: str
    headers: Headers = field(repr=False)
    content: bytes

    @property
    def json(self) -> Any:
        """The parsed body."""
        return jsonlib.loads(self.content)


class MockClock:
    """A clock that advances only with waits, which return at once. Its random number is constant."""

    def __init__(self, now: float = 1_795_266_000.0, chance: float = 0.5) -> None:
        self.waits: list[float] = []
        self._now = now
        self._chance = chance

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now

    def random(self) -> float:
        return self._chance

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


class MockTransport:
    """Responds as configured, or with the contract's example, and records all requests.

    Works with both clients.
    """

    def __init__(self) -> None:
        self.requests: list[SentRequest] = []
        self.clock = MockClock()
        self._answers: list[_Answer] = []

    def client(self, **options: Any) -> Junction:
        """Returns a client that uses this transport and does not wait."""
        from ._client import Junction

        return Junction(**self._options(options))

    def async_client(self, **options: Any) -> AsyncJunction:
        """Returns a client that uses this transport and does not wait."""
        from ._client import AsyncJunction

        return AsyncJunction(**self._options(options))

    def add(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        text: str | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        failure: Literal["connection", "timeout"] | None = None,
    ) -> None:
        """Sets the response to a request. `*` in a path matches anything. Several are used in order; the last stays."""
        content = (text or "").encode() if json is None else encode(json)
        code = status or (200 if content else 204)
        media_type = "text/plain" if json is None else "application/json"
        sent = Headers({"Content-Type": media_type, **_ALWAYS, **(headers or {})}.items())
        self._answers.append(_Answer(method, path, _outcome(failure) or Response(code, sent, content)))

    def add_error(self, method: str, path: str, code: str, status: int, **members: Any) -> None:
        """Sets a problem document as the response."""
        problem = {"title": code, "status": status, "code": code, "detail": f"{code}.", "retryable": False, **members}
        self.add(method, path, json=problem, status=status)

    def send(self, request: Request) -> Response | TransportFailure:
        parts = urlsplit(request.url)
        headers = Headers(request.headers.items())
        self.requests.append(SentRequest(request.method, parts.path, parts.query, headers, request.content))
        fitting = list(self._fitting(request.method, parts.path))
        if not fitting:
            return _example_answer(request.method, parts.path)
        if len(fitting) > 1:
            self._answers.remove(fitting[0])
        return fitting[0].outcome

    async def send_async(self, request: Request) -> Response | TransportFailure:
        return self.send(request)

    def close(self) -> None:
        """Does nothing."""

    async def aclose(self) -> None:
        """Does nothing."""

    def _options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"api_key": API_KEY, "base_url": BASE_URL, "transport": self, "clock": self.clock, **options}

    def _fitting(self, method: str, path: str) -> Iterable[_Answer]:
        return (one for one in self._answers if one.method == method and fnmatchcase(path, one.path))


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    method: str
    path: str
    outcome: Response | TransportFailure


def _example_answer(method: str, path: str) -> Response:
    from .generated.examples import ANSWERS

    fitting = [answer for answer in ANSWERS if answer[0] == method and _fits(path, answer[1])]
    if not fitting:
        raise AssertionError(f"{method} {path} is no operation of the service, and the mock has no response for it")
    # `/v1/audit/verify` is not the row of that id.
    _, _, status, body = min(fitting, key=lambda answer: answer[1].count("{"))
    media_type = "application/json" if body else "text/plain"
    return Response(status, Headers({"Content-Type": media_type, **_ALWAYS}.items()), body.encode())


def _fits(path: str, template: str) -> bool:
    parts, expected = path.split("/"), template.split("/")
    return len(parts) == len(expected) and all(
        part == known or known.startswith("{") for part, known in zip(parts, expected, strict=True)
    )


def _outcome(failure: Literal["connection", "timeout"] | None) -> TransportFailure | None:
    if failure is None:
        return None
    code = "timeout" if failure == "timeout" else "connection_failed"
    return TransportFailure(failure, code, "The mock is configured to fail.")
