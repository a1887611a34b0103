"""Against the real service, which the run that started us names in the environment."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, TypeVar

import pytest

import junction_sdk as sdk
from junction_sdk import types, webhooks
from junction_sdk._model import Model

URL = os.environ.get("JUNCTION_SERVICE_URL", "")
KEY = os.environ.get("JUNCTION_SERVICE_KEY", "")
pytestmark = pytest.mark.skipif(URL == "", reason="JUNCTION_SERVICE_URL names no service")

T = TypeVar("T")


@dataclass
class Receiver:
    """A webhook endpoint of ours, which keeps what it gets."""

    url: str = ""
    status: int = 200
    answer: bytes = b""
    got: list[tuple[bytes, dict[str, str]]] = field(default_factory=list[tuple[bytes, dict[str, str]]])


@pytest.fixture
def junction() -> Iterator[sdk.Junction]:
    with sdk.Junction(KEY, base_url=URL) as client:
        yield client


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            made.got.append((body, dict(self.headers.items())))
            self.send_response(made.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(made.answer)))
            self.end_headers()
            self.wfile.write(made.answer)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the test tells."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    Thread(target=server.serve_forever, daemon=True).start()
    yield made
    server.shutdown()
    server.server_close()


def until(look: Callable[[], T | None]) -> T:
    """What it finds, once it does; the bound only ends a test that hangs."""
    ends_at = time.monotonic() + 25
    while time.monotonic() < ends_at:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come")


def test_events_fire_is_signed_typed_and_happens_once(junction: sdk.Junction) -> None:
    data = {"order": {"external_id": "10482", "note": "é😀", "big": 12345678901234567890}}
    options: sdk.CallOptions = {"idempotency_key": f"order-{time.time_ns()}"}
    fired = junction.events.fire("order.created", data, subject="order:10482", options=options)
    assert (fired.event, fired.canonical, fired.status) == ("order.created", True, "accepted")
    assert isinstance(fired.occurred_at, datetime) and fired.http is not None and fired.extra == {}
    assert fired.http.headers["x-service-signature-scheme"] == "v1" and not fired.http.replayed
    assert fired.http.idempotency_key == options.get("idempotency_key") == fired.http.headers["idempotency-key"]
    again = junction.events.fire("order.created", data, subject="order:10482", options=options)
    assert again.id == fired.id and again.http is not None and again.http.replayed
    shown = junction.events.get(fired.id)
    assert shown.data == data and shown.extra == {}
    with pytest.raises(sdk.IdempotencyError) as reused:
        junction.events.fire("order.paid", data, options=options)
    assert reused.value.code == "idempotency_key_reused"


def test_a_delivery_is_verified_and_a_failed_one_replayed(junction: sdk.Junction, receiver: Receiver) -> None:
    endpoint = junction.webhook_endpoints.create(url=receiver.url, events=["order.shipped"], headers={"X-Mine": "1"})
    try:
        fired = junction.events.fire("order.shipped", {"order": {"note": "é😀", "total": 10.5}})
        body, headers = until(lambda: receiver.got[0] if receiver.got else None)
        event = webhooks.verify(body, headers, endpoint.secret)
        assert (event.id, event.event, event.environment) == (fired.id, "order.shipped", "live")
        assert event.data == {"order": {"note": "é😀", "total": 10.5}} and headers["X-Mine"] == "1"
        assert event.delivery_id == fired.deliveries[0].id
        with pytest.raises(sdk.WebhookVerificationError):
            webhooks.verify(body + b" ", headers, endpoint.secret)
        until(lambda: junction.deliveries.get(event.delivery_id).state == "delivered")
        junction.deliveries.replay(event.delivery_id)
        again, _ = until(lambda: receiver.got[1] if len(receiver.got) > 1 else None)
        assert again == body
        regenerated = junction.webhook_endpoints.secret.regenerate(endpoint.id, overlap_seconds=600)
        assert regenerated.secret is not None and regenerated.secret != endpoint.secret
        junction.events.fire("order.shipped", {})
        body, headers = until(lambda: receiver.got[2] if len(receiver.got) > 2 else None)
        for secret in (endpoint.secret, regenerated.secret):
            assert webhooks.verify(body, headers, secret).event == "order.shipped"
    finally:
        assert junction.webhook_endpoints.delete(endpoint.id).status == 204


def test_what_sign_makes_is_what_the_service_sends(junction: sdk.Junction, receiver: Receiver) -> None:
    tried = junction.webhooks.test(url=receiver.url, event="order.paid", data={"a": 1})
    body, headers = until(lambda: receiver.got[0] if receiver.got else None)
    assert tried.secret is not None and tried.response is not None and tried.response.status == 200
    event = webhooks.verify(body, headers, tried.secret)
    ours = webhooks.sign(event.data, tried.secret, event=event.event, delivery_id=event.delivery_id)
    verified = webhooks.verify(ours.body, ours.headers, tried.secret)
    assert list(verified.raw) == list(event.raw)
    sent = {name.lower() for name in headers}
    assert {name.lower() for name in ours.headers} <= sent


def test_lists_go_through_all_pages(junction: sdk.Junction) -> None:
    subject = f"subject-{time.time_ns()}"
    events = [{"event": "page.turned", "data": {"n": n}, "subject": subject} for n in range(7)]
    fired = junction.request("POST", "/v1/events/batch", body={"events": events})
    ids = [one["id"] for one in fired.data["data"]]
    page = junction.events.list(subject=subject, limit=3)
    assert len(page.data) == 3 and page.has_more
    assert sorted(event.id for event in page) == sorted(ids)
    soon = datetime.now(timezone.utc) + timedelta(minutes=5)
    assert not junction.events.list(subject=subject, created_after=soon).data

    async def main() -> list[str]:
        async with sdk.AsyncJunction(KEY, base_url=URL) as client:
            return [event.id async for event in client.events.list(subject=subject, limit=2)]

    assert sorted(asyncio.run(main())) == sorted(ids)


def test_errors_are_of_their_class(junction: sdk.Junction) -> None:
    own = junction.me.get()
    tag = own.key.id[4:12] if own.key is not None else ""
    with pytest.raises(sdk.ValidationError) as invalid:
        junction.events.fire("..", {})
    assert invalid.value.errors[0].pointer == "/event" and invalid.value.request_id
    with pytest.raises(sdk.NotFoundError):
        junction.events.get(f"evt_{tag}01m7w4q17jeay9df1b7sqp908g")
    with pytest.raises(sdk.PermissionDeniedError) as foreign:
        junction.events.get("evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g")
    assert foreign.value.code == "workspace_mismatch"
    with pytest.raises(sdk.ValidationError) as blocked:
        junction.webhook_endpoints.create(url="http://example.com", events=["*"])
    assert blocked.value.code == "url_blocked" and "reason" in blocked.value.problem
    with pytest.raises(sdk.AuthenticationError), sdk.Junction(sdk_test_key(), base_url=URL) as stranger:
        stranger.me.get()


def sdk_test_key() -> str:
    from junction_sdk.testing import API_KEY

    return API_KEY


def test_keys_with_a_signing_secret_sign_with_it(junction: sdk.Junction) -> None:
    made = junction.keys.create(name="signed", permission_mode="all", signing_secret=True, require_signature=True)
    assert made.signing_secret is not None
    with sdk.Junction(made.key, base_url=URL, signing_secret=made.signing_secret) as signing:
        assert signing.me.get().key is not None
    with sdk.Junction(made.key, base_url=URL) as wrong, pytest.raises(sdk.AuthenticationError) as refused:
        wrong.me.get()
    assert refused.value.code == "signature_invalid"
    with sdk.Junction(key_id=made.id, signing_secret=made.signing_secret, base_url=URL) as keyless:
        assert keyless.events.fire("order.created", {"ключ": "é"}).status == "accepted"
    with (
        sdk.Junction(made.key, base_url=URL, sign=False) as unsigned,
        pytest.raises(sdk.AuthenticationError) as refused,
    ):
        unsigned.me.get()
    assert refused.value.code == "signature_required"
    junction.keys.revoke(made.id)
    client = sdk.Junction(made.key, base_url=URL, signing_secret=made.signing_secret)
    with client as signing, pytest.raises(sdk.AuthenticationError) as refused:
        signing.me.get()
    assert refused.value.code == "key_revoked"


def test_actions_are_run_and_those_that_need_a_person_wait(junction: sdk.Junction, receiver: Receiver) -> None:
    receiver.answer = b'{"done": true}'
    name = f"sdk.n{time.time_ns()}"
    for key, requires_confirmation in ((f"{name}.note", False), (f"{name}.ask", True)):
        junction.action_contracts.create(
            key=key,
            label="Write a note",
            surface=["api", "console"],
            roles=["owner"],
            requires_confirmation=requires_confirmation,
            audit=True,
            params={"text": {"type": "string", "required": True, "max": 100}},
            endpoint=receiver.url,
        )
    ran = junction.actions.run(f"{name}.note", {"text": "é"})
    assert sdk.is_executed(ran) and ran.id.startswith("run_") and ran.result == {"done": True}
    waits = junction.actions.run(f"{name}.ask", {"text": "é"}, prompt="Write that down")
    assert sdk.is_pending(waits) and len(receiver.got) == 1
    approved = junction.proposals.approve(waits.proposal.id, params_hash=waits.proposal.params_hash)
    assert approved.extra == {} and until(lambda: len(receiver.got) == 2)
    rows = [row for row in junction.audit.list() if row.action in (f"{name}.note", f"{name}.ask")]
    assert rows and all(row.extra == {} for row in rows) and junction.audit.verify().ok
    assert junction.audit.export().startswith("seq,")
    with pytest.raises(sdk.ValidationError) as invalid:
        junction.actions.run(f"{name}.note", {"text": 7})
    assert invalid.value.errors[0].pointer == "/parameters/text"
    with pytest.raises(sdk.NotFoundError) as unknown:
        junction.actions.run(f"{name}.nothing")
    assert unknown.value.code == "action_unknown"


class WrongClock:
    """Two hours behind."""

    def now(self) -> float:
        return time.time() - 7200

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def random(self) -> float:
        return 0.0

    async def sleep_async(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def test_a_wrong_clock_is_corrected_by_the_service() -> None:
    with sdk.Junction(KEY, base_url=URL, clock=WrongClock()) as client:
        first, second = client.me.get(), client.me.get()
    assert first.http is not None and second.http is not None
    assert (first.http.attempts, second.http.attempts) == (2, 1)


READS: list[str] = [
    "contacts.list", "customers.list", "deliveries.list", "event_types.list", "events.list", "inbound_endpoints.list",
    "inbound_presets.list", "inbound_receipts.list", "keys.list", "me.get", "members.list", "members.invitations.list",
    "roles.list", "rules.list", "tickets.list", "webhook_endpoints.list", "workflows.list", "workspaces.get",
]  # fmt: skip


@pytest.mark.parametrize("operation", READS)
def test_what_the_service_answers_has_no_member_that_the_sdk_does_not_know(
    operation: str, junction: sdk.Junction
) -> None:
    found: Any = junction
    for part in operation.split("."):
        found = getattr(found, part)
    answer = found()
    results: list[Model] = list(answer.data) if hasattr(answer, "has_more") else [answer]
    for result in results:
        assert result.extra == {}
        for attribute, _, read in result.MEMBERS:
            assert read is None or not isinstance(getattr(result, attribute), (dict, list)), attribute


def test_a_rule_is_made_and_shown_with_its_condition(junction: sdk.Junction) -> None:
    when: types.RuleConditionParam = {"all": [{"field": "data.total", "op": "gte", "value": 100}]}
    made = junction.rules.create(
        name="Big orders", on=["order.created"], when=when, then=[{"type": "add_tag", "tag": "big"}]
    )
    shown = junction.rules.get(made.id)
    assert shown.when.all == ({"field": "data.total", "op": "gte", "value": 100},)
    assert [action.raw for action in shown.then] == [{"type": "add_tag", "tag": "big"}]
    junction.rules.delete(made.id)
