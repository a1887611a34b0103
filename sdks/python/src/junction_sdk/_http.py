"""What goes to a transport and what comes back from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypedDict


class Headers(Mapping[str, str]):
    """Response headers: immutable, whatever the case of a name. A repeated header's values are joined with `, `."""

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
    """What a single call may do otherwise than its client. Times are seconds."""

    idempotency_key: str
    """For writes: makes calls with the same key one call. By default each call has a UUID of its own."""
    timeout: float
    """How long one try may take."""
    deadline: float
    """How long the call may take, with its retries and the waits between them."""
    max_retries: int
    """How often a failed try is repeated; 0 is never."""
    headers: Mapping[str, str]
    """Sent beside the client's own, which they cannot replace."""


@dataclass(frozen=True, slots=True)
class Request:
    """One try. Its headers hold the key, so that neither they nor the body are part of its repr."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    timeout: float


@dataclass(frozen=True, slots=True)
class Response:
    """What the service answered to one try."""

    status: int
    headers: Headers = field(default_factory=Headers)
    content: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class HttpInfo:
    """How a result came about; every result has it as `http`."""

    status: int
    headers: Headers = field(repr=False)
    request_id: str | None
    """Names the request in the service's log; say it when you ask for help."""
    idempotency_key: str | None
    """Under which the write was sent, on each of its tries; None for reads."""
    attempts: int
    """1, and 1 more for each retry."""
    content: bytes = field(repr=False)
    """The body, byte for byte."""

    @property
    def replayed(self) -> bool:
        """Whether the answer was kept from an earlier call with the same idempotency key."""
        return self.headers.get("idempotent-replayed") == "true"


@dataclass(frozen=True, slots=True)
class TransportFailure:
    """A try that brought no answer. `cause` has no traceback: its frames would show the request's headers."""

    kind: Literal["connection", "timeout"]
    code: str
    message: str
    cause: BaseException | None = None
    response: Response | None = None
    """As much of an answer as came."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call that succeeded, and what its answer holds: parsed JSON, or text."""

    http: HttpInfo
    value: Any


class Transport(Protocol):
    """Sends one try; never raises for what the network does."""

    def send(self, request: Request) -> Response | TransportFailure: ...

    def close(self) -> None: ...


class AsyncTransport(Protocol):
    """Sends one try; never raises for what the network does."""

    async def send_async(self, request: Request) -> Response | TransportFailure: ...

    async def aclose(self) -> None: ...


class Clock(Protocol):
    """Time and chance, so that tests can do without either. Seconds."""

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
    """Path and query, encoded."""
    body: Any = field(default=None, repr=False)
    has_body: bool = False
    is_write: bool = False
    """Whether it carries an idempotency key."""
    answer: Literal["object", "text", "none", "any"] = "object"
    """What a success holds. An object that is none, or cannot be read, is no success."""
    options: CallOptions = field(default_factory=CallOptions, repr=False)
