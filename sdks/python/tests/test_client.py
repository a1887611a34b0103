"""What a client does with its arguments, before and after it calls."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import typing
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

import httpx2
import pytest
from conftest import MockServer
from test_scenarios import KEY

import junction_sdk as sdk
from junction_sdk import testing, types
from junction_sdk._config import Settings, read_config

AT = datetime(2026, 11, 21, 15, 0, tzinfo=timezone(timedelta(hours=2)))


def test_a_client_takes_what_it_is_not_told_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUNCTION_API_KEY", f"{KEY}\n")
    monkeypatch.setenv("JUNCTION_BASE_URL", "https://junction.example.com/hooks/")
    monkeypatch.setenv("JUNCTION_SIGNING_SECRET", "whsec_x")
    assert repr(sdk.Junction()) == "Junction(base_url='https://junction.example.com/hooks')"
    config = read_config(Settings())
    proof = config.proof
    assert proof.signing_secret is not None
    assert (proof.value.reveal(), proof.signing_secret.reveal()) == (f"Bearer {KEY}", "whsec_x")
    assert (config.origin, config.base_path) == ("https://junction.example.com/hooks", "/hooks")


def test_without_a_key_there_is_no_client() -> None:
    with pytest.raises(sdk.ConfigurationError, match="JUNCTION_API_KEY"):
        sdk.Junction()


@pytest.mark.parametrize(
    "url",
    [
        "http://junction.example.com",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "http://0.0.0.0:4000",
        "http://10.0.0.1",
        "http://[::2]",
        "ftp://127.0.0.1",
        "127.0.0.1:4000",
        "https://",
        "https://user:word@junction.example.com",
        "https://user@junction.example.com",
        "https://junction.example.com?a=1",
        "https://junction.example.com#a",
        "https://junction.example.com:port",
        "https://junction.example.com/a b",
        "https://junction.example.com/a/../b",
        "https://junction\n.example.com",
        "https://jünction.example.com",
    ],
)
def test_an_address_that_would_show_the_key_or_is_none_is_refused(url: str) -> None:
    with pytest.raises(sdk.ConfigurationError, match="base_url"):
        sdk.Junction(KEY, base_url=url)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:4000", "http://127.9.9.9", "http://localhost:1", "http://[::1]:4", "https://a.example/x"]
)
def test_other_addresses_are_taken(url: str) -> None:
    assert repr(sdk.Junction(KEY, base_url=url)) == f"Junction(base_url='{url}')"


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"timeout": float("nan")}, {"deadline": 0}, {"max_retries": -1}, {"max_retries": 1.5}]
)
def test_numbers_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(sdk.ConfigurationError):
        sdk.Junction(KEY, **options)
    mock = testing.MockTransport()
    with pytest.raises(sdk.ConfigurationError):
        mock.client().me.get(options=typing.cast("sdk.CallOptions", options))
    assert mock.requests == []


def test_an_option_that_is_none_is_refused() -> None:
    mistyped: Any = {"timout": 1}
    with pytest.raises(sdk.ConfigurationError, match="timout"):
        testing.MockTransport().client().me.get(options=mistyped)


def test_a_key_id_with_a_signing_secret_calls_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUNCTION_API_KEY", KEY)
    mock = testing.MockTransport()
    mock.client(api_key=None, key_id="key_1", signing_secret="whsec_x").me.get()
    headers = mock.requests[0].headers
    assert headers["x-service-key"] == "key_1" and "authorization" not in headers and "x-service-signature" in headers
    for options in ({}, {"signing_secret": "whsec_x", "sign": False}):
        with pytest.raises(sdk.ConfigurationError, match="key_id"):
            mock.client(api_key=None, key_id="key_1", **options)


def test_tries_are_logged_without_what_may_be_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "junction_sdk")
    mock = testing.MockTransport()
    mock.add("GET", "/v1/customers", failure="timeout")
    mock.add("GET", "/v1/customers", json={"data": []})
    mock.client().request("GET", "/v1/customers", query={"email": "ada@example.com"})
    assert caplog.messages == [
        "GET /v1/customers, try 1: timeout (request None)",
        "GET /v1/customers, try 2: 200 (request req_test)",
    ]


def test_a_call_may_differ_from_its_client() -> None:
    mock = testing.MockTransport()
    mock.add_error("POST", "/v1/events/fire", "internal_error", 500, retryable=True)
    with pytest.raises(sdk.ServerError) as raised:
        mock.client().events.fire(
            "a.b", {}, options={"max_retries": 0, "idempotency_key": "k", "headers": {"X-A": "1"}}
        )
    assert (raised.value.attempts, raised.value.idempotency_key) == (1, "k")
    assert (mock.requests[0].headers["x-a"], mock.requests[0].headers["idempotency-key"]) == ("1", "k")
    with pytest.raises(sdk.ServerError) as raised:
        mock.client(max_retries=0).events.fire("a.b", {}, options={"max_retries": 4, "deadline": 1000})
    assert raised.value.attempts == 5


def test_waits_and_tries_end_with_the_deadline() -> None:
    mock = testing.MockTransport()
    mock.add("GET", "/v1/me", failure="timeout")
    with pytest.raises(sdk.ServiceTimeoutError):
        mock.client(max_retries=100).me.get(options={"deadline": 20})
    assert sum(mock.clock.waits) < 20 < sum(mock.clock.waits) + 4


@pytest.mark.parametrize("key", ["", "a b", "é", "x" * 256, "a\n"])
def test_an_idempotency_key_that_cannot_be_sent_is_refused(key: str) -> None:
    with pytest.raises(sdk.ConfigurationError, match="idempotency key"):
        testing.MockTransport().client().events.fire("a.b", {}, options={"idempotency_key": key})


@pytest.mark.parametrize("name", ["Authorization", "x-service-signature", "Idempotency-Key", "HOST"])
def test_a_call_cannot_replace_what_signs_it(name: str) -> None:
    with pytest.raises(sdk.ConfigurationError, match=name):
        testing.MockTransport().client().me.get(options={"headers": {name: "x"}})


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_an_id_that_would_be_another_path_is_refused(value: str) -> None:
    mock = testing.MockTransport()
    with pytest.raises(sdk.ConfigurationError, match="id"):
        mock.client().webhook_endpoints.delete(value)
    assert mock.requests == []


@pytest.mark.parametrize("path", ["v1/me", "//evil.example/v1/me", "https://evil.example", "/v1/../livez", "/v1/./me"])
def test_request_calls_no_other_host_and_no_other_path(path: str) -> None:
    with pytest.raises(sdk.ConfigurationError, match="path"):
        testing.MockTransport().client().request("GET", path)


STRANGE = [
    "a/b",
    "a b",
    "ä😀",
    "%2e",
    "a?b#c",
    "a&b=c+d",
    "'\"<>|\\^`{}",
    "\u0000\n",
    "x" * 200,
    "a%20b",
    "~-._",
    ":@!$,;()*",
]


@pytest.mark.parametrize("text", STRANGE)
def test_whatever_stands_in_a_path_or_query_arrives_and_is_signed_as_it_is_on_the_wire(
    text: str, mock: MockServer
) -> None:
    run = mock.run({"answers": [{"json": {"id": "con_1"}}, {"json": {"data": []}}, {"json": {}}]})
    with sdk.Junction(KEY, base_url=run.base_url) as junction:
        junction.customers.get(text)
        list(junction.tickets.list(status=text))
        junction.request("GET", "/v1/tickets", query={"status": text})
    first, second, third = run.seen()
    assert [request["signature"] for request in (first, second, third)] == ["valid"] * 3
    assert unquote(first["path"]) == f"/v1/customers/{text}"
    assert unquote(second["path"]) == f"/v1/tickets?status={text}" == unquote(third["path"])


@pytest.mark.parametrize("text", ["/v1/ä b", "/v1/a%20b?x=1&y=a b", "/v1/a?x='\"<>", "/v1/a;b=c,d:e@f"])
def test_a_free_path_is_signed_as_it_is_on_the_wire(text: str, mock: MockServer) -> None:
    run = mock.run({"answers": [{"json": {}}]})
    with sdk.Junction(KEY, base_url=run.base_url) as junction:
        junction.request("GET", text)
    assert run.seen()[0]["signature"] == "valid"
    assert unquote(run.seen()[0]["path"]) == unquote(text)


def test_request_gives_json_text_or_nothing() -> None:
    mock = testing.MockTransport()
    mock.add("GET", "/json", json={"a": [1]})
    mock.add("GET", "/text", text="a,b")
    mock.add("DELETE", "/none")
    junction = mock.client()
    assert junction.request("get", "/json", query={"b": True, "c": None, "d": [1, 2]}).data == {"a": [1]}
    assert mock.requests[0].query == "b=true&d=1&d=2"
    assert junction.request("GET", "/text").data == "a,b"
    assert junction.request("DELETE", "/none").data is None
    assert mock.requests[2].headers["idempotency-key"]


def test_what_is_left_out_is_not_sent_and_none_is_null() -> None:
    mock = testing.MockTransport()
    junction = mock.client()
    junction.webhook_endpoints.update("ep_1", rate_limit_per_second=None)
    junction.webhook_endpoints.update("ep_1", active=False)
    junction.deliveries.list(created_after=AT, limit=sdk.OMIT)
    assert [request.content for request in mock.requests[:2]] == [
        b'{"rate_limit_per_second":null}',
        b'{"active":false}',
    ]
    assert mock.requests[2].query == "created_after=2026-11-21T13%3A00%3A00Z"
    assert repr(sdk.OMIT) == "OMIT" and not sdk.OMIT


def test_data_is_sent_as_it_is() -> None:
    mock = testing.MockTransport()
    data: dict[str, Any] = {
        "big": 12345678901234567890,
        "text": "é😀\u0000",
        "lone": "\ud800",
        "__proto__": {},
        "at": AT,
        "on": AT.date(),
    }
    mock.client().events.fire("a.b", MappingProxyType({**data, "all": (1, [2], MappingProxyType({"x": 1.5}))}))
    sent = mock.requests[0].json["data"]
    expected: dict[str, Any] = {**data, "at": "2026-11-21T13:00:00Z", "on": "2026-11-21", "all": [1, [2], {"x": 1.5}]}
    assert sent == expected
    mock.client().events.fire("a.b", {"text": "é😀"})
    assert "é😀".encode() in mock.requests[1].content


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), Decimal("1.5"), object(), b"x", datetime(2026, 1, 1)])
def test_data_that_json_cannot_hold_is_refused_before_anything_is_sent(bad: object) -> None:
    mock = testing.MockTransport()
    with pytest.raises((TypeError, ValueError)):
        mock.client().events.fire("a.b", {"x": bad})
    assert mock.requests == []


def test_a_client_of_your_own_is_used_and_not_closed() -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(302, headers={"location": "https://evil.example/"})

    with httpx2.Client(transport=httpx2.MockTransport(answer), follow_redirects=True) as own:
        with (
            pytest.raises(sdk.ServiceConnectionError, match="redirect_refused"),
            sdk.Junction(KEY, base_url="https://junction.example.com", http_client=own) as junction,
        ):
            junction.me.get()
        assert len(seen) == 1 and not own.is_closed


def test_threads_share_a_client(mock: MockServer) -> None:
    run = mock.run({"answers": [{"json": {"id": f"evt_{n}"}} for n in range(24)]})
    found: list[str] = []
    with sdk.Junction(KEY, base_url=run.base_url) as junction:
        threads = [threading.Thread(target=lambda: found.append(junction.events.fire("a.b", {}).id)) for _ in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == sorted(f"evt_{n}" for n in range(24))
    keys = {request["headers"]["idempotency-key"] for request in run.seen()}
    assert len(keys) == 24


def test_tasks_share_a_client_and_one_that_is_cancelled_harms_none(mock: MockServer) -> None:
    run = mock.run({"answers": [{"hang": True}, *({"json": {"id": "evt_1"}} for _ in range(8))]})

    async def main() -> list[str]:
        async with sdk.AsyncJunction(KEY, base_url=run.base_url) as junction:
            hanging = asyncio.create_task(junction.events.fire("a.b", {}))
            while not await asyncio.to_thread(run.seen):
                await asyncio.sleep(0.01)
            hanging.cancel()
            with pytest.raises(asyncio.CancelledError):
                await hanging
            fired = await asyncio.gather(*(junction.events.fire("a.b", {}) for _ in range(8)))
            return [event.id for event in fired]

    assert asyncio.run(main()) == ["evt_1"] * 8
    assert len(run.seen()) == 9


def test_a_drip_of_bytes_does_not_outlast_its_time(mock: MockServer) -> None:
    run = mock.run({"answers": [{"json": {"id": "x" * 2000}, "stall": True}]})
    with (
        sdk.Junction(KEY, base_url=run.base_url, timeout=0.3, max_retries=0) as junction,
        pytest.raises(sdk.ServiceTimeoutError),
    ):
        junction.me.get()


def test_proxies_of_the_environment_see_no_call_to_this_machine(
    mock: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    run = mock.run({"answers": [{"json": {"id": "con_1"}}]})
    with sdk.Junction(KEY, base_url=run.base_url) as junction:
        assert junction.customers.get("con_1").id == "con_1"


def test_pages_are_fetched_one_by_one() -> None:
    mock = testing.MockTransport()
    for cursor in ("c1", None):
        data = [{"id": f"dlv_{cursor}"}]
        mock.add("GET", "/v1/deliveries", json={"data": data, "has_more": cursor is not None, "next_cursor": cursor})
    page = mock.client().deliveries.list(state="failed")
    assert (page.has_more, page.next_cursor, [one.id for one in page.data]) == (True, "c1", ["dlv_c1"])
    following = page.next_page()
    assert following is not None and following.data[0].id == "dlv_None" and following.next_page() is None
    assert mock.requests[1].query == "state=failed&cursor=c1"
    assert "fetch" not in repr(page) and page.http.request_id == "req_test"


def test_an_async_list_is_a_page_when_awaited() -> None:
    async def main() -> list[str]:
        mock = testing.MockTransport()
        mock.add("GET", "/v1/deliveries", json={"data": [{"id": "a"}], "has_more": True, "next_cursor": "c"})
        mock.add("GET", "/v1/deliveries", json={"data": [{"id": "b"}], "has_more": False, "next_cursor": None})
        page = await mock.async_client().deliveries.list()
        following = await page.next_page()
        assert following is not None and await following.next_page() is None
        return [one.id for one in (*page.data, *following.data)]

    assert asyncio.run(main()) == ["a", "b"]


def test_the_names_of_the_52_events_complete_and_others_are_legal() -> None:
    assert "order.created" in str(types.EventName) and "ai.action.approved" in str(types.EventName)
    mock = testing.MockTransport()
    mock.client().events.fire("my.own", {"a": 1})
    assert json.loads(mock.requests[0].content) == {"event": "my.own", "data": {"a": 1}}
