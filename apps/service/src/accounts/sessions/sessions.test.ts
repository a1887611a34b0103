import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import { forgetTries, joined, outcome, OWNER, signIn } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

const HOUR_MS = 3_600_000;
const startMs = Date.now();
let shiftMs = 0;
const clock: Clock = { now: () => instant(startMs + shiftMs), monotonicMs: () => performance.now() };
let service: TestService;
let twin: TestService;

beforeAll(async () => {
  service = await startService({ deps: { clock } });
  twin = await startService({ on: service, deps: { clock } });
});
beforeEach(async () => {
  shiftMs = 0;
  await forgetTries(service);
});
afterAll(async () => {
  await twin.close();
  await service.close();
});

const event = { event: "order.created", data: {} };

test("a session reads and writes as its member does, on every node", async () => {
  const person = await signIn(service);
  expect((await person.call("GET", "/v1/events")).status).toBe(200);
  const fired = await person.call("POST", "/v1/events/fire", event);
  expect([fired.status, fired.headers.get("x-service-ratelimit-limit")]).toEqual([202, "1000"]);
  const elsewhere = await twin.api("GET", `/v1/events/${String(fired.body["id"])}`, undefined, {
    key: null,
    headers: { Cookie: person.cookie },
  });
  expect(elsewhere.status).toBe(200);
});

test("a write by cookie needs its own session's CSRF token; a read does not", async () => {
  const person = await signIn(service);
  const other = await signIn(service);
  const tokens: [string, Record<string, string>][] = [
    ["none", { "X-CSRF-Token": "" }],
    ["wrong", { "X-CSRF-Token": `${person.csrfToken.slice(0, -1)}_` }],
    ["another session's", { "X-CSRF-Token": other.csrfToken }],
  ];
  for (const [name, headers] of tokens) {
    const refused = await person.call("POST", "/v1/events/fire", event, headers);
    expect([name, outcome(refused)]).toEqual([name, "403 csrf_token_invalid"]);
  }
  for (const [method, path] of [
    ["POST", "/v1/auth/sign-out"],
    ["PATCH", "/v1/workspaces/current"],
    ["DELETE", `/v1/members/${person.memberId}`],
  ] as const) {
    const headers = { Cookie: person.cookie };
    const bare = await service.api(method, path, undefined, { key: null, headers });
    expect([path, outcome(bare)]).toEqual([path, "403 csrf_token_invalid"]);
  }
  expect((await person.call("GET", "/v1/events", undefined, { "X-CSRF-Token": "" })).status).toBe(200);
});

test("a reloaded page gets its own token again", async () => {
  const person = await signIn(service);
  const reloaded = await person.call("GET", "/v1/auth/session");
  expect(reloaded.body).toEqual(person.answer.body);
  expect(outcome(await service.api("GET", "/v1/auth/session"))).toBe("403 surface_not_allowed");
  expect(outcome(await service.api("GET", "/v1/auth/session", undefined, { key: null }))).toBe(
    "401 credentials_missing",
  );
});

test("a key takes precedence over a cookie", async () => {
  const person = await signIn(service);
  const key = await mintKey(service, { role: "viewer" });
  const headers = { Cookie: person.cookie };
  expect(outcome(await service.api("POST", "/v1/events/fire", event, { key: key.key, headers }))).toBe(
    "403 role_not_allowed",
  );
  expect(outcome(await service.api("GET", "/v1/events", undefined, { key: "nonsense", headers }))).toBe(
    "401 key_invalid",
  );
  expect((await service.api("POST", "/v1/events/fire", event, { headers })).status).toBe(202);
});

test("an unknown cookie and an invalid signature are refused", async () => {
  const person = await signIn(service);
  const cookies = ["junction_session=", `junction_session=${"x".repeat(43)}`, `${person.cookie}x`];
  for (const cookie of cookies) {
    const answer = await service.api("GET", "/v1/events", undefined, { key: null, headers: { Cookie: cookie } });
    expect([cookie, outcome(answer)]).toEqual([cookie, "401 session_invalid"]);
  }
  const signed = { "X-Service-Signature": "0".repeat(64), "X-Service-Timestamp": String(Math.floor(startMs / 1000)) };
  expect(outcome(await person.call("GET", "/v1/events", undefined, signed))).toBe("401 signature_invalid");
});

test("a session ends 14 days after its start, and after 24 hours without a request", async () => {
  const idle = await signIn(service);
  const busy = await signIn(service);
  shiftMs = 23 * HOUR_MS;
  expect((await busy.call("GET", "/v1/events")).status).toBe(200);
  shiftMs = 24 * HOUR_MS + 1;
  expect(outcome(await idle.call("GET", "/v1/events"))).toBe("401 session_invalid");
  for (; shiftMs < 14 * 24 * HOUR_MS; shiftMs += 20 * HOUR_MS)
    expect((await busy.call("GET", "/v1/events")).status).toBe(200);
  shiftMs = 14 * 24 * HOUR_MS;
  expect(outcome(await busy.call("GET", "/v1/events"))).toBe("401 session_invalid");
});

test("signing in creates a new session and ends that of the browser's cookie", async () => {
  const first = await signIn(service);
  const answer = await service.api("POST", "/v1/auth/sign-in", OWNER, { key: null, headers: { Cookie: first.cookie } });
  expect(answer.headers.get("set-cookie")?.split(";")[0]).not.toBe(first.cookie);
  expect(outcome(await first.call("GET", "/v1/events"))).toBe("401 session_invalid");
});

test("signing out ends the session and clears the cookie", async () => {
  const person = await signIn(service);
  const out = await person.call("POST", "/v1/auth/sign-out");
  expect([out.status, out.headers.get("set-cookie")]).toEqual([
    204,
    "junction_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict",
  ]);
  expect(outcome(await person.call("GET", "/v1/events"))).toBe("401 session_invalid");
  expect(outcome(await service.api("POST", "/v1/auth/sign-out"))).toBe("403 surface_not_allowed");
});

test("a person lists and ends own sessions, whose next request is refused everywhere", async () => {
  const person = await joined(service, "developer");
  const headers = { "User-Agent": "Ada's phone" };
  const { email, password } = person;
  const opened = await service.api("POST", "/v1/auth/sign-in", { email, password }, { key: null, headers });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const listed = await person.call("GET", "/v1/auth/sessions");
  expect(listed.body).toMatchObject({
    object: "list",
    has_more: false,
    data: [
      { object: "session", current: false, user_agent: "Ada's phone", ip: "127.0.0.1" },
      { object: "session", current: true },
    ],
  });
  expect(listed.text).not.toContain(cookie.split("=")[1]);
  const id = String(listed.body["data"][0].id);
  expect((await person.call("DELETE", `/v1/auth/sessions/${id}`)).status).toBe(204);
  const refused = await twin.api("GET", "/v1/events", undefined, { key: null, headers: { Cookie: cookie } });
  expect(outcome(refused)).toBe("401 session_invalid");
  expect(outcome(await person.call("DELETE", `/v1/auth/sessions/${id}`))).toBe("404 not_found");
  expect((await person.call("GET", "/v1/auth/sessions")).body["data"]).toHaveLength(1);
});

test("a person cannot end another's session, and a key has no sessions", async () => {
  const owner = await signIn(service);
  const person = await joined(service, "admin");
  const [session] = (await owner.call("GET", "/v1/auth/sessions")).body["data"];
  expect(outcome(await person.call("DELETE", `/v1/auth/sessions/${String(session.id)}`))).toBe("404 not_found");
  expect((await owner.call("GET", "/v1/events")).status).toBe(200);
  expect(outcome(await service.api("GET", "/v1/auth/sessions"))).toBe("403 surface_not_allowed");
  expect(outcome(await service.api("DELETE", `/v1/auth/sessions/${String(session.id)}`))).toBe(
    "403 surface_not_allowed",
  );
});

covers(
  ["sandbox.data.apart", "gate.check.scope-role"],
  "a session works in live, or in the sandbox on request, never in both",
  async () => {
    const person = await signIn(service);
    const sandbox = { "X-Service-Environment": "sandbox" };
    const fired = await person.call("POST", "/v1/events/fire", event, sandbox);
    const id = String(fired.body["id"]);
    const read = async (headers: Record<string, string>): Promise<string> =>
      outcome(await person.call("GET", `/v1/events/${id}`, undefined, headers));
    expect(await read(sandbox)).toBe("200");
    expect(await read({})).toBe("403 environment_mismatch");
    expect((await person.call("GET", "/v1/events")).text).not.toContain(id);
    expect(outcome(await service.api("GET", `/v1/events/${id}`, undefined, { key: service.sandboxKey }))).toBe("200");
    expect(await read({ "X-Service-Environment": "staging" })).toBe("400 bad_request");
    // Members and sessions belong to both environments.
    expect((await person.call("GET", "/v1/members", undefined, sandbox)).status).toBe(200);
  },
);

covers("error.workspace.403", "sessions reach only workspaces of their person, and keys only their own", async () => {
  const other = await otherWorkspace(service);
  const person = await signIn(service);
  const named = async (id: string): Promise<string> =>
    outcome(await person.call("GET", "/v1/events", undefined, { "X-Service-Workspace": id }));
  expect(await named(String(person.answer.body["workspaces"][0].workspace_id))).toBe("200");
  expect(await named(other.id("ws"))).toBe("403 workspace_mismatch");
  expect(await named(other.id("key"))).toBe("400 bad_request");
  expect(outcome(await person.call("GET", `/v1/events/${other.id("evt")}`))).toBe("403 workspace_mismatch");
  const headers = { "X-Service-Workspace": other.id("ws") };
  expect(outcome(await service.api("GET", "/v1/events", undefined, { headers }))).toBe("403 workspace_mismatch");
  const byKey = async (id: string): Promise<string> =>
    outcome(await service.api("GET", "/v1/events", undefined, { headers: { "X-Service-Workspace": id } }));
  const own = String(person.answer.body["workspaces"][0].workspace_id);
  expect(await byKey(own)).toBe("200");
  for (const unknown of ["", "acme", "shop.example.com", own.replace("ws_", "key_")])
    expect([unknown, await byKey(unknown)]).toEqual([unknown, "400 bad_request"]);
  expect(await byKey(absentId({ tag: tagOfId(own) }, "ws"))).toBe("403 workspace_mismatch");
  const sandbox = { "X-Service-Environment": "sandbox" };
  expect(outcome(await service.api("GET", "/v1/events", undefined, { headers: sandbox }))).toBe(
    "403 environment_mismatch",
  );
});

test("sessions of one member share one limit, and one idempotency key's answer", async () => {
  const [first, second] = [await signIn(service), await signIn(service)];
  const headers = { "Idempotency-Key": "once" };
  const fired = await first.call("POST", "/v1/events/fire", event, headers);
  const again = await second.call("POST", "/v1/events/fire", event, headers);
  expect([again.status, again.text]).toEqual([202, fired.text]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  const left = async (person: typeof first): Promise<number> =>
    Number((await person.call("GET", "/v1/events")).headers.get("x-service-ratelimit-remaining"));
  const before = await left(first);
  expect(await left(second)).toBeLessThan(before);
});

test("a session's key belongs to its person and environment, within the person's rights", async () => {
  const person = await joined(service, "admin");
  const sandbox = { "X-Service-Environment": "sandbox" };
  const made = await person.call(
    "POST",
    "/v1/keys",
    { name: "mine", permission_mode: "all", actor_type: "user" },
    sandbox,
  );
  expect([made.status, made.body["role"], made.body["environment"]]).toEqual([201, "admin", "sandbox"]);
  expect(tagOfId(String(made.body["id"]))).not.toBe(tagOfId(person.memberId));
  const viewer = await joined(service, "viewer");
  const refused = await viewer.call("POST", "/v1/keys", { name: "mine", permission_mode: "all" });
  expect(outcome(refused)).toBe("403 role_not_allowed");
});

test("the database holds no session's token", async () => {
  const person = await signIn(service);
  const rows = await service.database.query<{ row: string }>("select row_to_json(session)::text as row from session");
  const all = rows.map(({ row }) => row).join("\n");
  expect(all).not.toContain(person.cookie.split("=")[1]);
  expect(all).not.toContain(person.csrfToken);
});
