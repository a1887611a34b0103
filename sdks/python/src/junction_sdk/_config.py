"""What a client is told when it is made, checked at once."""

from __future__ import annotations

import ipaddress
import os
import platform
import re
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
MOST_RETRIES = 100
_VISIBLE = re.compile("[!-~]+")
# What an HTTP client sends as it is, and does not normalise: the path is signed.
_PLAIN_URL = re.compile(r"(?!.*/\.\.?(?:/|$))[A-Za-z0-9/._~%!$&'()*+,;=:@?#\[\]-]+")
_KEY_PREFIXES = ("jn_live_", "jn_test_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A client's arguments."""

    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    signing_secret: str | None = field(default=None, repr=False)
    key_id: str | None = None
    sign: bool = True
    timeout: float = DEFAULT_TIMEOUT
    deadline: float | None = None
    max_retries: int = DEFAULT_MAX_RETRIES


@dataclass(frozen=True, slots=True)
class Proof:
    """Who calls."""

    header: str
    value: Secret
    signing_secret: Secret | None
    """None where requests are not signed."""


@dataclass(frozen=True, slots=True)
class Config:
    origin: str
    """The base URL, without a slash at its end."""
    base_path: str
    """Its path, which is part of what is signed."""
    proof: Proof
    timeout: float
    deadline: float | None
    max_retries: int
    user_agent: str
    api_version: str
    is_loopback: bool


def read_config(settings: Settings) -> Config:
    """Fills what is missing from the environment. Raises ConfigurationError."""
    check_limits(settings.timeout, settings.deadline, settings.max_retries)
    origin = (settings.base_url or _variable("JUNCTION_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")
    is_loopback = _check_origin(origin)
    return Config(
        origin=origin,
        base_path=urlsplit(origin).path,
        proof=_read_proof(settings),
        timeout=settings.timeout,
        deadline=settings.deadline,
        max_retries=settings.max_retries,
        user_agent=f"junction-sdk-python/{__version__} Python/{platform.python_version()}",
        api_version=API_VERSION,
        is_loopback=is_loopback,
    )


def check_limits(timeout: float, deadline: float | None, max_retries: int) -> None:
    """Raises ConfigurationError for what would end every call, or none."""
    # Not `<= 0`: NaN is no number of seconds either.
    if not timeout > 0 or (deadline is not None and not deadline > 0):
        raise ConfigurationError("timeout and deadline are seconds, more than 0")
    if not 0 <= max_retries <= MOST_RETRIES or int(max_retries) != max_retries:
        raise ConfigurationError(f"max_retries is a whole number from 0 to {MOST_RETRIES}")


def _read_proof(settings: Settings) -> Proof:
    secret = settings.signing_secret or _variable("JUNCTION_SIGNING_SECRET")
    if settings.key_id is not None and settings.api_key is None:
        if secret is None or not settings.sign:
            raise ConfigurationError("a key_id alone proves nothing: give its signing_secret too, and leave sign on")
        if not _VISIBLE.fullmatch(settings.key_id):
            raise ConfigurationError("key_id begins with key_: it is the id of an API key")
        return Proof("X-Service-Key", Secret(settings.key_id), Secret(secret))
    key = settings.api_key or _variable("JUNCTION_API_KEY")
    if key is None:
        raise ConfigurationError("there is no API key: say Junction(api_key=...), or set JUNCTION_API_KEY")
    _check_key(key)
    return Proof("Authorization", Secret(f"Bearer {key}"), Secret(secret or key) if settings.sign else None)


def _variable(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def _check_key(key: str) -> None:
    if not key.startswith(_KEY_PREFIXES) or not key.isascii():
        raise ConfigurationError("that is no API key of Junction: they begin with jn_live_ or jn_test_")
    if not key_is_whole(key):
        raise ConfigurationError("the API key has a typo: its checksum is wrong. Copy it once more")


def _check_origin(origin: str) -> bool:
    """Whether it is this machine. Plain http is for that only: elsewhere it would show the key to the network."""
    if not _PLAIN_URL.fullmatch(origin):
        raise ConfigurationError("base_url is written in visible ASCII, other characters percent-encoded")
    parts = urlsplit(origin)
    try:
        _ = parts.port
    except ValueError:
        raise ConfigurationError("base_url has a port that is no number") from None
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
