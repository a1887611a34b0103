import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { absentId, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import type { TestWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let other: TestWorkspace;
const own: Record<string, string> = {};

beforeAll(async () => {
  service = await startService();
  other = await otherWorkspace(service);
  const endpoint = await service.endpoint("http://127.0.0.1:9/");
  const fired = await service.fire();
  const key = await service.api("POST", "/v1/keys", { name: "k", permission_mode: "all" });
  Object.assign(own, { ep: endpoint.id, evt: fired["id"], dlv: fired["deliveries"][0].id, key: key.body["id"] });
  // After the first attempt, the endpoint's health is the same at each read.
  await service.until(`/v1/deliveries/${own["dlv"] ?? ""}`, (body) => body["attempt_count"] > 0);
});
afterAll(async () => await service.close());

type Kind = "evt" | "ep" | "dlv" | "key";
const calls: [string, string, Kind, unknown?][] = [
  ["GET", "/v1/events/:id", "evt"],
  ["POST", "/v1/events/:id/refire", "evt"],
  ["GET", "/v1/webhook-endpoints/:id", "ep"],
  ["PATCH", "/v1/webhook-endpoints/:id", "ep", { active: false }],
  ["DELETE", "/v1/webhook-endpoints/:id", "ep"],
  ["POST", "/v1/webhook-endpoints/:id/toggle", "ep"],
  ["GET", "/v1/webhook-endpoints/:id/secret", "ep"],
  ["POST", "/v1/webhook-endpoints/:id/secret/regenerate", "ep", {}],
  ["GET", "/v1/webhook-endpoints/:id/stats", "ep"],
  ["POST", "/v1/webhooks/test", "ep", { endpoint_id: ":id", dry_run: true }],
  ["GET", "/v1/deliveries/:id", "dlv"],
  ["GET", "/v1/deliveries/:id/attempts", "dlv"],
  ["POST", "/v1/deliveries/:id/replay", "dlv"],
  ["POST", "/v1/deliveries/:id/cancel", "dlv"],
  ["GET", "/v1/deliveries?endpoint_id=:id", "ep"],
  ["GET", "/v1/keys/:id", "key"],
  ["GET", "/v1/keys/:id/usage", "key"],
  ["PATCH", "/v1/keys/:id", "key", { name: "x" }],
  ["POST", "/v1/keys/:id/test", "key", { operation: "events.fire" }],
  ["POST", "/v1/keys/:id/roll", "key", {}],
  ["POST", "/v1/keys/:id/revoke", "key"],
];

async function outcome(call: (typeof calls)[number], id: string, key: string): Promise<string> {
  const [method, path, , body] = call;
  const sent = body === undefined ? undefined : JSON.stringify(body).replace(":id", id);
  const answer = await service.api(method, path.replace(":id", id), sent, { key });
  return `${answer.status} ${String(answer.body["code"])}`;
}

/** Runs while the tables of business data are locked. */
async function withDataLocked(run: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("lock table event, endpoint, pending_delivery, delivery, attempt, dispatch_stage, replay_job");
    await run();
  } finally {
    await client.query("rollback");
    await client.end();
  }
}

covers(
  ["error.workspace.403", "workspace.isolation.before-read"],
  "another workspace's key gets 403 for every object, and its data stays as it is",
  async () => {
    const before = await service.api("GET", `/v1/webhook-endpoints/${own["ep"] ?? ""}`);
    for (const call of calls)
      expect([...call.slice(0, 2), await outcome(call, own[call[2]] ?? "", other.key)]).toEqual([
        ...call.slice(0, 2),
        "403 workspace_mismatch",
      ]);
    const after = await service.api("GET", `/v1/webhook-endpoints/${own["ep"] ?? ""}`);
    expect(after.text).toBe(before.text);
  },
);

covers(
  "workspace.isolation.before-read",
  "foreign ids are refused even if the object is absent; own absent ids are 404",
  async () => {
    const tag = tagOfId(own["evt"] ?? "");
    for (const call of calls) {
      if (call[1].includes("?")) continue;
      expect([...call.slice(0, 2), await outcome(call, other.id(call[2]), service.key)]).toEqual([
        ...call.slice(0, 2),
        "403 workspace_mismatch",
      ]);
      expect([...call.slice(0, 2), await outcome(call, absentId({ tag }, call[2]), service.key)]).toEqual([
        ...call.slice(0, 2),
        "404 not_found",
      ]);
    }
  },
);

covers(
  "workspace.isolation.before-read",
  "the refusal needs no business table: it comes while all of them are locked",
  async () => {
    let ownCall: Promise<ApiAnswer> | undefined;
    await withDataLocked(async () => {
      for (const call of calls) {
        expect(await outcome(call, own[call[2]] ?? "", other.key)).toBe("403 workspace_mismatch");
        expect(await outcome(call, own[call[2]] ?? "", service.sandboxKey)).toBe("403 environment_mismatch");
      }
      // The same call with the correct key waits for the lock, so the test would detect a read.
      ownCall = service.api("GET", `/v1/events/${own["evt"] ?? ""}`);
      const first = await Promise.race([ownCall.then(() => "read"), sleep(300, "waiting")]);
      expect(first).toBe("waiting");
    });
    expect((await ownCall)?.status).toBe(200);
  },
);

covers("error.workspace.403", "an id of another kind, or none at all, is 404", async () => {
  for (const id of [own["ep"] ?? "", "evt_", "nonsense", "evt_00000000", `${own["evt"] ?? ""}x`, "%20", "..%2f.."]) {
    const answer = await service.api("GET", `/v1/events/${id}`);
    expect([id, answer.status, answer.body["code"]]).toEqual([id, 404, "not_found"]);
  }
});

covers(
  ["sandbox.data.apart", "error.workspace.403"],
  "the sandbox key is refused on every live object, and the other way round",
  async () => {
    for (const call of calls)
      expect([call[1], await outcome(call, own[call[2]] ?? "", service.sandboxKey)]).toEqual([
        call[1],
        expect.stringMatching(/^403 (environment_mismatch)$/),
      ]);
    const fired = await service.api(
      "POST",
      "/v1/events/fire",
      { event: "order.created", data: {} },
      { key: service.sandboxKey },
    );
    const id = String(fired.body["id"]);
    expect((await service.api("GET", `/v1/events/${id}`)).body["code"]).toBe("environment_mismatch");
    expect(
      (await service.api("GET", `/v1/events/${id}`, undefined, { key: service.sandboxKey })).body["environment"],
    ).toBe("sandbox");
  },
);

covers(
  "workspace.isolation.before-read",
  "lists show a workspace and an environment their own rows alone",
  async () => {
    for (const path of ["/v1/events", "/v1/webhook-endpoints", "/v1/deliveries"]) {
      expect((await service.api("GET", path)).body["data"].length).toBeGreaterThan(0);
      expect((await service.api("GET", path, undefined, { key: other.key })).body["data"]).toEqual([]);
    }
    const keys = (await service.api("GET", "/v1/keys")).body["data"] as { environment: string }[];
    expect(keys.every((key) => key.environment === "live")).toBe(true);
  },
);

covers("workspace.isolation.before-read", "a cursor of one workspace is refused in another", async () => {
  await service.fire();
  const page = await service.api("GET", "/v1/events?limit=1");
  const cursor = String(page.body["next_cursor"]);
  const answer = await service.api("GET", `/v1/events?limit=1&cursor=${cursor}`, undefined, { key: other.key });
  expect([answer.status, answer.body["code"]]).toEqual([400, "cursor_invalid"]);
});

covers(
  ["workspace.belongs.key", "workspace.belongs.endpoint", "workspace.belongs.delivery"],
  "keys, endpoints and deliveries name the one workspace that they belong to",
  async () => {
    const scopes = await Promise.all(
      [
        `/v1/keys/${own["key"] ?? ""}`,
        `/v1/webhook-endpoints/${own["ep"] ?? ""}`,
        `/v1/deliveries/${own["dlv"] ?? ""}`,
      ].map(async (path) => (await service.api("GET", path)).body),
    );
    const tag = tagOfId(own["evt"] ?? "");
    for (const scope of scopes)
      expect(scope).toMatchObject({
        scope_kind: "workspace",
        environment: "live",
        scope_key: expect.stringMatching(`^ws_${tag}`),
      });
    expect(new Set(scopes.map((scope) => scope["scope_key"])).size).toBe(1);
  },
);

covers("workspace.isolation.no-global", "there is no key without a workspace, and no key reaches two", async () => {
  const [row] = await service.database.query<{ n: number }>(
    "select count(*)::int as n from api_key k left join workspace w on w.id = k.workspace_id where w.id is null",
  );
  expect(row?.n).toBe(0);
  await expect(
    service.database.query("update api_key set workspace_id = null where tag = $1", [other.tag]),
  ).rejects.toThrow(/null/);
  for (const key of [other.key, service.key, service.sandboxKey]) {
    const statuses = await Promise.all(
      [own["evt"] ?? "", other.id("evt")].map(
        async (id) => (await service.api("GET", `/v1/events/${id}`, undefined, { key })).status,
      ),
    );
    expect(statuses).toContain(403);
  }
});
