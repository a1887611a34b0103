import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendRaw } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let plain: TestService;
beforeAll(async () => {
  plain = await startService();
});
afterAll(async () => {
  await plain.close();
});

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly status: number;
  /** Matches the cache header of a response without data of a workspace. The default is `no-store`. */
  readonly cache?: RegExp;
}

const keyed = (): Record<string, string> => ({
  Authorization: `Bearer ${plain.key}`,
  "Content-Type": "application/json",
});

/** Returns one request for each kind of response that the service has. */
function kinds(): Readonly<Record<string, Asked>> {
  const credentials = JSON.stringify({ email: "owner@example.com", password: "correct horse battery" });
  const asJson = { "Content-Type": "application/json" };
  return {
    "the API": { path: "/v1/keys", headers: keyed(), status: 200 },
    "a new secret": {
      method: "POST",
      path: "/v1/keys",
      headers: keyed(),
      body: '{"name":"k","permission_mode":"all"}',
      status: 201,
    },
    "a session": { method: "POST", path: "/v1/auth/sign-in", headers: asJson, body: credentials, status: 200 },
    "an accepted event": {
      method: "POST",
      path: "/v1/events/fire",
      headers: keyed(),
      body: '{"event":"a.b","data":{}}',
      status: 202,
    },
    "the general API": { method: "POST", path: "/api/v1.php", headers: keyed(), body: "{}", status: 422 },
    "no key": { path: "/v1/keys", status: 401 },
    "a body that is none": { method: "POST", path: "/v1/keys", headers: keyed(), body: "{", status: 400 },
    "an unknown path of the API": { path: "/v1/nothing", status: 404 },
    "an unknown path": { path: "/nothing", status: 404 },
    "a wrong method": { method: "DELETE", path: "/v1/events/fire", headers: keyed(), status: 405 },
    "a path that is not well encoded": { path: "/v1/%zz", status: 400 },
    "an unknown inbox": { path: "/inbox/nothing", status: 404 },
    "an export": { path: "/v1/audit/export.csv", headers: keyed(), status: 200 },
    "the OpenAPI document": { path: "/openapi.json", status: 200, cache: /no-cache/ },
    "the reference": { path: "/docs", status: 200, cache: /no-cache/ },
    "the reference's page": { path: "/docs/api", status: 200, cache: /no-cache/ },
    "the errors' index": { path: "/docs/errors", status: 200, cache: /no-cache/ },
    "an error's page": { path: "/docs/errors/not_found", status: 200, cache: /no-cache/ },
    "a file of the console that is not there": { path: "/assets/nothing.js", status: 404 },
    health: { path: "/livez", status: 200 },
    version: { path: "/version", status: 200 },
    metrics: { path: "/metrics", status: 200 },
  };
}

test("no response can be run, framed, sniffed, shared or stored by a browser", async () => {
  for (const [kind, { method = "GET", path, headers = {}, body, status, cache = /^no-store$/ }] of Object.entries(
    kinds(),
  )) {
    const answer = await sendRaw(plain.baseUrl, { method, path, headers, ...(body === undefined ? {} : { body }) });
    expect([kind, answer.status]).toEqual([kind, status]);
    expectSafe(kind, answer.headers);
    expect([kind, answer.headers["cache-control"]]).toEqual([kind, expect.stringMatching(cache)]);
    expect([kind, answer.headers["strict-transport-security"]]).toEqual([kind, undefined]);
  }
});

test("pages of the console and responses to invalid HTTP have security headers too", async () => {
  const page = await sendRaw(plain.baseUrl, { method: "GET", path: "/endpoints", headers: { Accept: "text/html" } });
  expect([200, 503]).toContain(page.status);
  expectSafe("a page of the console", page.headers);
  expect(page.headers["content-security-policy"]).not.toContain("unsafe");
  const { hostname, port } = new URL(plain.baseUrl);
  const bytes = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write("this is no HTTP\r\n\r\n"));
    socket
      .on("data", (chunk: Buffer) => (text += chunk.toString()))
      .on("end", () => resolve(text))
      .on("error", reject);
  });
  const lines = bytes.split("\r\n").map((line) => line.split(": "));
  const headers = Object.fromEntries(lines.map(([name = "", value = ""]) => [name.toLowerCase(), value]));
  expectSafe("bytes that are no HTTP", headers);
  expect(headers["cache-control"]).toBe("no-store");
});

test("browsers must use https if the service's address is https", async () => {
  const proxied = await startService({ on: plain, env: { JUNCTION_BASE_URL: "https://junction.example.com" } });
  const [address = ""] = proxied.service.http.addresses();
  const port = typeof address === "string" ? 0 : address.port;
  for (const path of ["/v1/keys", "/nothing", "/docs", "/v1/%zz", "/livez"]) {
    const { headers } = await sendRaw(`http://127.0.0.1:${port}`, { method: "GET", path });
    expect([path, headers["strict-transport-security"]]).toEqual([path, expect.stringMatching(/^max-age=\d{8,}$/)]);
  }
  await proxied.close();
});

function expectSafe(kind: string, headers: Readonly<Record<string, unknown>>): void {
  const wanted = {
    "x-content-type-options": expect.stringMatching(/^nosniff$/),
    "content-security-policy": expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
    "x-frame-options": "DENY",
    "referrer-policy": expect.stringMatching(/^(?:no-referrer|same-origin)$/),
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
  };
  const seen = Object.fromEntries(Object.keys(wanted).map((name) => [name, headers[name]]));
  expect([kind, seen]).toEqual([kind, wanted]);
}
