import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { errorCatalogue, errorCodes } from "../../lib/lib.ts";
import type { ErrorCode } from "../../lib/lib.ts";
import { actionProblems } from "../../testing/action-problems.ts";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import { mintKey, otherWorkspace, setKey } from "../../testing/keys.ts";
import { joined, OWNER, signIn, withTotp } from "../../testing/people.ts";
import { sendBytes, sendRaw } from "../../testing/raw-http.ts";
import { nowSeconds, signV1 } from "../../testing/request-signing.ts";
import { startService } from "../../testing/service.ts";
import { openStream } from "../../testing/stream.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Makes the service respond with a code. */
type Case = (service: TestService) => Promise<Parsed>;

const HOOKS = "/v1/webhook-endpoints";
const EVENTS = "/v1/events";
const hook = { url: "http://127.0.0.1:9/", events: ["test.nothing"] };
const event = { event: "order.created", data: {} };

const CASES: Readonly<Record<ErrorCode, Case>> = {
  credentials_missing: get({ key: null }),
  key_invalid: get({ key: "jn_live_x" }),
  key_revoked: keyed({}, { revoked_at: new Date() }),
  key_expired: keyed({}, { expires_at: new Date(1000) }),
  signature_invalid: signed({ "X-Service-Signature": "0".repeat(64) }),
  signature_required: keyed({ require_signature: true }),
  timestamp_missing: async (service) => {
    const { "X-Service-Signature": signature = "" } = signV1({ secret: service.key, method: "GET", target: EVENTS });
    return await problem(service, "GET", EVENTS, { headers: { "X-Service-Signature": signature } });
  },
  timestamp_invalid: signed({ "X-Service-Timestamp": "1700000000000" }),
  timestamp_out_of_range: signed({ "X-Service-Timestamp": String(nowSeconds() - 301) }),
  sign_in_failed: signingIn({ ...OWNER, password: "another password" }),
  totp_required: async (service) => {
    const { email, password } = (await withTotp(service)).person;
    return await signingIn({ email, password })(service);
  },
  password_sign_in_off: async (service) => {
    const { email, password } = await joined(service, "viewer");
    const set = "update workspace set settings = settings || $1::jsonb";
    await service.database.query(set, ['{"password_sign_in":false}']);
    const refused = await signingIn({ email, password })(service);
    await service.database.query(set, ['{"password_sign_in":true}']);
    return refused;
  },
  session_invalid: async (service) => {
    const person = await joined(service, "viewer");
    await person.call("POST", "/v1/auth/sign-out");
    return await problem(service, "GET", EVENTS, { key: null, headers: { Cookie: person.cookie } });
  },
  invitation_invalid: async (service) => {
    const body = { token: "x", name: "A", password: "x".repeat(12) };
    return await problem(service, "POST", "/v1/members/accept", { key: null, body });
  },
  reset_link_invalid: async (service) => {
    const body = { token: "x", password: "x".repeat(12) };
    return await problem(service, "POST", "/v1/auth/reset", { key: null, body });
  },
  setup_link_invalid: async (service) => {
    const body = { token: "x", email: "a@example.com", name: "A", password: "x".repeat(12) };
    return await problem(service, "POST", "/v1/auth/setup", { key: null, body });
  },
  portal_token_invalid: async (service) =>
    await problem(service, "POST", "/v1/portal-sessions/exchange", { key: null, body: { token: "x" } }),
  workspace_mismatch: async (service) =>
    await problem(service, "GET", `${EVENTS}/${(await otherWorkspace(service)).id("evt")}`),
  tenant_mismatch: async (service) => {
    const { key } = await mintKey(service, { tenant: "acme" });
    return await problem(service, "GET", "/v1/members", { key });
  },
  environment_mismatch: async (service) =>
    await problem(service, "GET", `${EVENTS}/${(await service.fire()).id}`, { key: service.sandboxKey }),
  action_blocked: keyed({ permission_mode: "restricted", blocked_actions: ["events.*"] }),
  key_read_only: async (service) => {
    const { key } = await mintKey(service, { permission_mode: "read_only" });
    return await problem(service, "POST", HOOKS, { key, body: hook });
  },
  role_not_allowed: async (service) => {
    const { key } = await mintKey(service, { role: "viewer" });
    return await problem(service, "POST", HOOKS, { key, body: hook });
  },
  scope_missing: keyed({}, { scopes: ["keys:read"] }),
  surface_not_allowed: async (service) => await problem(service, "GET", "/v1/auth/session"),
  permission_required: async (service) => {
    const { key } = await mintKey(service, { role: "admin" });
    const wanted = { name: "k", permission_mode: "all", permissions: ["refunds"] };
    return await problem(service, "POST", "/v1/keys", { key, body: wanted });
  },
  ip_not_allowed: keyed({ ip_allowlist: ["192.0.2.1"] }),
  csrf_token_invalid: async (service) => {
    const { cookie } = await joined(service, "developer");
    return await problem(service, "POST", HOOKS, { key: null, body: hook, headers: { Cookie: cookie } });
  },
  origin_not_allowed: async (service) =>
    await problem(service, "POST", "/mcp", { body: {}, headers: { Origin: "https://evil.example" } }),
  rate_limited: async (service) => {
    const { key } = await mintKey(service, { rate_limit_per_hour: 1 });
    await service.api("GET", EVENTS, undefined, { key });
    return await problem(service, "GET", EVENTS, { key });
  },
  too_many_auth_failures: async (service) => {
    const { key } = await mintKey(service);
    const call = async (): Promise<Parsed> =>
      await problem(service, "GET", EVENTS, {
        key,
        headers: { "X-Service-Signature": "x", "X-Service-Timestamp": "1" },
      });
    await Promise.all(Array.from({ length: 30 }, call));
    return await call();
  },
  too_many_streams: async (service) => {
    await openStream(service, "?max_seconds=0");
    await service.database.query("update news_interest set node = gen_random_uuid(), listeners = 50");
    const refused = await problem(service, "GET", "/v1/stream");
    await service.database.query("delete from news_interest");
    return refused;
  },
  malformed_json: post(HOOKS, "{"),
  query_invalid: async (service) => await problem(service, "GET", `${EVENTS}?limit=0`),
  cursor_invalid: async (service) => await problem(service, "GET", `${EVENTS}?cursor=x`),
  idempotency_key_invalid: async (service) =>
    await problem(service, "POST", HOOKS, { body: hook, headers: { "Idempotency-Key": "a b" } }),
  version_unknown: get({ headers: { "X-Service-Version": "2026-01-01" } }),
  bad_request: async (service) => {
    const answer = await sendBytes(service.baseUrl, "this is not HTTP\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*\r\nContent-Type: application\/problem\+json/);
    return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
  },
  payload_too_large: post(HOOKS, { ...hook, description: "x".repeat(300_000) }),
  unsupported_media_type: async (service) =>
    await problem(service, "POST", HOOKS, { body: hook, headers: { "Content-Type": "text/plain" } }),
  method_not_allowed: async (service) => await problem(service, "PUT", HOOKS),
  route_not_found: async (service) => await problem(service, "GET", "/v1/nothing"),
  not_found: async (service) => await problem(service, "GET", `${EVENTS}/evt_1`),
  action_unknown: post("/api/v1.php", { action: "events.fier" }),
  validation_failed: post(HOOKS, { ...hook, unknown: 1 }),
  url_blocked: post(HOOKS, { ...hook, url: "https://10.0.0.1/" }),
  ...actionProblems,
  idempotency_key_reused: async (service) => {
    const headers = { "Idempotency-Key": "reused" };
    await service.api("POST", "/v1/events/fire", event, { headers });
    return await problem(service, "POST", HOOKS, { body: hook, headers });
  },
  idempotency_in_progress: async (service) => {
    const headers = { "Idempotency-Key": "running" };
    await service.api("POST", HOOKS, hook, { headers });
    await service.database.query(
      "update idempotency set status = null, leased_until = now() + interval '1 minute' where key = 'running'",
    );
    return await problem(service, "POST", HOOKS, { body: hook, headers });
  },
  last_owner: async (service) => {
    const { memberId } = await signIn(service);
    return await problem(service, "DELETE", `/v1/members/${memberId}`);
  },
  event_data_invalid: async (service) => {
    await service.api("POST", "/v1/event-types", {
      name: "enforced.type",
      enforcement: "refuse",
      schema: { required: ["id"] },
    });
    return await problem(service, "POST", "/v1/events/fire", { body: { event: "enforced.type", data: {} } });
  },
  plan_stale: async (service) => {
    const put = { configuration: { version: 1, inboxes: [{ name: "stale" }] } };
    const plan = await service.api("POST", "/v1/configuration/plans", put);
    await service.api("PUT", "/v1/inboxes/stale");
    return await problem(service, "POST", `/v1/configuration/plans/${plan.body["id"]}/apply`);
  },
  schema_incompatible: async (service) => {
    await service.api("POST", "/v1/event-types", { name: "fixed.type", schema: { required: ["id"] } });
    return await problem(service, "PATCH", "/v1/event-types/fixed.type", { body: { schema: { required: [] } } });
  },
  event_already_fired: async (service) => {
    const { id } = await service.fire();
    return await problem(service, "DELETE", `/v1/events/${id}/schedule`);
  },
  transform_cases_failed: async (service) => {
    const cases = [{ ...event, expect: { a: 1 } }];
    return await problem(service, "POST", HOOKS, {
      body: { ...hook, transform: { kind: "template", body: {}, cases } },
    });
  },
  conflict: async (service) => {
    await service.endpoint(hook.url, { events: ["test.conflict"], active: true });
    const { deliveries } = await service.fire("test.conflict", {});
    return await problem(service, "POST", `/v1/deliveries/${deliveries[0].id}/replay`);
  },
  consumer_busy: async (service) => {
    const path = await pulled(service);
    await service.api("POST", `${path}/pull`, { consumer: "c" });
    return await problem(service, "POST", `${path}/pull`, { body: { consumer: "c" } });
  },
  lease_lost: async (service) => {
    const path = await pulled(service);
    const { body } = await service.api("POST", `${path}/pull`, { consumer: "c" });
    await service.api("POST", `${path}/seek`, { consumer: "c", to: "end" });
    return await problem(service, "POST", `${path}/commit`, { body: { consumer: "c", lease_id: body["lease"]["id"] } });
  },
  inbound_inactive: async (service) => await inbound(service, { active: false }, {}),
  inbound_processing_failed: async (service) =>
    await inbound(service, {}, { "X-Service-Simulate": "processing_error" }),
  internal_error: broken("XX000"),
  service_unavailable: broken("53300"),
};

/** Creates a pull endpoint with a message, and returns its path. */
async function pulled(service: TestService): Promise<string> {
  const { body } = await service.api("POST", HOOKS, { kind: "pull", events: ["test.pulled"] });
  await service.fire("test.pulled", {});
  return `${HOOKS}/${String(body["id"])}`;
}

let service: TestService;
beforeAll(async () => {
  // Without workers a delivery stays pending.
  service = await startService({ env: { JUNCTION_ROLES: "api" } });
});
afterAll(async () => await service.close());

interface Ask {
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

async function problem(on: TestService, method: string, path: string, ask: Ask = {}): Promise<Parsed> {
  const { body, ...options } = ask;
  const answer = await on.api(method, path, body, options);
  expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(answer.body.request_id).toBe(answer.headers.get("x-service-request-id"));
  expect([answer.body.status, answer.body.instance]).toEqual([answer.status, path.split("?")[0]]);
  return answer.body;
}

function get(ask: Ask): Case {
  return async (on) => await problem(on, "GET", EVENTS, ask);
}

function signingIn(proof: { email: string; password: string }): Case {
  return async (on) => await problem(on, "POST", "/v1/auth/sign-in", { key: null, body: proof });
}

function post(path: string, body: unknown): Case {
  return async (on) => await problem(on, "POST", path, { body });
}

function keyed(spec: Record<string, unknown>, columns: Record<string, unknown> = {}): Case {
  return async (on) => {
    const key = await mintKey(on, spec);
    if (Object.keys(columns).length > 0) await setKey(on, key, columns);
    return await problem(on, "GET", EVENTS, { key: key.key });
  };
}

/** Sends a signed event to a source of the sandbox. */
async function inbound(on: TestService, fields: object, headers: Record<string, string>): Promise<Parsed> {
  const { secret, target } = await makeSource(on, { ...fields }, on.sandboxKey);
  const own = { "X-Service-Inbound-Signature": hexMac(secret, "{}"), ...headers };
  return await problem(on, "POST", target, { key: null, headers: own, body: "{}" });
}

/** Sends a signed request, of which a part is then changed. */
function signed(change: Record<string, string>): Case {
  return async (on) => {
    const headers = { ...signV1({ secret: on.key, method: "GET", target: EVENTS }), ...change };
    return await problem(on, "GET", EVENTS, { headers });
  };
}

/** Makes the database fail with this code in the middle of a write. */
function broken(errcode: string): Case {
  return async (on) => {
    await on.database.query(`create function fail() returns trigger language plpgsql as $$ begin
      raise 'secret insides' using errcode = '${errcode}'; end $$`);
    await on.database.query("create trigger fail before insert on endpoint for each row execute function fail()");
    const answer = await problem(on, "POST", HOOKS, { body: hook });
    await on.database.query("drop function fail cascade");
    expect(JSON.stringify(answer)).not.toContain("insides");
    return answer;
  };
}

covers(
  ["error.workspace.403", "error.rate.429"],
  "every catalog code is returned over HTTP, with its own status and title",
  async () => {
    for (const code of errorCodes) {
      const body = await CASES[code](service);
      const { status, title, retryable } = errorCatalogue[code];
      const {
        reason: _reason,
        server_time: _time,
        did_you_mean: _near,
        ok: _ok,
        receipt_id: _receipt,
        known_versions: _known,
        execution: _execution,
        second_factors: _factors,
        passkey_request: _passkey,
        ...members
      } = body;
      expect(members).toEqual({
        type: `${service.baseUrl}/docs/errors/${code}`,
        title,
        status,
        code,
        detail: expect.stringMatching(/^\S.*\.$/s),
        instance: expect.stringMatching(/^\//),
        request_id: expect.stringMatching(/^req_[0-9a-z]{34}$/),
        retryable,
        errors: expect.any(Array),
      });
      for (const violation of members.errors) {
        const text = expect.any(String);
        expect(violation).toEqual({ pointer: expect.stringMatching(/^(\/|$)/), code: text, message: text });
      }
    }
  },
);

test("every problem type links to a page with meaning, cause and remedy", async () => {
  const { body } = await service.api("GET", "/v1/nothing");
  expect((await fetch(body.type)).status).toBe(200);
  for (const code of errorCodes) {
    const page = await sendRaw(service.baseUrl, { method: "GET", path: `/docs/errors/${code}` });
    expect([code, page.status, page.headers["content-type"]]).toEqual([code, 200, "text/html; charset=utf-8"]);
    const { title, status } = errorCatalogue[code];
    expect(page.text).toContain(`<code>${code}</code> · HTTP ${status}`);
    expect(page.text).toContain(`<h1>${title.replaceAll('"', "&quot;")}</h1>`);
    expect(page.text).toContain(">What to do</h2>");
    const example: Parsed = JSON.parse(
      (/<pre[^>]*><code>(.*)<\/code><\/pre>/s.exec(page.text)?.[1] ?? "")
        .replaceAll("&quot;", '"')
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">"),
    );
    expect([example.code, example.type]).toEqual([code, `${service.baseUrl}/docs/errors/${code}`]);
  }
});

test("the index of errors links to the page of every code", async () => {
  const index = await sendRaw(service.baseUrl, { method: "GET", path: "/docs/errors" });
  expect(index.status).toBe(200);
  const links = [...index.text.matchAll(/href="\/docs\/errors\/(\w+)"/g)].map((match) => match[1]);
  expect(links).toEqual(errorCodes);
});

test("an unknown code has no page", async () => {
  for (const code of ["no_such_code", "toString", "__proto__"]) {
    const answer = await service.api("GET", `/docs/errors/${code}`, undefined, { key: null });
    expect([answer.status, answer.body["code"]]).toEqual([404, "not_found"]);
  }
});
