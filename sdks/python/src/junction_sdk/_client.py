"""The clients: `Junction`, and `AsyncJunction` for asyncio and trio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ._clock import SystemClock
from ._config import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT, Config, Settings, read_config
from ._consume import ConsumedMessage, ConsumeOptions, consume, consume_async
from ._core import READS, Core, Wait
from ._http import AsyncTransport, Call, CallOptions, Clock, Exchange, HttpInfo, Transport
from ._target import free_path, target
from .generated.resources import AsyncResources, Resources

if TYPE_CHECKING:
    import httpx2
    from typing_extensions import Self


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of `request`."""

    data: Any
    """The parsed body, the text of a body that is not JSON, or None after a 204."""
    http: HttpInfo


class Junction(Resources):
    """A client with one API key. Threads may share it. Close it, or use it in a `with` statement."""

    __slots__ = ("_core", "_transport")

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        signing_secret: str | None = None,
        key_id: str | None = None,
        sign: bool = True,
        timeout: float = DEFAULT_TIMEOUT,
        deadline: float | None = None,
        max_retries: int = DEFAULT_MAX_RETRIES,
        http_client: httpx2.Client | None = None,
        transport: Transport | None = None,
        clock: Clock | None = None,
    ) -> None:
        """
        Args:
            api_key: `jn_live_…` or `jn_test_…`; by default JUNCTION_API_KEY.
            base_url: the service's address; by default JUNCTION_BASE_URL, then http://127.0.0.1:4000.
            signing_secret: the key's signing secret, if it has one; by default JUNCTION_SIGNING_SECRET.
            key_id: in place of `api_key`, for a key with a signing secret: the key itself is then never sent.
            sign: whether requests are signed. The service wants that of keys that `require_signature`.
            timeout: seconds that one try may take.
            deadline: seconds that a call may take with all its tries and waits; None is for ever.
            max_retries: how often a failed try is repeated; 0 is never.
            http_client: a client of httpx2 or httpx to send with, say with a proxy. It stays yours to close.
            transport: something else to send with, such as `junction_sdk.testing.MockTransport`.
            clock: time and chance, for tests.

        Raises:
            ConfigurationError: the client could not work.
        """
        super().__init__(self)
        config = read_config(
            Settings(
                api_key=api_key,
                base_url=base_url,
                signing_secret=signing_secret,
                key_id=key_id,
                sign=sign,
                timeout=timeout,
                deadline=deadline,
                max_retries=max_retries,
            )
        )
        self._core = Core(config, clock or SystemClock())
        self._transport: Transport = transport or _connect(config, http_client)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        options: CallOptions | None = None,
    ) -> Answer:
        """Calls any path of the service. Signs and retries the request, and raises errors, like every call."""
        exchange = self.call(_free_call(method, path, query, body, options))
        return Answer(exchange.value, exchange.http)

    def consume(
        self,
        endpoint: str,
        *,
        consumer: str,
        limit: int = 100,
        wait_seconds: int = 20,
        lease_seconds: int = 60,
        start: Literal["start", "end"] = "start",
        once: bool = False,
    ) -> Iterator[ConsumedMessage]:
        """Iterates over the messages of a pull endpoint. A message is committed after the body of the loop.

        It comes again if the body raises, the loop is left, or the process ends. Waits while the service does not
        respond, and pulls again after a lease was lost.

        Args:
            endpoint: the id of an endpoint of kind `pull`.
            consumer: the name of the consumer, which has its own position.
            limit: the maximum number of messages of one pull.
            wait_seconds: the time for which a pull waits for messages.
            lease_seconds: the time after which another process may pull the messages again. Each commit extends it.
            start: where a new consumer begins.
            once: end when there are no messages, instead of waiting for the next ones.
        """
        return consume(
            self,
            self._core.clock,
            endpoint,
            ConsumeOptions(
                consumer=consumer,
                limit=limit,
                wait_seconds=wait_seconds,
                lease_seconds=lease_seconds,
                start=start,
                once=once,
            ),
        )

    def call(self, call: Call) -> Exchange:
        """Makes a call for a resource."""
        steps = self._core.run(call)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Wait):
                    self._core.clock.sleep(step.seconds)
                    step = steps.send(None)
                else:
                    step = steps.send(self._transport.send(step))
        except StopIteration as end:
            exchange: Exchange = end.value
            return exchange

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Junction(base_url={self._core.config.origin!r})"

    def __reduce__(self) -> NoReturn:
        raise _unpicklable(self)


class AsyncJunction(AsyncResources):
    """A client with one API key, for asyncio and trio. Close it, or use it in an `async with` statement."""

    __slots__ = ("_core", "_transport")

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        signing_secret: str | None = None,
        key_id: str | None = None,
        sign: bool = True,
        timeout: float = DEFAULT_TIMEOUT,
        deadline: float | None = None,
        max_retries: int = DEFAULT_MAX_RETRIES,
        http_client: httpx2.AsyncClient | None = None,
        transport: AsyncTransport | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Accepts the arguments of `Junction`, with an async client or transport."""
        super().__init__(self)
        config = read_config(
            Settings(
                api_key=api_key,
                base_url=base_url,
                signing_secret=signing_secret,
                key_id=key_id,
                sign=sign,
                timeout=timeout,
                deadline=deadline,
                max_retries=max_retries,
            )
        )
        self._core = Core(config, clock or SystemClock())
        self._transport: AsyncTransport = transport or _connect_async(config, http_client)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        options: CallOptions | None = None,
    ) -> Answer:
        """Calls any path of the service. Signs and retries the request, and raises errors, like every call."""
        exchange = await self.call_async(_free_call(method, path, query, body, options))
        return Answer(exchange.value, exchange.http)

    def consume(
        self,
        endpoint: str,
        *,
        consumer: str,
        limit: int = 100,
        wait_seconds: int = 20,
        lease_seconds: int = 60,
        start: Literal["start", "end"] = "start",
        once: bool = False,
    ) -> AsyncIterator[ConsumedMessage]:
        """Iterates over the messages of a pull endpoint. A message is committed after the body of the loop.

        It comes again if the body raises, the loop is left, or the process ends. Waits while the service does not
        respond, and pulls again after a lease was lost.

        Args:
            endpoint: the id of an endpoint of kind `pull`.
            consumer: the name of the consumer, which has its own position.
            limit: the maximum number of messages of one pull.
            wait_seconds: the time for which a pull waits for messages.
            lease_seconds: the time after which another process may pull the messages again. Each commit extends it.
            start: where a new consumer begins.
            once: end when there are no messages, instead of waiting for the next ones.
        """
        return consume_async(
            self,
            self._core.clock,
            endpoint,
            ConsumeOptions(
                consumer=consumer,
                limit=limit,
                wait_seconds=wait_seconds,
                lease_seconds=lease_seconds,
                start=start,
                once=once,
            ),
        )

    async def call_async(self, call: Call) -> Exchange:
        """Makes a call for a resource."""
        steps = self._core.run(call)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Wait):
                    await self._core.clock.sleep_async(step.seconds)
                    step = steps.send(None)
                else:
                    step = steps.send(await self._transport.send_async(step))
        except StopIteration as end:
            exchange: Exchange = end.value
            return exchange

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncJunction(base_url={self._core.config.origin!r})"

    def __reduce__(self) -> NoReturn:
        raise _unpicklable(self)


def _free_call(
    method: str, path: str, query: Mapping[str, Any] | None, body: object, options: CallOptions | None
) -> Call:
    verb = method.upper()
    return Call(
        method=verb,
        target=target(free_path(path), query or {}),
        body=body,
        has_body=body is not None,
        is_write=verb not in READS,
        answer="any",
        options=options or CallOptions(),
    )


def _connect(config: Config, client: httpx2.Client | None) -> Transport:
    # Loading httpx2 takes longer than all else here, and a mock transport does without.
    from ._transport import HttpTransport

    return HttpTransport(client, trust_env=not config.is_loopback)


def _connect_async(config: Config, client: httpx2.AsyncClient | None) -> AsyncTransport:
    from ._transport import AsyncHttpTransport

    return AsyncHttpTransport(client, trust_env=not config.is_loopback)


def _unpicklable(client: object) -> TypeError:
    name = type(client).__name__
    return TypeError(f"{name} contains an API key and cannot be pickled: create it where it is used")
