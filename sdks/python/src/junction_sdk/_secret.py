"""A text that can be used but not seen."""

from __future__ import annotations

from typing import NoReturn


class Secret:
    """Holds a key. Its repr, its str and whatever prints an object's members show `***`; it cannot be pickled."""

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        self.__text = text

    def reveal(self) -> str:
        return self.__text

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key cannot be pickled: make the client where it is used, from JUNCTION_API_KEY")
