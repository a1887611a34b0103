"""The types of results and arguments, enums, and the data of the canonical events. Each is loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .generated import types as _types

if TYPE_CHECKING:
    from .generated.types import *


def __getattr__(name: str) -> Any:
    return getattr(_types, name)


def __dir__() -> list[str]:
    return dir(_types)
