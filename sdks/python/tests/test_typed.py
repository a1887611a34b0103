"""What type checkers know of results and arguments: these lines are checked by mypy and pyright, and run."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

from typing_extensions import assert_type

import junction_sdk as sdk
from junction_sdk import types, webhooks
from junction_sdk.testing import MockTransport, example


def test_results_are_typed() -> None:
    junction = MockTransport().client()
    fired = junction.events.fire("order.created", {"order": {"total": 1}})
    assert_type(fired, types.FiredEvent)
    assert_type(fired.occurred_at, datetime)
    assert_type(fired.deliveries, tuple[types.DeliveryRef, ...])
    assert_type(junction.deliveries.list(state="failed"), sdk.Page[types.Delivery])
    for delivery in junction.deliveries.list():
        assert_type(delivery, types.Delivery)
        assert_type(delivery.last_status_code, int | None)
    at = datetime.fromisoformat("2026-11-21T13:00:00+00:00")
    replayed = junction.webhook_endpoints.replay_failed("ep_1", since=at, until="2026-11-21T14:00:00Z")
    assert_type(replayed, types.ReplayCount | types.ReplayJob)
    assert_type(junction.webhook_endpoints.secret.get("ep_1"), types.SigningSecret)
    assert_type(junction.webhook_endpoints.delete("ep_1"), sdk.HttpInfo)
    assert_type(junction.request("GET", "/v1/me").data, Any)
    assert_type(example(types.Delivery), types.Delivery)


def test_the_outcomes_of_an_action_are_told_apart() -> None:
    run = MockTransport().client().actions.run("billing.refund")
    if sdk.is_pending(run):
        assert_type(run, sdk.PendingConfirmation)
        assert_type(run.proposal, types.Proposal)
    if sdk.is_executed(run):
        assert_type(run.id, str)


def test_async_results_are_typed() -> None:
    async def main() -> None:
        junction = MockTransport().async_client()
        assert_type(await junction.events.fire("my.own", {}), types.FiredEvent)
        assert_type(await junction.deliveries.list(), sdk.AsyncPage[types.Delivery])
        async for delivery in junction.deliveries.list():
            assert_type(delivery, types.Delivery)

    asyncio.run(main())


def test_what_is_sent_is_typed() -> None:
    junction = MockTransport().client()
    data: types.OrderCreatedData = {"order": {"external_id": "1"}}
    junction.events.fire("order.created", data)
    event: types.NewEvent = {"event": "order.paid", "data": data}
    junction.events.batch([event, {"event": "my.own", "data": {}, "subject": "a"}])
    junction.webhook_endpoints.update("ep_1", rate_limit_per_second=None, events=["order.created", "my.own", "*"])
    junction.me.get(options={"timeout": 1, "max_retries": 0})


def test_webhook_events_are_typed() -> None:
    signed = webhooks.sign({}, "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    event = webhooks.verify(signed.body, signed.headers, ["whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="])
    assert_type(event, webhooks.WebhookEvent)
    name: str = event.event
    assert name == "order.created"
