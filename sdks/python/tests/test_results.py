"""Results: typed, frozen, and true to what came, whatever came."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import json
import pickle
import pkgutil
import subprocess
import sys
import typing
from datetime import datetime, timezone
from typing import Any

import pytest

import junction_sdk as sdk
from junction_sdk import testing, types
from junction_sdk._model import Model, read_model
from junction_sdk.generated import types as generated
from junction_sdk.generated.examples import ANSWERS, EXAMPLES

MODELS: list[type[Model]] = [
    value
    for module in pkgutil.iter_modules(generated.__path__, f"{generated.__name__}.")
    for value in vars(importlib.import_module(module.name)).values()
    if isinstance(value, type) and issubclass(value, Model) and value.__module__ == module.name
]
JUNK: list[Any] = [None, "text", 7, 1.5, True, [], {}, [1, None, "x", {}], {"x": {"y": []}}]


def test_there_are_results_to_test() -> None:
    assert len(MODELS) > 80 and len(EXAMPLES) > 60 and len(ANSWERS) > 80


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_a_result_is_frozen_slotted_and_survives_whatever_comes(cls: type[Model]) -> None:
    assert dataclasses.is_dataclass(cls)
    empty = read_model(cls, {})
    assert not hasattr(empty, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(empty, cls.MEMBERS[0][0], 1)
    assert {name for name, _, _ in cls.MEMBERS} | {"raw", "http"} == {one.name for one in dataclasses.fields(cls)}
    for value in JUNK:
        made = read_model(cls, {**{name: value for _, name, _ in cls.MEMBERS}, "of_tomorrow": 1})
        assert made.raw["of_tomorrow"] == 1 and made.extra == {"of_tomorrow": 1}
        repr(made)
        read_model(cls, value)


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_every_annotation_of_a_result_can_be_resolved(cls: type[Model]) -> None:
    assert set(typing.get_type_hints(cls)) >= {name for name, _, _ in cls.MEMBERS}


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_result_holds_what_the_contracts_example_says(name: str) -> None:
    cls = getattr(types, name)
    made = testing.example(cls)
    raw = json.loads(EXAMPLES[name])
    assert made.raw == raw and set(made.extra) == set(raw) - {member for _, member, _ in cls.MEMBERS}
    for attribute, member, read in cls.MEMBERS:
        if read is None:
            assert getattr(made, attribute) == raw.get(member)
    again = pickle.loads(pickle.dumps(made))
    assert again == made == copy.deepcopy(made) and again.raw == raw


def test_times_are_datetimes_and_others_stay_as_they_came() -> None:
    event = testing.example(types.FiredEvent, occurred_at="2026-11-21T13:00:00.123Z")
    assert event.occurred_at == datetime(2026, 11, 21, 13, 0, 0, 123_000, timezone.utc)
    for text in ("soon", "", "2026-99-99T00:00:00Z", 7, None):
        assert testing.example(types.FiredEvent, occurred_at=text).occurred_at == text


def test_what_holds_others_is_a_tuple_of_them() -> None:
    event = testing.example(types.FiredEvent, deliveries=[{"id": "dlv_1", "state": "floating"}])
    assert event.deliveries[0] == types.DeliveryRef(id="dlv_1", endpoint_id=typing.cast("str", None), state="floating")
    assert isinstance(event.deliveries, tuple)


def test_an_answer_of_several_kinds_is_the_kind_that_fits() -> None:
    mock = testing.MockTransport()
    junction = mock.client()
    path = "/v1/webhook-endpoints/ep_1/replay-failed"
    at = "2026-11-21T13:00:00Z"
    mock.add("POST", path, json={"count": 3})
    mock.add("POST", path, json={"count": 3, "job_id": "job_1"}, status=202)
    counted = junction.webhook_endpoints.replay_failed("ep_1", since=at, until=at, dry_run=True)
    started = junction.webhook_endpoints.replay_failed("ep_1", since=at, until=at)
    assert isinstance(counted, types.ReplayCount) and isinstance(started, types.ReplayJob)
    assert started.job_id == "job_1" and started.http is not None and started.http.status == 202


def test_an_action_is_executed_or_waits_for_a_person() -> None:
    mock = testing.MockTransport()
    junction = mock.client()
    parameters = {"payment_id": "pay_1"}
    mock.add("POST", "/v1/actions/run", json={"action": "a.b", "status": "executed", "result": 1})
    mock.add("POST", "/v1/actions/run", json={"action": "a.b", "status": "pending_confirmation"}, status=202)
    mock.add("POST", "/v1/actions/run", json={"action": "a.b", "status": "of_tomorrow"}, status=203)
    ran, waits, later = (junction.actions.run("a.b", parameters) for _ in range(3))
    assert isinstance(ran, types.RunAnswer) and (ran.status, ran.result) == ("executed", 1)
    assert isinstance(waits, types.RunAccepted) and waits.status == "pending_confirmation"
    assert isinstance(later, types.RunAnswer) and later.status == "of_tomorrow"
    # Neither says that it is whole: an id and a proposal are what the two outcomes have.
    assert not any(is_one(run) for run in (ran, waits, later) for is_one in (sdk.is_executed, sdk.is_pending))
    mock = testing.MockTransport()
    junction = mock.client()
    proposal = {"id": "prop_1", "action": "a.b", "state": "proposed"}
    asked = {"action": "a.b", "status": "pending_confirmation", "proposal": proposal}
    mock.add("POST", "/v1/actions/run", json={"id": "run_1", "action": "a.b", "status": "executed", "result": 1})
    mock.add("POST", "/v1/actions/run", json=asked, status=202)
    executed, pending = (junction.actions.run("a.b", parameters) for _ in range(2))
    assert [sdk.is_executed(run) for run in (executed, pending)] == [True, False]
    assert [sdk.is_pending(run) for run in (executed, pending)] == [False, True]
    assert sdk.is_executed(executed) and (executed.id, executed.result) == ("run_1", 1)
    assert sdk.is_pending(pending) and pending.proposal.id == "prop_1"
    assert mock.requests[0].json == {"action": "a.b", "parameters": parameters}


def test_an_export_is_a_text() -> None:
    mock = testing.MockTransport()
    mock.add("GET", "/v1/audit/export.csv", text="seq,kind\r\n")
    assert mock.client().audit.export() == "seq,kind\r\n"


def test_every_result_tells_of_its_exchange() -> None:
    mock = testing.MockTransport()
    mock.add("POST", "/v1/events/fire", json={"id": "evt_1"}, status=202, headers={"Idempotent-Replayed": "true"})
    fired = mock.client().events.fire("a.b", {})
    assert fired.http is not None
    assert (fired.http.status, fired.http.request_id, fired.http.attempts) == (202, "req_test", 1)
    assert fired.http.replayed and fired.http.content == b'{"id":"evt_1"}'
    assert fired.http.idempotency_key == mock.requests[0].headers["idempotency-key"]
    mock.add("DELETE", "/v1/keys/*")
    assert mock.client().webhook_endpoints.delete("ep_1").status == 204


@pytest.mark.parametrize(("method", "path", "status", "body"), ANSWERS, ids=lambda value: str(value)[:60])
def test_the_mock_answers_every_operation_with_the_contracts_example(
    method: str, path: str, status: int, body: str
) -> None:
    answer = testing.MockTransport().client().request(method, path.replace("{", "").replace("}", ""))
    assert answer.http.status == status
    assert answer.data == (json.loads(body) if body else answer.data)


def find_type(name: str) -> Any:
    return getattr(types, name)


def test_types_are_loaded_when_they_are_named() -> None:
    assert "FiredEvent" in dir(types) and "OrderCreatedData" in dir(types) and "EventName" in dir(types)
    assert types.FiredEvent is generated.FiredEvent
    with pytest.raises(AttributeError, match="no type Nothing"):
        find_type("Nothing")
    heavy = "('httpx', 'junction_sdk.generated.types.')"
    loaded = f"import sys, junction_sdk; print([name for name in sys.modules if name.startswith({heavy})])"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True).strip() == "[]"


def test_the_mock_fails_as_told_and_refuses_what_is_no_operation() -> None:
    mock = testing.MockTransport()
    mock.add("GET", "/v1/me", failure="connection")
    with pytest.raises(sdk.ServiceConnectionError):
        mock.client().me.get()
    assert len(mock.requests) == 3 and mock.clock.waits == [0.25, 0.5]
    with pytest.raises(AssertionError, match="no operation"):
        mock.client().request("GET", "/v1/nothing")
    assert mock.requests[0].json is None if mock.requests[0].content else True
