"""The base of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from ._http import HttpInfo

Read: TypeAlias = Callable[[Any], Any]
"""Turns a JSON value into a member's; leaves alone what is not as it expects."""

Members: TypeAlias = tuple[tuple[str, str, Read | None], ...]
"""Of each member: its name in Python, its name in JSON, and how it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """An object of the service. `raw` also contains members and values that this version does not know."""

    MEMBERS: ClassVar[Members] = ()

    raw: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, compare=False)
    """The object as it was received."""
    http: HttpInfo | None = field(default=None, repr=False, compare=False)
    """Details of the response. None for nested objects."""

    @property
    def extra(self) -> Mapping[str, Any]:
        """The members that this version of the SDK does not know."""
        known = {name for _, name, _ in self.MEMBERS}
        return {name: value for name, value in self.raw.items() if name not in known}


M = TypeVar("M", bound=Model)


def read_model(cls: type[M], value: Any, http: HttpInfo | None = None) -> M:
    """The object that a JSON value describes. A missing member reads as None: the write that it tells of is done."""
    raw = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    members = {
        attribute: raw.get(name) if read is None else read(raw.get(name)) for attribute, name, read in cls.MEMBERS
    }
    return cls(raw=raw, http=http, **members)


def one(load: Callable[[], type[Model]]) -> Read:
    """An object within another."""

    def read(value: Any) -> Any:
        return read_model(load(), value) if isinstance(value, dict) else value

    return read


def many(read_item: Read | None) -> Read:
    """A list, as a tuple."""

    def read(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        items = cast("list[object]", value)
        return tuple(items) if read_item is None else tuple(map(read_item, items))

    return read


def mapped(read_value: Read) -> Read:
    """An object whose members are all alike."""

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: read_value(item) for name, item in cast("dict[str, Any]", value).items()}

    return read
