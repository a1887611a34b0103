import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { must, run } from "../../../../../tools/run.ts";
import { GENERATIONS, LIBRARIES, nodeLibrary } from "../../../../../tools/svix/libraries.ts";
import { mintKey } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Calls the Svix-compatible API with the official libraries, unchanged but for address and token, and verifies what receivers got. */

/** The libraries are loaded without their types. */
type Any = ReturnType<typeof JSON.parse>;

const MINUTES_5 = 300_000;
const MINUTES_20 = 1_200_000;

let service: TestService;
/** A node that allows one read a minute. */
let strict: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  strict = await startService({ on: service, env: { JUNCTION_RATE_LIMITS: '{"svix.read":1}' } });
  receiver = await startReceiver();
}, MINUTES_5);
afterAll(async () => {
  await strict.close();
  await service.close();
  await receiver.close();
});

const hourAgo = (): Date => new Date(Date.now() - 3_600_000);

async function until<T>(read: () => Promise<T>, wanted: (got: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 300; tries += 1) {
    const got = await read();
    if (wanted(got)) return got;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("a state did not come");
}

async function refused(call: () => Promise<unknown>): Promise<{ status: number; body: Any }> {
  try {
    await call();
  } catch (error) {
    const { code, status, body } = error as Any;
    return { status: status ?? code, body: typeof body === "string" ? JSON.parse(body) : body };
  }
  throw new Error("the call was not refused");
}

/** The first generation returns the payload. The second one only throws. */
function verifies(library: Any, secret: string, { body, headers }: Received): unknown {
  return new library.Webhook(secret).verify(body, headers) ?? JSON.parse(body);
}

/** The second generation calls the PUT of an object `upsert`. */
async function put(of: Any, ...given: readonly unknown[]): Promise<Any> {
  return await (of.upsert === undefined ? of.update(...given) : of.upsert(...given));
}

describe.each(GENERATIONS)("npm svix %s", (generation) => {
  let library: Any;
  let svix: Any;

  beforeAll(async () => {
    library = await nodeLibrary(generation);
    svix = new library.Svix(service.key, { serverUrl: service.baseUrl });
  }, MINUTES_5);

  test("applications are created, found by either name, changed, listed and deleted", async () => {
    const uid = `acme-${generation}`;
    const made = await svix.application.create({ name: "Acme", uid, metadata: { plan: "pro" }, throttleRate: 5 });
    expect(made).toMatchObject({ name: "Acme", uid, metadata: { plan: "pro" }, throttleRate: 5 });
    expect(made.id).toMatch(/^app_/);
    expect(await svix.application.get(uid)).toEqual(made);
    expect((await svix.application.getOrCreate({ name: "Other", uid })).id).toBe(made.id);
    expect(await put(svix.application, made.id, { name: "Acme, Inc.", uid })).toMatchObject({ metadata: {} });
    expect(await svix.application.patch(uid, { metadata: { plan: "max" } })).toMatchObject({ name: "Acme, Inc." });
    const others = [await svix.application.create({ name: "B" }), await svix.application.create({ name: "C" })];
    const first = await svix.application.list({ limit: 2, iterator: made.id });
    const [b, c] = others.map(({ id }) => id);
    expect(first.data.map(({ id }: Any) => id)).toEqual([b, c]);
    expect(first).toMatchObject({ iterator: c, prevIterator: `-${b}` });
    const back = await svix.application.list({ limit: 1, iterator: `-${c}` });
    expect(back.data.map(({ id }: Any) => id)).toEqual([b]);
    expect(back.done).toBe(false);
    for (const one of [made, ...others]) await svix.application.delete(one.id);
    expect(await refused(async () => await svix.application.get(uid))).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
  });

  test("a message reaches its endpoints, whose library verifies it", async () => {
    const app = await svix.application.create({ name: "Receives", uid: `receives-${generation}` });
    const from = receiver.received.length;
    const main = await svix.endpoint.create(app.id, { url: receiver.url, uid: "main", metadata: { a: "b" } });
    expect(main).toMatchObject({ uid: "main", metadata: { a: "b" }, disabled: false });
    const eu = await svix.endpoint.create(app.uid, { url: `${receiver.url}/eu`, channels: ["eu", "us"] });
    await svix.endpoint.create(app.uid, { url: `${receiver.url}/asia`, channels: ["asia"] });
    const payload = { n: 1, späß: "😀", list: [1.5, null] };
    const message = await svix.message.create(app.uid, {
      eventType: "invoice.settled",
      eventId: "inv-1",
      payload,
      channels: ["eu"],
      tags: ["blue"],
    });
    expect(message).toMatchObject({ eventType: "invoice.settled", eventId: "inv-1", channels: ["eu"], tags: ["blue"] });
    const got = (await receiver.count(from + 2)).slice(from);
    expect(got.map(({ path }) => path).toSorted()).toEqual(["/hook", "/hook/eu"]);
    for (const one of got) {
      const { key } = await svix.endpoint.getSecret(app.id, one.path === "/hook" ? "main" : eu.id);
      expect(verifies(library, key, one)).toEqual(payload);
      expect(one.headers).toMatchObject({ "svix-id": message.id, "webhook-id": message.id });
      expect(Object.keys(one.headers).filter((name) => name.startsWith("x-service"))).toEqual([]);
      expect(one.body).toBe(JSON.stringify(payload));
    }
    expect(await svix.message.get(app.id, "inv-1")).toMatchObject({ id: message.id, eventId: "inv-1" });
    const listed = await svix.message.list(app.id, { channel: "eu", tag: "blue" });
    expect(listed.data.map(({ id }: Any) => id)).toEqual([message.id]);
    expect((await svix.message.list(app.id, { channel: "asia" })).data).toEqual([]);
    const again = async () =>
      await svix.message.create(app.id, { eventType: "invoice.settled", eventId: "inv-1", payload: {} });
    expect(await refused(again)).toMatchObject({ status: 409, body: { code: "conflict" } });
  });

  test("attempts, deliveries and endpoints of a message are shown and repeated", async () => {
    const app = await svix.application.create({ name: "Tries", uid: `tries-${generation}` });
    const endpoint = await svix.endpoint.create(app.id, { url: receiver.url, uid: "one" });
    const from = receiver.received.length;
    const message = await svix.message.create(app.id, { eventType: "invoice.settled", payload: { n: 2 } });
    const attempts = await until(
      async () => await svix.messageAttempt.listByMsg(app.id, message.id),
      ({ data }: Any) => data.length === 1,
    );
    expect(attempts.data[0]).toMatchObject({
      msgId: message.id,
      endpointId: endpoint.id,
      url: receiver.url,
      responseStatusCode: 200,
      status: 0,
      triggerType: 0,
    });
    expect(attempts).toMatchObject({ done: true, iterator: attempts.data[0].id });
    expect(await svix.messageAttempt.get(app.id, message.id, attempts.data[0].id)).toMatchObject({
      ...attempts.data[0],
      response: "ok",
    });
    const byEndpoint = await svix.messageAttempt.listByEndpoint(app.id, "one");
    expect(byEndpoint.data.map(({ id }: Any) => id)).toEqual([attempts.data[0].id]);
    const messages = await svix.messageAttempt.listAttemptedMessages(app.id, "one");
    expect(messages.data).toMatchObject([{ id: message.id, status: 0 }]);
    const endpoints = await svix.messageAttempt.listAttemptedDestinations(app.id, message.id);
    expect(endpoints.data).toMatchObject([{ id: endpoint.id, status: 0 }]);
    await svix.messageAttempt.resend(app.id, message.id, "one");
    const [first, second] = (await receiver.count(from + 2)).slice(from);
    expect(second?.headers["svix-id"]).toBe(first?.headers["svix-id"]);
    expect(second?.body).toBe(first?.body);
    const late = await svix.endpoint.create(app.id, { url: `${receiver.url}/late`, uid: "late" });
    await svix.messageAttempt.resend(app.id, message.id, late.id);
    expect((await receiver.count(from + 3)).at(-1)?.path).toBe("/hook/late");
    const task = await svix.endpoint.recover(app.id, "one", { since: hourAgo() });
    expect(await svix.backgroundTask.get(task.id)).toMatchObject({ id: task.id, task: "endpoint.recover" });
    const replay = await svix.endpoint.replayMissing(app.id, "late", { since: hourAgo() });
    expect(replay).toMatchObject({ task: "endpoint.replay", status: "running" });
  });

  test("endpoints are changed, and their secrets and headers are kept as asked", async () => {
    const app = await svix.application.create({ name: "Changes", uid: `changes-${generation}` });
    const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
    const types = generation === "1" ? { filterTypes: ["a.b"] } : { eventTypes: ["a.b"] };
    await svix.endpoint.create(app.id, { url: receiver.url, uid: "one", secret, ...types });
    expect((await svix.endpoint.getSecret(app.id, "one")).key).toBe(secret);
    const found = await svix.endpoint.get(app.id, "one");
    expect(generation === "1" ? found.filterTypes : found.eventTypes).toEqual(["a.b"]);
    const whole = { url: receiver.url, uid: "two", description: "Two" };
    const updated = await put(svix.endpoint, app.id, "one", whole);
    expect(updated).toMatchObject({ uid: "two", description: "Two" });
    expect(await svix.endpoint.patch(app.id, "two", { disabled: true, throttleRate: 9 })).toMatchObject({
      disabled: true,
      throttleRate: 9,
      description: "Two",
    });
    await (svix.endpoint.setHeaders ?? svix.endpoint.updateHeaders).call(svix.endpoint, app.id, "two", {
      headers: { "X-A": "1", "X-B": "2" },
    });
    await svix.endpoint.patchHeaders(app.id, "two", { headers: { "X-C": "3" }, deleteHeaders: ["X-B"] });
    expect((await svix.endpoint.getHeaders(app.id, "two")).headers).toEqual({ "X-A": "1", "X-C": "3" });
    await svix.endpoint.rotateSecret(app.id, "two", {});
    const { key } = await svix.endpoint.getSecret(app.id, "two");
    expect(key).not.toBe(secret);
    await svix.endpoint.patch(app.id, "two", { disabled: false });
    const from = receiver.received.length;
    await svix.message.create(app.id, { eventType: "a.b", payload: { n: 3 } });
    const [got] = (await receiver.count(from + 1)).slice(from);
    if (got === undefined) throw new Error("nothing came");
    for (const one of [secret, key]) expect(verifies(library, one, got)).toEqual({ n: 3 });
    expect(got.headers).toMatchObject({ "x-a": "1", "x-c": "3" });
    await svix.endpoint.delete(app.id, "two");
    expect((await svix.endpoint.list(app.id)).data).toEqual([]);
  });

  test("event types are created, changed, listed and archived", async () => {
    const name = `gen${generation}.thing.made`;
    const schemas = { "1": { type: "object", properties: { n: { type: "number" } } } };
    const made = await svix.eventType.create({ name, description: "Made", schemas, featureFlags: ["beta"] });
    expect(made).toMatchObject({ name, description: "Made", archived: false, deprecated: false, schemas });
    const update = await put(svix.eventType, name, { description: "Was made", groupName: "things" });
    expect(update).toMatchObject({ description: "Was made", groupName: "things" });
    expect(await svix.eventType.patch(name, { deprecated: true })).toMatchObject({ deprecated: true });
    expect(await refused(async () => await svix.eventType.create({ name, description: "" }))).toMatchObject({
      status: 409,
    });
    const listed = await svix.eventType.list({ limit: 250 });
    expect(listed.data.map((one: Any) => one.name)).toContain(name);
    await svix.eventType.delete(name);
    expect((await svix.eventType.list({ limit: 250 })).data.map((one: Any) => one.name)).not.toContain(name);
    const all = await svix.eventType.list({ limit: 250, includeArchived: true });
    expect(all.data.find((one: Any) => one.name === name)).toMatchObject({ archived: true });
    expect(await svix.eventType.create({ name, description: "Again" })).toMatchObject({ archived: false });
  });

  test("a portal token manages its application alone until it logs out", async () => {
    const app = await svix.application.create({ name: "Portal", uid: `portal-${generation}` });
    const other = await svix.application.create({ name: "Other", uid: `other-${generation}` });
    const access = await svix.authentication.appPortalAccess(app.id, {});
    expect(access.url).toContain("/portal/?workspace=");
    const portal = new library.Svix(access.token, { serverUrl: service.baseUrl });
    await portal.endpoint.create(app.id, { url: receiver.url, uid: "mine" });
    expect((await portal.endpoint.list(app.id)).data).toMatchObject([{ uid: "mine" }]);
    expect(await refused(async () => await portal.endpoint.list(other.id))).toMatchObject({ status: 403 });
    await portal.authentication.logout();
    expect(await refused(async () => await portal.endpoint.list(app.id))).toMatchObject({
      status: 401,
      body: { code: "authentication_failed" },
    });
    const reading = await svix.authentication.appPortalAccess(app.id, { readOnly: true });
    const viewer = new library.Svix(reading.token, { serverUrl: service.baseUrl });
    expect((await viewer.endpoint.list(app.id)).data).toHaveLength(1);
    const denied = async () => await viewer.endpoint.create(app.id, { url: receiver.url });
    expect(await refused(denied)).toMatchObject({ status: 403 });
  });

  test("refusals have the form of Svix, and absent parts are refused once", async () => {
    await svix.health.get();
    const invalid = await refused(async () => await svix.application.create({ name: "", uid: "a b" }));
    expect(invalid.status).toBe(422);
    expect(invalid.body.detail[0]).toMatchObject({ loc: ["body", "name"], type: expect.any(String) });
    const absent = await refused(async () => await svix.statistics.aggregateEventTypes());
    expect(absent).toMatchObject({ status: 400, body: { code: "not_supported" } });
  });
});

/** The codes of refusals, by the name that the programs give them. */
const REFUSALS = {
  not_found: [404, "not_found"],
  conflict: [409, "conflict"],
  unauthorized: [401, "authentication_failed"],
  not_supported: [400, "not_supported"],
  limited: [429, "rate_limited"],
} as const;

describe.each(LIBRARIES)("$name", ({ needs: [needed, ...tried], build }) => {
  test(
    "every call works, also where the answer to each first write is lost",
    async ({ skip }) => {
      const runs = (await run(needed, tried)).status === 0;
      if (!runs && process.env["JUNCTION_NEED_LANGUAGES"] === undefined) skip(`${needed} does not run on this machine`);
      const { program, args } = await build();
      const limited = (await mintKey(service)).key;
      const flaky = await losesAnswers(limited);
      const from = receiver.received.length;
      const ran = await must(program, [...args, flaky.url, service.key, limited, receiver.url], { timeout: MINUTES_5 });
      await flaky.close();
      const seen = JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "") as Record<string, Parsed>;
      expect(flaky.lost).toBeGreaterThan(8);
      expect(seen["app.get"]).toEqual(seen["app"]);
      expect(seen["app.get_or_create"]).toMatchObject({ id: seen["app"]["id"] });
      expect(seen["app.patch"]).toMatchObject({ name: "Acme, Inc.", metadata: { plan: "max" } });
      expect(seen["apps.next"]["data"]).toMatchObject([{ id: seen["other"]["id"] }]);
      expect(seen["apps.back"]["data"].at(-1)).toMatchObject({ id: seen["app"]["id"] });
      expect(seen["type.patch"]).toMatchObject({ deprecated: true, groupName: "billing", description: "Is paid" });
      expect(seen["endpoint.patch"]).toMatchObject({ uid: "main", description: "The hook" });
      expect(seen["endpoints"]).toMatchObject({ data: [{ id: seen["endpoint"]["id"] }], done: true });
      expect(seen["headers"]).toMatchObject({ headers: { "X-A": "1", "X-C": "3" } });
      expect(seen["message.again"]).toEqual(seen["message"]);
      expect(seen["message.get"]).toMatchObject({ id: seen["message"]["id"], eventId: "inv-1", tags: ["blue"] });
      expect(seen["messages"]["data"]).toMatchObject([{ id: seen["message"]["id"] }]);
      expect(seen["attempts.msg"]["data"]).toMatchObject([{ status: 0, responseStatusCode: 200 }]);
      expect(seen["attempts.endpoint"]["data"]).toHaveLength(1);
      expect(seen["endpoint.messages"]["data"]).toMatchObject([{ id: seen["message"]["id"], status: 0 }]);
      expect(seen["message.endpoints"]["data"]).toMatchObject([{ id: seen["endpoint"]["id"], status: 0 }]);
      expect(seen["task"]).toMatchObject({ id: seen["recover"]["id"], task: "endpoint.recover" });
      expect(seen["replay"]).toMatchObject({ task: "endpoint.replay" });
      expect(seen["secret.rotated"]["key"]).not.toBe(seen["secret"]["key"]);
      expect(seen["portal.endpoints"]).toMatchObject({ data: [{ uid: "main" }] });
      for (const [what, [status, code]] of Object.entries(REFUSALS))
        expect({ what, ...seen[`error.${what}`] }).toMatchObject({ what, status, body: { code } });
      expect(seen["error.invalid"]).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "url"] }] } });
      const [got] = (await receiver.count(from + 1)).slice(from);
      expect(JSON.parse(got?.body ?? "")).toEqual({ n: 1, text: "<ü & 😀>" });
      const verified = async (body: string): Promise<number> => {
        const given = ["verify", String(seen["secret"]["key"]), body, JSON.stringify(got?.headers)];
        return (await run(program, [...args, ...given])).status;
      };
      expect(await verified(got?.body ?? "")).toBe(0);
      expect(await verified(`${got?.body} `)).toBe(1);
    },
    MINUTES_20,
  );
});

interface Flaky {
  readonly url: string;
  readonly lost: number;
  close(): Promise<void>;
}

/** Starts a proxy that passes every call on, but answers 503 to the first one that has an idempotency key, as if its answer were lost. */
async function losesAnswers(limited: string): Promise<Flaky> {
  const seen = new Set<string>();
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { host: _, connection: __, ...headers } = request.headers;
    const isLimited = headers.authorization === `Bearer ${limited}`;
    const to = isLimited ? strict.baseUrl : service.baseUrl;
    if (isLimited) await fetch(`${to}/api/v1/app`, { headers: { Authorization: headers.authorization ?? "" } });
    const onward = ask(`${to}${request.url}`, { method: request.method, headers }, (answer) => {
      const key = headers["idempotency-key"];
      // A token that has logged out is no longer accepted, so that this call cannot be repeated.
      const isLost = key !== undefined && request.url !== "/api/v1/auth/logout" && !seen.has(String(key));
      if (isLost) seen.add(String(key));
      response.writeHead(isLost ? 503 : (answer.statusCode ?? 502), isLost ? {} : answer.headers);
      if (isLost) answer.resume().on("end", () => response.end());
      else answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  };
  const server = createServer((request, response) => void pass(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lost() {
      return seen.size;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
