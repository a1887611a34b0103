import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { sha256 } from "../lib/lib.ts";
import { contractArgs, registerContract } from "../testing/contracts.ts";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../testing/keys.ts";
import { joined, outcome } from "../testing/people.ts";
import { freshEvent, runsOf } from "../testing/rules.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let admin: string;
let names = 0;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  ({ key: admin } = await mintKey(service, { role: "admin" }));
});
afterAll(async () => await service.close());

const HOOK = "http://127.0.0.1:9/hook";

/** The two kinds of objects that a sandbox event starts, with what a test writes of each. */
const KINDS = [
  {
    kind: "rule",
    path: "/v1/rules",
    body: (event: string, headers: Record<string, string> = {}) => ({
      on: [event],
      then: [{ type: "post_webhook", url: HOOK, headers }],
    }),
    change: { then: [{ type: "add_tag", tag: "changed" }] },
    place: "/then",
  },
  {
    kind: "workflow",
    path: "/v1/workflows",
    body: (event: string, headers: Record<string, string> = {}) => ({
      trigger: { event },
      steps: [{ id: "hook", type: "webhook", url: HOOK, headers }],
    }),
    change: { steps: [{ id: "wait", type: "delay", seconds: 1 }] },
    place: "/steps",
  },
] as const;

describe.each(KINDS)("a $kind", ({ kind, path, body, change, place }) => {
  async function made(key: string, more: Record<string, unknown> = {}, event = freshEvent()): Promise<Parsed> {
    names += 1;
    const answer = await service.api("POST", path, { name: `Own ${names}`, ...body(event), ...more }, { key });
    if (answer.status !== 201) throw new Error(`not made: ${answer.text}`);
    return answer.body;
  }
  const shown = async (id: string): Promise<Parsed> => (await service.api("GET", `${path}/${id}`)).body;
  const promote = async (id: string, request: unknown = {}, key = admin): Promise<ApiAnswer> =>
    await service.api("POST", `${path}/${id}/promote`, request, { key });
  const runs = async (id: string, key: string): Promise<number> =>
    (await service.api("GET", `${path}/${id}/runs`, undefined, { key })).body["data"].length;
  /** Fires an event, and waits until the object has a run of it. */
  async function ranAfter(event: string, id: string, key: string): Promise<void> {
    const before = await runs(id, key);
    await service.api("POST", "/v1/events/fire", { event, data: {} }, { key });
    await expect.poll(async () => await runs(id, key), { timeout: 10_000 }).toBe(before + 1);
  }

  test("shows where it belongs and acts, and is listed with a filter", async () => {
    const [live, own] = [await made(service.key), await made(service.sandboxKey)];
    expect(live).toMatchObject({ environment: "live", acts_in: ["live", "sandbox"], promotes_to: null });
    expect(own).toMatchObject({ environment: "sandbox", acts_in: ["sandbox"], promoted_from: null });
    const list = async (environment: string): Promise<string[]> =>
      (await service.api("GET", `${path}?limit=100&environment=${environment}`)).body["data"].map(
        (one: Parsed) => one.id,
      );
    const [inLive, inSandbox] = [await list("live"), await list("sandbox")];
    expect([inLive.includes(live["id"]), inLive.includes(own["id"])]).toEqual([true, false]);
    expect([inSandbox.includes(live["id"]), inSandbox.includes(own["id"])]).toEqual([false, true]);
  });

  covers("sandbox.data.apart", "of the sandbox replaces the live one of its name only in the sandbox", async () => {
    const event = freshEvent();
    const live = await made(service.key, {}, event);
    const own = await made(service.sandboxKey, { name: live["name"] }, event);
    expect(own["promotes_to"]).toBe(live["id"]);
    expect((await shown(live["id"]))["acts_in"]).toEqual(["live"]);
    await ranAfter(event, own["id"], service.sandboxKey);
    expect(await runs(live["id"], service.sandboxKey)).toBe(0);
    await ranAfter(event, live["id"], service.key);
    expect(await runs(own["id"], service.key)).toBe(0);
    await service.api("DELETE", `${path}/${own["id"]}`, undefined, { key: service.sandboxKey });
    expect((await shown(live["id"]))["acts_in"]).toEqual(["live", "sandbox"]);
    await ranAfter(event, live["id"], service.sandboxKey);
  });

  test("is changed only by credentials of its environment: 403", async () => {
    const [live, own] = [await made(service.key), await made(service.sandboxKey)];
    for (const [id, key] of [
      [live["id"], service.sandboxKey],
      [own["id"], service.key],
    ]) {
      expect(outcome(await service.api("PATCH", `${path}/${id}`, change, { key }))).toBe("403 environment_mismatch");
      const secret = await service.api("POST", `${path}/${id}/secret/regenerate`, {}, { key });
      expect(outcome(secret)).toBe("403 environment_mismatch");
    }
  });

  test("is promoted to a new live one, and then to its next version", async () => {
    const { id, name } = await made(service.sandboxKey);
    const tried = (await promote(id, { dry_run: true })).body;
    expect(tried).toMatchObject({ dry_run: true, effect: "create", source_id: id, live_id: null, live_version: null });
    expect(tried["difference"]).toContainEqual({ path: "/name", to: name });
    expect((await shown(id))["promotes_to"]).toBeNull();
    const first = (await promote(id, { source_version: 1, live_version: null })).body;
    expect(first).toMatchObject({ effect: "create", live_version: 1 });
    const live = await shown(first["live_id"]);
    expect(live).toMatchObject({ name, environment: "live", acts_in: ["live"], promoted_from: { id, version: 1 } });
    expect((await shown(id))["promotes_to"]).toBe(live["id"]);
    expect((await promote(id)).body).toMatchObject({ effect: "none", live_version: 1, difference: [] });
    await service.api("PATCH", `${path}/${live["id"]}`, { enabled: false });
    await service.api("PATCH", `${path}/${id}`, change, { key: service.sandboxKey });
    const second = (await promote(id)).body;
    expect(second).toMatchObject({ effect: "update", live_id: live["id"] });
    expect(second["difference"][0].path).toContain(place);
    expect(await shown(live["id"])).toMatchObject({ enabled: false, promoted_from: { version: 2 } });
  });

  test("is promoted with the values of its headers, which no difference shows", async () => {
    const { id } = await made(service.sandboxKey, body(freshEvent(), { "X-Token": "first-value" }));
    const first = await promote(id);
    expect(first.body["warnings"]).toHaveLength(1);
    await service.api("PATCH", `${path}/${id}`, pick(body(freshEvent(), { "X-Token": "second-value" }), place), {
      key: service.sandboxKey,
    });
    const second = await promote(id);
    expect(second.body["difference"]).toEqual([
      { path: `${place}/0/headers/X-Token`, from: "[redacted]", to: "[redacted]" },
    ]);
    expect(first.text + second.text).not.toMatch(/first-value|second-value/);
    const revealed = await service.api("GET", `${path}/${first.body["live_id"]}/headers`);
    expect(revealed.body["webhooks"]).toMatchObject([{ headers: { "X-Token": "second-value" } }]);
  });

  test("is refused for an unknown reference", async () => {
    const { key } = (
      await service.api("POST", "/v1/action-contracts", contractArgs({ surface: ["rule", "workflow"] }), {
        key: service.sandboxKey,
      })
    ).body;
    const step = { id: "act", type: kind === "rule" ? "run_action" : "action", action: key, parameters: {} };
    const { id: _id, ...action } = step;
    const { id } = await made(service.sandboxKey, kind === "rule" ? { then: [action] } : { steps: [step] });
    const refused = await promote(id);
    expect(outcome(refused)).toBe("422 validation_failed");
    expect(refused.body["errors"]).toMatchObject([{ pointer: `${place}/0/action`, code: "action_unknown" }]);
    expect((await shown(id))["promotes_to"]).toBeNull();
    await registerContract(service, { key, surface: ["rule", "workflow"] });
    expect((await promote(id)).status).toBe(200);
  });

  test("that names a secret which live does not have is refused: 422", async () => {
    names += 1;
    const secret = `only_sandbox_${names}`;
    await service.api("PUT", `/v1/secrets/${secret}`, { value: "a value" }, { key: service.sandboxKey });
    const call = { type: "http", method: "GET", url: HOOK, auth: { type: "bearer", secret_ref: secret } };
    const more = kind === "rule" ? { then: [call] } : { steps: [{ id: "call", ...call }] };
    const { id } = await made(service.sandboxKey, more);
    const refused = await promote(id);
    expect(refused.body["errors"]).toMatchObject([{ pointer: `${place}/0/auth/secret_ref`, code: "secret_missing" }]);
    await service.api("PUT", `/v1/secrets/${secret}`, { value: "a value" });
    expect((await promote(id)).status).toBe(200);
  });

  test("is promoted once by two at once, and refused after a change: 409", async () => {
    const { id } = await made(service.sandboxKey);
    const answers = await Promise.all([promote(id), promote(id), promote(id)]);
    expect(answers.filter((one) => one.body["effect"] === "create")).toHaveLength(1);
    for (const one of answers)
      expect(["create", "none", "version_changed"]).toContain(one.body["effect"] ?? one.body["reason"]);
    for (const request of [{ source_version: 9 }, { live_version: null }])
      expect((await promote(id, request)).body).toMatchObject({ status: 409, reason: "version_changed" });
  });

  test("is promoted to a new one after the live one was deleted", async () => {
    const { id } = await made(service.sandboxKey);
    const { live_id: gone } = (await promote(id)).body;
    await service.api("DELETE", `${path}/${gone}`);
    expect((await shown(id))["promotes_to"]).toBeNull();
    const again = (await promote(id)).body;
    expect(again["effect"]).toBe("create");
    expect(again["live_id"]).not.toBe(gone);
  });

  test("that is live, deleted or foreign is not promoted: 409, 404, 403", async () => {
    const live = await made(service.key);
    expect((await promote(live["id"])).body).toMatchObject({ status: 409, reason: "already_live" });
    const own = await made(service.sandboxKey);
    await service.api("DELETE", `${path}/${own["id"]}`, undefined, { key: service.sandboxKey });
    expect(outcome(await promote(own["id"]))).toBe("404 not_found");
    const absent = absentId({ tag: tagOfId((await service.fire()).id) }, kind === "rule" ? "rule" : "wf");
    expect(outcome(await promote(absent))).toBe("404 not_found");
    const other = await made(service.sandboxKey);
    const stranger = await otherWorkspace(service);
    expect(outcome(await promote(other["id"], {}, stranger.key))).toBe("403 workspace_mismatch");
  });

  test("is promoted only by owners and admins with a live credential: 403", async () => {
    const { id } = await made(service.sandboxKey);
    const role = "update api_key set role = $1 where key_hash = $2";
    await service.database.query(role, ["admin", sha256(service.sandboxKey)]);
    expect(outcome(await promote(id, {}, service.sandboxKey))).toBe("403 environment_mismatch");
    await service.database.query(role, ["developer", sha256(service.sandboxKey)]);
    for (const spec of [{ role: "developer" }, { role: "viewer" }, { role: "ai", actor_type: "ai" }])
      expect(outcome(await promote(id, {}, (await mintKey(service, spec)).key))).toBe("403 role_not_allowed");
    const scoped = await mintKey(service, { role: "admin", scopes: ["actions:write"] });
    expect(outcome(await promote(id, {}, scoped.key))).toBe("403 scope_missing");
    const person = await joined(service, "admin");
    expect((await person.call("POST", `${path}/${id}/promote`, { dry_run: true })).status).toBe(200);
    await service.api("PATCH", `/v1/members/${person.memberId}`, { role: "operator" });
    expect(outcome(await person.call("POST", `${path}/${id}/promote`, {}))).toBe("403 role_not_allowed");
  });

  test("acts as before if an earlier version of the service wrote it", async () => {
    const event = freshEvent();
    const live = await made(service.key, {}, event);
    const own = await made(service.sandboxKey, { name: live["name"] }, event);
    await service.database.query(
      `update ${kind} set promotes_to = null where id = (select id from ${kind} where promotes_to is not null and name = $1)`,
      [live["name"]],
    );
    expect((await shown(live["id"]))["acts_in"]).toEqual(["live", "sandbox"]);
    await ranAfter(event, own["id"], service.sandboxKey);
    await expect.poll(async () => await runs(live["id"], service.sandboxKey), { timeout: 10_000 }).toBe(1);
  });
});

describe("a rule that starts a workflow", () => {
  const workflow = async (event: string, key: string, name: string): Promise<string> => {
    const steps = [{ id: "wait", type: "delay", seconds: 3600 }];
    return (await service.api("POST", "/v1/workflows", { name, trigger: { event }, steps }, { key })).body["id"];
  };
  const rule = async (event: string, id: string): Promise<string> => {
    const then = [{ type: "start_workflow", workflow_id: id }];
    const body = { name: `Starts ${event}`, on: [event], then };
    return (await service.api("POST", "/v1/rules", body, { key: service.sandboxKey })).body["id"];
  };

  test("is promoted with the live workflow's id, once that was promoted", async () => {
    const sandboxFlow = await workflow(freshEvent(), service.sandboxKey, "Started");
    const id = await rule(freshEvent(), sandboxFlow);
    const early = await service.api("POST", `/v1/rules/${id}/promote`);
    expect(early.body["errors"]).toMatchObject([{ pointer: "/then/0/workflow_id", code: "workflow_sandbox_only" }]);
    const flow = (await service.api("POST", `/v1/workflows/${sandboxFlow}/promote`)).body["live_id"];
    const { live_id: live } = (await service.api("POST", `/v1/rules/${id}/promote`)).body;
    const { then } = (await service.api("GET", `/v1/rules/${live}`)).body;
    expect(then).toEqual([{ type: "start_workflow", workflow_id: flow }]);
    expect((await service.api("POST", `/v1/rules/${id}/promote`)).body["effect"]).toBe("none");
  });

  test("starts the workflow that replaces it in the sandbox", async () => {
    const [event, name] = [freshEvent(), "Replaced in the sandbox"];
    const live = await workflow(freshEvent(), service.key, name);
    const own = await workflow(freshEvent(), service.sandboxKey, name);
    const id = await rule(event, live);
    await service.api("POST", "/v1/events/fire", { event, data: {} }, { key: service.sandboxKey });
    const [run] = await runsOf(service, id, 1, service.sandboxKey);
    expect(run?.["actions"]).toMatchObject([{ status: "done", workflow_id: own }]);
  });
});

/** Returns the member of a body at a pointer of one name. */
function pick(body: object, pointer: string): Record<string, unknown> {
  const name = pointer.slice(1);
  return { [name]: (body as Record<string, unknown>)[name] };
}
