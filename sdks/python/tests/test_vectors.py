"""conformance/: signatures, deliveries, errors and waits, case by case."""

from __future__ import annotations

import base64
import re
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from conftest import vectors
from test_scenarios import CLASSES

import junction_sdk as sdk
from junction_sdk import webhooks
from junction_sdk._config import Settings, read_config
from junction_sdk._http import Headers, HttpInfo, Response
from junction_sdk._retry import is_retryable, retry_after_of, wait_before
from junction_sdk._signing import Signable, key_is_whole, sign_v1, string_to_sign
from junction_sdk.errors import error_of
from junction_sdk.testing import MockClock

SIGNING = vectors("signing.json")
REQUEST: dict[str, Any] = SIGNING["request"]
WEBHOOK: dict[str, Any] = SIGNING["webhook"]
WEBHOOKS = vectors("webhooks.json")
ERRORS = vectors("errors.json")
RETRIES = vectors("retries.json")


@pytest.mark.parametrize("case", REQUEST["cases"], ids=lambda case: f"{case['method']} {case['target']}")
def test_requests_are_signed_as_the_vector_says(case: dict[str, Any]) -> None:
    signable = Signable(case["method"], case["target"], case["idempotency_key"], case["body"].encode())
    assert string_to_sign(signable, REQUEST["timestamp"]) == case["string_to_sign"]
    assert sign_v1(signable, REQUEST["timestamp"], REQUEST["key"]) == case["v1"]


def test_a_key_ends_with_its_checksum() -> None:
    key: str = REQUEST["key"]
    assert key_is_whole(key)
    for at in range(8, len(key)):
        other = "0" if key[at] != "0" else "1"
        assert not key_is_whole(key[:at] + other + key[at + 1 :])


@pytest.mark.parametrize("case", vectors("keys.json")["cases"], ids=lambda case: case["name"])
def test_api_keys_are_taken_and_refused_as_the_vector_says(case: dict[str, Any]) -> None:
    if case["ok"]:
        sdk.Junction(api_key=case["key"])
        return
    with pytest.raises(sdk.ConfigurationError) as refused:
        sdk.Junction(api_key=case["key"])
    assert case["key"] not in str(refused.value)


@pytest.mark.parametrize("case", WEBHOOKS["cases"], ids=lambda case: case["name"])
def test_webhooks_are_taken_and_refused_as_the_vector_says(case: dict[str, Any]) -> None:
    body = base64.b64decode(case["body_base64"]) if "body_base64" in case else case["body"].encode()
    tolerance = {"tolerance": case["tolerance"]} if "tolerance" in case else {}

    def verified() -> webhooks.WebhookEvent:
        return webhooks.verify(body, case["headers"], case["secrets"], now=case["now"], **tolerance)

    if case.get("ok"):
        event = verified()
        assert (event.event, event.id, event.environment) == ("order.created", "evt_1", "live")
        for name, digits in case.get("integers", {}).items():
            assert str(event.data[name]) == digits
        return
    with pytest.raises(sdk.WebhookVerificationError) as refused:
        verified()
    assert refused.value.reason == case["reason"]


def test_signed_webhooks_are_those_of_the_vector() -> None:
    headers = webhooks.headers_for(
        WEBHOOK["body"].encode(),
        WEBHOOK["secret"],
        delivery_id=WEBHOOK["delivery_id"],
        timestamp=WEBHOOK["timestamp"],
        event="order.created",
    )
    assert headers["X-Service-Signature"] == WEBHOOK["x_service_signature"]
    assert headers["webhook-signature"] == WEBHOOK["webhook_signature"]


def test_what_sign_makes_is_verified_and_its_body_carries_the_signature_of_the_rest() -> None:
    signed = webhooks.sign({"total": 10.5}, WEBHOOK["secret"], event="order.paid", timestamp=1_763_701_205)
    event = webhooks.verify(signed.body, signed.headers, WEBHOOK["secret"], now=1_763_701_205)
    assert (event.event, event.data) == ("order.paid", {"total": 10.5})
    empty = re.sub(rb'"signature":"[^"]*"\}$', b'"signature":""}', signed.body)
    expected = webhooks.headers_for(empty, WEBHOOK["secret"], delivery_id="d", timestamp=0, event="e")
    assert event.raw["signature"] == "sha256=" + expected["X-Service-Signature"]


@pytest.mark.parametrize("case", ERRORS["cases"], ids=lambda case: case["name"])
def test_answers_become_errors_as_the_vector_says(case: dict[str, Any]) -> None:
    headers = Headers(case["headers"].items())
    body: bytes = case["body"].encode()
    error = error_of(HttpInfo(case["status"], headers, None, None, 1, body), None)
    assert type(error) is CLASSES[case["class"]]
    assert (error.code, error.status) == (case["code"], case["status"])
    assert is_retryable(Response(case["status"], headers, body)) == case["retry"]
    if "message" in case:
        assert error.message == case["message"]


@pytest.mark.parametrize("case", RETRIES["cases"], ids=lambda case: f"{case['about']}, {case['random']}")
def test_waits_are_as_the_vector_says(case: dict[str, Any]) -> None:
    now = datetime.fromisoformat(case["now"].replace("Z", "+00:00")).timestamp()
    headers = Headers() if case["retry_after"] is None else Headers([("Retry-After", case["retry_after"])])
    wait = wait_before(case["retry"], headers, MockClock(now, case["random"]))
    assert wait == (None if case["wait_ms"] is None else case["wait_ms"] / 1000)


def test_a_date_without_a_zone_is_in_utc() -> None:
    headers = Headers([("Retry-After", "Sat, 21 Nov 2026 13:00:10 -0000")])
    now = parsedate_to_datetime("Sat, 21 Nov 2026 13:00:00 GMT").timestamp()
    assert retry_after_of(headers, now) == 10.0


def test_the_vectors_key_makes_a_client() -> None:
    config = read_config(Settings(api_key=REQUEST["key"]))
    assert config.proof.value.reveal() == f"Bearer {REQUEST['key']}"
