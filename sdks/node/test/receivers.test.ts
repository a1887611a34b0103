import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { webhooks } from "../src/index.ts";
import type { Delivered, FastifyLike } from "../src/index.ts";
import { fixtures } from "../src/testing.ts";
import { kitModules } from "./kit.ts";

const MINUTES_10 = 600_000;
const secret = [fixtures.secret, "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="];
const good = fixtures.delivery("invoice.paid");
const closing: (() => unknown)[] = [];

/** The part of Express that is used here. Its own types are not needed. */
interface Express {
  (): App;
  json(): unknown;
  raw(options: object): unknown;
}

interface App {
  use(...handlers: unknown[]): void;
  post(path: string, ...handlers: unknown[]): void;
  listen(port: number, host: string, done: () => void): ReturnType<ReturnType<typeof createServer>["listen"]>;
}

/** The part of Fastify that is used here. types.test.ts uses its own types. */
type Fastify = () => FastifyLike & {
  register(plugin: (app: FastifyLike) => Promise<void>): Promise<void>;
  post(path: string, handler: (request: { body: unknown }) => Promise<unknown>): void;
  listen(options: object): Promise<string>;
  close(): Promise<void>;
};

interface Handled {
  readonly junction?: Delivered;
}

interface Answers {
  status(code: number): Answers;
  json(body: unknown): void;
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

for (const name of ["express", "express-4"]) {
  test(
    `${name}: what is rightly signed reaches the handler, and all else is answered with 401`,
    { timeout: MINUTES_10 },
    async () => {
      const url = await expressServer(name, (app) => {
        app.post("/hook", webhooks.express(secret), seen);
      });
      expect(await sent(url, good.body)).toEqual([200, { event: "invoice.paid" }]);
      expect(await sent(url, `${good.body} `)).toEqual([
        401,
        { code: "signature_invalid", detail: expect.any(String) },
      ]);
      expect(await sent(url, good.body, {})).toEqual([401, { code: "signature_missing", detail: expect.any(String) }]);
      expect((await sent(url, "x".repeat(1024 * 1024 + 1)))[0]).toBe(401);
    },
  );

  test(`${name}: after express.raw() it takes the existing bytes`, { timeout: MINUTES_10 }, async () => {
    const url = await expressServer(name, (app, express) => {
      app.post(
        "/hook",
        express.raw({ type: "*/*" }),
        webhooks.express(() => secret),
        seen,
      );
    });
    expect(await sent(url, good.body)).toEqual([200, { event: "invoice.paid" }]);
  });

  test(`${name}: after express.json() an error explains the fix`, { timeout: MINUTES_10 }, async () => {
    const errors: unknown[] = [];
    const url = await expressServer(name, (app, express) => {
      app.use(express.json());
      app.post("/hook", webhooks.express(secret), seen);
      app.use((error: unknown, _request: unknown, response: Answers, _next: unknown) => {
        errors.push(error);
        response.status(500).json({});
      });
    });
    expect((await sent(url, good.body))[0]).toBe(500);
    expect(String(errors[0])).toMatch(/needs the raw body.*express\.raw/s);
  });

  test(
    `${name}: what a later handler throws is not answered as a wrong signature`,
    { timeout: MINUTES_10 },
    async () => {
      const url = await expressServer(name, (app) => {
        app.post("/hook", webhooks.express(secret), () => {
          throw new Error("of the handler");
        });
        app.use((error: Error, _request: unknown, response: Answers, _next: unknown) => {
          response.status(500).json({ message: error.message });
        });
      });
      expect(await sent(url, good.body)).toEqual([500, { message: "of the handler" }]);
    },
  );
}

test("Fastify: its own route takes the raw body, and other routes still parse JSON", async () => {
  const events: Delivered[] = [];
  const app = (await installed<Fastify>("fastify"))();
  await app.register(webhooks.fastify({ path: "/hook", secret, handler: (delivery) => events.push(delivery) }));
  app.post("/other", async (request) => await Promise.resolve({ parsed: request.body }));
  closing.push(async () => await app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  expect(await sent(`${url}/hook`, good.body)).toEqual([204, null]);
  expect(events.map(({ event }) => event)).toEqual(["invoice.paid"]);
  expect((await sent(`${url}/hook`, good.body.replace("5880", "5881")))[0]).toBe(401);
  expect((await sent(`${url}/hook`, ""))[0]).toBe(401);
  expect(await sent(`${url}/other`, '{"a":1}')).toEqual([200, { parsed: { a: 1 } }]);
});

test("Fastify: an error of the handler is a 500, so that the service retries", async () => {
  const app = (await installed<Fastify>("fastify"))();
  const handler = async (): Promise<void> => await Promise.reject(new Error("database down"));
  await app.register(webhooks.fastify({ secret, handler }));
  closing.push(async () => await app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  expect((await sent(`${url}/webhooks`, good.body))[0]).toBe(500);
});

test("Next: a route handler takes a web request and returns a web response", async () => {
  const POST = webhooks.next(secret, (delivery) => Response.json({ event: delivery.event }));
  const request = (body: string): Request =>
    new Request("https://app.example/hook", { method: "POST", body, headers: good.headers });
  const taken = await POST(request(good.body));
  expect([taken.status, await taken.json()]).toEqual([200, { event: "invoice.paid" }]);
  const refused = await POST(request(`${good.body}\n`));
  expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/json"]);
  const silent = webhooks.next(secret, () => undefined);
  expect((await silent(request(good.body))).status).toBe(204);
  const failing = webhooks.next(secret, async () => await Promise.reject(new Error("database down")));
  await expect(failing(request(good.body))).rejects.toThrow("database down");
  const unset = webhooks.next("", () => undefined);
  await expect(unset(request(good.body))).rejects.toMatchObject({ reason: "secret_invalid" });
});

test("Express's helper works for a bare Node server too", async () => {
  const middleware = webhooks.express(secret);
  const server = createServer((request, response) => {
    void middleware(request, response, () => {
      response.end(JSON.stringify({ event: (request as Handled).junction?.event }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  expect(await sent(`http://127.0.0.1:${port}`, good.body)).toEqual([200, { event: "invoice.paid" }]);
});

async function expressServer(name: string, set: (app: App, express: Express) => void): Promise<string> {
  const express = await installed<Express>(name);
  const app = express();
  set(app, express);
  const server = await new Promise<ReturnType<App["listen"]>>((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => {
      resolve(listening);
    });
  });
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function installed<Framework>(name: string): Promise<Framework> {
  const require = createRequire(import.meta.url);
  return require(join(await kitModules(), name)) as Framework;
}

function seen(request: Handled, response: Answers): void {
  response.json({ event: request.junction?.event });
}

async function sent(
  url: string,
  body: string,
  headers: Record<string, string> = good.headers,
): Promise<[number, unknown]> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
  });
  const text = await response.text();
  return [response.status, text.startsWith("{") ? (JSON.parse(text) as unknown) : null];
}
