"""Mistakes that a type checker has to find, each on the line that says so. It is never run."""

from junction_sdk import AsyncJunction, Junction, webhooks
from junction_sdk.types import OrderCreatedData


def of_calls(junction: Junction) -> None:
    junction.events.fire("order.created")  # mistake: no data
    junction.events.fire("order.created", {}, subjct="a")  # mistake: no such argument
    junction.events.fire(7, {})  # mistake: no name
    junction.deliveries.list(state="faild")  # mistake: no such state
    junction.keys.create(name="no mode")  # mistake: a member is missing
    junction.keys.create(name="a", permission_mode="everything")  # mistake: no such mode
    junction.events.batch([{"event": "a"}])  # mistake: a member is missing
    junction.me.get(options={"timout": 1})  # mistake: no such option
    junction.webhook_endpoints.create(url=None, events=[])  # mistake: null is not allowed
    junction.nothing.get()  # mistake: no such resource


def of_event_data() -> None:
    misspelt: OrderCreatedData = {"order": {"external_idd": "10482"}}  # mistake: no such member, and one is missing
    unknown: OrderCreatedData = {"order": {"external_id": "10482"}, "costumer": {}}  # mistake: no such member
    del misspelt, unknown


def of_results(junction: Junction) -> None:
    fired = junction.events.fire("order.created", {})
    fired.idd  # mistake: no such member
    fired.id = "evt_2"  # mistake: results are frozen
    fired.deliveries.append(fired.deliveries[0])  # mistake: and what they hold


async def of_async(junction: AsyncJunction) -> None:
    (await junction.deliveries.list()).data[0].stat  # mistake: no such member
    for delivery in junction.deliveries.list():  # mistake: only `async for`
        del delivery


def of_webhooks(parsed: dict[str, object], text: str) -> None:
    webhooks.verify(parsed, {}, "whsec_")  # mistake: not bytes
    webhooks.verify(text, {}, "whsec_")  # mistake: not bytes
