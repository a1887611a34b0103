import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { isTimeZone, instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { countRows, mintKey, otherWorkspace, uuidOf } from "../../testing/keys.ts";
import { forgetTries, invite, joined, outcome, OWNER, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";
import { rowsOf } from "../../testing/workspace-rows.ts";

const DAY_MS = 86_400_000;
let startMs = Date.now();
let shiftMs = 0;
const clock: Clock = { now: () => instant(startMs + shiftMs), monotonicMs: () => performance.now() };
const env = { JUNCTION_RATE_LIMITS: '{"management.write":5000}', JUNCTION_RETENTION_DAYS: "45" };
let first: TestService;
let service: TestService;
let owner: TestPerson;

beforeAll(async () => {
  first = await startService({ deps: { clock }, env });
  service = first;
});
beforeEach(async () => {
  // The clock stands still during a test and advances between tests.
  shiftMs = 0;
  startMs += 1000;
  await forgetTries(service);
  owner = await signIn(service);
});
afterAll(async () => {
  await service.service.stop();
  await first.database.drop();
});

/** Restarts the node, because a stopping node writes its request log, key usage and delivery counts from memory. */
async function restart(): Promise<void> {
  await service.service.stop();
  service = await startService({ deps: { clock }, env, on: first });
  owner = await signIn(service);
}

async function made(name: string): Promise<{ id: string; key: string; sandboxKey: string; answer: ApiAnswer }> {
  const answer = await service.api("POST", "/v1/workspaces", { name });
  expect(answer.status).toBe(201);
  const { workspace_id: id, api_key: key, sandbox_key: sandboxKey } = answer.body;
  return { id, key, sandboxKey, answer };
}

async function as(key: string, method: string, path: string, body?: unknown): Promise<ApiAnswer> {
  return await service.api(method, path, body, { key });
}

covers(
  ["sandbox.key.separate", "workspace.belongs.key"],
  "an owner who creates a workspace owns it and gets both keys once",
  async () => {
    const second = await made("Second");
    expect(Object.keys(second.answer.body).toSorted()).toEqual(["api_key", "name", "sandbox_key", "workspace_id"]);
    expect([second.key, second.sandboxKey]).toEqual([
      expect.stringMatching(/^jn_live_/),
      expect.stringMatching(/^jn_test_/),
    ]);
    const current = await as(second.key, "GET", "/v1/workspaces/current");
    expect(current.body).toEqual({
      id: second.id,
      object: "workspace",
      name: "Second",
      settings: {
        retention_days: null,
        inline_confirmation: true,
        solo_approval: false,
        password_sign_in: true,
        require_step_up: false,
        require_approval_for_configuration: false,
        assistant: "off",
        time_zone: "UTC",
        portal_logo: null,
        portal_name: null,
        portal_origins: [],
      },
      deletion_at: null,
      scope_kind: "workspace",
      scope_key: second.id,
      environment: "live",
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await as(second.sandboxKey, "GET", "/v1/workspaces/current")).body["id"]).toBe(second.id);
    const members = await as(second.key, "GET", "/v1/members");
    expect(members.body["data"]).toMatchObject([{ email: OWNER.email, role: "owner" }]);
    // The person and the session are the same; the workspace and the member differ.
    const there = await owner.call("GET", "/v1/auth/session", undefined, { "X-Service-Workspace": second.id });
    expect(there.body["member"]).toMatchObject({ id: members.body["data"][0].id, scope_key: second.id });
    expect(there.body["member"].id).not.toBe(owner.memberId);
    shiftMs = 1;
    const signedIn = await signIn(service, { ...OWNER, workspace_id: second.id });
    expect((await signedIn.call("GET", "/v1/workspaces/current")).body["id"]).toBe(second.id);
    expect((await signIn(service)).answer.body["member"].scope_key).toBe(second.id);
    shiftMs = 2;
    await signIn(service, { ...OWNER, workspace_id: String(owner.answer.body["member"].scope_key) });
  },
);

covers("error.workspace.403", "two workspaces of one owner are as far apart as any", async () => {
  const second = await made("Apart");
  const fired = await service.fire();
  const path = `/v1/events/${String(fired["id"])}`;
  expect(outcome(await as(second.key, "GET", path))).toBe("403 workspace_mismatch");
  const headers = { "X-Service-Workspace": second.id };
  expect(outcome(await owner.call("GET", path, undefined, headers))).toBe("403 workspace_mismatch");
  expect(outcome(await owner.call("GET", path))).toBe("200");
});

test("a session creates a workspace too; roles are separate for each workspace", async () => {
  const answer = await owner.call("POST", "/v1/workspaces", { name: "By session" });
  expect(answer.status).toBe(201);
  const viewer = await joined(service, "viewer", String(answer.body["api_key"]));
  expect(outcome(await viewer.call("POST", "/v1/workspaces", { name: "x" }))).toBe("403 role_not_allowed");
  const token = await invite(service, viewer.email, "admin");
  const accepted = { token, name: "x", password: viewer.password };
  const admin = await service.api("POST", "/v1/members/accept", accepted, { key: null });
  expect(admin.body["workspaces"]).toHaveLength(2);
  const { id } = (await as(String(answer.body["api_key"]), "GET", "/v1/workspaces/current")).body;
  const here = { "X-Service-Workspace": String(admin.body["member"].scope_key) };
  const there = { "X-Service-Workspace": String(id) };
  expect(outcome(await viewer.call("GET", "/v1/keys", undefined, here))).toBe("200");
  expect(outcome(await viewer.call("GET", "/v1/keys", undefined, there))).toBe("403 role_not_allowed");
});

test("only a person's live owner credential creates a workspace, which needs a name", async () => {
  const service_ = await otherWorkspace(service);
  const admin = await mintKey(service, { role: "admin" });
  const refusals = [
    await as(admin.key, "POST", "/v1/workspaces", { name: "x" }),
    await as(service_.key, "POST", "/v1/workspaces", { name: "x" }),
    await owner.call("POST", "/v1/workspaces", { name: "x" }, { "X-Service-Environment": "sandbox" }),
    await service.api("POST", "/v1/workspaces", { name: "" }),
    await service.api("POST", "/v1/workspaces", { name: "x", region: "eu" }),
    await service.api("POST", "/v1/workspaces", { name: "a\u0000" }),
  ];
  expect(refusals.map(outcome)).toEqual([
    "403 role_not_allowed",
    "403 role_not_allowed",
    "403 environment_mismatch",
    "422 validation_failed",
    "422 validation_failed",
    "422 validation_failed",
  ]);
});

test("a person's limited key cannot create a workspace [contract, section 2]", async () => {
  const limits = [
    { permission_mode: "restricted", blocked_actions: ["keys.*"] },
    { scopes: ["workspaces:write"] },
    { ip_allowlist: ["127.0.0.0/8"] },
    { expires_at: new Date(startMs + DAY_MS).toISOString() },
    { rate_limit_per_hour: 1000 },
    { accept_body_signature: false },
  ];
  for (const limit of limits) {
    const { key } = await mintKey(service, { actor_type: "user", ...limit });
    const answer = await as(key, "POST", "/v1/workspaces", { name: "Wider" });
    expect([limit, outcome(answer)]).toEqual([limit, "403 action_blocked"]);
  }
  const { key } = await mintKey(service, { actor_type: "user" });
  expect((await as(key, "POST", "/v1/workspaces", { name: "As wide" })).status).toBe(201);
});

test("settings change one by one and stay", async () => {
  const second = await made("Settings");
  const change = async (body: unknown): Promise<ApiAnswer> =>
    await as(second.key, "PATCH", "/v1/workspaces/current", body);
  expect((await change({ settings: { time_zone: "Europe/Berlin", retention_days: 7 } })).status).toBe(200);
  expect((await change({ name: "Renamed", settings: { solo_approval: true } })).status).toBe(200);
  const changed = await change({
    settings: { retention_days: null, assistant: "scripted", inline_confirmation: false },
  });
  expect([changed.body["name"], changed.body["settings"]]).toEqual([
    "Renamed",
    {
      retention_days: null,
      inline_confirmation: false,
      solo_approval: true,
      password_sign_in: true,
      require_step_up: false,
      require_approval_for_configuration: false,
      assistant: "scripted",
      time_zone: "Europe/Berlin",
      portal_logo: null,
      portal_name: null,
      portal_origins: [],
    },
  ]);
  expect((await as(second.key, "GET", "/v1/workspaces/current")).text).toBe(changed.text);
  const read = await service.service.people.current.settings(uuidOf(second.id));
  expect(read).toEqual(changed.body["settings"]);
});

test("settings that make no sense are refused, each at its place", async () => {
  const cases: [unknown, string][] = [
    [{ settings: { time_zone: "Mars/Olympus" } }, "/settings/time_zone"],
    [{ settings: { time_zone: "+01:00" } }, "/settings/time_zone"],
    [{ settings: { retention_days: 46 } }, "/settings/retention_days"],
    [{ settings: { retention_days: 0 } }, "/settings/retention_days"],
    [{ settings: { retention_days: "7" } }, "/settings/retention_days"],
    [{ settings: { assistant: "on" } }, "/settings/assistant"],
    [{ settings: { inline_confirmation: null } }, "/settings/inline_confirmation"],
    [{ settings: { colour: "red" } }, "/settings/colour"],
    [{ settings: {} }, "/settings"],
    [{ name: "" }, "/name"],
    [{}, ""],
  ];
  for (const [body, pointer] of cases) {
    const answer = await service.api("PATCH", "/v1/workspaces/current", body);
    expect([JSON.stringify(body), outcome(answer), answer.body["errors"]?.[0].pointer]).toEqual([
      JSON.stringify(body),
      "422 validation_failed",
      pointer,
    ]);
  }
  const developer = await mintKey(service, { role: "developer" });
  const refused = await as(developer.key, "PATCH", "/v1/workspaces/current", { name: "x" });
  expect(outcome(refused)).toBe("403 role_not_allowed");
});

test("time zones are those of the IANA database", () => {
  for (const zone of ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
    expect([zone, isTimeZone(zone)]).toEqual([zone, true]);
  for (const zone of ["", "+01:00", "Berlin", "Europe/", "Europe/Berlin;", "local", "UTC+1"])
    expect([zone, isTimeZone(zone)]).toEqual([zone, false]);
});

test("only an owner deletes, with the name, and can restore for seven days", async () => {
  const second = await made("Short-lived");
  const path = "/v1/workspaces/current";
  const end = async (name: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer> =>
    await owner.call("DELETE", path, { name }, { "X-Service-Workspace": second.id, ...headers });
  expect(outcome(await end("short-lived"))).toBe("422 validation_failed");
  expect(outcome(await owner.call("DELETE", path))).toBe("422 validation_failed");
  expect(outcome(await end("Short-lived", { "X-Service-Environment": "sandbox" }))).toBe("403 environment_mismatch");
  const admin = await joined(service, "admin", second.key);
  expect(outcome(await admin.call("DELETE", path, { name: "Short-lived" }))).toBe("403 role_not_allowed");
  const ended = await end("Short-lived");
  expect([ended.status, Date.parse(ended.body["deletion_at"])]).toEqual([202, startMs + 7 * DAY_MS]);
  shiftMs = DAY_MS - 1;
  expect((await end("Short-lived")).body["deletion_at"]).toBe(ended.body["deletion_at"]);
  expect((await as(second.key, "POST", "/v1/events/fire", { event: "order.created", data: {} })).status).toBe(202);
  expect(outcome(await admin.call("POST", `${path}/restore`))).toBe("403 role_not_allowed");
  expect((await as(second.key, "POST", `${path}/restore`)).body["deletion_at"]).toBeNull();
  expect(outcome(await as(second.key, "POST", `${path}/restore`))).toBe("409 conflict");
  shiftMs = 8 * DAY_MS;
  await service.service.people.current.sweep();
  expect((await as(second.key, "GET", path)).status).toBe(200);
});

test("a workspace closes after the grace period, then loses all its rows", async () => {
  const second = await made("Doomed");
  const lone = await joined(service, "admin", second.key);
  await invite(service, "never@example.com", "viewer", second.key);
  const endpoint = { url: "http://127.0.0.1:9/", events: ["*"] };
  for (const key of [second.key, second.sandboxKey]) {
    expect((await as(key, "POST", "/v1/webhook-endpoints", endpoint)).status).toBe(201);
    expect((await as(key, "POST", "/v1/events/fire", { event: "order.created", data: {} })).status).toBe(202);
  }
  const kept = await service.fire();
  await as(second.key, "DELETE", "/v1/workspaces/current", { name: "Doomed" });
  const sweep = async (): Promise<void> => await service.service.people.current.sweep();
  shiftMs = 7 * DAY_MS - 1;
  await sweep();
  expect((await as(second.key, "GET", "/v1/events")).status).toBe(200);
  shiftMs = 7 * DAY_MS;
  await sweep();
  for (const key of [second.key, second.sandboxKey])
    expect(outcome(await as(key, "GET", "/v1/events"))).toBe("401 key_revoked");
  const { email, password } = lone;
  await expect(signIn(service, { email, password })).rejects.toThrow("sign_in_failed");
  owner = await signIn(service);
  const named = { "X-Service-Workspace": second.id };
  expect(outcome(await owner.call("GET", "/v1/events", undefined, named))).toBe("403 workspace_mismatch");
  expect(await rowsOf(service, second.id)).not.toEqual({});
  await restart();
  shiftMs += 10 * 60_000;
  await Promise.all([sweep(), sweep()]);
  expect(await rowsOf(service, second.id)).toEqual({});
  const [left] = await service.database.query<{ n: number }>("select count(*)::int as n from person where email = $1", [
    email,
  ]);
  expect(left?.n).toBe(0);
  expect(outcome(await as(second.key, "GET", "/v1/events"))).toBe("401 key_invalid");
  expect((await service.api("GET", `/v1/events/${String(kept["id"])}`)).status).toBe(200);
  expect((await owner.call("GET", "/v1/members")).status).toBe(200);
});

test("sessions, invitations and links are deleted a month after they ended", async () => {
  await owner.call("POST", "/v1/auth/sign-out");
  const before = await countRows(service, "session");
  shiftMs = 31 * DAY_MS;
  await service.service.people.current.sweep();
  expect(await countRows(service, "session")).toBeLessThan(before);
  const [old] = await service.database.query<{ n: number }>(
    "select count(*)::int as n from session where ended_at < $1",
    [new Date(startMs + DAY_MS)],
  );
  expect(old?.n).toBe(0);
});
