"""No API key and no secret is where people look: reprs, pickles, exceptions with all their frames, logs."""

from __future__ import annotations

import asyncio
import copy
import gc
import io
import logging
import pickle
import pprint
import traceback
from typing import Any

import httpx2
import pytest
from conftest import MockServer
from test_scenarios import KEY

import junction_sdk as sdk
from junction_sdk import testing, types, webhooks
from junction_sdk._config import Settings
from junction_sdk.generated.examples import EXAMPLES

SECRET = "whsec_c2VjcmV0IHRoYXQgbXVzdCBub3QgYmUgc2Vlbg=="
HALF = KEY[8:40]


def shown(value: object) -> str:
    return f"{value!r} {value} {value:}" if type(value).__format__ is object.__format__ else f"{value!r} {value}"


def everything(error: BaseException) -> str:
    """What an error tracker sends: the chain, with each frame's variables, and the errors' own."""
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    seen: BaseException | None = error
    while seen is not None:
        told += f"{seen!r} {vars(seen)!r} {seen.args!r}"
        seen = seen.__cause__ or seen.__context__
    return told


@pytest.mark.parametrize("kind", [sdk.Junction, sdk.AsyncJunction])
def test_a_client_shows_its_address_and_no_key(kind: type[sdk.Junction] | type[sdk.AsyncJunction]) -> None:
    client = kind(KEY, signing_secret=SECRET)
    for value in (client, client.events, client.webhook_endpoints.secret):
        assert HALF not in shown(value) and SECRET not in shown(value)
    assert repr(client) == f"{kind.__name__}(base_url='http://127.0.0.1:4000')"
    # Whatever hangs on it, however deep: slots, configs, connection pools.
    for found in reachable(client):
        if not isinstance(found, str):
            assert HALF not in safe_repr(found) and SECRET not in safe_repr(found), type(found)


def reachable(root: object) -> list[object]:
    found: dict[int, object] = {}
    waiting: list[object] = [root]
    while waiting:
        one = waiting.pop()
        if id(one) in found or isinstance(one, (type, type(gc))) or callable(one):
            continue
        found[id(one)] = one
        waiting += gc.get_referents(one)
    return list(found.values())


def safe_repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # some objects of a pool have no repr yet
        return ""


@pytest.mark.parametrize("kind", [sdk.Junction, sdk.AsyncJunction])
@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_client_is_not_pickled_or_copied(kind: type[Any], take: Any) -> None:
    with pytest.raises(TypeError, match="API key") as refused:
        take(kind(KEY))
    assert HALF not in everything(refused.value)


def test_settings_and_secrets_show_nothing() -> None:
    settings = Settings(api_key=KEY, signing_secret=SECRET)
    assert KEY not in repr(settings) and SECRET not in repr(settings)


FAILURES: dict[str, dict[str, Any]] = {
    "refused": {"answers": [{"status": 401, "json": {"code": "key_invalid", "detail": "No."}}]},
    "reset": {"answers": [{"reset": "before"}]},
    "reset in body": {"answers": [{"json": {"id": "x"}, "reset": "body"}]},
    "timeout": {"answers": [{"hang": True}]},
    "unreadable": {"answers": [{"text": "<html>"}]},
    "redirect": {"answers": [{"status": 302, "headers": {"location": "http://example.com/"}}]},
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_no_error_shows_a_key_in_any_frame(
    name: str, kind: str, mock: MockServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUNCTION_SIGNING_SECRET", SECRET)
    logs = io.StringIO()
    handler = logging.StreamHandler(logs)
    logging.getLogger().addHandler(handler)
    caplog.set_level(logging.DEBUG)
    options: dict[str, Any] = {"base_url": mock.run(FAILURES[name]).base_url, "max_retries": 0, "timeout": 0.5}
    try:
        with pytest.raises(sdk.ServiceError) as raised:
            if kind == "sync":
                fire(options)
            else:
                asyncio.run(fire_async(options))
    finally:
        logging.getLogger().removeHandler(handler)
    told = everything(raised.value)
    assert HALF not in told and SECRET not in told
    assert HALF not in logs.getvalue() and SECRET not in logs.getvalue()
    assert "POST" in logs.getvalue(), "the logs of the HTTP client were not looked at"


def fire(options: dict[str, Any]) -> None:
    with sdk.Junction(KEY, **options) as junction:
        junction.events.fire("order.created", {})


async def fire_async(options: dict[str, Any]) -> None:
    async with sdk.AsyncJunction(KEY, **options) as junction:
        await junction.events.fire("order.created", {})


def test_an_unreachable_service_is_an_error_without_a_key() -> None:
    with (
        pytest.raises(sdk.ServiceConnectionError) as raised,
        sdk.Junction(KEY, base_url="http://127.0.0.1:9", max_retries=0) as junction,
    ):
        junction.me.get()
    assert HALF not in everything(raised.value)


@pytest.mark.parametrize("bad", [KEY[:-1] + "x", "sk_live_" + HALF, "  " + KEY])
def test_a_malformed_key_is_refused_without_being_shown(bad: str) -> None:
    with pytest.raises(sdk.ConfigurationError) as refused:
        sdk.Junction(bad)
    assert HALF not in str(refused.value) and HALF not in repr(refused.value)


def test_errors_are_pickled_with_all_they_tell() -> None:
    mock = testing.MockTransport()
    mock.add(
        "GET", "/v1/me", json={"code": "rate_limited", "detail": "Wait."}, status=429, headers={"Retry-After": "61"}
    )
    with pytest.raises(sdk.RateLimitError) as raised:
        mock.client().me.get()
    again: sdk.RateLimitError = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is sdk.RateLimitError
    assert (str(again), again.code, again.status, again.retry_after) == (str(raised.value), "rate_limited", 429, 61.0)
    assert (again.problem, again.headers["retry-after"]) == ({"code": "rate_limited", "detail": "Wait."}, "61")


# The `secret` of a sender says who chooses it, and is none itself.
@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - {"Sender"}))
def test_results_show_no_secret_that_they_bring(name: str) -> None:
    cls = getattr(types, name)
    text = "s3cret-" + "x" * 20
    members = {
        member: [text] if member == "recovery_codes" else text
        for _, member, _ in cls.MEMBERS
        if member in ("secret", "previous_secret", "signing_secret", "token", "csrf_token", "api_key", "sandbox_key")
        or member == "recovery_codes"
        or (member == "key" and "prefix_hint" in {known for _, known, _ in cls.MEMBERS})
    }
    made = testing.example(cls, **members)
    assert text not in repr(made) and text not in str(made) and text not in pprint.pformat(made)
    for member in members:
        assert text in getattr(made, member)


def test_there_are_results_that_bring_secrets() -> None:
    made = testing.example(types.WebhookEndpointWithSecret, secret=SECRET)
    assert made.secret == SECRET and SECRET not in repr(made)
    assert "jn_live_x" not in repr(testing.example(types.ApiKeyWithText, key="jn_live_x"))


def test_a_refused_webhook_shows_no_secret() -> None:
    with pytest.raises(sdk.WebhookVerificationError) as refused:
        webhooks.verify(b"{}", {"webhook-id": "d", "webhook-timestamp": "1", "webhook-signature": "v1,x"}, SECRET)
    told = everything(refused.value)
    own_frame = told.count(SECRET)
    assert own_frame == 0
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.reason, str(again)) == (refused.value.reason, str(refused.value))


class FramesThatTell(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """Fails with the request's headers in a variable, as a failed write of a real connection does."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raw = list(request.headers.raw)
        raise httpx2.WriteError(f"{len(raw)} headers", request=request)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return self.handle_request(request)


def test_the_frames_of_the_http_client_are_not_kept() -> None:
    with httpx2.Client(transport=FramesThatTell()) as client, pytest.raises(sdk.ServiceConnectionError) as raised:
        sdk.Junction(KEY, http_client=client, max_retries=0).me.get()
    assert isinstance(raised.value.__cause__, httpx2.WriteError)
    assert HALF not in everything(raised.value)

    async def main() -> None:
        async with httpx2.AsyncClient(transport=FramesThatTell()) as client:
            await sdk.AsyncJunction(KEY, http_client=client, max_retries=0).me.get()

    with pytest.raises(sdk.ServiceConnectionError) as raised:
        asyncio.run(main())
    assert HALF not in everything(raised.value)
