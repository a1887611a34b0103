"""Junction for Python: fire events, run actions, verify webhooks, and manage a workspace."""

from ._actions import Executed, PendingConfirmation, is_executed, is_pending
from ._client import Answer, AsyncJunction, Junction
from ._consume import ConsumedMessage
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
    "ConsumedMessage",
    "Executed",
    "Headers",
    "HttpInfo",
    "IdempotencyError",
    "Junction",
    "NotFoundError",
    "Omit",
    "Page",
    "PendingConfirmation",
    "PermissionDeniedError",
    "RateLimitError",
    "ServerError",
    "ServiceConnectionError",
    "ServiceError",
    "ServiceTimeoutError",
    "ValidationError",
    "WebhookVerificationError",
    "__version__",
    "is_executed",
    "is_pending",
]
