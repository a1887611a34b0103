"""A text that is hidden when it is printed."""

from __future__ import annotations

from typing import NoReturn


class Secret:
    """Contains a key. Its repr, its str and printed members show `***`, and it cannot be pickled."""

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        self.__text = text

    def reveal(self) -> str:
        return self.__text

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key cannot be pickled: create the client where it is used, from JUNCTION_API_KEY")
