"""The settings of a client, checked when it is created."""

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
    """The credential of the caller."""

    header: str
    value: Secret
    signing_secret: Secret | None
    """None if requests are not signed."""


@dataclass(frozen=True, slots=True)
class Config:
    origin: str
    """The base URL without a trailing slash."""
    base_path: str
    """The path of the base URL, which is part of the signed text."""
    proof: Proof
    timeout: float
    deadline: float | None
    max_retries: int
    user_agent: str
    api_version: str
    is_loopback: bool


def read_config(settings: Settings) -> Config:
    """Completes the settings from the environment. Raises ConfigurationError."""
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
    """Raises ConfigurationError for invalid times and numbers of retries."""
    # Not `<= 0`: NaN is no number of seconds either.
    if not timeout > 0 or (deadline is not None and not deadline > 0):
        raise ConfigurationError("timeout and deadline must be numbers of seconds above 0")
    if not 0 <= max_retries <= MOST_RETRIES or int(max_retries) != max_retries:
        raise ConfigurationError(f"max_retries must be a whole number from 0 to {MOST_RETRIES}")


def _read_proof(settings: Settings) -> Proof:
    secret = settings.signing_secret or _variable("JUNCTION_SIGNING_SECRET")
    if settings.key_id is not None and settings.api_key is None:
        if secret is None or not settings.sign:
            raise ConfigurationError("key_id requires a signature: also set signing_secret, and do not turn off sign")
        if not _VISIBLE.fullmatch(settings.key_id):
            raise ConfigurationError("key_id must be the id of an API key, which begins with key_")
        return Proof("X-Service-Key", Secret(settings.key_id), Secret(secret))
    key = settings.api_key or _variable("JUNCTION_API_KEY")
    if key is None:
        raise ConfigurationError("the API key is missing: pass Junction(api_key=...), or set JUNCTION_API_KEY")
    _check_key(key)
    return Proof("Authorization", Secret(f"Bearer {key}"), Secret(secret or key) if settings.sign else None)


def _variable(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def _check_key(key: str) -> None:
    if not key.startswith(_KEY_PREFIXES) or not key.isascii():
        raise ConfigurationError("the API key must begin with jn_live_ or jn_test_")
    if not key_is_whole(key):
        raise ConfigurationError("the API key is mistyped: its checksum does not match. Copy the key again")


def _check_origin(origin: str) -> bool:
    """Whether the host is this machine. Other hosts require https, because http would send the key unencrypted."""
    if not _PLAIN_URL.fullmatch(origin):
        raise ConfigurationError("base_url must be visible ASCII, with other characters percent-encoded")
    parts = urlsplit(origin)
    try:
        _ = parts.port
    except ValueError:
        raise ConfigurationError("the port of base_url must be a number") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError("base_url must begin with https://, or http:// for this machine, and have a host")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigurationError("base_url must not have a user, a query or a fragment")
    is_loopback = _is_loopback(parts.hostname)
    if parts.scheme == "http" and not is_loopback:
        raise ConfigurationError("base_url must begin with https://, because http:// would send the key unencrypted")
    return is_loopback


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
