"""Lists: a page that is also an iterator over all that follow it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from ._http import HttpInfo
from ._model import Read, many

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list. Iterating goes through this page and all after it, each fetched when it is reached."""

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
        """The page after this one, or None after the last."""
        return None if self.next_cursor is None else self._fetch(self.next_cursor)


@dataclass(frozen=True, slots=True)
class AsyncPage(Generic[T]):
    """One page of a list. `async for` goes through this page and all after it, each fetched when it is reached."""

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
        """The page after this one, or None after the last."""
        return None if self.next_cursor is None else await self._fetch(self.next_cursor)


@dataclass(frozen=True, slots=True)
class AsyncPages(Generic[T]):
    """A list that is not fetched yet: `await` it for its first page, or go through all with `async for`."""

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
    """What a list's answer holds. A page that says there is more, but not where, is the last."""
    cursor = answer.get("next_cursor")
    data = many(read_item)(answer.get("data"))
    return PageParts(
        data=cast("tuple[object, ...]", data) if isinstance(data, tuple) else (),
        has_more=answer.get("has_more") is True,
        next_cursor=cursor if isinstance(cursor, str) and answer.get("has_more") is True else None,
    )
