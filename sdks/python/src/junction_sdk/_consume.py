"""Iterates over the messages of a pull endpoint. The steps are shared by both clients, which make the calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ._http import Call, CallOptions
from ._target import path
from .errors import ServerError, ServiceConnectionError, ServiceError, ServiceTimeoutError

if TYPE_CHECKING:
    from ._client import AsyncJunction, Junction
    from ._http import Clock

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0
_MOST_COMMITS = 10


@dataclass(frozen=True, slots=True)
class ConsumedMessage:
    """A message of a pull endpoint. `verify` accepts its body and headers, which are those of a request."""

    offset: int
    """The offsets of an endpoint's messages are dense, and in the order of commits."""
    delivery_id: str
    """The same each time the message is pulled. Skip messages that you have already processed."""
    event: str
    created_at: str
    headers: Mapping[str, str] = field(repr=False)
    body: str | None = field(repr=False)
    """None if the event was erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeOptions:
    consumer: str
    limit: int
    wait_seconds: int
    lease_seconds: int
    start: Literal["start", "end"]
    once: bool


@dataclass(frozen=True, slots=True)
class _Sleep:
    seconds: float


@dataclass(frozen=True, slots=True)
class _Message:
    message: ConsumedMessage
    release: Call
    """Gives the rest of the messages back."""


_Steps = Generator["Call | _Sleep | _Message", Any, None]


def consume(client: Junction, clock: Clock, endpoint: str, options: ConsumeOptions) -> Iterator[ConsumedMessage]:
    """Yields the messages. The caller asks for the next message once it has processed one, which is then committed."""
    steps = _steps(endpoint, options)
    result: Any = None
    error: ServiceError | None = None
    while True:
        try:
            step = steps.send(result) if error is None else steps.throw(error)
        except StopIteration:
            return
        result, error = None, None
        if isinstance(step, _Message):
            try:
                yield step.message
            except GeneratorExit:
                _ignored(client, step.release)
                raise
        elif isinstance(step, _Sleep):
            clock.sleep(step.seconds)
        else:
            try:
                result = client.call(step).value
            except ServiceError as failure:
                error = failure


async def consume_async(
    client: AsyncJunction, clock: Clock, endpoint: str, options: ConsumeOptions
) -> AsyncIterator[ConsumedMessage]:
    """Does the same as `consume`."""
    steps = _steps(endpoint, options)
    result: Any = None
    error: ServiceError | None = None
    while True:
        try:
            step = steps.send(result) if error is None else steps.throw(error)
        except StopIteration:
            return
        result, error = None, None
        if isinstance(step, _Message):
            # Leaving an `async for` may close this later, in another task: the lease then ends by itself.
            yield step.message
        elif isinstance(step, _Sleep):
            await clock.sleep_async(step.seconds)
        else:
            try:
                result = (await client.call_async(step)).value
            except ServiceError as failure:
                error = failure


def _ignored(client: Junction, call: Call) -> None:
    try:
        client.call(call)
    except ServiceError:
        # The lease ends by itself.
        return


def _steps(endpoint: str, options: ConsumeOptions) -> _Steps:
    failures = 0
    while True:
        try:
            pulled = yield _pull(endpoint, options)
            failures = 0
            lease = pulled.get("lease")
            if lease is not None:
                yield from _messages(endpoint, options.consumer, pulled["messages"], lease["id"])
            elif options.once:
                return
        except ServiceError as error:
            seconds = _wait_after(error, failures)
            if seconds is None:
                raise
            failures += 1
            yield _Sleep(seconds)


def _messages(endpoint: str, consumer: str, messages: list[dict[str, Any]], lease: str) -> Generator[Any, Any, None]:
    release = _call(endpoint, "release", {"consumer": consumer, "lease_id": lease})
    for message in messages:
        yield _Message(_message(message), release)
        commit = {"consumer": consumer, "lease_id": lease, "offset": message["offset"]}
        if not (yield from _commit(_call(endpoint, "commit", commit))):
            return


def _commit(call: Call) -> Generator[Any, Any, bool]:
    """Returns False if the lease was lost: others may have the rest."""
    failures = 0
    while True:
        try:
            yield call
            return True
        except ServiceError as error:
            if error.code == "lease_lost":
                return False
            seconds = _wait_after(error, failures)
            if seconds is None or failures >= _MOST_COMMITS:
                raise
            failures += 1
            yield _Sleep(seconds)


def _pull(endpoint: str, options: ConsumeOptions) -> Call:
    wait_seconds = 0 if options.once else options.wait_seconds
    body = {
        "consumer": options.consumer,
        "limit": options.limit,
        "wait_seconds": wait_seconds,
        "lease_seconds": options.lease_seconds,
        "start": options.start,
    }
    return _call(endpoint, "pull", body, CallOptions(timeout=wait_seconds + 30))


def _call(endpoint: str, what: str, body: Mapping[str, Any], options: CallOptions | None = None) -> Call:
    return Call(
        method="POST",
        target=path("/v1/webhook-endpoints/{id}/" + what, id=endpoint),
        body=body,
        has_body=True,
        is_write=True,
        answer="any",
        options=options or CallOptions(),
    )


def _message(wire: Mapping[str, Any]) -> ConsumedMessage:
    return ConsumedMessage(
        offset=wire["offset"],
        delivery_id=wire["delivery_id"],
        event=wire["event"],
        created_at=str(wire["created_at"]),
        headers=wire["headers"],
        body=wire["body"],
    )


def _wait_after(error: ServiceError, failures: int) -> float | None:
    """Returns None for an error that waiting does not change."""
    passing = isinstance(error, ServerError | ServiceConnectionError | ServiceTimeoutError) or error.retryable is True
    if not passing:
        return None
    text = error.headers.get("retry-after", "")
    asked = float(text) if text.isdigit() else 0.0
    back_off: float = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(failures, 10))
    # A busy consumer is free again once its lease ends, or earlier.
    return min(asked or back_off, back_off * 4) if error.code == "consumer_busy" else max(asked, back_off)
