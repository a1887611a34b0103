"""Lists: a page, which is also an iterator over this page and all following ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from ._http import HttpInfo
from ._model import Read, many

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list. Iteration continues with the following pages, which are fetched on demand."""

    data: tuple[T, ...]
    has_more: bool
    next_cursor: str | None
    http: HttpInfo = field(repr=False)
    _fetch: Callable[[str], Page[T]] = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[T]:
        page: Page[T] | None = self
        while page is not None:
            yield from page.data
            page = page.next_page()

    def next_page(self) -> Page[T] | None:
        """Returns the next page, or None after the last page."""
        return None if self.next_cursor is None else self._fetch(self.next_cursor)


@dataclass(frozen=True, slots=True)
class AsyncPage(Generic[T]):
    """One page of a list. `async for` continues with the following pages, which are fetched on demand."""

    data: tuple[T, ...]
    has_more: bool
    next_cursor: str | None
    http: HttpInfo = field(repr=False)
    _fetch: Callable[[str], Awaitable[AsyncPage[T]]] = field(repr=False, compare=False)

    async def __aiter__(self) -> AsyncIterator[T]:
        page: AsyncPage[T] | None = self
        while page is not None:
            for item in page.data:
                yield item
            page = await page.next_page()

    async def next_page(self) -> AsyncPage[T] | None:
        """Returns the next page, or None after the last page."""
        return None if self.next_cursor is None else await self._fetch(self.next_cursor)


@dataclass(frozen=True, slots=True)
class AsyncPages(Generic[T]):
    """A list that is not fetched yet. `await` it for its first page, or iterate over all objects with `async for`."""

    _fetch: Callable[[str | None], Awaitable[AsyncPage[T]]] = field(repr=False)

    def __await__(self) -> Generator[Any, Any, AsyncPage[T]]:
        return self._fetch(None).__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        async for item in await self:
            yield item


@dataclass(frozen=True, slots=True)
class PageParts(Generic[T]):
    data: tuple[T, ...]
    has_more: bool
    next_cursor: str | None


def page_parts(answer: Mapping[str, Any], read_item: Read | None) -> PageParts[Any]:
    """Returns the content of a list response. A page without a next cursor is the last one."""
    cursor = answer.get("next_cursor")
    data = many(read_item)(answer.get("data"))
    return PageParts(
        data=cast("tuple[object, ...]", data) if isinstance(data, tuple) else (),
        has_more=answer.get("has_more") is True,
        next_cursor=cursor if isinstance(cursor, str) and answer.get("has_more") is True else None,
    )
