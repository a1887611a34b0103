"""The base of resources. Resources describe calls, and a caller makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeVar

from ._http import Call, CallOptions, Exchange, HttpInfo
from ._model import Model, Read, read_model
from ._pagination import AsyncPage, AsyncPages, Page, page_parts
from ._target import given, target

M = TypeVar("M", bound=Model)


class Caller(Protocol):
    def call(self, call: Call) -> Exchange: ...


class AsyncCaller(Protocol):
    async def call_async(self, call: Call) -> Exchange: ...


class Resource:
    """Operations of one kind of object."""

    __slots__ = ("_caller",)

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def _model(self, cls: type[M], call: Call) -> M:
        exchange = self._caller.call(call)
        return read_model(cls, exchange.value, exchange.http)

    def _value(self, read: Read | None, call: Call) -> Any:
        return value_of(read, self._caller.call(call))

    def _by_status(self, kinds: Mapping[int, type[Model]], call: Call) -> Any:
        return by_status(kinds, self._caller.call(call))

    def _text(self, call: Call) -> str:
        return str(self._caller.call(call).value)

    def _nothing(self, call: Call) -> HttpInfo:
        return self._caller.call(call).http

    def _page(
        self, read_item: Read | None, path: str, query: Mapping[str, Any], options: CallOptions | None
    ) -> Page[Any]:
        def fetch(cursor: str) -> Page[Any]:
            return self._page(read_item, path, {**query, "cursor": cursor}, options)

        exchange = self._caller.call(call("GET", path, query=query, options=options))
        parts = page_parts(exchange.value, read_item)
        return Page(parts.data, parts.has_more, parts.next_cursor, exchange.http, fetch)


class AsyncResource:
    """Operations of one kind of object."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def _model(self, cls: type[M], call: Call) -> M:
        exchange = await self._caller.call_async(call)
        return read_model(cls, exchange.value, exchange.http)

    async def _value(self, read: Read | None, call: Call) -> Any:
        return value_of(read, await self._caller.call_async(call))

    async def _by_status(self, kinds: Mapping[int, type[Model]], call: Call) -> Any:
        return by_status(kinds, await self._caller.call_async(call))

    async def _text(self, call: Call) -> str:
        return str((await self._caller.call_async(call)).value)

    async def _nothing(self, call: Call) -> HttpInfo:
        return (await self._caller.call_async(call)).http

    def _page(
        self, read_item: Read | None, path: str, query: Mapping[str, Any], options: CallOptions | None
    ) -> AsyncPages[Any]:
        async def fetch(cursor: str | None) -> AsyncPage[Any]:
            asked = query if cursor is None else {**query, "cursor": cursor}
            exchange = await self._caller.call_async(call("GET", path, query=asked, options=options))
            parts = page_parts(exchange.value, read_item)
            return AsyncPage(parts.data, parts.has_more, parts.next_cursor, exchange.http, fetch)

        return AsyncPages(fetch)


def call(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    write: bool = False,
    answer: Literal["object", "text", "none", "any"] = "object",
    options: CallOptions | None = None,
) -> Call:
    """An operation with its arguments. Arguments that are OMIT are not sent."""
    return Call(
        method=method,
        target=path if query is None else target(path, query),
        body=None if body is None else given(body),
        has_body=body is not None,
        is_write=write,
        answer=answer,
        options=options or CallOptions(),
    )


def value_of(read: Read | None, exchange: Exchange) -> Any:
    """A response that is not an object, and therefore has no `http`."""
    return exchange.value if read is None else read(exchange.value)


def by_status(kinds: Mapping[int, type[Model]], exchange: Exchange) -> Any:
    """The class for the status. For an unknown status, the first class."""
    status = exchange.http.status
    cls = kinds[status] if status in kinds else next(iter(kinds.values()))
    return read_model(cls, exchange.value, exchange.http)
