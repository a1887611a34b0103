import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { sha256, wireId } from "../../lib/lib.ts";
import { documentedOperations, smallest } from "../../testing/documented.ts";
import type { Documented } from "../../testing/documented.ts";
import { mintKey, setKey, tagOfId, uuidOf } from "../../testing/keys.ts";
import { signIn } from "../../testing/people.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import type { RawAnswer, RawRequest } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

/** Each call comes from another address: many failures of one address would be refused by its limit. */
let calls = 0;
const outside = (): string => {
  calls += 1;
  return `203.0.113.${calls % 250}`;
};
/** The order of the tests' calls does not matter, because no limit applies. */
const env = { ...UNLIMITED, JUNCTION_TRUST_PROXIES: "127.0.0.0/8", JUNCTION_DNS_SERVERS: "127.0.0.1:9" };

let service: TestService;
let operations: Documented[];
/** `present` is an event's id, which is not an id of another kind of object; `absent` belongs to no object. */
let present: string;
let absent: string;
let blocked: string;
let used: string;
let session: Record<string, string>;

beforeAll(async () => {
  service = await startService({ env });
  operations = await documentedOperations(service);
  present = (await service.fire())["id"];
  const { cookie, csrfToken } = await signIn(service);
  session = { Cookie: cookie, "X-CSRF-Token": csrfToken };
  // Some operations refuse a key with a lowered limit before they count the call.
  const busy = await mintKey(service, { actor_type: "user" });
  await setKey(service, busy, { role: "owner" });
  absent = wireId("evt", tagOfId(busy.id), uuidOf(busy.id));
  blocked = (await mintKey(service, { permission_mode: "restricted", blocked_actions: ["*"] })).key;
  used = busy.key;
  await service.api("GET", "/v1/events", undefined, { key: used });
  await service.database.query("update rate_window set slots[61] = 1000000 where subject = $1 and operation = '*'", [
    busy.uuid,
  ]);
});
afterAll(async () => await service.close());

/** An `external_id` belongs to the caller, a `slack_…_id` to Slack, and `last_event_id` is a position in a stream. */
const isOurId = (name: string): boolean =>
  name.endsWith("_id") && !name.endsWith("external_id") && !name.startsWith("slack_") && name !== "last_event_id";

/** Returns the operation's smallest request, with changes. */
function requestOf(operation: Documented, change: Partial<RawRequest> & { key?: string | null } = {}): RawRequest {
  const { key = service.key, headers, ...rest } = change;
  const path = targetOf(operation, present);
  return {
    method: operation.method,
    path,
    ...(operation.body === undefined ? {} : { body: JSON.stringify(bodyOf(operation)) }),
    ...rest,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      "Content-Type": "application/json",
      ...headers,
    },
  };
}

/** The General API runs the operation that its body names, a preview takes one of several members, and leases are of one workspace. */
function bodyOf({ path, body }: Documented): unknown {
  if (body?.properties?.lease_id !== undefined)
    return { ...(smallest(body) as object), lease_id: wireId("lse", tagOfId(present), uuidOf(present)) };
  if (path === "/v1/inbound-endpoints/{id}/preview") return { payload: {} };
  return path === "/api/v1.php" ? { action: "webhook_endpoints.toggle", id: present } : smallest(body);
}

const pathOf = ({ path }: Documented, id: string): string => path.replaceAll(/\{[a-z]+\}/g, id);

/** A stream ends immediately. */
const targetOf = (operation: Documented, id: string): string =>
  pathOf(operation, id) + (operation.query.includes("max_seconds") ? "?max_seconds=0" : "");

async function send(operation: Documented, change: Parameters<typeof requestOf>[1] = {}): Promise<RawAnswer> {
  return await sendRaw(service.baseUrl, requestOf(operation, change));
}

const declaring = (status: number): string[] =>
  operations.filter(({ statuses }) => statuses.includes(status)).map(({ name }) => name);

/**
 * Returns the operations that respond with a status when each is provoked. Every such response is a problem of that
 * status.
 */
async function answering(status: number, provoke: (of: Documented) => Promise<RawAnswer>): Promise<string[]> {
  const names: string[] = [];
  for (const operation of operations) {
    const answer = await provoke(operation);
    expect([operation.name, answer.status]).not.toEqual([operation.name, 500]);
    if (answer.status !== status) continue;
    names.push(operation.name);
    expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(answer.body).toMatchObject({ status, code: expect.any(String), request_id: expect.any(String) });
  }
  return names;
}

/** Records that the request was made before: it still runs, or it was a different request. */
async function remember(request: RawRequest, how: "runs" | "was another"): Promise<string> {
  const key = `${how} ${request.method} ${request.path}`.replaceAll(" ", "_");
  const body = createHash("sha256")
    .update(request.body ?? "")
    .digest("hex");
  const hash = how === "runs" ? `${request.method}\n${request.path}\n${body}` : how;
  await service.database.query(
    `insert into idempotency (bucket, tag, lineage_id, key, request_hash, status, response_sealed, owner, leased_until)
      select bucket, tag, lineage_id, $1, $2, $3, ''::bytea, gen_random_uuid(), now() + interval '1 hour' from api_key where key_hash = $4`,
    [key, sha256(hash), how === "runs" ? null : 200, sha256(service.key)],
  );
  return key;
}

const provokers: readonly [number, string, (operation: Documented) => Promise<RawAnswer>][] = [
  [
    400,
    "malformed JSON, a query parameter that is unknown or sent twice, or a version that does not exist",
    async (operation) => {
      const path = targetOf(operation, present);
      const malformed =
        operation.method === "GET" ? { path: `${path}${path.includes("?") ? "&" : "?"}no_such=1` } : { body: '{"a":' };
      const answer = await send(operation, malformed);
      return answer.status === 400 ? answer : await send(operation, { headers: { "X-Service-Version": "none" } });
    },
  ],
  [
    401,
    "no credential, from an address outside",
    async (operation) => await send(operation, { key: null, headers: { "X-Forwarded-For": outside() } }),
  ],
  [403, "a key that is blocked from everything", async (operation) => await send(operation, { key: blocked })],
  [
    404,
    "an id that no object has, in the path, the query or the body",
    async (operation) => {
      const named = operation.query.find(isOurId);
      const member = Object.keys(operation.body?.properties ?? {}).find(isOurId);
      if (named !== undefined) return await send(operation, { path: `${operation.path}?${named}=${absent}` });
      const path = targetOf(operation, absent);
      // A key cannot access a person's own account.
      if (path.startsWith("/v1/auth/") && path !== operation.path)
        return await sendRaw(service.baseUrl, { method: operation.method, path, headers: session });
      if (operation.path === "/api/v1.php") return await send(operation, { body: '{"action":"no.such"}' });
      if (member === undefined) return await send(operation, { path });
      return await send(operation, { body: JSON.stringify({ [member]: absent }) });
    },
  ],
  [
    409,
    "an idempotency key whose first request still runs",
    async (operation) =>
      await send(operation, { headers: { "Idempotency-Key": await remember(requestOf(operation), "runs") } }),
  ],
  [
    413,
    "a body of more than 256 KiB, or of more than 1, 2 or 8 MiB where so much is taken",
    async (operation) => {
      // A GET has no body, so that none is read.
      if (operation.method === "GET") return await send(operation);
      for (const mib of [0.25, 2]) {
        const answer = await send(operation, { body: `"${"x".repeat(mib * 1024 * 1024)}"` });
        if (answer.status === 413) return answer;
      }
      return await send(operation, { body: `"${"x".repeat(8 * 1024 * 1024)}"` });
    },
  ],
  [
    415,
    "a body that is not application/json",
    async (operation) => await send(operation, { body: "{}", headers: { "Content-Type": "text/plain" } }),
  ],
  [
    422,
    "an idempotency key of another request, or an unknown member where no key counts",
    async (operation) => {
      const key = await remember(requestOf(operation), "was another");
      const answer = await send(operation, { headers: { "Idempotency-Key": key } });
      return answer.status === 422 || operation.method === "GET"
        ? answer
        : await send(operation, { body: '{"no_such":1}' });
    },
  ],
  [429, "a key that has used up its hour", async (operation) => await send(operation, { key: used })],
];

/** Routes whose status needs more than one call. Tests next to these routes provoke it. */
const elsewhere: Readonly<Record<number, readonly string[]>> = {
  // accounts/proofs/sign-in.test.ts, accounts/identity/invitations.test.ts, webhooks/sources/intake.test.ts; ai/mcp/protocol.test.ts, in the protocol's words
  // connectors/runtime/webhooks.test.ts and actions/approval-channels/slack.test.ts have what their public routes answer.
  401: ["POST /api/v1/inbound.php", "POST /v1/connectors/{key}/webhook/{token}", "POST /v1/slack/{id}/interactions"],
  403: ["POST /api/v1/inbound.php", "POST /v1/auth/sign-in", "POST /v1/connectors/{key}/webhook/{token}"],
  // webhooks/deliveries/replays.test.ts; actions/requests/ai-history.test.ts, for text that is not an id of an event;
  // actions/standing-approvals/standing-approvals.test.ts; accounts/proofs/passkeys.test.ts and actions/step-ups/step-ups.test.ts,
  // in a session.
  404: [
    "GET /v1/ai-history",
    // issues/issues.test.ts, for an owner that is not the id of a member
    "GET /v1/issues",
    "POST /mcp",
    "POST /v1/replays",
    "POST /v1/standing-approvals",
    "PATCH /v1/auth/passkeys/{id}",
    "DELETE /v1/auth/passkeys/{id}",
    "POST /v1/step-ups",
    "POST /v1/step-ups/{id}/prove",
    // webhooks/pull/pull.test.ts and webhooks/lanes/lanes.test.ts, with the other members that they need
    "POST /v1/webhook-endpoints/{id}/commit",
    "POST /v1/webhook-endpoints/{id}/release",
    "POST /v1/webhook-endpoints/{id}/seek",
    "POST /v1/webhook-endpoints/{id}/lanes/retry",
    "POST /v1/webhook-endpoints/{id}/lanes/skip",
    // webhooks/tenants/tenants.test.ts: a change creates the tenant
    "PATCH /v1/tenants/{tenant}",
    "DELETE /v1/tenants/{tenant}",
  ],
  // webhooks/endpoints/sealed-headers.test.ts, automation/rules/sealed-headers.test.ts, automation/workflows/sealed-headers.test.ts
  409: [
    "POST /v1/members/accept",
    "GET /v1/webhook-endpoints/{id}/headers",
    "GET /v1/rules/{id}/headers",
    "GET /v1/workflows/{id}/headers",
    // webhooks/pull/pull.test.ts
    "POST /v1/webhook-endpoints/{id}/pull",
    "POST /v1/webhook-endpoints/{id}/commit",
    "POST /v1/webhook-endpoints/{id}/release",
    "POST /v1/webhook-endpoints/{id}/seek",
  ],
  // webhooks/sources/bytes-of-senders.test.ts
  415: ["POST /api/v1/inbound.php", "POST /v1/connectors/{key}/webhook/{token}", "POST /v1/slack/{id}/interactions"],
  429: [
    "POST /v1/auth/sign-in",
    "POST /v1/members/accept",
    "POST /v1/password-resets",
    // portal/sessions.test.ts
    "POST /v1/portal-sessions/exchange",
    "POST /v1/connectors/{key}/webhook/{token}",
  ],
};

for (const [status, what, provoke] of provokers) {
  covers("openapi.document.complete", `${status}: ${what}: exactly the routes that declare it answer it`, async () => {
    const declared = declaring(status);
    expect(declared.length).toBeGreaterThan(0);
    const answered = [...(await answering(status, provoke)), ...(elsewhere[status] ?? [])];
    expect(answered.toSorted()).toEqual(declared.toSorted());
  });
}

test("every declared refusal is provoked, and every operation declares a success", () => {
  // 304 is a success of the General API: server/general-api/general.test.ts. 502 and 504 are a backend's: actions/runs/run.test.ts.
  // 405 is also a GET of the inbound URL that is not a handshake: webhooks/sources/handshake.test.ts.
  const known = new Set<number>([...provokers.map(([status]) => status), 304, 405, 500, 502, 503, 504]);
  for (const { name, statuses } of operations) {
    expect([name, statuses.filter((status) => status >= 300 && !known.has(status))]).toEqual([name, []]);
    expect([name, statuses.filter((status) => status < 300).length]).not.toEqual([name, 0]);
  }
});

test("405: a method that a path does not support, with those that it supports", async () => {
  // The inbox accepts every method, and documents the one that deliveries use.
  const paths = operations.filter(({ path }) => path !== "/inbox/{token}");
  for (const operation of paths) {
    const path = pathOf(operation, present);
    const known = operations.filter((one) => new RegExp(`^${pathOf(one, "[^/]+")}$`).test(operation.path));
    // Senders ask the inbound URL for permission with OPTIONS, which is not documented: webhooks/sources/own-handshakes.test.ts.
    const hidden = operation.path === "/api/v1/inbound.php" ? ["OPTIONS"] : [];
    const named = [...known.map(({ method }) => method), ...hidden];
    const methods = [...new Set(named.includes("GET") ? [...named, "HEAD"] : named)].toSorted();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => !methods.includes(one))) {
      const { status, body, headers } = await sendRaw(service.baseUrl, { method, path });
      const answer = [method, path, status, body["code"], headers["allow"]];
      expect(answer).toEqual([method, path, 405, "method_not_allowed", methods.join(", ")]);
    }
  }
});
