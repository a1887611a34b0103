"""Paths and queries as on the wire. The signature covers exactly the sent bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from urllib.parse import quote, urlencode

from ._json import encode_time
from .errors import ConfigurationError


class Omit:
    """The default of an omitted argument, if None would be sent as null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT = Omit()


def path(template: str, **values: str) -> str:
    """Fills a template such as `/v1/keys/{id}`. Each value becomes one segment. Raises ConfigurationError."""
    if not values:
        return template
    return template.format_map({name: _segment(name, value) for name, value in values.items()})


def target(path_text: str, query: Mapping[str, Any]) -> str:
    """Returns the path and query, without values that are OMIT or None."""
    pairs = [(name, text) for name, value in query.items() for text in _texts(value)]
    if not pairs:
        return path_text
    return f"{path_text}{'&' if '?' in path_text else '?'}{urlencode(pairs, quote_via=quote, safe='')}"


def given(body: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the members that are not OMIT."""
    return {name: value for name, value in body.items() if not isinstance(value, Omit)}


def free_path(text: str) -> str:
    """Returns the caller's path, percent-encoded if needed. Raises ConfigurationError for another host."""
    if not text.startswith("/") or text.startswith("//"):
        raise ConfigurationError("a path must begin with one /: the client calls no other host")
    encoded = quote(text, safe="/%:@!$&'()*+,;=~-._?")
    if any(part in (".", "..") for part in encoded.partition("?")[0].split("/")):
        raise ConfigurationError("a path must not contain . or ..")
    return encoded


def _segment(name: str, value: str) -> str:
    # `{id}/..` and an empty id would be other operations than the one that was called.
    if value in ("", ".", ".."):
        raise ConfigurationError(f"{name} must not be empty, . or ..; got {value!r}")
    return quote(value, safe="")


def _texts(value: object) -> list[str]:
    if value is None or isinstance(value, Omit):
        return []
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, datetime):
        return [encode_time(value)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [text for entry in cast("Sequence[object]", value) for text in _texts(entry)]
    return [str(value)]
