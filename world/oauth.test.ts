/**
 * Tests an app whose client_id is the URL of a document, on a server with a name and a certificate, as the service reaches it with its
 * defaults: through the guard of outbound requests.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOAuthClient } from "../apps/service/src/testing/oauth-client.ts";
import type { OAuthTestClient } from "../apps/service/src/testing/oauth-client.ts";
import { announced, createWorld } from "./world.ts";
import type { Answer, World } from "./world.ts";

const PUBLIC = "93.184.216.34";
const INSIDE = "10.7.0.1";
const SILENT = "198.41.0.4";
const OWNER = { email: "ines@shop.example", name: "Ines Costa", password: "correct horse battery staple" };
const SERVICE = "http://127.0.0.1:4000";
const ID = "https://app.example/client.json";
/** The port of a redirect URI on loopback is the app's choice. */
const CALLBACK = "http://127.0.0.1/callback";

let world: World;
let app: OAuthTestClient;
let documents: number;
let person: (method: string, path: string, body?: unknown) => Promise<Answer>;

beforeAll(async () => {
  world = await createWorld();
  await world.addresses([`${PUBLIC}/32`, `${INSIDE}/32`]);
  await world.silent(SILENT);
  await world.name("app.example", [PUBLIC]);
  await world.name("inside.example", [INSIDE]);
  await world.name("silent.example", [SILENT]);
  documents = await serve(443, documentOf({}));
  const { token } = announced(await world.npmStart());
  await world.api("POST", "/v1/auth/setup", { token, ...OWNER });
  const { email, password } = OWNER;
  const entered = await world.api("POST", "/v1/auth/sign-in", { email, password });
  const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";");
  const headers = { Cookie: cookie, "X-CSRF-Token": entered.body.csrf_token };
  person = async (method, path, body) => await world.api(method, path, body, { headers });
  app = await startOAuthClient(`${SERVICE}/mcp`, { clientId: ID, fetch: inWorld });
});
afterAll(async () => {
  await app?.close();
  await world?.close();
});

function documentOf(more: Record<string, unknown>, id = ID): string {
  return JSON.stringify({ client_id: id, client_name: "Refund desk", redirect_uris: [CALLBACK], ...more });
}

/** Serves one answer at all paths of a port of app.example, and returns its receiver. */
async function serve(port: number, body: string, more: { status?: number; location?: string } = {}): Promise<number> {
  const { status = 200, location } = more;
  const headers = { "Content-Type": "application/json", ...(location === undefined ? {} : { Location: location }) };
  return await world.receiver({
    address: PUBLIC,
    port,
    certificate: { names: ["app.example"] },
    answer: { status, headers, body },
  });
}

/** Sends the requests of the official client into the world. */
async function inWorld(url: string | URL, { method = "GET", headers, body }: RequestInit = {}): Promise<Response> {
  const { pathname, search } = new URL(url);
  const sent = Object.fromEntries(new Headers(headers));
  const { "content-type": type, ...others } = sent;
  const text = body instanceof URLSearchParams ? body.toString() : body;
  const named = { ...others, ...(type === undefined ? {} : { "Content-Type": type }) };
  const answer = await world.api(method, pathname + search, text, { headers: named });
  const told = new Headers(
    [...answer.headers].filter(([name]) => !/^(?:content-(?:encoding|length)|transfer)/.test(name)),
  );
  return new Response(answer.text === "" ? null : answer.text, { status: answer.status, headers: told });
}

/** Returns the authorization request of another app. */
function requestOf(clientId: string): Record<string, string> {
  return {
    client_id: clientId,
    redirect_uri: CALLBACK,
    response_type: "code",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
    resource: `${SERVICE}/mcp`,
  };
}

test("the official client connects by its document, which is read once", async () => {
  const start = await app.connect();
  if (!("open" in start)) throw new Error("the client did not ask for a consent");
  const { pathname, search, searchParams } = new URL(start.open);
  expect(searchParams.get("client_id")).toBe(ID);
  const page = await world.api("GET", pathname + search);
  expect([page.status, new URL(page.headers.get("location") ?? "").pathname]).toEqual([303, "/connect"]);
  expect(await world.received(documents)).toHaveLength(0);

  const parameters = Object.fromEntries(searchParams);
  const review = await person("POST", "/v1/connected-apps/review", parameters);
  expect(review).toMatchObject({ status: 200, body: { client_name: "Refund desk", client_host: "app.example" } });
  const { redirect_url: redirectUrl } = (await person("POST", "/v1/connected-apps", parameters)).body;
  // Between the consent and the token, the document names other redirect URIs and another client.
  const moved = await world.receiver({
    address: INSIDE,
    certificate: { names: ["app.example"] },
    answer: { status: 200, body: documentOf({ redirect_uris: ["https://evil.example/"] }) },
  });
  await world.name("app.example", [INSIDE]);
  await fetch(redirectUrl);
  await app.finish();
  const next = await app.connect();
  if (!("client" in next)) throw new Error("not connected");
  expect((await next.client.listTools()).tools.map(({ name }) => name)).toContain("junction_proposal_status");
  expect((await world.received(documents)).map(({ path }) => path)).toEqual(["/client.json"]);
  expect(await world.connections(moved)).toBe(0);
  await world.name("app.example", [PUBLIC]);
  expect((await person("GET", "/v1/connected-apps")).body.data).toMatchObject([
    { client_name: "Refund desk", client_id: ID },
  ]);
});

test("hostile documents are refused, and nothing is sent to private addresses", async () => {
  const at = (port: number): string => `https://app.example:${port}/client.json`;
  const inside = await world.receiver({ address: INSIDE, port: 8443, certificate: { names: ["inside.example"] } });
  await serve(8001, "", { status: 302, location: ID });
  await serve(8002, documentOf({ filler: "x".repeat(5_000_000) }, at(8002)));
  await serve(8003, documentOf({}));
  await serve(8004, documentOf({ redirect_uris: ["https://other.example/callback"] }, at(8004)));
  await serve(8005, documentOf({ redirect_uris: ["http://inside.example/callback"] }, at(8005)));
  const before = (await world.received(documents)).length;
  const cases: [string, string, string][] = [
    [at(8001), "/client_id", "status 302"],
    [at(8002), "/client_id", "larger than 16 KiB"],
    [at(8003), "/client_id", "names another client_id"],
    [at(8004), "/redirect_uri", "not one of the app's"],
    [at(8005), "/client_id", "redirect URI"],
    [at(8006), "/client_id", "could not be fetched"],
    ["https://silent.example/client.json", "/client_id", "could not be fetched"],
    ["https://no-such-name.example/client.json", "/client_id", "could not be fetched"],
    ["https://inside.example:8443/client.json", "/client_id", "not allowed"],
    [`https://${INSIDE}:8443/client.json`, "/client_id", "not allowed"],
    ["https://localhost:4000/client.json", "/client_id", "not allowed"],
    ["http://app.example/client.json", "/client_id", "must be https"],
  ];
  const outcomes = await Promise.all(
    cases.map(async ([id]) => await person("POST", "/v1/connected-apps", requestOf(id))),
  );
  expect(outcomes.map(({ status, body }) => [status, body.errors?.[0]?.pointer])).toEqual(
    cases.map(([, pointer]) => [422, pointer]),
  );
  expect(outcomes.map(({ body }, nth) => [body.detail, body.detail.includes(cases[nth]?.[2] ?? "-")])).toEqual(
    outcomes.map(({ body }) => [body.detail, true]),
  );
  expect([await world.connections(inside), (await world.received(documents)).length]).toEqual([0, before]);
});
