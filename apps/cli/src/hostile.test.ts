import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { fixtures } from "../../../sdks/node/src/testing.ts";
import { atTerminal, cli } from "./testing/cli.ts";

const KEY = fixtures.apiKey;
const COMMANDS = [
  ["whoami"],
  ["rules", "list"],
  ["trigger", "a.b", "--set", "x=1"],
  ["tail", "--no-follow"],
  ["approve", "prop_1", "--yes"],
];

const answers: [string, RequestListener, number][] = [
  ["an HTML 502", (_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad</h1>"), 69],
  ["an empty 500", (_, response) => response.writeHead(500).end(), 69],
  [
    "half an answer",
    (_, response) => response.writeHead(200, { "content-length": "999" }).end('{"object":', () => response.destroy()),
    69,
  ],
  ["a list for an object", (_, response) => response.end("[]"), 69],
  ["a connection that ends", (request) => request.socket.destroy(), 69],
  ["a redirect", (_, response) => response.writeHead(302, { location: "https://example.com" }).end(), 69],
  ["a 403 without a body", (_, response) => response.writeHead(403).end(), 77],
  ["a 418 that repeats the key", (request, response) => problem(response, 418, request.headers.authorization ?? ""), 1],
  [
    "problems of strange types",
    (_, response) => response.writeHead(422).end('{"title":7,"detail":[],"errors":{"a":1},"code":null}'),
    1,
  ],
  [
    "errors of strange types",
    (_, response) => response.writeHead(422).end('{"title":"No","errors":[null,3,{"pointer":1}]}'),
    1,
  ],
];

test.each(answers)("%s is an error like any other: no stack trace, no key", async (_name, answer, status) => {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const env = {
    JUNCTION_API_KEY: KEY,
    JUNCTION_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  try {
    const runs = await Promise.all(COMMANDS.map(async (args) => await cli(args, { env })));
    for (const ran of runs) {
      expect(ran.status).toBe(status);
      expect(ran.stderr).toMatch(/^junction: \S/);
      expect(ran.stderr).not.toMatch(/^\s+at |node:internal|\[object/m);
      expect(ran.stdout + ran.stderr).not.toContain(KEY);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("objects of strange shapes are printed without an error", async () => {
  const server = createServer((_, response) => void response.end('{"object":"x"}')).listen(0, "127.0.0.1");
  await once(server, "listening");
  const env = {
    JUNCTION_API_KEY: KEY,
    JUNCTION_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  for (const args of COMMANDS) {
    const ran = await atTerminal(args, { env }).ended;
    expect(ran.stdout).not.toMatch(/^\s+at |Cannot read/m);
  }
  server.closeAllConnections();
  server.close();
});

test("text from a service cannot control the terminal", async () => {
  const evil = "\u001B]0;owned\u0007\u001B[2J\u202Eevil";
  const server = createServer((request, response) => {
    if (request.url === "/v1/rules") response.end(JSON.stringify({ data: [{ id: "rule_1", name: evil }] }));
    else problem(response, 404, evil);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const env = {
    JUNCTION_API_KEY: KEY,
    JUNCTION_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  const [list, error] = await Promise.all([
    atTerminal(["rules", "list"], { env }).ended,
    atTerminal(["rules", "get", "rule_1"], { env }).ended,
  ]);
  expect(list.stdout).toContain("evil");
  expect(error.stdout).toContain("evil");
  for (const text of [list.stdout, error.stdout]) expect(text).not.toMatch(/\p{Cc}(?<![\r\n\t])|\u202E/u);
  server.closeAllConnections();
  server.close();
});

test("a base URL that would expose the key is refused before a request", async () => {
  for (const url of ["http://example.com", "https://user:pass@example.com", "ftp://x", "nonsense"]) {
    const ran = await cli(["whoami"], { env: { JUNCTION_API_KEY: KEY, JUNCTION_BASE_URL: url } });
    expect(ran).toMatchObject({ status: 78, stdout: "" });
    expect(ran.stderr).toContain("baseUrl must");
  }
});

function problem(response: Parameters<RequestListener>[1], status: number, detail: string): void {
  response
    .writeHead(status, { "content-type": "application/problem+json" })
    .end(JSON.stringify({ title: `No: ${detail}`, detail: `Because of ${detail}`, status, code: "no", errors: [] }));
}
