"""The requests to a transport, and its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypedDict


class Headers(Mapping[str, str]):
    """Immutable response headers with case-insensitive names. The values of a repeated header are joined with `, `."""

    __slots__ = ("_values",)

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        values: dict[str, str] = {}
        for name, value in pairs:
            key = name.lower()
            values[key] = f"{values[key]}, {value}" if key in values else value
        self._values = values

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Headers({self._values!r})"


class CallOptions(TypedDict, total=False):
    """Options of a single call, which override those of the client. Times are in seconds."""

    idempotency_key: str
    """The idempotency key of a write. Calls with the same key take effect once. Default: a UUID for each call."""
    timeout: float
    """The timeout of one attempt, in seconds."""
    deadline: float
    """The deadline of the call in seconds, including retries and waits."""
    max_retries: int
    """The maximum number of retries. With 0, only one request is sent."""
    headers: Mapping[str, str]
    """Headers that are sent in addition to the client's own, which they cannot replace."""


@dataclass(frozen=True, slots=True)
class Request:
    """One attempt. Its repr contains neither the headers, which contain the key, nor the body."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    timeout: float


@dataclass(frozen=True, slots=True)
class Response:
    """The service's response to one attempt."""

    status: int
    headers: Headers = field(default_factory=Headers)
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class HttpInfo:
    """Details of a response. Every result has them as `http`."""

    status: int
    headers: Headers = field(repr=False)
    request_id: str | None
    """The id of the request in the service's log. Send it to support."""
    idempotency_key: str | None
    """The idempotency key of all attempts of the write. None for reads."""
    attempts: int
    """The number of attempts: 1 plus the number of retries."""
    content: bytes = field(repr=False)
    """The body, byte for byte."""

    @property
    def replayed(self) -> bool:
        """Whether this is the stored response of an earlier call with the same idempotency key."""
        return self.headers.get("idempotent-replayed") == "true"


@dataclass(frozen=True, slots=True)
class TransportFailure:
    """An attempt without a response. `cause` has no traceback, because its frames would show the request's headers."""

    kind: Literal["connection", "timeout"]
    code: str
    message: str
    cause: BaseException | None = None
    response: Response | None = None
    """The received part of a response."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A successful call with the content of its response: parsed JSON, or text."""

    http: HttpInfo
    value: Any


class Transport(Protocol):
    """Sends one attempt. Never raises for network errors."""

    def send(self, request: Request) -> Response | TransportFailure: ...

    def close(self) -> None: ...


class AsyncTransport(Protocol):
    """Sends one attempt. Never raises for network errors."""

    async def send_async(self, request: Request) -> Response | TransportFailure: ...

    async def aclose(self) -> None: ...


class Clock(Protocol):
    """Time in seconds and random numbers, which tests can replace."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...

    def random(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...

    async def sleep_async(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Call:
    """An operation with its arguments, before it is sent."""

    method: str
    target: str
    """The encoded path and query."""
    body: Any = field(default=None, repr=False)
    has_body: bool = False
    is_write: bool = False
    """Whether the request has an idempotency key."""
    answer: Literal["object", "text", "none", "any"] = "object"
    """The expected content of a success. Anything else is a failure."""
    options: CallOptions = field(default_factory=CallOptions, repr=False)
