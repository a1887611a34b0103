import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMock } from "./mock.ts";
import type { Answer, MockServer, Script, Seen } from "./mock.ts";

interface Scenario extends Script {
  readonly name: string;
  readonly expect: { readonly requests: number };
}

const file = await readFile(new URL("scenarios.json", import.meta.url), "utf8");
const { scenarios } = JSON.parse(file) as { readonly scenarios: readonly Scenario[] };

let mock: MockServer;

beforeAll(async () => {
  mock = await startMock();
});

afterAll(async () => {
  await mock.close();
});

test("each scenario has a unique name and a response for each expected request", () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  const uneven = scenarios.filter(
    ({ answers, expect: { requests }, clock_ahead_s: ahead }) => ahead === undefined && answers.length !== requests,
  );
  expect(uneven.map(({ name }) => name)).toEqual([]);
});

test("responses follow the order of the script, and further requests get 418", async () => {
  const run = await start([{ status: 503, json: { code: "x" } }, { text: "second" }]);
  const first = await fetch(`${run.baseUrl}/a?b=c`, { method: "POST", body: "sent" });
  expect([first.status, first.headers.get("content-type"), await first.json()]).toEqual([
    503,
    "application/problem+json",
    { code: "x" },
  ]);
  const second = await fetch(`${run.baseUrl}/d`);
  expect([second.status, await second.text()]).toEqual([200, "second"]);
  const third = await fetch(`${run.baseUrl}/e`);
  expect(third.status).toBe(418);
  const { requests } = await run.seen();
  expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["POST", "/a?b=c", "sent"],
    ["GET", "/d", ""],
    ["GET", "/e", ""],
  ]);
});

test("a reset before the answer, and one in its middle, break the connection", async () => {
  const run = await start([{ reset: "before" }, { json: { long: "x".repeat(1000) }, reset: "body" }]);
  await expect(fetch(run.baseUrl)).rejects.toThrow();
  const half = await fetch(run.baseUrl);
  expect(half.status).toBe(200);
  await expect(half.text()).rejects.toThrow();
});

test("what hangs or stalls does so until the client gives up", async () => {
  const run = await start([{ hang: true }, { json: { a: 1 }, stall: true }]);
  await expect(fetch(run.baseUrl, { signal: AbortSignal.timeout(200) })).rejects.toThrow(/timeout/i);
  const stalled = await fetch(run.baseUrl, { signal: AbortSignal.timeout(500) });
  expect(stalled.status).toBe(200);
  await expect(stalled.text()).rejects.toThrow(/timeout/i);
});

test("a server clock that is ahead refuses other clocks' signatures and reports its time", async () => {
  const run = await start([{ status: 204 }], 3600);
  const now = Math.floor(Date.now() / 1000);
  const refused = await fetch(run.baseUrl, { headers: { "x-service-timestamp": String(now) } });
  expect(refused.status).toBe(401);
  const { server_time: serverTime } = (await refused.json()) as { server_time: number };
  expect(Math.abs(serverTime - now - 3600)).toBeLessThan(30);
  const taken = await fetch(run.baseUrl, { headers: { "x-service-timestamp": String(serverTime) } });
  expect(taken.status).toBe(204);
});

test("an unknown scenario and an unknown run are rejected", async () => {
  const none = await fetch(`${mock.url}/_runs`, { method: "POST", body: JSON.stringify({ scenario: "no such" }) });
  expect(none.status).toBe(422);
  expect((await fetch(`${mock.url}/runs/none/v1/me`)).status).toBe(404);
});

interface TestRun {
  readonly baseUrl: string;
  seen(): Promise<{ readonly requests: readonly Seen[] }>;
}

async function start(answers: readonly Answer[], ahead?: number): Promise<TestRun> {
  const script: Script = { answers, ...(ahead === undefined ? {} : { clock_ahead_s: ahead }) };
  const made = await fetch(`${mock.url}/_runs`, { method: "POST", body: JSON.stringify(script) });
  const { id, base_url: baseUrl } = (await made.json()) as { id: string; base_url: string };
  return {
    baseUrl,
    seen: async () => (await (await fetch(`${mock.url}/_runs/${id}`)).json()) as Awaited<ReturnType<TestRun["seen"]>>,
  };
}
