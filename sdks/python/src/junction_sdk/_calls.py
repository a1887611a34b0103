"""What resources are made of: they describe calls, a caller makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from ._http import Call, CallOptions, HttpInfo
from ._model import Model, Read, read_model
from ._pagination import AsyncPage, AsyncPages, Page, page_parts
from ._read import json_of, model_of
from ._target import given, target

M = TypeVar("M", bound=Model)


class Caller(Protocol):
    def call(self, call: Call) -> HttpInfo: ...


class AsyncCaller(Protocol):
    async def call_async(self, call: Call) -> HttpInfo: ...


class Resource:
    """Operations of one kind of object."""

    __slots__ = ("_caller",)

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def _model(self, cls: type[M], call: Call) -> M:
        return model_of(cls, self._caller.call(call))

    def _value(self, read: Read | None, call: Call) -> Any:
        return with_http(read, self._caller.call(call))

    def _text(self, call: Call) -> str:
        return self._caller.call(call).content.decode(errors="replace")

    def _nothing(self, call: Call) -> HttpInfo:
        return self._caller.call(call)

    def _page(self, read_item: Read | None, path: str, query: Mapping[str, Any], options: CallOptions | None) -> Page[Any]:
        def fetch(cursor: str) -> Page[Any]:
            return self._page(read_item, path, {**query, "cursor": cursor}, options)

        info = self._caller.call(call("GET", path, query=query, options=options))
        parts = page_parts(info, read_item)
        return Page(parts.data, parts.has_more, parts.next_cursor, info, fetch)


class AsyncResource:
    """Operations of one kind of object."""

    __slots__ = ("_caller",)

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def _model(self, cls: type[M], call: Call) -> M:
        return model_of(cls, await self._caller.call_async(call))

    async def _value(self, read: Read | None, call: Call) -> Any:
        return with_http(read, await self._caller.call_async(call))

    async def _text(self, call: Call) -> str:
        return (await self._caller.call_async(call)).content.decode(errors="replace")

    async def _nothing(self, call: Call) -> HttpInfo:
        return await self._caller.call_async(call)

    def _page(
        self, read_item: Read | None, path: str, query: Mapping[str, Any], options: CallOptions | None
    ) -> AsyncPages[Any]:
        async def fetch(cursor: str | None) -> AsyncPage[Any]:
            asked = query if cursor is None else {**query, "cursor": cursor}
            info = await self._caller.call_async(call("GET", path, query=asked, options=options))
            parts = page_parts(info, read_item)
            return AsyncPage(parts.data, parts.has_more, parts.next_cursor, info, fetch)

        return AsyncPages(fetch)


def call(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    write: bool = False,
    options: CallOptions | None = None,
) -> Call:
    """An operation with its arguments; what is OMIT is left out of query and body."""
    return Call(
        method=method,
        target=path if query is None else target(path, query),
        body=None if body is None else given(body),
        has_body=body is not None,
        is_write=write,
        options=options or CallOptions(),
    )


def with_http(read: Read | None, info: HttpInfo) -> Any:
    """An answer that is one of several kinds of object, or none."""
    value = json_of(info)
    made = value if read is None else read(value)
    return read_model(type(made), value, info) if isinstance(made, Model) else made
