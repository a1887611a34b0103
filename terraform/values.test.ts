import { createServer, request as send } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import fc from "fast-check";
import { startService } from "../apps/service/src/testing/service.ts";
import type { Parsed, TestService } from "../apps/service/src/testing/test-service.ts";
import { text } from "./testing/described.ts";
import { builtProvider, workspace } from "./testing/workspace.ts";
import type { Workspace } from "./testing/workspace.ts";

/** Values that a provider easily gets wrong: secrets, JSON, refusals, lost answers. */

const MINUTES_60 = 3_600_000;
const URL = "http://127.0.0.1:9/hook";
const ENDPOINT = "junction_webhook_endpoint.one";

let service: TestService;
let provider: Awaited<ReturnType<typeof builtProvider>>;
const spaces: Workspace[] = [];

beforeAll(async () => {
  service = await startService();
  provider = await builtProvider();
  await inSpace();
}, MINUTES_60);
afterAll(async () => {
  for (const space of spaces) await space.end();
  await provider.end();
  await service.close();
});

async function inSpace(options: { readonly key?: string; readonly baseUrl?: string } = {}): Promise<Workspace> {
  const space = await workspace({ provider: provider.folder, baseUrl: service.baseUrl, key: service.key, ...options });
  spaces.push(space);
  return space;
}

function endpoint(members: object): { junction_webhook_endpoint: { one: object } } {
  return { junction_webhook_endpoint: { one: { url: URL, events: ["a.b"], ...members } } };
}

async function headersOf(id: string): Promise<Parsed> {
  return (await service.api("GET", `/v1/webhook-endpoints/${id}/headers`)).body.headers;
}

test("a redacted value is not a change, and a new one is sent", async () => {
  const space = await inSpace();
  await space.write(endpoint({ headers: { "X-Team": "red", Authorization: "Bearer first" } }));
  await space.apply();
  const { id } = (await space.state())[ENDPOINT];
  expect(await space.plan()).toEqual({});
  await space.write(endpoint({ headers: { "X-Team": "red", Authorization: "Bearer second" } }));
  const { output } = await space.run("plan", "-no-color");
  expect(output).not.toContain("Bearer");
  await space.apply();
  expect(await headersOf(id)).toEqual({ "X-Team": "red", Authorization: "Bearer second" });
  expect((await service.api("PATCH", `/v1/webhook-endpoints/${id}`, { headers: { "X-Team": "red" } })).status).toBe(
    200,
  );
  expect(await space.plan()).toEqual({ [ENDPOINT]: "update" });
  await space.apply("plan");
  expect(await headersOf(id)).toEqual({ "X-Team": "red", Authorization: "Bearer second" });
  await space.write(endpoint({}));
  await space.apply();
  expect(await headersOf(id)).toEqual({});
  await space.apply("-destroy");
});

test("a write-only secret is in no state, and is sent again with another version", async () => {
  const space = await inSpace();
  const written = (value: string, version: number): object => ({
    ...endpoint({ headers_wo: { Authorization: `Bearer ${value}` }, headers_wo_version: version }),
    junction_secret: { one: { name: "written", value_wo: `${value}-secret`, value_wo_version: version } },
    junction_source: {
      one: { preset: "custom", name: "Written", secret_wo: `${value}-source`, secret_wo_version: version },
    },
  });
  await space.write(written("first", 1) as never);
  await space.apply();
  expect(await space.plan()).toEqual({});
  const { id } = (await space.state())[ENDPOINT];
  await space.write(written("second", 1) as never);
  expect(await space.plan()).toEqual({});
  expect(await headersOf(id)).toEqual({ Authorization: "Bearer first" });
  await space.write(written("second", 2) as never);
  expect(await space.plan()).toEqual({
    [ENDPOINT]: "update",
    "junction_secret.one": "update",
    // The API changes no secret of a source to a given one.
    "junction_source.one": "delete,create",
  });
  await space.apply("plan");
  expect(await headersOf(id)).toEqual({ Authorization: "Bearer second" });
  expect(await space.plan()).toEqual({});
  expect(await space.stored()).not.toMatch(/first-|second-|Bearer/);
  await space.write(endpoint({ headers: {}, headers_wo: { a: "b" } }));
  expect(await space.refused()).toContain("Set headers or headers_wo, not both.");
  await space.write({});
  await space.apply();
});

test("spacing and order of JSON do not count, and no digit is lost", async () => {
  const space = await inSpace();
  const filter = (value: string): string => `{"field":"data.id","op":"in","value":[${value}]}`;
  const given = "12345678901234567890, 0.1, 1e400, -0";
  await space.write(endpoint({ filter: filter(given) }));
  await space.apply();
  const { id } = (await space.state())[ENDPOINT];
  const { text: shown } = await service.api("GET", `/v1/webhook-endpoints/${id}`);
  expect(shown).toContain("[12345678901234567890,0.1,1e400,-0]");
  await space.write(endpoint({ filter: `{ "op": "in",\n "value": [ ${given} ], "field": "data.id" }` }));
  expect(await space.plan()).toEqual({});
  await space.write(endpoint({ filter: filter("12345678901234567891, 0.1, 1e400, -0") }));
  expect(await space.plan()).toEqual({ [ENDPOINT]: "update" });
  await space.apply("plan");
  expect((await service.api("GET", `/v1/webhook-endpoints/${id}`)).text).toContain("[12345678901234567891,");
  await space.write(endpoint({ filter: "{" }));
  expect(await space.refused()).toContain("This is not JSON");
  await space.write({});
  await space.apply();
});

test("a refusal is shown at its attribute, and nothing is written", async () => {
  const space = await inSpace();
  await space.write(endpoint({ url: "http://10.0.0.1/", auth: { type: "bearer", secret_ref: "none" } }));
  expect(await space.refused()).toMatch(
    /Junction did not create the webhook endpoint with junction_webhook_endpoint\.one/,
  );
  await space.write(endpoint({ filter: text(JSON.stringify({ all: [{ field: "data.a", op: "near", value: 1 }] })) }));
  expect(await space.refused()).toMatch(/"filter": .*At \/all\/0/);
  await space.write(endpoint({ wire: "other" }));
  expect(await space.refused()).toContain('"other" is not one of: service, svix.');
  expect((await service.api("GET", "/v1/webhook-endpoints")).body.data).toEqual([]);
});

test("another environment's or workspace's object is an error, not a deleted one", async () => {
  const space = await inSpace();
  await space.write(endpoint({}));
  await space.apply();
  const sandbox = await workspace({ provider: provider.folder, baseUrl: service.baseUrl, key: service.sandboxKey });
  spaces.push(sandbox);
  await sandbox.write(endpoint({}), { import: [{ to: ENDPOINT, id: (await space.state())[ENDPOINT].id }] });
  expect(await sandbox.refused()).toContain("environment_mismatch");
  await sandbox.write({ junction_event_type: { one: { name: "parcel.sandbox" } } });
  expect(await sandbox.refused()).toContain("environment_mismatch");
  const elsewhere = await inSpace({ baseUrl: `${service.baseUrl}/elsewhere` });
  await elsewhere.write(endpoint({}), { import: [{ to: ENDPOINT, id: "ep_1" }] });
  expect(await elsewhere.refused()).toContain("route_not_found");
  const wrong = await inSpace({ key: "jn_live_wrong" });
  await wrong.write(endpoint({}));
  const output = await wrong.refused();
  expect(output).toContain("key_invalid");
  expect(output).not.toContain("jn_live_wrong");
  await space.apply("-destroy");
});

test("a creation whose answer is lost makes one object", async () => {
  const seen: string[] = [];
  const { server, url } = await lossy(service.baseUrl, seen);
  const space = await inSpace({ baseUrl: url });
  await space.write(endpoint({ name: "lost" }));
  await space.apply();
  expect(await space.plan()).toEqual({});
  server.close();
  expect((await service.api("GET", "/v1/webhook-endpoints")).body.data).toHaveLength(1);
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBe(seen[1]);
  const direct = await inSpace();
  await direct.write(endpoint({ name: "lost" }), {
    import: [{ to: ENDPOINT, id: (await space.state())[ENDPOINT].id }],
  });
  await direct.apply();
  await direct.apply("-destroy");
});

/** Starts a proxy that loses the first answer to a POST, after the service has done its work. Collects the idempotency keys. */
async function lossy(target: string, seen: string[]): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    const upstream = send(`${target}${request.url}`, { method: request.method, headers: request.headers }, (answer) => {
      const isLost = request.method === "POST" && seen.push(String(request.headers["idempotency-key"])) === 1;
      if (isLost) return answer.resume().on("end", () => request.socket.destroy());
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      return answer.pipe(response);
    });
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const names = fc.constantFrom("a.b", "order.*", "order.created", "*");
const scalar = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const json = fc.jsonValue({ maxDepth: 2 });
const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined, freq: 2 });
const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((one) => one.trim() === one && one.isWellFormed());
const endpoints = fc.record({
  events: fc.uniqueArray(names, { minLength: 1, maxLength: 3 }),
  description: optional(word.map(text)),
  active: optional(fc.boolean()),
  headers: optional(fc.dictionary(fc.constantFrom("X-A", "X-B"), fc.constantFrom("one", "two"))),
  rate_limit_per_second: optional(fc.integer({ min: 1, max: 10_000 })),
  max_in_flight: optional(fc.integer({ min: 1, max: 256 })),
  filter: optional(scalar.map((value) => text(JSON.stringify({ field: "data.a", op: "eq", value })))),
  ordering: optional(
    fc.record({ key: fc.constant("$.data.id"), on_failed: optional(fc.constantFrom("block", "skip")) }),
  ),
  retry_schedule: optional(fc.array(fc.integer({ min: 1, max: 86_400 }), { minLength: 1, maxLength: 4 })),
  signatures: optional(fc.uniqueArray(fc.constantFrom("service", "standard", "ed25519"), { minLength: 1 })),
  channels: optional(fc.uniqueArray(fc.constantFrom("red", "blue"))),
  metadata: optional(fc.dictionary(fc.constantFrom("a", "b"), word.map(text))),
});
const rules = fc.record({
  on: fc.uniqueArray(fc.constantFrom("a.b", "order.created", "order.*"), { minLength: 1 }),
  then: json.map((value) => text(JSON.stringify([{ type: "fire_event", event: "made.up", data: { value } }]))),
  priority: optional(fc.integer({ min: 0, max: 1000 })),
  enabled: optional(fc.boolean()),
});
const configurations = fc.array(fc.record({ endpoint: endpoints, rule: rules }), { minLength: 3, maxLength: 3 });

test("after any configuration, and any change to another, nothing is to do", async () => {
  const space = await inSpace();
  for (const configuration of fc.sample(configurations, { numRuns: 8, seed: 45 })) {
    await space.write({
      junction_webhook_endpoint: Object.fromEntries(
        configuration.map((one, at) => [`n${at}`, { url: URL, name: `n${at}`, ...one.endpoint }]),
      ),
      junction_rule: Object.fromEntries(configuration.map((one, at) => [`n${at}`, { name: `n${at}`, ...one.rule }])),
    });
    await space.apply();
    expect(await space.plan()).toEqual({});
  }
  await space.apply("-destroy");
});
