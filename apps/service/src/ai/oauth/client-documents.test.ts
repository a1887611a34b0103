import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../lib/lib.ts";
import { createAuthority } from "../../platform/outbound-http/testing/certificates.ts";
import { startReceiver } from "../../platform/outbound-http/testing/receivers.ts";
import type { HttpReceiver } from "../../platform/outbound-http/testing/receivers.ts";
import { startNet } from "../../platform/outbound-http/testing/setup.ts";
import type { NetSetup } from "../../platform/outbound-http/testing/setup.ts";
import { createClientDocuments } from "./client-documents.ts";
import type { ClientDocuments } from "./client-documents.ts";

const authority = createAuthority();
const document = { client_name: "An\u202eapp", redirect_uris: ["https://app.example/callback"] };

let net: NetSetup;
let receiver: HttpReceiver;
let documents: ClientDocuments;

beforeAll(async () => {
  net = await startNet({ allow: "127.0.0.1/32", ca: [authority.cert] });
  receiver = await startReceiver({
    certificate: authority.issue(["127.0.0.1"]),
    answer: (request, response) => {
      const path = request.url ?? "";
      const own = { client_id: urlOf(path), ...document };
      const json = (body: unknown): unknown =>
        response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
      if (path === "/redirect") return response.writeHead(302, { Location: urlOf("/app") }).end();
      if (path === "/large") return json({ ...own, filler: "x".repeat(5_000_000) });
      if (path === "/other-id") return json({ ...own, client_id: urlOf("/app") });
      if (path === "/secret") return json({ ...own, token_endpoint_auth_method: "client_secret_basic" });
      if (path === "/no-uris") return json({ client_id: own.client_id });
      if (path === "/bad-uri") return json({ ...own, redirect_uris: ["javascript:alert(1)"] });
      if (path === "/text") return response.end("hello");
      if (path === "/null") return json(null);
      if (path === "/gone") return response.writeHead(404).end();
      return json(own);
    },
  });
  documents = createClientDocuments({ net: net.net, clock: systemClock });
});
afterAll(async () => {
  await receiver.close();
  await net[Symbol.asyncDispose]();
});

function urlOf(path: string): string {
  return `https://127.0.0.1:${receiver.port}${path}`;
}

test("a document is read once in five minutes, and its name shows no hidden characters", async () => {
  const before = receiver.received.length;
  const expected = {
    id: urlOf("/app"),
    name: "An app",
    host: `127.0.0.1:${receiver.port}`,
    redirectUris: document.redirect_uris,
  };
  expect(await documents.read(urlOf("/app"))).toEqual(expected);
  expect(await documents.read(urlOf("/app"))).toEqual(expected);
  expect(receiver.received.slice(before)).toMatchObject([{ method: "GET", path: "/app" }]);
});

test.each([
  ["/redirect", "status 302"],
  ["/large", "larger than 16 KiB"],
  ["/other-id", "names another client_id"],
  ["/secret", "token_endpoint_auth_method"],
  ["/no-uris", "redirect_uris"],
  ["/bad-uri", "redirect URI"],
  ["/text", "not JSON"],
  ["/null", "names another client_id"],
  ["/gone", "status 404"],
])("a document at %s is refused", async (path, reason) => {
  await expect(documents.read(urlOf(path))).rejects.toMatchObject({
    code: "invalid_client",
    message: expect.stringContaining(reason),
  });
});

test("a document on a private address is refused, and nothing is sent", async () => {
  const guarded = await startNet({ ca: [authority.cert] });
  await using _closed = guarded;
  const before = receiver.connections();
  const guardedDocuments = createClientDocuments({ net: guarded.net, clock: systemClock });
  for (const url of [urlOf("/app"), "https://10.0.0.1/app", "https://169.254.169.254/latest", "https://localhost/app"])
    await expect(guardedDocuments.read(url)).rejects.toMatchObject({ code: "invalid_client" });
  expect(receiver.connections()).toBe(before);
});

test.each([
  "http://app.example/client.json",
  "https://app.example/",
  "https://app.example",
  "https://APP.example/client.json",
  "https://app.example:443/client.json",
  "https://app.example/a/../client.json",
  "https://user@app.example/client.json",
  "https://app.example/client.json?x=1",
  "https://app.example/client.json#x",
  "https://app.example/client json",
  "HTTPS://app.example/client.json",
  `https://app.example/${"a".repeat(500)}`,
])("a client_id that has several spellings is refused: %s", async (id) => {
  await expect(documents.read(id)).rejects.toMatchObject({
    code: "invalid_client",
    message: expect.stringContaining("must be https"),
  });
});
