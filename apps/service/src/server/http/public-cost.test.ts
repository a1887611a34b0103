import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { routesOfService } from "../../testing/contract.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

/** Measures how much a request without a credential costs the one event loop, for every route of the service and hostile input. */

let service: TestService;
let routes: (readonly [method: string, url: string])[];
let allowedMs: number;

beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_PUBLIC_URL: "https://junction.example" } });
  const declared = await routesOfService();
  const own = ["/livez", "/readyz", "/version", "/metrics", "/asyncapi.json", "/no/such/path"];
  routes = [
    ...declared.flatMap(({ method, url }) => [method].flat().map((one) => [one, url] as const)),
    ...[
      "/docs/api",
      "/docs/errors",
      "/docs/errors/not_found",
      "/docs/guide/members",
      "/docs/reference/configuration",
    ].map((url) => ["GET", url] as const),
    ...own.map((url) => ["GET", url] as const),
  ];
  allowedMs = Math.max(...Array.from({ length: 5 }, calibration)) * 3;
});
afterAll(async () => await service.close());

/** Returns the time of a work that takes about 5 ms on the machine of the measurements: parsing 340 KB of JSON. */
function calibration(): number {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ name: at })));
  const started = process.threadCpuUsage();
  JSON.parse(text);
  return msSince(started);
}

function msSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1000;
}

interface Asked {
  readonly name: string;
  readonly param: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const MOST = 256 * 1024 - 100;
const json = { "Content-Type": "application/json" };
const ASKED: readonly Asked[] = [
  { name: "plain", param: "x", body: "{}", headers: json },
  {
    name: "a long path and query",
    param: "x".repeat(500),
    query: `?${"a=1&".repeat(1500)}`,
    body: "{}",
    headers: json,
  },
  {
    name: "long lists in headers",
    param: "x",
    headers: {
      ...json,
      "Accept-Encoding": "x;q=0,".repeat(700),
      "If-None-Match": '"x",'.repeat(700),
      Cookie: "a=b; ".repeat(400),
    },
    body: "{}",
  },
  {
    name: "many members",
    param: "x",
    headers: json,
    body: `{${Array.from({ length: 20_000 }, (_, at) => `"m${at}":1`).join(",")}}`,
  },
  { name: "a long list", param: "x", headers: json, body: `{"a":[${"1,".repeat(MOST / 2 - 10)}1]}` },
  { name: "escapes", param: "x", headers: json, body: `{"a":"${String.raw`\u0001`.repeat(MOST / 6 - 10)}"}` },
  { name: "a long number", param: "x", headers: json, body: `{"a":${"9".repeat(MOST - 10)}}` },
  { name: "deep", param: "x", headers: json, body: "[".repeat(MOST) },
  {
    name: "a form",
    param: "x",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "a=1&".repeat(MOST / 4),
  },
  {
    name: "the general API's open name",
    param: "x",
    headers: json,
    body: `{"action":"meta.actions","a":[${"1,".repeat(MOST / 2 - 40)}1]}`,
  },
];

async function costOf(method: string, url: string, asked: Asked): Promise<number> {
  const path = url.replaceAll(/:\w+/g, asked.param).replace("*", asked.param) + (asked.query ?? "");
  const payload = method === "GET" || method === "HEAD" ? {} : { payload: asked.body ?? "" };
  const request = {
    method: method as "GET",
    url: path,
    headers: asked.headers ?? {},
    remoteAddress: "192.0.2.7",
    ...payload,
  };
  const started = process.threadCpuUsage();
  await service.service.http.inject(request);
  return msSince(started);
}

test("no route costs a stranger more than a few milliseconds of the event loop", async () => {
  const dear: string[] = [];
  for (const [method, url] of routes) {
    for (const asked of ASKED) {
      let least = Infinity;
      for (let run = 0; run < 25 && least > allowedMs; run += 1)
        least = Math.min(least, await costOf(method, url, asked));
      if (least > allowedMs)
        dear.push(`${method} ${url}, ${asked.name}: ${least.toFixed(1)} ms of ${allowedMs.toFixed(1)}`);
    }
  }
  expect(dear).toEqual([]);
});

test.each(["/openapi.json", "/openapi-3.1.json", "/asyncapi.json"])(
  "%s is sent packed, and not again to who has it",
  async (path) => {
    const first = await fetch(service.baseUrl + path, { headers: { "Accept-Encoding": "br" } });
    expect([first.status, first.headers.get("content-encoding")]).toEqual([200, "br"]);
    const text = await first.text();
    const plain = await fetch(service.baseUrl + path, { headers: { "Accept-Encoding": "identity" } });
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, text]);
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(service.baseUrl + path, { headers: { "If-None-Match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  },
);

test("AsyncAPI of own types is kept until a type changes", async () => {
  const read = async (): Promise<Response> =>
    await fetch(`${service.baseUrl}/asyncapi.json`, { headers: { Authorization: `Bearer ${service.key}` } });
  const [before, same] = [await read(), await read()];
  expect(same.headers.get("etag")).toBe(before.headers.get("etag"));
  await service.api("POST", "/v1/event-types", { name: "parcel.scanned", schema: { type: "object" } });
  expect(await (await read()).text()).toContain("parcel_scanned");
  await service.api("PATCH", "/v1/event-types/parcel.scanned", { title: "Another title" });
  expect(await (await read()).text()).toContain("Another title");
});
