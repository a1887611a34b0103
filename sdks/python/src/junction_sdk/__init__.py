"""Junction for Python: fire events, run actions, verify webhooks, and manage a workspace."""

from ._client import Answer, AsyncJunction, Junction
from ._http import CallOptions, Headers, HttpInfo
from ._pagination import AsyncPage, AsyncPages, Page
from ._target import OMIT, Omit
from ._version import __version__
from .errors import (
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    IdempotencyError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    ServiceConnectionError,
    ServiceError,
    ServiceTimeoutError,
    ValidationError,
    WebhookVerificationError,
)

__all__ = [
    "OMIT",
    "Answer",
    "AsyncJunction",
    "AsyncPage",
    "AsyncPages",
    "AuthenticationError",
    "CallOptions",
    "ConfigurationError",
    "ConflictError",
    "Headers",
    "HttpInfo",
    "IdempotencyError",
    "Junction",
    "NotFoundError",
    "Omit",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "ServerError",
    "ServiceConnectionError",
    "ServiceError",
    "ServiceTimeoutError",
    "ValidationError",
    "WebhookVerificationError",
    "__version__",
]
