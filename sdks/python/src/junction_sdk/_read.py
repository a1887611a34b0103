"""How answers become results."""

from __future__ import annotations

from typing import Any, TypeVar

from ._http import HttpInfo
from ._json import decode
from ._model import Model, read_model
from .errors import unreadable

M = TypeVar("M", bound=Model)


def json_of(info: HttpInfo) -> Any:
    """The parsed body. Raises ServerError where it is not JSON: something between us and the service answered."""
    try:
        return decode(info.content)
    except ValueError:
        raise unreadable(info) from None


def model_of(cls: type[M], info: HttpInfo) -> M:
    return read_model(cls, json_of(info), info)
