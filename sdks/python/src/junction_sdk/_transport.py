"""The default transports of a client: httpx2, or httpx if httpx2 is not installed."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING

import anyio

from ._http import Headers, Request, Response, TransportFailure

if TYPE_CHECKING:
    import httpx2 as httpx
else:
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx


class HttpTransport:
    """Sends attempts over a connection pool. Never follows a redirect, which could send the key to another host."""

    __slots__ = ("_client", "_owns_client")

    def __init__(self, client: httpx.Client | None = None, *, trust_env: bool = True) -> None:
        self._owns_client = client is None
        self._client = client if client is not None else httpx.Client(trust_env=trust_env)

    def send(self, request: Request) -> Response | TransportFailure:
        ends_at = time.monotonic() + request.timeout
        try:
            made = self._client.build_request(
                request.method,
                request.url,
                headers=request.headers,
                content=request.content or None,
                timeout=request.timeout,
            )
            answer = self._client.send(made, stream=True, follow_redirects=False)
            try:
                chunks: list[bytes] = []
                for chunk in answer.iter_bytes():
                    chunks.append(chunk)
                    if time.monotonic() > ends_at:
                        return _timeout(request)
            finally:
                answer.close()
        except httpx.HTTPError as error:
            return _failure(request, error)
        return _response(answer, b"".join(chunks))

    def close(self) -> None:
        if self._owns_client:
            self._client.close()


class AsyncHttpTransport:
    """Sends attempts over a connection pool, with asyncio or trio. Never follows a redirect, like `HttpTransport`."""

    __slots__ = ("_client", "_owns_client")

    def __init__(self, client: httpx.AsyncClient | None = None, *, trust_env: bool = True) -> None:
        self._owns_client = client is None
        self._client = client if client is not None else httpx.AsyncClient(trust_env=trust_env)

    async def send_async(self, request: Request) -> Response | TransportFailure:
        try:
            with anyio.fail_after(request.timeout):
                return await self._send(request)
        except httpx.HTTPError as error:
            return _failure(request, error)
        except TimeoutError:
            return _timeout(request)

    async def _send(self, request: Request) -> Response:
        made = self._client.build_request(
            request.method,
            request.url,
            headers=request.headers,
            content=request.content or None,
            timeout=request.timeout,
        )
        answer = await self._client.send(made, stream=True, follow_redirects=False)
        try:
            content = await answer.aread()
        finally:
            await answer.aclose()
        return _response(answer, content)

    async def aclose(self) -> None:
        if self._owns_client:
            await self._client.aclose()


def _response(answer: httpx.Response, content: bytes) -> Response:
    return Response(answer.status_code, Headers(answer.headers.multi_items()), content)


def _timeout(request: Request) -> TransportFailure:
    return TransportFailure("timeout", "timeout", _late(request))


def _failure(request: Request, error: httpx.HTTPError) -> TransportFailure:
    for seen in _causes(error):
        seen.with_traceback(None)
    if isinstance(error, httpx.TimeoutException):
        return TransportFailure("timeout", "timeout", _late(request), error)
    reason = str(error) or type(error).__name__
    return TransportFailure("connection", "connection_failed", f"No response from the service: {reason}", error)


def _late(request: Request) -> str:
    return f"No response within {request.timeout:.3g} s."


def _causes(error: BaseException) -> Generator[BaseException]:
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        found = waiting.pop()
        if found is not None and id(found) not in seen:
            seen.add(id(found))
            waiting += [found.__cause__, found.__context__]
            yield found
