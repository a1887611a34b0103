"""FastAPI: `event: Annotated[WebhookEvent, Depends(webhook(secret))]` gives an endpoint its verified event."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from fastapi import HTTPException, Request

from ..webhooks import DEFAULT_TOLERANCE, WebhookEvent, WebhookVerificationError
from ._refusal import STATUS, Secrets, refusal, verified

__all__ = ["webhook"]


def webhook(secret: Secrets, *, tolerance: int = DEFAULT_TOLERANCE) -> Callable[[Request], Awaitable[WebhookEvent]]:
    """A dependency. What is not genuine is answered 401 and never reaches the endpoint."""

    async def receive(request: Request) -> WebhookEvent:
        try:
            return verified(await request.body(), request.headers, secret, tolerance)
        except WebhookVerificationError as error:
            raise HTTPException(STATUS, json.loads(refusal(error))) from None

    return receive
