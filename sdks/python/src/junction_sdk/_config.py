"""What a client is told when it is made, checked at once."""

from __future__ import annotations

import ipaddress
import os
import platform
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ._secret import Secret
from ._signing import key_is_whole
from ._version import __version__
from .errors import ConfigurationError
from .generated.version import API_VERSION

DEFAULT_BASE_URL = "http://127.0.0.1:4000"
DEFAULT_TIMEOUT = 30.0
DEFAULT_MAX_RETRIES = 2
_KEY_PREFIXES = ("jn_live_", "jn_test_")


@dataclass(frozen=True, slots=True)
class Settings:
    """A client's arguments."""

    api_key: str | None = field(repr=False)
    base_url: str | None
    signing_secret: str | None = field(repr=False)
    sign: bool
    timeout: float
    deadline: float | None
    max_retries: int


@dataclass(frozen=True, slots=True)
class Config:
    origin: str
    """The base URL, without a slash at its end."""
    base_path: str
    """Its path, which is part of what is signed."""
    api_key: Secret
    signing_secret: Secret
    sign: bool
    timeout: float
    deadline: float | None
    max_retries: int
    user_agent: str
    api_version: str
    is_loopback: bool


def read_config(settings: Settings) -> Config:
    """Fills what is missing from the environment. Raises ConfigurationError."""
    key = settings.api_key or os.environ.get("JUNCTION_API_KEY")
    if not key:
        raise ConfigurationError("there is no API key: say Junction(api_key=...), or set JUNCTION_API_KEY")
    _check_key(key)
    if settings.timeout <= 0 or (settings.deadline is not None and settings.deadline <= 0):
        raise ConfigurationError("timeout and deadline are seconds, more than 0")
    if settings.max_retries < 0:
        raise ConfigurationError("max_retries is 0 or more")
    origin = (settings.base_url or os.environ.get("JUNCTION_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")
    return Config(
        origin=origin,
        base_path=urlsplit(origin).path,
        api_key=Secret(key),
        signing_secret=Secret(settings.signing_secret or os.environ.get("JUNCTION_SIGNING_SECRET") or key),
        sign=settings.sign,
        timeout=settings.timeout,
        deadline=settings.deadline,
        max_retries=settings.max_retries,
        user_agent=f"junction-sdk-python/{__version__} Python/{platform.python_version()}",
        api_version=API_VERSION,
        is_loopback=_check_origin(origin),
    )


def _check_key(key: str) -> None:
    if not key.startswith(_KEY_PREFIXES) or not key.isascii():
        raise ConfigurationError("that is no API key of Junction: they begin with jn_live_ or jn_test_")
    if not key_is_whole(key):
        raise ConfigurationError("the API key has a typo: its checksum is wrong. Copy it once more")


def _check_origin(origin: str) -> bool:
    """Whether it is this machine. Plain http is for that only: elsewhere it would show the key to the network."""
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError("base_url begins with https://, or with http:// for this machine, and has a host")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigurationError("base_url has no user, no query and no fragment")
    is_loopback = _is_loopback(parts.hostname)
    if parts.scheme == "http" and not is_loopback:
        raise ConfigurationError("http:// would show the API key to the network: base_url must begin with https://")
    return is_loopback


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
