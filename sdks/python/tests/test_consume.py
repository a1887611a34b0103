"""The iterators over the messages of pull endpoints, against the real service."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread, Timer
from typing import Any
from urllib.parse import urlsplit

import pytest

import junction_sdk as sdk
from junction_sdk import webhooks

URL = os.environ.get("JUNCTION_SERVICE_URL", "")
KEY = os.environ.get("JUNCTION_SERVICE_KEY", "")
pytestmark = pytest.mark.skipif(URL == "", reason="JUNCTION_SERVICE_URL names no service")


@pytest.fixture
def junction() -> Iterator[sdk.Junction]:
    with sdk.Junction(KEY, base_url=URL) as client:
        yield client


class Way:
    """A way to the service that can be closed for a time, as a restart closes it."""

    def __init__(self) -> None:
        self._is_open = True
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        Thread(target=self._accept, daemon=True).start()

    def cut(self, seconds: float) -> None:
        self._is_open = False
        self._end_all()
        Timer(seconds, self._open).start()

    def close(self) -> None:
        self._listener.close()
        self._end_all()

    def _open(self) -> None:
        self._is_open = True

    def _end_all(self) -> None:
        while self._sockets:
            _end(self._sockets.pop())

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self._is_open:
                client.close()
                continue
            target = urlsplit(URL)
            onward = socket.create_connection((target.hostname, target.port))
            self._sockets |= {client, onward}
            for one, other in ((client, onward), (onward, client)):
                Thread(target=_pump, args=(one, other), daemon=True).start()


def _pump(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    _end(other)


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def way() -> Iterator[Way]:
    made = Way()
    yield made
    made.close()


def _pull_endpoint(junction: sdk.Junction, event: str, count: int) -> dict[str, Any]:
    made = junction.request("POST", "/v1/webhook-endpoints", body={"kind": "pull", "events": [event]})
    for number in range(1, count + 1):
        junction.events.fire(event, {"n": number})
    return dict(made.data)


def test_a_message_is_committed_after_the_body_of_the_loop(junction: sdk.Junction) -> None:
    endpoint = _pull_endpoint(junction, "python.pulled", 3)
    seen: list[int] = []
    with pytest.raises(RuntimeError):
        for message in junction.consume(endpoint["id"], consumer="python", limit=2, once=True):
            event = webhooks.verify((message.body or "").encode(), message.headers, endpoint["secret"])
            seen.append(event.data["n"])
            if len(seen) == 2:
                raise RuntimeError("no")
    seen += [message.offset for message in junction.consume(endpoint["id"], consumer="python", once=True)]
    assert seen == [1, 2, 2, 3]


def test_a_lost_lease_is_pulled_again(junction: sdk.Junction) -> None:
    endpoint = _pull_endpoint(junction, "python.lost", 3)
    seen: list[int] = []
    for message in junction.consume(endpoint["id"], consumer="lost", once=True):
        seen.append(message.offset)
        if len(seen) == 2:
            to = {"consumer": "lost", "to": {"offset": 2}}
            junction.request("POST", f"/v1/webhook-endpoints/{endpoint['id']}/seek", body=to)
    assert seen == [1, 2, 2, 3]


def test_messages_are_consumed_with_asyncio(junction: sdk.Junction) -> None:
    endpoint = _pull_endpoint(junction, "python.pulled-async", 2)

    async def consume() -> list[int]:
        async with sdk.AsyncJunction(KEY, base_url=URL) as client:
            return [message.offset async for message in client.consume(endpoint["id"], consumer="async", once=True)]

    assert asyncio.run(consume()) == [1, 2]


class Outages:
    """Makes the service go away before a commit, and while the next pull waits."""

    def __init__(self, junction: sdk.Junction, way: Way, event: str) -> None:
        self._junction, self._way, self._event = junction, way, event
        self.seen: list[int] = []

    def took(self, offset: int) -> bool:
        """Returns True after the last message, which was fired while the service was away."""
        self.seen.append(offset)
        if len(self.seen) == 2:
            self._way.cut(2)
        if len(self.seen) == 3:
            Timer(0.5, self._way.cut, [2]).start()
            Timer(1, self._fire_two).start()
        return len(self.seen) == 5

    def _fire_two(self) -> None:
        for number in (4, 5):
            self._junction.events.fire(self._event, {"n": number})


def _position(junction: sdk.Junction, endpoint: str) -> int:
    consumers = junction.request("GET", f"/v1/webhook-endpoints/{endpoint}/consumers")
    return int(consumers.data["data"][0]["position"])


def test_consuming_goes_on_after_the_service_was_away(junction: sdk.Junction, way: Way) -> None:
    endpoint = _pull_endpoint(junction, "python.away", 3)["id"]
    outages = Outages(junction, way, "python.away")
    with sdk.Junction(KEY, base_url=way.url) as client:
        for message in client.consume(endpoint, consumer="away"):
            if outages.took(message.offset):
                break
    assert outages.seen == [1, 2, 3, 4, 5] and _position(junction, endpoint) == 5


def test_consuming_with_asyncio_goes_on_after_the_service_was_away(junction: sdk.Junction, way: Way) -> None:
    endpoint = _pull_endpoint(junction, "python.away-async", 3)["id"]
    outages = Outages(junction, way, "python.away-async")

    async def consume() -> None:
        async with sdk.AsyncJunction(KEY, base_url=way.url) as client:
            async for message in client.consume(endpoint, consumer="away"):
                if outages.took(message.offset):
                    break

    asyncio.run(consume())
    assert outages.seen == [1, 2, 3, 4, 5] and _position(junction, endpoint) == 5


def test_a_lost_lease_is_pulled_again_with_asyncio(junction: sdk.Junction) -> None:
    endpoint = _pull_endpoint(junction, "python.lost-async", 3)["id"]
    seen: list[int] = []

    async def consume() -> None:
        async with sdk.AsyncJunction(KEY, base_url=URL) as client:
            async for message in client.consume(endpoint, consumer="lost", once=True):
                seen.append(message.offset)
                if len(seen) == 2:
                    to = {"consumer": "lost", "to": {"offset": 2}}
                    await client.request("POST", f"/v1/webhook-endpoints/{endpoint}/seek", body=to)

    asyncio.run(consume())
    assert seen == [1, 2, 2, 3]
