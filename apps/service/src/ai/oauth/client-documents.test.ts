import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../lib/lib.ts";
import { startHttpsDocuments } from "../../testing/https-documents.ts";
import type { DocumentAnswer, HttpsDocuments } from "../../testing/https-documents.ts";
import { createClientDocuments } from "./client-documents.ts";
import type { ClientDocuments } from "./client-documents.ts";

const document = { client_name: "An\u202eapp", redirect_uris: ["https://app.example/callback"] };

let server: HttpsDocuments;
let documents: ClientDocuments;

beforeAll(async () => {
  server = await startHttpsDocuments(answerOf);
  documents = createClientDocuments({ net: server.net, clock: systemClock });
});
afterAll(async () => await server.close());

function answerOf(path: string, urlOf: (path: string) => string): DocumentAnswer {
  const own = { client_id: urlOf(path), ...document };
  const special: Readonly<Record<string, DocumentAnswer>> = {
    "/redirect": { status: 302, headers: { Location: urlOf("/app") } },
    "/large": { json: { ...own, filler: "x".repeat(5_000_000) } },
    "/other-id": { json: { ...own, client_id: urlOf("/app") } },
    "/secret": { json: { ...own, token_endpoint_auth_method: "client_secret_basic" } },
    "/no-uris": { json: { client_id: own.client_id } },
    "/bad-uri": { json: { ...own, redirect_uris: ["javascript:alert(1)"] } },
    "/text": { status: 200, text: "hello" },
    "/null": { json: null },
    "/gone": { status: 404 },
  };
  return special[path] ?? { json: own };
}

test("a document is cached, and its name shows no hidden characters", async () => {
  const before = server.received.length;
  const expected = {
    id: server.urlOf("/app"),
    name: "An app",
    host: server.host,
    redirectUris: document.redirect_uris,
  };
  expect(await documents.read(server.urlOf("/app"))).toEqual(expected);
  expect(await documents.read(server.urlOf("/app"))).toEqual(expected);
  expect(server.received.slice(before)).toEqual(["/app"]);
});

test.each([
  ["/redirect", "status 302"],
  ["/large", "larger than 16 KiB"],
  ["/other-id", "names another client_id"],
  ["/secret", "token_endpoint_auth_method"],
  ["/no-uris", "redirect_uris"],
  ["/bad-uri", "redirect URI"],
  ["/text", "not a JSON object"],
  ["/null", "not a JSON object"],
  ["/gone", "status 404"],
])("a document at %s is refused", async (path, reason) => {
  await expect(documents.read(server.urlOf(path))).rejects.toMatchObject({
    code: "invalid_client",
    message: expect.stringContaining(reason),
  });
});

test("a document on a private address is refused, and nothing is sent", async () => {
  const before = server.connections();
  const guardedDocuments = createClientDocuments({ net: server.guarded, clock: systemClock });
  for (const url of [
    server.urlOf("/app"),
    "https://10.0.0.1/app",
    "https://169.254.169.254/latest",
    "https://localhost/app",
  ])
    await expect(guardedDocuments.read(url)).rejects.toMatchObject({ code: "invalid_client" });
  expect(server.connections()).toBe(before);
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
