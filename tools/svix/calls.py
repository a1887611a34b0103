"""Makes every call of the library of Svix that Junction serves, and prints what it got as JSON. Only the address and the token are Junction's."""

import datetime
import json
import os
import sys
import time
from typing import Any

from svix.api import (
    AppPortalAccessIn,
    ApplicationIn,
    ApplicationListOptions,
    ApplicationPatch,
    EndpointHeadersIn,
    EndpointHeadersPatchIn,
    EndpointIn,
    EndpointListOptions,
    EndpointPatch,
    EndpointSecretRotateIn,
    EventTypeIn,
    EventTypeListOptions,
    EventTypePatch,
    MessageAttemptListByEndpointOptions,
    MessageCreateOptions,
    MessageIn,
    MessageListOptions,
    RecoverIn,
    ReplayIn,
    Svix,
    SvixOptions,
)

try:  # the generations have different names for two bodies
    from svix.api import EndpointUpsertIn as EndpointUpdate
    from svix.api import EventTypeUpsertIn as EventTypeUpdate
except ImportError:
    from svix.api import EndpointUpdate, EventTypeUpdate
from svix.webhooks import Webhook

if sys.argv[1] == "verify":
    secret, body, headers = sys.argv[2:5]
    Webhook(secret).verify(body, json.loads(headers))
    sys.exit(0)
url, token, limited, receiver = sys.argv[1:5]
svix = Svix(token, SvixOptions(server_url=url))
seen: dict[str, Any] = {}


def plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if hasattr(value, "model_dump_json"):
        return json.loads(value.model_dump_json(by_alias=True))
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


def note(name: str, value: Any) -> Any:
    seen[name] = plain(value)
    return value


def until(read: Any, wanted: Any) -> Any:
    for _ in range(300):
        got = read()
        if wanted(got):
            return got
        time.sleep(0.1)
    raise SystemExit("a state did not come")


def put(of: Any, *given: Any) -> Any:
    """The second generation calls the PUT of an object `upsert`."""
    return (of.upsert if hasattr(of, "upsert") else of.update)(*given)


def types(**kwargs: Any) -> dict[str, Any]:
    """The first generation calls the event types of an endpoint `filter_types`."""
    fields = EndpointIn.model_fields
    return {("event_types" if "event_types" in fields else "filter_types"): kwargs["names"]}


svix.health.get()
name = f"py.{os.getpid()}.paid"
note("type", svix.event_type.create(EventTypeIn(name=name, description="Paid", schemas={"1": {"type": "object"}})))
note("type.get", svix.event_type.get(name))
note("type.update", put(svix.event_type, name, EventTypeUpdate(description="Is paid")))
note("type.patch", svix.event_type.patch(name, EventTypePatch(deprecated=True, group_name="billing")))
note("types", svix.event_type.list(EventTypeListOptions(limit=250)))

app = note("app", svix.application.create(ApplicationIn(name="Acme", uid=f"acme-{os.getpid()}", metadata={"plan": "pro"})))
note("app.get", svix.application.get(app.uid))
note("app.get_or_create", svix.application.get_or_create(ApplicationIn(name="Acme", uid=app.uid)))
note("app.update", put(svix.application, app.id, ApplicationIn(name="Acme, Inc.", uid=app.uid)))
note("app.patch", svix.application.patch(app.id, ApplicationPatch(metadata={"plan": "max"})))
other = note("other", svix.application.create(ApplicationIn(name="Other")))
page = note("apps.next", svix.application.list(ApplicationListOptions(limit=1, iterator=app.id)))
note("apps.back", svix.application.list(ApplicationListOptions(iterator=page.prev_iterator)))
svix.application.delete(other.id)

endpoint = note(
    "endpoint",
    svix.endpoint.create(
        app.id, EndpointIn(url=receiver, uid="main", channels=None, metadata={"a": "b"}, **types(names=[name]))
    ),
)
note("endpoint.get", svix.endpoint.get(app.id, "main"))
note("endpoint.update", put(svix.endpoint, app.id, "main", EndpointUpdate(url=receiver, uid="main", description="Hook")))
note("endpoint.patch", svix.endpoint.patch(app.id, "main", EndpointPatch(description="The hook")))
note("endpoints", svix.endpoint.list(app.id, EndpointListOptions(limit=1)))
note("secret", svix.endpoint.get_secret(app.id, "main"))
(getattr(svix.endpoint, "set_headers", None) or svix.endpoint.update_headers)(app.id, "main", EndpointHeadersIn(headers={"X-A": "1", "X-B": "2"}))
svix.endpoint.patch_headers(app.id, "main", EndpointHeadersPatchIn(headers={"X-C": "3"}, delete_headers=["X-B"]))
note("headers", svix.endpoint.get_headers(app.id, "main"))

payload = {"n": 1, "text": "<ü & 😀>"}
in_ = MessageIn(event_type=name, event_id="inv-1", payload=payload, channels=["eu"], tags=["blue"])
options = MessageCreateOptions(idempotency_key=f"py-{os.getpid()}")
message = note("message", svix.message.create(app.id, in_, options))
note("message.again", svix.message.create(app.id, in_, options))
note("message.get", svix.message.get(app.id, "inv-1"))
note("messages", svix.message.list(app.id, MessageListOptions(limit=10, channel="eu")))
attempts = until(
    lambda: svix.message_attempt.list_by_msg(app.id, message.id), lambda got: any(one.status == 0 for one in got.data)
)
note("attempts.msg", attempts)
note("attempt", svix.message_attempt.get(app.id, message.id, attempts.data[0].id))
note("attempts.endpoint", svix.message_attempt.list_by_endpoint(app.id, "main", MessageAttemptListByEndpointOptions(limit=5)))
note("endpoint.messages", svix.message_attempt.list_attempted_messages(app.id, "main"))
note("message.endpoints", svix.message_attempt.list_attempted_destinations(app.id, message.id))
svix.message_attempt.resend(app.id, message.id, "main")

since = datetime.datetime.now(tz=datetime.timezone.utc) - datetime.timedelta(hours=1)
task = note("recover", svix.endpoint.recover(app.id, "main", RecoverIn(since=since)))
note("task", svix.background_task.get(task.id))
note("replay", svix.endpoint.replay_missing(app.id, "main", ReplayIn(since=since)))
svix.endpoint.rotate_secret(app.id, "main", EndpointSecretRotateIn())
note("secret.rotated", svix.endpoint.get_secret(app.id, "main"))
access = note("access", svix.authentication.app_portal_access(app.id, AppPortalAccessIn()))
portal = Svix(access.token, SvixOptions(server_url=url))
note("portal.endpoints", portal.endpoint.list(app.id))
portal.authentication.logout()

for what, call in {
    "not_found": lambda: svix.application.get("nobody"),
    "conflict": lambda: svix.application.create(ApplicationIn(name="x", uid=app.uid)),
    "invalid": lambda: svix.endpoint.create(app.id, EndpointIn(url="nonsense")),
    "unauthorized": lambda: portal.endpoint.list(app.id),
    "not_supported": lambda: svix.statistics.aggregate_event_types(),
    "limited": lambda: Svix(limited, SvixOptions(server_url=url)).application.list(),
}.items():
    try:
        call()
        raise SystemExit(f"{what} was not refused")
    except Exception as error:  # noqa: BLE001
        seen[f"error.{what}"] = {
            "kind": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "body": {"code": getattr(error, "code", None), "detail": plain(getattr(error, "detail", None))},
        }

svix.endpoint.delete(app.id, "main")
svix.event_type.delete(name)
svix.application.delete(app.id)
print(json.dumps(seen))
