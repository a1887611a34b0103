"""Flask: `@webhook(secret)` below `@app.post(...)` gives a view its verified event."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import flask

from ..webhooks import DEFAULT_TOLERANCE, WebhookEvent, WebhookVerificationError
from ._refusal import MEDIA_TYPE, STATUS, Secrets, refusal, verified

__all__ = ["webhook"]

P = ParamSpec("P")
R = TypeVar("R")


def webhook(
    secret: Secrets, *, tolerance: int = DEFAULT_TOLERANCE
) -> Callable[[Callable[Concatenate[WebhookEvent, P], R]], Callable[P, R | flask.Response]]:
    """The view's first argument is the event; what is not genuine is answered 401 and never reaches it."""

    def decorate(view: Callable[Concatenate[WebhookEvent, P], R]) -> Callable[P, R | flask.Response]:
        @wraps(view)
        def receive(*args: P.args, **kwargs: P.kwargs) -> R | flask.Response:
            event = _event(secret, tolerance)
            return event if isinstance(event, flask.Response) else view(event, *args, **kwargs)

        @wraps(view)
        async def receive_async(*args: P.args, **kwargs: P.kwargs) -> Any:
            event = _event(secret, tolerance)
            if isinstance(event, flask.Response):
                return event
            waiting: Any = view(event, *args, **kwargs)
            return await waiting

        return cast("Callable[P, R | flask.Response]", receive_async) if iscoroutinefunction(view) else receive

    return decorate


def _event(secret: Secrets, tolerance: int) -> WebhookEvent | flask.Response:
    try:
        return verified(flask.request.get_data(), dict(flask.request.headers), secret, tolerance)
    except WebhookVerificationError as error:
        return flask.Response(refusal(error), STATUS, mimetype=MEDIA_TYPE)
