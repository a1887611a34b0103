import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { TLSSocket } from "node:tls";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAuthority } from "../../testing/certificates.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import { putSecret } from "../../testing/http-calls.ts";
import { mintKey } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

const PATH = "/v1/webhook-endpoints";
const SECRET = "s3cret-of-the-receiver";
const authority = createAuthority();
const before = getCACertificates("default");

let service: TestService;
let log: ReturnType<typeof deliveryLog>;

beforeAll(async () => {
  setDefaultCACertificates([...before, authority.cert]);
  service = await startService({ env: SHORT_LADDER });
  log = deliveryLog(service);
  await putSecret(service, "token", SECRET);
  await putSecret(service, "login", "jane:pa55-of-jane");
});
afterAll(async () => {
  setDefaultCACertificates(before);
  await service.close();
});

async function delivered(more: Record<string, unknown>): Promise<{ readonly one: Received; readonly id: string }> {
  const { fire, receiver } = await subscribe(service, { more });
  const id = await fire();
  await log.in(id, "delivered");
  const [one] = receiver.received;
  if (one === undefined) throw new Error("nothing was received");
  return { one, id };
}

/** Returns the first attempt of a delivery to an endpoint with this `auth`. */
async function failed(more: Record<string, unknown>, url?: string): Promise<Parsed> {
  const { fire } = await subscribe(service, { more, ...(url !== undefined && { url }) });
  const id = await fire();
  await log.in(id, "failed");
  const [attempt] = await log.attempts(id);
  return attempt ?? {};
}

async function refusal(body: object, key = service.key): Promise<Parsed> {
  const url = "http://127.0.0.1:9/hook";
  const { status, body: problem } = await service.api("POST", PATH, { url, events: ["a.b"], ...body }, { key });
  expect(status).toBe(422);
  return problem["errors"][0];
}

describe("an endpoint that signs in with a secret", () => {
  test("sends it as Bearer, Basic, a header or a query parameter", async () => {
    const bearer = await delivered({
      auth: { type: "bearer", secret_ref: "token" },
      headers: { authorization: "Old x" },
    });
    expect(bearer.one.headers.authorization).toBe(`Bearer ${SECRET}`);
    const basic = await delivered({ auth: { type: "basic", secret_ref: "login" } });
    expect(basic.one.headers.authorization).toBe(`Basic ${Buffer.from("jane:pa55-of-jane").toString("base64")}`);
    const named = await delivered({ auth: { type: "basic", secret_ref: "token", username: "jim" } });
    expect(named.one.headers.authorization).toBe(`Basic ${Buffer.from(`jim:${SECRET}`).toString("base64")}`);
    const header = await delivered({ auth: { type: "api_key", secret_ref: "token", header: "X-Key" } });
    expect(header.one.headers["x-key"]).toBe(SECRET);
    const usual = await delivered({ auth: { type: "api_key", secret_ref: "token" } });
    expect(usual.one.headers["x-api-key"]).toBe(SECRET);
    const query = await delivered({ auth: { type: "api_key", secret_ref: "token", in: "query", name: "key" } });
    expect(query.one.path).toBe(`/hook?key=${SECRET}`);
    const shown = await log.get(bearer.id);
    expect(shown["request"].headers).toMatchObject({ Authorization: "[redacted]" });
    expect(JSON.stringify(shown)).not.toContain(SECRET);
  });

  test("shows the secret nowhere, even if the receiver repeats it", async () => {
    const { fire, receiver } = await subscribe(service, { more: { auth: { type: "bearer", secret_ref: "token" } } });
    receiver.answer((response, { headers }) =>
      response.writeHead(200, { "X-Echo": String(headers.authorization) }).end(JSON.stringify(headers)),
    );
    const id = await fire();
    await log.in(id, "delivered");
    expect(JSON.stringify(await log.attempts(id))).not.toContain(SECRET);
  });

  test("sends another value from the next attempt, and nothing without one", async () => {
    await putSecret(service, "changing", "first");
    const { fire, receiver } = await subscribe(service, { more: { auth: { type: "bearer", secret_ref: "changing" } } });
    await log.in(await fire(), "delivered");
    await putSecret(service, "changing", "second");
    await log.in(await fire(), "delivered");
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
    await service.api("DELETE", "/v1/secrets/changing");
    const id = await fire();
    await log.in(id, "failed");
    const attempts = await log.attempts(id);
    expect(attempts).toHaveLength(6);
    expect(attempts[0]).toMatchObject({ error_class: "auth", status_code: null });
    expect(attempts[0]?.["error_detail"]).toMatch(/secret changing is not set/);
    expect(receiver.received).toHaveLength(2);
  });

  test("is tested with its secret, and the test names what failed", async () => {
    const { endpoint, receiver, path } = await subscribe(service, {
      more: { auth: { type: "bearer", secret_ref: "token" } },
    });
    const tested = await service.api("POST", "/v1/webhooks/test", { endpoint_id: endpoint.id });
    expect(tested.body).toMatchObject({
      response: { status: 200 },
      request: { headers: { Authorization: "[redacted]" } },
    });
    expect(receiver.received[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    await service.database.query(
      "update endpoint set auth = $1 where id::text = any (select id::text from endpoint where auth is not null and url = $2)",
      [JSON.stringify({ type: "bearer", secret_ref: "lost" }), receiver.url],
    );
    const broken = await service.api("POST", "/v1/webhooks/test", { endpoint_id: endpoint.id });
    expect(broken.body).toMatchObject({ response: null, error: { class: "auth" } });
    expect((await service.api("PATCH", path, { auth: null })).body).toMatchObject({ auth: null });
  });

  test.each([
    [{ type: "bearer" }, "/auth/secret_ref", "required"],
    [{ type: "bearer", secret_ref: "nowhere" }, "/auth/secret_ref", "secret_missing"],
    [{ type: "bearer", secret_ref: "token", name: "X" }, "/auth/name", "unknown"],
    [{ type: "api_key", secret_ref: "token", in: "query" }, "/auth/name", "required"],
    [{ type: "api_key", secret_ref: "token", name: "a", header: "a" }, "/auth/header", "conflict"],
    [{ type: "basic", secret_ref: "token" }, "/auth/secret_ref", "secret_form"],
    [{ type: "api_key", secret_ref: "token", name: "X-Service-Key" }, "/auth/name", "header_reserved"],
    [{ type: "api_key", secret_ref: "token", in: "query", name: "a b" }, "/auth/name", "parameter"],
    [{ type: "oauth2_client_credentials", secret_ref: "token" }, "/auth/token_url", "required"],
    [{ type: "mtls", certificate: "x" }, "/auth/key_secret_ref", "required"],
    [{ type: "mtls", certificate: "x", key_secret_ref: "token" }, "/auth/certificate", "certificate"],
  ])("refuses %j", async (auth, pointer, code) => {
    expect(await refusal({ auth })).toMatchObject({ pointer, code });
  });

  test("may send a secret only to the secret's hosts", async () => {
    await service.api("PUT", "/v1/secrets/bound", { value: "v", hosts: ["api.example.com"] });
    expect(await refusal({ auth: { type: "bearer", secret_ref: "bound" } })).toMatchObject({ code: "secret_host" });
  });

  test("is not set by a tenant, and its secret stays with its URL", async () => {
    const { key } = await mintKey(service, { role: "developer", tenant: "acme" });
    const auth = { type: "bearer", secret_ref: "token" };
    expect(await refusal({ auth }, key)).toMatchObject({ pointer: "/auth", code: "tenant" });
    const { path, receiver } = await subscribe(service, { more: { auth, tenant: "acme" } });
    const moved = await service.api("PATCH", path, { url: `${receiver.url}/other` }, { key });
    expect(moved.body["errors"]).toEqual([expect.objectContaining({ pointer: "/auth", code: "auth_required" })]);
    expect((await service.api("PATCH", path, { url: `${receiver.url}/other`, auth })).status).toBe(200);
    const seen = await service.api("GET", path, undefined, { key });
    expect(seen.body).toMatchObject({ auth: { type: "bearer" } });
    expect(seen.text).not.toContain("secret_ref");
  });
});

describe("an endpoint that signs in with OAuth 2.0", () => {
  async function tokenServer(answer: (request: Received) => object): Promise<Receiver & { readonly auth: object }> {
    const server = await startReceiver();
    onTestFinished(server.close);
    server.answer((response, request) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer(request))),
    );
    const auth = {
      type: "oauth2_client_credentials",
      token_url: server.url,
      client_id: "junction",
      secret_ref: "token",
      scope: "a b",
      audience: "api",
    };
    return { ...server, auth };
  }

  test("fetches one token for many deliveries, and a new one after 401", async () => {
    let made = 0;
    const tokens = await tokenServer(() => ({
      access_token: `t${(made += 1)}`,
      token_type: "bearer",
      expires_in: 3600,
    }));
    const { fire, receiver } = await subscribe(service, { more: { auth: tokens.auth } });
    const ids = await Promise.all(Array.from({ length: 10 }, async () => await fire()));
    for (const id of ids) await log.in(id, "delivered");
    expect(tokens.received).toHaveLength(1);
    const form = new URLSearchParams(tokens.received[0]?.body);
    expect(Object.fromEntries(form)).toEqual({ grant_type: "client_credentials", scope: "a b", audience: "api" });
    receiver.answer((response, { headers }) =>
      response.writeHead(headers.authorization === "Bearer t1" ? 401 : 200).end(),
    );
    const id = await fire();
    await log.in(id, "delivered");
    expect(await log.attempts(id)).toHaveLength(1);
    expect(tokens.received).toHaveLength(2);
  });

  test("fetches a token again in the last minute of its lifetime", async () => {
    const tokens = await tokenServer(() => ({ access_token: "short", expires_in: 60 }));
    const { fire } = await subscribe(service, { more: { auth: tokens.auth } });
    await log.in(await fire(), "delivered");
    await log.in(await fire(), "delivered");
    expect(tokens.received).toHaveLength(2);
  });

  test.each([
    [{ access_token: "t", scope: "a" }, /did not grant the scope b/],
    [{ access_token: "t", token_type: "mac" }, /another type than Bearer/],
    [{ error: "invalid_client" }, /the error invalid_client/],
    [{ access_token: { t: 1 } }, /no access token/],
  ])("fails after the answer %j, in words", async (answer, detail) => {
    const tokens = await tokenServer(() => answer);
    const attempt = await failed({ auth: tokens.auth });
    expect(attempt).toMatchObject({ error_class: "auth", status_code: null });
    expect(attempt["error_detail"]).toMatch(detail);
  });

  test("does not wait for a token server without end", async () => {
    const tokens = await tokenServer(() => ({}));
    tokens.answer(() => undefined);
    const { fire } = await subscribe(service, { more: { auth: tokens.auth } });
    const id = await fire();
    await log.attempted(id, 1);
    const [attempt] = await log.attempts(id);
    expect(attempt).toMatchObject({ error_class: "auth" });
    expect(attempt?.["error_detail"]).toMatch(/did not respond .*8 s/);
  });
});

test("a real authorization server grants the token, and refuses a wrong secret", async () => {
  const server = createPlainServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${portOf(server)}`;
  const client = { client_id: "junction", client_secret: "a:secret with %41 & a plus+" };
  const provider = new Provider(issuer, {
    clients: [{ ...client, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] }],
    features: { clientCredentials: { enabled: true }, introspection: { enabled: true } },
    scopes: ["orders.write"],
  });
  server.on("request", provider.callback());
  await putSecret(service, "client_secret", client.client_secret);
  const auth = {
    type: "oauth2_client_credentials",
    token_url: `${issuer}/token`,
    client_id: client.client_id,
    secret_ref: "client_secret",
    scope: "orders.write",
  };
  const { fire, receiver } = await subscribe(service, { more: { auth } });
  await log.in(await fire(), "delivered");
  const token = String(receiver.received[0]?.headers.authorization).replace("Bearer ", "");
  const basic = [client.client_id, client.client_secret].map(encodeURIComponent).join(":");
  const introspected = await fetch(`${issuer}/token/introspection`, {
    method: "POST",
    headers: { Authorization: `Basic ${Buffer.from(basic).toString("base64")}` },
    body: new URLSearchParams({ token }),
  });
  expect(await introspected.json()).toMatchObject({ active: true, scope: "orders.write", client_id: "junction" });
  await putSecret(service, "client_secret", "another");
  const id = await fire();
  await log.in(id, "failed");
  const [attempt] = await log.attempts(id);
  expect(attempt).toMatchObject({ error_class: "auth", status_code: null });
  expect(attempt?.["error_detail"]).toMatch(/status 401 and the error invalid_client/);
});

describe("an endpoint that signs in with a client certificate", () => {
  test("presents it, shows its end, and refuses one that does not fit", async () => {
    const client = opensslCertificate();
    await putSecret(service, "key", client.key);
    const other = opensslCertificate();
    await putSecret(service, "other_key", other.key.trimEnd().replaceAll("\n", String.raw`\n`));
    const server = createServer({
      ...authority.issue(["127.0.0.1"]),
      ca: [client.cert],
      requestCert: true,
      rejectUnauthorized: true,
    });
    const subjects: string[] = [];
    server.on("request", (request, response) => {
      subjects.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${portOf(server)}/`;
    const auth = { type: "mtls", certificate: client.cert, key_secret_ref: "key" };
    const { path, fire } = await subscribe(service, { url, more: { auth } });
    await log.in(await fire(), "delivered");
    expect(subjects).toEqual(["junction"]);
    const expiresAt = new Date(new X509Certificate(client.cert).validTo).toISOString();
    expect(await read(path)).toMatchObject({ certificate_expires_at: expiresAt });
    expect(await failed({}, url)).toMatchObject({ status_code: null });
    expect(await refusal({ auth: { ...auth, key_secret_ref: "other_key" } })).toMatchObject({
      code: "key_mismatch",
      pointer: "/auth/key_secret_ref",
    });
    const expired = authority.issue(["x"], { from: -3, to: -1 });
    expect(await refusal({ auth: { ...auth, certificate: expired.cert } })).toMatchObject({ code: "expired" });
    await putSecret(service, "key", other.key);
    const id = await fire();
    await log.in(id, "failed");
    const [attempt] = await log.attempts(id);
    expect(attempt).toMatchObject({ error_class: "auth" });
    expect(attempt?.["error_detail"]).toMatch(/key of this certificate, not another key/);
  });
});

test("a certificate that ends within 30 days is reported once", async () => {
  const listener = await subscribe(service, { more: { events: ["endpoint.certificate_expiring"] } });
  const { path, endpoint } = await subscribe(service);
  const soon = new Date(Date.now() + 29 * 86_400_000).toISOString();
  const { url } = await read(path);
  await service.database.query("update endpoint set certificate_expires_at = $1 where url = $2", [soon, url]);
  // A second node sweeps when it starts.
  const more = await Promise.all([startService({ on: service }), startService({ on: service })]);
  const [one] = await listener.receiver.count(1);
  for (const node of more) await node.close();
  expect(JSON.parse(one?.body ?? "{}")).toMatchObject({
    event: "endpoint.certificate_expiring",
    data: { endpoint_id: endpoint.id, expires_at: soon },
  });
  expect(listener.receiver.received).toHaveLength(1);
});

function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function read(path: string): Promise<Parsed> {
  return (await service.api("GET", path)).body;
}

function opensslCertificate(): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), "junction-mtls-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        cert,
        "-days",
        "90",
        "-subj",
        "/CN=junction",
      ],
      { stdio: "ignore" },
    );
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
