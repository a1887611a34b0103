import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { mintKey, setKey } from "../testing/keys.ts";
import type { TestKey } from "../testing/keys.ts";
import { sendRaw } from "../testing/raw-http.ts";
import { startService } from "../testing/service.ts";
import { isBlocked, scopesAllow } from "./operations.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({
    env: { JUNCTION_TRUST_PROXIES: "127.0.0.1", JUNCTION_RATE_LIMITS: '{"management.write":1000}' },
  });
});
afterAll(async () => await service.close());

const endpoint = { url: "http://127.0.0.1:9/", events: ["*"] };
const event = { event: "order.created", data: {} };

async function call(key: TestKey, method: string, path: string, body?: unknown): Promise<string> {
  const answer = await service.api(method, path, body, { key: key.key });
  return answer.status < 300 ? "ok" : `${answer.status} ${String(answer.body["code"])}`;
}

async function from(key: TestKey, address: string): Promise<string> {
  const answer = await sendRaw(service.baseUrl, {
    method: "GET",
    path: "/v1/events",
    headers: { Authorization: `Bearer ${key.key}`, "X-Forwarded-For": address },
  });
  return answer.status === 200 ? "ok" : String(answer.body["code"]);
}

covers("key.mode.values", "a key's mode is all, read_only or restricted, and nothing else", async () => {
  for (const mode of ["all", "read_only", "restricted"]) {
    const made = await service.api("POST", "/v1/keys", { name: mode, permission_mode: mode });
    expect([made.status, made.body["permission_mode"]]).toEqual([201, mode]);
  }
  const other = await service.api("POST", "/v1/keys", { name: "x", permission_mode: "write_only" });
  expect([other.status, other.body["errors"][0].pointer]).toEqual([422, "/permission_mode"]);
  expect((await service.api("POST", "/v1/keys", { name: "x" })).status).toBe(422);
});

covers("key.mode.all", "a key in mode All reads and writes alike", async () => {
  const key = await mintKey(service);
  expect(await call(key, "GET", "/v1/events")).toBe("ok");
  expect(await call(key, "POST", "/v1/events/fire", event)).toBe("ok");
  expect(await call(key, "POST", "/v1/webhook-endpoints", endpoint)).toBe("ok");
});

covers(
  ["key.mode.read-only", "gate.surface.classes"],
  "a key in mode Read-only reads and is refused on every write",
  async () => {
    const key = await mintKey(service, { permission_mode: "read_only" });
    for (const path of ["/v1/events", "/v1/event-types", "/v1/webhook-endpoints", "/v1/deliveries"])
      expect([path, await call(key, "GET", path)]).toEqual([path, "ok"]);
    for (const [path, body] of [
      ["/v1/events/fire", event],
      ["/v1/events/batch", { events: [event] }],
      ["/v1/webhook-endpoints", endpoint],
      ["/v1/webhooks/test", { url: endpoint.url, dry_run: true }],
      ["/v1/keys", { name: "x", permission_mode: "read_only" }],
    ] as const)
      expect([path, await call(key, "POST", path, body)]).toEqual([path, "403 key_read_only"]);
  },
);

covers("key.mode.restricted", "a key in mode Restricted may do all but what its list blocks", async () => {
  const key = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["events.fire"] });
  expect(await call(key, "POST", "/v1/events/fire", event)).toBe("403 action_blocked");
  expect(await call(key, "POST", "/v1/events/batch", { events: [event] })).toBe("403 action_blocked");
  expect(await call(key, "POST", `/v1/events/${(await service.fire()).id}/refire`)).toBe("403 action_blocked");
  expect(await call(key, "GET", "/v1/events")).toBe("ok");
  expect(await call(key, "POST", "/v1/webhook-endpoints", endpoint)).toBe("ok");
});

test("a list that blocks an operation blocks body members with the same effect", async () => {
  const made = await service.endpoint("http://127.0.0.1:9/", { events: ["test.nothing"] });
  const path = `/v1/webhook-endpoints/${made.id}`;
  const noToggle = await mintKey(service, {
    permission_mode: "restricted",
    blocked_actions: ["webhook_endpoints.toggle"],
  });
  expect(await call(noToggle, "PATCH", path, { active: false })).toBe("403 action_blocked");
  expect(await call(noToggle, "PATCH", path, { description: "still mine" })).toBe("ok");
  const noUpdate = await mintKey(service, {
    permission_mode: "restricted",
    blocked_actions: ["webhook_endpoints.update"],
  });
  expect(await call(noUpdate, "POST", `${path}/toggle`)).toBe("403 action_blocked");
  const noFire = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["events.fire"] });
  const sample = { dry_run: true, event: "order.paid", data: {} };
  expect(await call(noFire, "POST", "/v1/webhooks/test", { ...sample, endpoint_id: made.id })).toBe(
    "403 action_blocked",
  );
  expect(await call(noFire, "POST", "/v1/webhooks/test", { ...sample, url: endpoint.url })).toBe("ok");
  const named = { action: "webhook_endpoints.update", parameters: { id: made.id, active: false } };
  expect(await call(noToggle, "POST", "/api/v1.php", named)).toBe("403 action_blocked");
});

covers("key.mode.wildcard", "a wildcard in the list blocks every action below it", async () => {
  const key = await mintKey(service, {
    permission_mode: "restricted",
    blocked_actions: ["webhook_endpoints.secret.*", "events.*"],
  });
  const made = await service.endpoint("http://127.0.0.1:9/");
  const path = `/v1/webhook-endpoints/${made.id}`;
  expect(await call(key, "POST", `${path}/secret/regenerate`, {})).toBe("403 action_blocked");
  expect(await call(key, "GET", path)).toBe("ok");
  expect(await call(key, "GET", "/v1/events")).toBe("403 action_blocked");
  const all = await mintKey(service, { permission_mode: "restricted", blocked_actions: ["*"] });
  expect(await call(all, "GET", "/v1/events")).toBe("403 action_blocked");
});

covers("key.mode.wildcard", "a pattern blocks by whole words, never by a part of one", () => {
  const cases: [string, string, boolean][] = [
    ["events.*", "events.fire", true],
    ["events.*", "events.a.b", true],
    ["events.*", "events", false],
    ["events.*", "event_types.list", false],
    ["events.*", "eventsfire", false],
    ["events.fire", "events.fire", true],
    ["events.fire", "events.fire_all", false],
    ["webhook_endpoints.secret.*", "webhook_endpoints.secret", false],
    ["*", "anything.at_all", true],
  ];
  expect(cases.map(([pattern, name]) => [pattern, name, isBlocked([pattern], name)])).toEqual(cases);
  expect(isBlocked([], "events.fire")).toBe(false);
});

covers("key.mode.wildcard", "a list takes exact names, prefix.* and *, and refuses any other pattern", async () => {
  const outcomes = await Promise.all(
    ["events.fire", "a.b.*", "*", "events*", "*.fire", "events.*.x", "", "Events.Fire", "events.", "a.**"].map(
      async (pattern) => {
        const body = { name: "x", permission_mode: "restricted", blocked_actions: [pattern] };
        return (await service.api("POST", "/v1/keys", body)).status;
      },
    ),
  );
  expect(outcomes).toEqual([201, 201, 201, 422, 422, 422, 422, 422, 422, 422]);
});

covers(
  "gate.check.scope-role",
  "a viewer reads and does not write; an operator replays; keys are for admins",
  async () => {
    const [viewer, operator, developer, admin] = await Promise.all(
      ["viewer", "operator", "developer", "admin"].map(async (role) => await mintKey(service, { role })),
    );
    if (!viewer || !operator || !developer || !admin) throw new Error("no keys");
    expect(await call(viewer, "GET", "/v1/events")).toBe("ok");
    expect(await call(viewer, "POST", "/v1/events/fire", event)).toBe("403 role_not_allowed");
    expect(await call(viewer, "POST", "/v1/webhook-endpoints", endpoint)).toBe("403 role_not_allowed");
    expect(await call(viewer, "GET", "/v1/keys")).toBe("403 role_not_allowed");
    const absent = `/v1/deliveries/${(await service.endpoint(endpoint.url)).id.replace("ep_", "dlv_")}/replay`;
    expect(await call(viewer, "POST", absent)).toBe("403 role_not_allowed");
    expect(await call(operator, "POST", absent)).toBe("404 not_found");
    expect(await call(operator, "POST", "/v1/events/fire", event)).toBe("403 role_not_allowed");
    expect(await call(developer, "POST", "/v1/events/fire", event)).toBe("ok");
    expect(await call(developer, "GET", "/v1/keys")).toBe("403 role_not_allowed");
    expect(await call(admin, "GET", "/v1/keys")).toBe("ok");
  },
);

covers("gate.check.scope-role", "a scope names an area and a level, and write covers read", () => {
  const cases: [string[] | null, string, "read" | "write", boolean][] = [
    [null, "events.fire", "write", true],
    [[], "events.list", "read", false],
    [["events:read"], "events.list", "read", true],
    [["events:read"], "events.fire", "write", false],
    [["events:write"], "events.list", "read", true],
    [["events:write"], "event_types.list", "read", false],
    [["webhooks:write"], "webhook_endpoints.create", "write", false],
  ];
  expect(cases.map(([scopes, name, access]) => scopesAllow(scopes, { name, access }))).toEqual(
    cases.map((one) => one[3]),
  );
});

covers("key.mode.read-only", "a changed mode, role or list is obeyed by the next request", async () => {
  const key = await mintKey(service);
  expect(await call(key, "POST", "/v1/events/fire", event)).toBe("ok");
  await setKey(service, key, { permission_mode: "read_only" });
  expect(await call(key, "POST", "/v1/events/fire", event)).toBe("403 key_read_only");
  await setKey(service, key, { permission_mode: "all", role: "viewer" });
  expect(await call(key, "POST", "/v1/events/fire", event)).toBe("403 role_not_allowed");
});

covers("key.allowlist.cidr", "an allowlist of CIDR ranges admits only their addresses, in IPv4 and IPv6", async () => {
  const key = await mintKey(service, { ip_allowlist: ["203.0.113.0/28", "198.51.100.7", "2001:db8:1::/48"] });
  const cases: [string, string][] = [
    ["203.0.113.0", "ok"],
    ["203.0.113.15", "ok"],
    ["203.0.113.16", "ip_not_allowed"],
    ["203.0.112.255", "ip_not_allowed"],
    ["198.51.100.7", "ok"],
    ["198.51.100.70", "ip_not_allowed"],
    ["2001:db8:1:ffff::1", "ok"],
    ["2001:db8:2::1", "ip_not_allowed"],
    ["::ffff:203.0.113.5", "ok"],
    ["::ffff:203.0.113.77", "ip_not_allowed"],
  ];
  const outcomes = [];
  for (const [address] of cases) outcomes.push([address, await from(key, address)]);
  expect(outcomes).toEqual(cases);
});

covers("key.allowlist.cidr", "a key without an allowlist works from everywhere", async () => {
  const key = await mintKey(service);
  expect(await from(key, "203.0.113.9")).toBe("ok");
  expect(await from(key, "2001:db8::9")).toBe("ok");
});

covers(
  "key.allowlist.cidr",
  "the rightmost address that no trusted proxy wrote counts, not what a client claims",
  async () => {
    const key = await mintKey(service, { ip_allowlist: ["203.0.113.9"] });
    expect(await from(key, "203.0.113.9")).toBe("ok");
    expect(await from(key, "203.0.113.9, 198.51.100.1")).toBe("ip_not_allowed");
    expect(await from(key, "198.51.100.1, 203.0.113.9")).toBe("ok");
    expect(await from(key, "203.0.113.9, 127.0.0.1")).toBe("ok");
  },
);

covers("key.allowlist.cidr", "an allowlist that holds no address or range is refused when it is saved", async () => {
  for (const entry of [
    "nonsense",
    "203.0.113.0/33",
    "2001:db8::/129",
    "203.0.113.0/",
    "203.0.113/24",
    "010.1.1.1",
    "",
    "1.2.3.4/-1",
  ]) {
    const made = await service.api("POST", "/v1/keys", {
      name: "x",
      permission_mode: "all",
      ip_allowlist: ["10.0.0.1", entry],
    });
    expect([entry, made.status, made.body["code"], made.body["errors"]?.[0]?.pointer]).toEqual([
      entry,
      422,
      "validation_failed",
      "/ip_allowlist/1",
    ]);
  }
});
