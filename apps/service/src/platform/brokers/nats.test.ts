import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, nkeys } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { hide } from "../../lib/lib.ts";
import { failureOf, messageOf, testDeps } from "../../testing/broker-deps.ts";
import { JETSTREAM, TLS, startNats } from "../../testing/nats.ts";
import type { NatsServer } from "../../testing/nats.ts";
import type { BrokerConnection } from "./broker.ts";
import { nats } from "./nats.ts";
import type { NatsDestination } from "./nats.ts";

const WITHIN_MS = 10_000;
const PASSWORD = hide("of-the-shop");
const USERS = `
${JETSTREAM}
max_payload: 200000
authorization { users: [
  { user: shop, password: of-the-shop },
  { user: narrow, password: of-the-narrow, permissions: { publish: ["orders.>"], subscribe: ["_INBOX.>"] } },
  { user: deaf, password: of-the-deaf, permissions: { publish: ">", subscribe: ["none"] } },
] }`;

const running: { stop(): Promise<void> }[] = [];
const opened: BrokerConnection[] = [];
let server: NatsServer;

async function starting(settings: string): Promise<NatsServer> {
  const started = await startNats(settings);
  running.push(started);
  return started;
}

/** A client that did not come from us. */
async function client() {
  return await connect({ servers: `127.0.0.1:${server.port}`, user: "shop", pass: "of-the-shop" });
}

beforeAll(async () => {
  server = await starting(USERS);
  const own = await client();
  const manager = await jetstreamManager(own);
  await manager.streams.add({ name: "ORDERS", subjects: ["orders.>"] });
  await manager.streams.add({ name: "FULL", subjects: ["full"], max_msgs: 1, discard: "new" });
  await manager.streams.add({ name: "SMALL", subjects: ["small"], max_msg_size: 200 });
  await own.close();
}, 300_000);
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (each) => await each.close()));
});
afterAll(async () => {
  await Promise.all(running.map(async (each) => await each.stop()));
});

const destination = (of: Partial<NatsDestination> = {}): NatsDestination => ({
  servers: [`nats://broker.test:${server.port}`],
  subject: "orders.{{data.kind}}",
  jetstream: true,
  username: "shop",
  ...of,
});

async function opening(of: Partial<NatsDestination> = {}, secret = PASSWORD, withinMs = WITHIN_MS, ca = server.ca) {
  const { deps } = testDeps(ca);
  const connection = await nats.open(deps, destination(of), secret, withinMs);
  opened.push(connection);
  return connection;
}

/** A destination without a user name, whose secret is all that signs in. */
function anonymous({ port }: NatsServer, scheme = "nats"): NatsDestination {
  return { servers: [`${scheme}://broker.test:${port}`], subject: "orders.{{data.kind}}", jetstream: false };
}

test("a stream stores a message once, with its body and headers", async () => {
  const connection = await opening();
  const body = Buffer.from([0, 13, 10, 255]);
  const message = messageOf({ path: "orders.paid", body, headers: { "webhook-id": "evt_1", traceparent: "00-ü" } });
  expect(await connection.send(message, WITHIN_MS)).toEqual({
    text: "ORDERS at sequence 1",
    address: `127.0.0.1:${server.port}`,
  });
  const again = await connection.send(message, WITHIN_MS);
  expect(again.text).toBe("ORDERS at sequence 1, where it was already");
  const own = await client();
  const stored = await (await jetstreamManager(own)).streams.getMessage("ORDERS", { seq: 1 });
  expect(Buffer.from(stored?.data ?? [])).toEqual(body);
  expect(stored?.subject).toBe("orders.paid");
  expect(["webhook-id", "traceparent", "Nats-Msg-Id"].map((name) => stored?.header.get(name))).toEqual([
    "evt_1",
    "00-ü",
    "dlv_1",
  ]);
  await own.close();
});

test("core NATS gives a message to those who listen", async () => {
  const own = await client();
  const heard: string[] = [];
  own.subscribe("news.*", {
    callback: (_error, message) =>
      void heard.push(`${message.subject} ${message.string()} ${message.headers?.get("webhook-id")}`),
  });
  await own.flush();
  const connection = await opening({ jetstream: false });
  const confirmation = await connection.send(messageOf({ path: "news.today", body: Buffer.from("hello") }), WITHIN_MS);
  expect(confirmation.text).toBe("the server has it");
  await expect.poll(() => heard).toEqual(["news.today hello evt_1"]);
  await own.close();
});

test("many messages at once are each stored in their order", async () => {
  const connection = await opening();
  const texts = await Promise.all(
    Array.from(
      { length: 3000 },
      async (_, at) => await connection.send(messageOf({ id: `many_${at}`, path: "orders.many" }), WITHIN_MS),
    ),
  );
  const sequences = texts.map(({ text }) => Number(text.split(" ").at(-1)));
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  expect(new Set(sequences).size).toBe(3000);
});

test.each([
  ["a subject without a stream", "none.here", "confirm: No stream takes this subject."],
  [
    "a message beyond the stream's limit",
    "small",
    "confirm: The stream did not store the message: message size exceeds maximum allowed.",
  ],
  ["a subject with a line break", "orders.x\r\nPUB y 0", "send: The subject"],
  ["a subject with a wildcard", "orders.>", "send: The subject"],
  ["a subject with an empty part", "orders..x", "send: The subject"],
  ["an empty subject", "", "send: The subject"],
  ["a subject of the server itself", "$JS.API.STREAM.DELETE.ORDERS", "send: The subject begins with $"],
])("%s fails, and the connection stays", async (_name, path, sentence) => {
  const connection = await opening();
  expect(await failureOf(connection.send(messageOf({ path, body: Buffer.alloc(400) }), WITHIN_MS))).toContain(sentence);
  await connection.send(messageOf({ path: "orders.paid", id: "after" }), WITHIN_MS);
});

test("a stream that is full refuses the message", async () => {
  const connection = await opening();
  await connection.send(messageOf({ path: "full", id: "full_1" }), WITHIN_MS);
  expect(await failureOf(connection.send(messageOf({ path: "full", id: "full_2" }), WITHIN_MS))).toBe(
    "confirm: The stream did not store the message: maximum messages exceeded. Check the limits of the stream.",
  );
});

test("a message beyond max_payload is not sent, and the connection stays", async () => {
  const connection = await opening();
  const large = messageOf({ path: "orders.large", id: "large", body: Buffer.alloc(200_000) });
  expect(await failureOf(connection.send(large, WITHIN_MS))).toContain(
    "The server allows 200000: make it smaller, or raise max_payload.",
  );
  await connection.send({ ...large, body: Buffer.alloc(199_000) }, WITHIN_MS);
});

test("a subject that the user may not publish to fails alone", async () => {
  for (const isStreamed of [true, false]) {
    const connection = await opening({ username: "narrow", jetstream: isStreamed }, hide("of-the-narrow"));
    const [refused, ok] = await Promise.all([
      failureOf(connection.send(messageOf({ path: "secret.x" }), WITHIN_MS)),
      connection.send(messageOf({ path: "orders.paid", id: `narrow_${isStreamed}` }), WITHIN_MS),
    ]);
    expect(refused).toContain('confirm: NATS refused the subject (Permissions Violation for Publish to "secret.x")');
    expect(ok.text).toContain(isStreamed ? "ORDERS" : "the server");
  }
});

test("a user who may not hear answers, and a wrong password, are distinguished", async () => {
  expect(await failureOf(opening({ username: "deaf" }, hide("of-the-deaf")))).toContain(
    "sign_in: NATS refused the subject of answers",
  );
  const wrong = await failureOf(opening({}, hide("wrong-secret")));
  expect(wrong).toContain("sign_in: NATS refused the user shop or the password (Authorization Violation).");
  expect(wrong).not.toContain("wrong-secret");
});

test("tokens, seeds of nkeys and .creds files sign in", async () => {
  const withToken = await starting('authorization { token: "of-all" }');
  const { deps, openSockets } = testDeps();
  const signIn = async (at: NatsServer, secret: string): Promise<void> => {
    const connection = await nats.open(deps, anonymous(at), hide(secret), WITHIN_MS);
    await connection.send(messageOf({ path: "orders.paid" }), WITHIN_MS);
    await connection.close();
  };
  await signIn(withToken, "of-all");
  expect(await failureOf(signIn(withToken, "another"))).toContain("sign_in: NATS refused the credential");

  const user = nkeys.createUser();
  const seed = new TextDecoder().decode(user.getSeed());
  const withNkey = await starting(`authorization { users: [{ nkey: ${user.getPublicKey()} }] }`);
  await signIn(withNkey, seed);
  expect(await failureOf(signIn(withNkey, `SUAA${seed.slice(4)}`))).toContain(
    "sign_in: The seed in the secret is no seed",
  );
  expect(await failureOf(signIn(withToken, seed))).toContain("sign_in: The server asks for no signature");

  const { settings, creds } = operatorMode();
  const withJwt = await starting(settings);
  await signIn(withJwt, creds);
  expect(await failureOf(signIn(withJwt, creds.slice(0, 400)))).toContain(
    "sign_in: The secret is no complete .creds file",
  );
  await expect.poll(openSockets).toEqual([]);
});

/** The settings of a server whose users have JWTs, and the file of one of them. */
function operatorMode() {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const jwt = (subject: string, claims: Record<string, unknown>, by: typeof operator): string => {
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const content = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ jti: subject, iat: 1, iss: by.getPublicKey(), name: "test", sub: subject, nats: { version: 2, ...claims } })}`;
    return `${content}.${Buffer.from(by.sign(Buffer.from(content))).toString("base64url")}`;
  };
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const accountJwt = jwt(account.getPublicKey(), { type: "account", limits }, operator);
  const userJwt = jwt(user.getPublicKey(), { type: "user", subs: -1, data: -1, payload: -1 }, account);
  return {
    settings: `operator: ${jwt(operator.getPublicKey(), { type: "operator" }, operator)}
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`,
    creds: `-----BEGIN NATS USER JWT-----\n${userJwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${new TextDecoder().decode(user.getSeed())}\n------END USER NKEY SEED------\n`,
  };
}

test.each([
  ["that greets before it", `tls ${TLS}`],
  ["that waits for it", `tls ${TLS.replace("}", ", handshake_first: true }")}`],
])("TLS with a server %s checks the name", async (_name, settings) => {
  const secured = await starting(settings);
  const { deps, openSockets } = testDeps(secured.ca);
  const to = (scheme: string, host: string): NatsDestination => ({
    ...anonymous(secured),
    servers: [`${scheme}://${host}:${secured.port}`],
  });
  const connection = await nats.open(deps, to("tls", "broker.test"), null, WITHIN_MS);
  await connection.send(messageOf({ path: "orders.paid" }), WITHIN_MS);
  await connection.close();
  expect(await failureOf(nats.open(deps, to("tls", "other.test"), null, WITHIN_MS))).toContain("tls: ");
  await expect.poll(openSockets).toEqual([]);
});

test("nats:// turns to TLS where the server requires it, and tls:// never goes without", async () => {
  const secured = await starting(`tls ${TLS}`);
  const { deps } = testDeps(secured.ca);
  const connection = await nats.open(deps, anonymous(secured), null, WITHIN_MS);
  await connection.close();
  expect(await failureOf(opening({ servers: [`tls://broker.test:${server.port}`] }))).toContain("tls: ");
});

test("servers that a cluster announces are never connected to", async () => {
  const advertised = 'client_advertise: "169.254.169.254:4222"';
  const clustered = await starting(`cluster { name: c, listen: "127.0.0.1:-1" }
${advertised}`);
  const { deps, dialed } = testDeps();
  const connection = await nats.open(deps, anonymous(clustered), null, WITHIN_MS);
  await connection.send(messageOf({ path: "orders.paid" }), WITHIN_MS);
  clustered.kill();
  await expect.poll(() => connection.isUsable).toBe(false);
  expect(await failureOf(nats.open(deps, anonymous(clustered), null, WITHIN_MS))).toContain("connect: ");
  await connection.close();
  expect(dialed.map(({ host, port }) => `${host}:${port}`)).toEqual(
    Array.from({ length: 2 }, () => `broker.test:${clustered.port}`),
  );
});

test("the next server of the destination is tried when one is down", async () => {
  const down = await starting("");
  await down.stop();
  const connection = await opening({
    servers: [`nats://broker.test:${down.port}`, `nats://broker.test:${server.port}`],
  });
  await connection.send(messageOf({ path: "orders.paid", id: "second" }), WITHIN_MS);
});

test("a server that stops answering fails what waits, and new connections", async () => {
  const stopped = await starting("");
  const { deps, openSockets } = testDeps();
  const connection = await nats.open(deps, anonymous(stopped), null, WITHIN_MS);
  await stopped.suspend();
  expect(await failureOf(connection.send(messageOf({ path: "orders.paid" }), 300))).toBe(
    "confirm: NATS did not confirm the message within 0.3 s. Check that the server is up.",
  );
  expect(connection.isUsable).toBe(false);
  expect(await failureOf(nats.open(deps, anonymous(stopped), null, 300))).toContain(
    "connect: The server did not say who it is in time",
  );
  await connection.close();
  await expect.poll(openSockets).toEqual([]);
});

test("a server that is killed fails what waits, and nothing stays open", async () => {
  const killed = await starting(JETSTREAM);
  const own = await connect({ servers: `127.0.0.1:${killed.port}`, reconnect: false });
  const manager = await jetstreamManager(own);
  await manager.streams.add({ name: "ORDERS", subjects: ["orders.>"] });
  const { deps, openSockets } = testDeps();
  const connection = await nats.open(deps, { ...anonymous(killed), jetstream: true }, null, WITHIN_MS);
  const waiting = Array.from(
    { length: 500 },
    async (_, at) => await failureOf(connection.send(messageOf({ id: `dlv_${at}`, path: "orders.paid" }), WITHIN_MS)),
  );
  await jetstream(own).publish("orders.paid");
  killed.kill();
  for (const failure of await Promise.all(waiting))
    expect(failure).toMatch(/^it did not fail$|confirm: The connection ended before NATS confirmed the message/);
  await expect.poll(() => connection.isUsable).toBe(false);
  await connection.close();
  await own.close();
  expect(openSockets()).toEqual([]);
});
