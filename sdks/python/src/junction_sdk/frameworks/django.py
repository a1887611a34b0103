"""Django: `@webhook(secret)` gives a view its verified event. It needs no CSRF token: the signature says who asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any, Protocol

from ..webhooks import DEFAULT_TOLERANCE, WebhookEvent, WebhookVerificationError
from ._refusal import MEDIA_TYPE, STATUS, Secrets, refusal, verified

__all__ = ["webhook"]


class HttpRequest(Protocol):
    """What is needed of Django's, which has no types of its own."""

    @property
    def method(self) -> str | None: ...

    @property
    def body(self) -> bytes: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


def webhook(
    secret: Secrets, *, tolerance: int = DEFAULT_TOLERANCE
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A view is called with the request, the event, and what its path holds; async views too.

    Anything but a POST is answered 405; what is not genuine is answered 401 and never reaches the view.
    """

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def receive(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            event = _event(request, secret, tolerance)
            return view(request, event, *args, **kwargs) if isinstance(event, WebhookEvent) else event

        @wraps(view)
        async def receive_async(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            event = _event(request, secret, tolerance)
            return await view(request, event, *args, **kwargs) if isinstance(event, WebhookEvent) else event

        made: Callable[..., Any] = receive_async if iscoroutinefunction(view) else receive
        vars(made)["csrf_exempt"] = True
        return made

    return decorate


def _event(request: HttpRequest, secret: Secrets, tolerance: int) -> Any:
    """The event, or a response where there is none."""
    http = import_module("django.http")
    if request.method != "POST":
        return http.HttpResponseNotAllowed(["POST"])
    try:
        return verified(request.body, request.headers, secret, tolerance)
    except WebhookVerificationError as error:
        return http.HttpResponse(refusal(error), status=STATUS, content_type=MEDIA_TYPE)
