"""Webhooks in Flask, FastAPI and Django: bytes are verified, views get events, and what is not genuine reaches none."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Annotated, Any

import flask
import pytest
from conftest import vectors
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient

from junction_sdk import webhooks
from junction_sdk.frameworks import django as for_django
from junction_sdk.frameworks import fastapi as for_fastapi
from junction_sdk.frameworks import flask as for_flask
from junction_sdk.testing import WEBHOOK_SECRET
from junction_sdk.webhooks import SignedWebhook, WebhookEvent

WEBHOOK_STATUS: int = vectors("webhooks.json")["receivers"]["status"]
RAISED: list[str] = vectors("webhooks.json")["receivers"]["raised"]
OTHER = "whsec_eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg="
DATA = {"order": {"external_id": "é😀"}}

# Django has no types.
import_module("django.conf").settings.configure(ALLOWED_HOSTS=["*"], DEFAULT_CHARSET="utf-8")
import_module("django").setup()
HttpResponse: Any = import_module("django.http").HttpResponse
factories: Any = import_module("django.test")


def genuine() -> SignedWebhook:
    return webhooks.sign(DATA, WEBHOOK_SECRET, event="order.created")


def forged() -> SignedWebhook:
    signed = genuine()
    return SignedWebhook(signed.body.replace(b"order", b"ordar"), signed.headers)


@pytest.mark.parametrize("payload", [{"event": "order.created"}, [1], '{"event":"order.created"}', None, 7])
def test_anything_but_bytes_is_refused_with_what_to_do_instead(payload: Any) -> None:
    with pytest.raises(webhooks.WebhookVerificationError, match=r"request\.get_data\(\).*await request") as refused:
        webhooks.verify(payload, genuine().headers, WEBHOOK_SECRET)
    assert refused.value.reason == "body_not_raw"


def test_a_bytearray_is_bytes() -> None:
    signed = genuine()
    assert webhooks.verify(bytearray(signed.body), signed.headers, WEBHOOK_SECRET).data == DATA


def test_a_client_verifies_and_signs_too() -> None:
    from junction_sdk.testing import MockTransport

    junction = MockTransport().client()
    signed = junction.webhooks.sign(DATA, WEBHOOK_SECRET)
    assert junction.webhooks.verify(signed.body, signed.headers, [OTHER, WEBHOOK_SECRET]).event == "order.created"


def test_an_event_keeps_members_of_tomorrow() -> None:
    event = webhooks.verify(genuine().body, genuine().headers, WEBHOOK_SECRET)
    assert event.raw["signature"].startswith("sha256=") and "signature" not in repr(event)


def flask_app() -> flask.Flask:
    app = flask.Flask(__name__)

    @app.post("/hooks/<place>")
    @for_flask.webhook(WEBHOOK_SECRET)
    def receive(event: WebhookEvent, place: str) -> str:
        return f"{place} {event.event} {event.data['order']['external_id']}"

    return app


def test_flask() -> None:
    client = flask_app().test_client()
    good, bad = genuine(), forged()
    answer = client.post("/hooks/a", data=good.body, headers=dict(good.headers))
    assert (answer.status_code, answer.text) == (200, "a order.created é😀")
    refused = client.post("/hooks/a", data=bad.body, headers=dict(bad.headers))
    assert (refused.status_code, refused.mimetype) == (WEBHOOK_STATUS, "application/problem+json")
    assert refused.get_json(force=True)["code"] == "signature_invalid"
    assert WEBHOOK_SECRET not in refused.text


def test_flask_verifies_bytes_even_after_somebody_has_parsed_them() -> None:
    app = flask_app()
    app.before_request(lambda: flask.request.get_json() and None)
    good = genuine()
    assert app.test_client().post("/hooks/a", data=good.body, headers=dict(good.headers)).status_code == 200


def test_receivers_raise_faults_of_their_own() -> None:
    secrets: dict[str, Any] = {"secret_missing": [], "secret_invalid": "jn_live_no_secret"}
    assert list(secrets) == RAISED
    for reason, secret in secrets.items():

        @for_flask.webhook(secret)
        def view(event: WebhookEvent) -> str:
            return event.id

        request = flask.Flask(__name__).test_request_context("/", method="POST", data=b"{}")
        with request, pytest.raises(webhooks.WebhookVerificationError) as raised:
            view()
        assert raised.value.reason == reason


def test_flask_takes_async_views_and_secrets_that_change() -> None:
    secrets = [OTHER]

    async def view(event: WebhookEvent) -> str:
        await asyncio.sleep(0)
        return event.id

    decorated: Any = for_flask.webhook(lambda: secrets)(view)
    for signed, status in ((genuine(), WEBHOOK_STATUS), (genuine(), 200)):
        with flask.Flask(__name__).test_request_context(
            "/", method="POST", data=signed.body, headers=dict(signed.headers)
        ):
            made = asyncio.run(decorated())
            assert getattr(made, "status_code", 200) == status
        secrets.append(WEBHOOK_SECRET)


def test_fastapi() -> None:
    app = FastAPI()

    @app.post("/hooks/{place}")
    async def receive(place: str, event: Annotated[WebhookEvent, Depends(for_fastapi.webhook(WEBHOOK_SECRET))]) -> str:
        return f"{place} {event.event} {event.data['order']['external_id']}"

    client = TestClient(app)
    good, bad = genuine(), forged()
    answer = client.post("/hooks/a", content=good.body, headers=dict(good.headers))
    assert (answer.status_code, answer.json()) == (200, "a order.created é😀")
    refused = client.post("/hooks/a", content=bad.body, headers=dict(bad.headers))
    assert (refused.status_code, refused.json()["detail"]["code"]) == (WEBHOOK_STATUS, "signature_invalid")
    late = TestClient(app).post("/hooks/a", content=good.body)
    assert late.json()["detail"]["code"] == "signature_missing"


def django_headers(signed: SignedWebhook) -> dict[str, str]:
    return {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in signed.headers.items()}


def test_django() -> None:
    @for_django.webhook(WEBHOOK_SECRET)
    def receive(request: Any, event: WebhookEvent, place: str) -> Any:
        assert request.method == "POST"
        return HttpResponse(f"{place} {event.event} {event.data['order']['external_id']}")

    factory = factories.RequestFactory()

    def post(signed: SignedWebhook) -> Any:
        sent = factory.post("/", signed.body, content_type="application/json", **django_headers(signed))
        return receive(sent, place="a")

    answer, refused = post(genuine()), post(forged())
    assert (answer.status_code, answer.content.decode()) == (200, "a order.created é😀")
    assert refused.status_code == WEBHOOK_STATUS and b'"signature_invalid"' in refused.content
    assert receive(factory.get("/"), place="a").status_code == 405
    # Django's CSRF middleware asks this of a view.
    assert vars(receive)["csrf_exempt"] is True


def test_django_takes_async_views() -> None:
    @for_django.webhook([OTHER, WEBHOOK_SECRET])
    async def receive(request: Any, event: WebhookEvent) -> Any:
        await asyncio.sleep(0)
        assert request.method == "POST"
        return HttpResponse(event.delivery_id)

    async def post(signed: SignedWebhook) -> Any:
        headers = dict(signed.headers)
        sent = factories.AsyncRequestFactory().post("/", signed.body, content_type="application/json", headers=headers)
        return await receive(sent)

    assert asyncio.run(post(genuine())).content == b"dlv_test"
    assert asyncio.run(post(forged())).status_code == WEBHOOK_STATUS
