"""What frameworks and hosts call the headers of a request, and what people pass in their place."""

from __future__ import annotations

import email.message
from importlib import import_module
from typing import Any

import flask
import httpx
import pytest
from starlette.datastructures import Headers as StarletteHeaders
from test_frameworks import DATA, OTHER
from werkzeug.datastructures import EnvironHeaders
from werkzeug.datastructures import Headers as WerkzeugHeaders

import junction_sdk as sdk
from junction_sdk import webhooks
from junction_sdk.testing import WEBHOOK_SECRET

# Django has no types of its own.
factories: Any = import_module("django.test")

SIGNED = webhooks.sign(DATA, WEBHOOK_SECRET)
PAIRS = list(SIGNED.headers.items())
RAW = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in PAIRS]
ENVIRON = {"REQUEST_METHOD": "POST", **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in PAIRS}}


def message() -> email.message.Message:
    made = email.message.Message()
    for name, value in PAIRS:
        made[name] = value
    return made


def django_request() -> Any:
    names = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in PAIRS if name != "Content-Type"}
    return factories.RequestFactory().post("/", data=SIGNED.body, content_type="application/json", **names)


def flask_headers() -> Any:
    with flask.Flask("receiver").test_request_context("/", method="POST", data=SIGNED.body, headers=PAIRS):
        return WerkzeugHeaders(flask.request.headers)


class Lookup:
    """Headers that are only found by name, as wrappers of people have them."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._values = {name.lower(): value for name, value in pairs}

    def get(self, name: str) -> str | None:
        return self._values.get(name.lower())


SHAPES: dict[str, Any] = {
    "an object that only has get": Lookup(PAIRS),
    "a dict": SIGNED.headers,
    "a dict of upper-case names": {name.upper(): value for name, value in PAIRS},
    "a dict of lists, as AWS Lambda has it": {name: [value] for name, value in PAIRS},
    "a dict of bytes": {name.encode(): value.encode() for name, value in PAIRS},
    "a dict with a number": {**SIGNED.headers, "webhook-timestamp": int(SIGNED.headers["webhook-timestamp"])},
    "a dict with other things": {**SIGNED.headers, "X-None": None, "X-Object": object(), 7: "x", "X-Flag": True},
    "pairs": PAIRS,
    "pairs that are lists": [list(pair) for pair in PAIRS],
    "an iterator of pairs": iter(PAIRS),
    "pairs of bytes, as ASGI has them": RAW,
    "a WSGI environ": ENVIRON,
    "Werkzeug": WerkzeugHeaders(PAIRS),
    "Werkzeug in a request": EnvironHeaders(ENVIRON),
    "Flask": flask_headers(),
    "Starlette": StarletteHeaders(raw=RAW),
    "Django": django_request().headers,
    "Django's META": django_request().META,
    "httpx": httpx.Headers(PAIRS),
    "an e-mail message, as http.server has it": message(),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_headers_are_found_in_every_shape(shape: str) -> None:
    assert webhooks.verify(SIGNED.body, SHAPES[shape], WEBHOOK_SECRET).data == DATA


def test_a_signature_header_may_come_in_parts() -> None:
    right = SIGNED.headers["webhook-signature"]
    for parts in (["v1,AAAA", right], [right, "v1,AAAA"], [f"v1,AAAA {right}"], [f"v1,AAAA,  {right}"]):
        assert webhooks.verify(SIGNED.body, {**SIGNED.headers, "webhook-signature": parts}, WEBHOOK_SECRET)
        spread = [*PAIRS[:-1], *(("Webhook-Signature", part) for part in parts)]
        assert webhooks.verify(SIGNED.body, spread, WEBHOOK_SECRET)


@pytest.mark.parametrize(
    "headers",
    [
        None,
        "",
        "webhook-id: x",
        b"x",
        7,
        [],
        {},
        [1],
        [("a",)],
        [("a", "b", "c")],
        {"headers": SIGNED.headers},
        object(),
    ],
    ids=repr,
)
def test_what_is_no_headers_is_refused_with_what_to_pass(headers: Any) -> None:
    with pytest.raises(sdk.WebhookVerificationError, match="headers") as refused:
        webhooks.verify(SIGNED.body, headers, WEBHOOK_SECRET)
    assert refused.value.reason == "signature_missing"


@pytest.mark.parametrize(
    ("secret", "reason"),
    [
        (None, "secret_missing"),
        ([], "secret_missing"),
        ((), "secret_missing"),
        ([None], "secret_missing"),
        ([WEBHOOK_SECRET, None], "secret_missing"),
        ("", "secret_invalid"),
        ("whsec_", "secret_invalid"),
        ("whsec_\u00e9", "secret_invalid"),
        ([""], "secret_invalid"),
        (7, "secret_invalid"),
        ({"secret": WEBHOOK_SECRET}, "secret_invalid"),
        (object(), "secret_invalid"),
    ],
)
def test_a_secret_that_is_none_is_named(secret: Any, reason: str) -> None:
    with pytest.raises(sdk.WebhookVerificationError, match="secret") as refused:
        webhooks.verify(SIGNED.body, SIGNED.headers, secret)
    assert refused.value.reason == reason
    assert WEBHOOK_SECRET not in str(refused.value)


def test_a_secret_may_be_bytes_or_in_a_tuple() -> None:
    secrets: list[Any] = [WEBHOOK_SECRET.encode(), (OTHER, WEBHOOK_SECRET)]
    for secret in secrets:
        assert webhooks.verify(SIGNED.body, SIGNED.headers, secret)


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature", "X-Service-Signature"])
@pytest.mark.parametrize(
    "value",
    ["\udc80", "\u00e9", "1" * 5000, "\u0661", "-1", "1.5", " ", "x" * 100_000, b"\xff\xfe", ["", "x"]],
    ids=ascii,
)
def test_a_hostile_header_is_refused_and_nothing_else(name: str, value: Any) -> None:
    headers = {other: one for other, one in PAIRS if other != name}
    with pytest.raises(sdk.WebhookVerificationError):
        webhooks.verify(SIGNED.body, {**headers, name: value}, WEBHOOK_SECRET)


@pytest.mark.parametrize("value", ["", b"", None, [], [[]], [None], object()], ids=repr)
def test_a_header_without_a_value_is_missing(value: Any) -> None:
    assert webhooks.verify(SIGNED.body, {**SIGNED.headers, "X-Service-Signature": value}, WEBHOOK_SECRET)
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        with pytest.raises(sdk.WebhookVerificationError, match=f"the {name} header is missing"):
            webhooks.verify(SIGNED.body, {**SIGNED.headers, name: value}, WEBHOOK_SECRET)
