"""conformance/scenarios.json: what the SDK sends, waits for and gives, of both clients, against the scripted server."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import anyio
import pytest
from conftest import MockServer, vectors

import junction_sdk as sdk
from junction_sdk._clock import SystemClock
from junction_sdk._model import Model

FILE = vectors("scenarios.json")
SCENARIOS: dict[str, dict[str, Any]] = {scenario["name"]: scenario for scenario in FILE["scenarios"]}
KEY: str = FILE["key"]

CLASSES: Mapping[str, type[sdk.ServiceError]] = {
    "service": sdk.ServiceError,
    "authentication": sdk.AuthenticationError,
    "permission": sdk.PermissionDeniedError,
    "rate_limit": sdk.RateLimitError,
    "idempotency": sdk.IdempotencyError,
    "validation": sdk.ValidationError,
    "not_found": sdk.NotFoundError,
    "conflict": sdk.ConflictError,
    "server": sdk.ServerError,
    "connection": sdk.ServiceConnectionError,
    "timeout": sdk.ServiceTimeoutError,
}


class RecordingClock(SystemClock):
    """Real time, but waits are only written down, and chance comes from the scenario."""

    def __init__(self, chances: list[float]) -> None:
        self.waits: list[float] = []
        self.chances = chances

    def random(self) -> float:
        return self.chances.pop(0) if self.chances else 0.5

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def sleep_async(self, seconds: float) -> None:
        self.waits.append(seconds)


@dataclass
class Outcome:
    result: Any = None
    items: list[str] = field(default_factory=list[str])
    error: sdk.ServiceError | None = None


def test_the_http_client_is_the_one_that_this_run_is_about(mock: MockServer) -> None:
    run = mock.run({"answers": [{"reset": "before"}]})
    client = sdk.Junction(KEY, base_url=run.base_url, max_retries=0)
    with client as junction, pytest.raises(sdk.ServiceConnectionError) as raised:
        junction.me.get()
    expected = "httpx" if "JUNCTION_WITHOUT_HTTPX2" in os.environ else "httpx2"
    assert type(raised.value.__cause__).__module__ == expected


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str, mock: MockServer) -> None:
    scenario = SCENARIOS[name]
    run = mock.run({"scenario": name})
    clock = RecordingClock(list(scenario.get("random", [])))
    with sdk.Junction(KEY, base_url=run.base_url, clock=clock, **client_options(scenario)) as junction:
        outcome = call(junction, scenario["call"])
    judge(scenario["expect"], outcome, run.seen(), clock)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_async(name: str, backend: str, mock: MockServer) -> None:
    scenario = SCENARIOS[name]
    run = mock.run({"scenario": name})
    clock = RecordingClock(list(scenario.get("random", [])))

    async def main() -> Outcome:
        async with sdk.AsyncJunction(KEY, base_url=run.base_url, clock=clock, **client_options(scenario)) as junction:
            return await call_async(junction, scenario["call"])

    outcome = asyncio.run(main()) if backend == "asyncio" else anyio.run(main, backend="trio")
    judge(scenario["expect"], outcome, run.seen(), clock)


def client_options(scenario: dict[str, Any]) -> dict[str, Any]:
    known = {"max_retries": "max_retries", "sign": "sign", "timeout_ms": "timeout", "deadline_ms": "deadline"}
    options: dict[str, Any] = {}
    for name, value in scenario.get("client", {}).items():
        options[known[name]] = value / 1000 if name.endswith("_ms") else value
    return options


def arguments(described: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    unknown = set(described) - {"operation", "path", "query", "body", "idempotency_key", "iterate", "take"}
    assert not unknown, f"the scenario's call has {unknown}, which this test does not know"
    named = {**described.get("query", {}), **described.get("body", {})}
    if "idempotency_key" in described:
        named["options"] = {"idempotency_key": described["idempotency_key"]}
    return list(described.get("path", [])), named


def find(client: object, operation: str) -> Any:
    found: Any = client
    for part in operation.split("."):
        found = getattr(found, part)
    return found


def call(junction: sdk.Junction, described: dict[str, Any]) -> Outcome:
    outcome = Outcome()
    try:
        if "request" in described:
            outcome.result = junction.request(**described["request"])
            return outcome
        positional, named = arguments(described)
        outcome.result = find(junction, described["operation"])(*positional, **named)
        if described.get("iterate"):
            for item in outcome.result:
                outcome.items.append(item.id)
                if len(outcome.items) == described.get("take"):
                    break
    except sdk.ServiceError as error:
        outcome.error = error
    return outcome


async def call_async(junction: sdk.AsyncJunction, described: dict[str, Any]) -> Outcome:
    outcome = Outcome()
    try:
        if "request" in described:
            outcome.result = await junction.request(**described["request"])
            return outcome
        positional, named = arguments(described)
        waiting = find(junction, described["operation"])(*positional, **named)
        if not described.get("iterate"):
            outcome.result = await waiting
            return outcome
        outcome.result = waiting
        async for item in waiting:
            outcome.items.append(item.id)
            if len(outcome.items) == described.get("take"):
                break
    except sdk.ServiceError as error:
        outcome.error = error
    return outcome


def judge(expect: dict[str, Any], outcome: Outcome, seen: list[dict[str, Any]], clock: RecordingClock) -> None:
    judges = {**OF_REQUESTS, **OF_OUTCOMES}
    assert not set(expect) - set(judges) - {"waits_ms"}, "the scenario expects what this test does not know"
    if "error" not in expect and outcome.error is not None:
        raise outcome.error
    if "waits_ms" in expect:
        assert [round(wait * 1000) for wait in clock.waits] == expect["waits_ms"]
    for name, of_requests in OF_REQUESTS.items():
        if name in expect:
            of_requests(seen, expect[name])
    for name, judgement in OF_OUTCOMES.items():
        if name in expect:
            judgement(outcome, expect[name])
    if expect.get("same_idempotency_key"):
        keys = {request["headers"].get("idempotency-key") for request in seen}
        visible = outcome.error.idempotency_key if outcome.error is not None else outcome.result.http.idempotency_key
        assert keys == {visible}


def judge_count(seen: list[dict[str, Any]], count: int) -> None:
    assert len(seen) == count


def judge_paths(seen: list[dict[str, Any]], paths: list[str]) -> None:
    assert [request["path"] for request in seen] == paths


def judge_bodies(seen: list[dict[str, Any]], bodies: list[Any]) -> None:
    assert [json.loads(request["body"]) if request["body"] else None for request in seen] == bodies


def judge_signatures(seen: list[dict[str, Any]], signatures: list[str]) -> None:
    assert [request["signature"] for request in seen] == signatures


def judge_sent_headers(seen: list[dict[str, Any]], headers: dict[str, str]) -> None:
    assert {name: seen[0]["headers"].get(name) for name in headers} == headers


def judge_sent_header_names(seen: list[dict[str, Any]], names: list[str]) -> None:
    assert set(names) <= set(seen[0]["headers"])


def judge_idempotency_key(seen: list[dict[str, Any]], key: str | None) -> None:
    sent = seen[0]["headers"].get("idempotency-key")
    if key == "uuid4":
        assert uuid.UUID(sent).version == 4
        assert str(uuid.UUID(sent)) == sent
    else:
        assert sent == key


def judge_same_key(seen: list[dict[str, Any]], same: bool) -> None:
    keys = {request["headers"].get("idempotency-key") for request in seen}
    assert same and len(keys) == 1 and None not in keys


def judge_result(outcome: Outcome, expected: dict[str, Any]) -> None:
    result = outcome.result
    if isinstance(result, sdk.Answer):
        assert holds(result.data, expected)
        return
    assert isinstance(result, Model)
    assert holds(result.raw, expected)
    known = {name: getattr(result, name) for name, _, _ in result.MEMBERS}
    for name, value in expected.items():
        assert name in result.extra or isinstance(value, (dict, list)) or known[name] == value


def judge_page(outcome: Outcome, page: dict[str, Any]) -> None:
    ids = [item.id for item in outcome.result.data]
    assert {"ids": ids, "has_more": outcome.result.has_more, "next_cursor": outcome.result.next_cursor} == page


def judge_items(outcome: Outcome, items: list[str]) -> None:
    assert outcome.items == items


def judge_attempts(outcome: Outcome, attempts: int) -> None:
    assert outcome.result.http.attempts == attempts


def judge_replayed(outcome: Outcome, replayed: bool) -> None:
    assert outcome.result.http.replayed == replayed


def judge_request_id(outcome: Outcome, request_id: str) -> None:
    assert outcome.result.http.request_id == request_id


def judge_error(outcome: Outcome, expected: dict[str, Any]) -> None:
    error = outcome.error
    assert error is not None
    for name, value in expected.items():
        if name == "class":
            assert type(error) is CLASSES[value]
        elif name == "errors":
            assert [{"pointer": one.pointer, "code": one.code, "message": one.message} for one in error.errors] == value
        elif name == "problem":
            assert holds(error.problem, value)
        else:
            assert getattr(error, name) == value, name


def holds(found: Any, expected: object) -> bool:
    """Whether what was found has all that is expected, and perhaps more."""
    if isinstance(expected, dict):
        members = cast("dict[str, object]", expected)
        return all(name in found and holds(found[name], value) for name, value in members.items())
    if isinstance(expected, list):
        items = cast("list[object]", expected)
        return len(found) == len(items) and all(holds(one, other) for one, other in zip(found, items, strict=True))
    return bool(found == expected)


OF_REQUESTS: dict[str, Callable[[list[dict[str, Any]], Any], None]] = {
    "requests": judge_count,
    "paths": judge_paths,
    "bodies": judge_bodies,
    "signatures": judge_signatures,
    "sent_headers": judge_sent_headers,
    "sent_header_names": judge_sent_header_names,
    "idempotency_key": judge_idempotency_key,
    "same_idempotency_key": judge_same_key,
}
OF_OUTCOMES: dict[str, Callable[[Outcome, Any], None]] = {
    "result": judge_result,
    "page": judge_page,
    "items": judge_items,
    "attempts": judge_attempts,
    "replayed": judge_replayed,
    "request_id": judge_request_id,
    "error": judge_error,
}
