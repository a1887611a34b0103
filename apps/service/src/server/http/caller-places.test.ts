import Fastify from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import type { Admitted } from "../../accounts/accounts.ts";
import { systemClock } from "../../lib/lib.ts";
import { callerPlaces, createCallerLimit } from "./caller-places.ts";

describe("the limit of a caller's requests in progress", () => {
  function limitAt(): { pass(turnMs: number, callers: readonly string[], windows: number): void; most(): number } {
    let nowMs = 0;
    const limit = createCallerLimit({ monotonicMs: () => nowMs });
    return {
      most: () => limit.most,
      pass(turnMs, callers, windows) {
        for (let at = 0; at < windows; at += 1) {
          nowMs += 100;
          for (const caller of callers) {
            limit.arrived(caller);
            limit.turned(turnMs);
          }
        }
      },
    };
  }

  test("falls while turns are long and several callers are there, never to zero", () => {
    const { pass, most } = limitAt();
    const first = most();
    pass(10, ["a", "b"], 20);
    expect(first).toBeGreaterThan(8);
    expect(most()).toBe(1);
  });

  test("stays while there is one caller, which keeps only itself waiting", () => {
    const { pass, most } = limitAt();
    const first = most();
    pass(10, ["a"], 20);
    expect(most()).toBe(first);
  });

  test("rises again when turns are short", () => {
    const { pass, most } = limitAt();
    const first = most();
    pass(10, ["a", "b"], 20);
    pass(0.2, ["a", "b"], 5);
    expect(most()).toBeGreaterThan(3);
    pass(0.2, ["a", "b"], 200);
    expect(most()).toBe(first);
  });
});

describe("places", () => {
  const app = Fastify();
  let finish: (() => void)[] = [];
  app.decorateRequest("admitted", null);
  callerPlaces(app, { clock: systemClock });
  app.addHook("preHandler", async (request) => {
    const credential = request.headers.authorization;
    if (credential !== undefined && !credential.startsWith("made up")) request.admitted = {} as Admitted;
    await Promise.resolve();
  });
  app.get("/slow", async () => {
    await new Promise<void>((resolve) => finish.push(resolve));
    return "slow";
  });
  app.get("/livez", () => "ok");
  app.post("/webhook", { config: { callers: "public", rawBody: true } }, () => "taken");
  afterEach(() => {
    for (const end of finish) end();
    finish = [];
  });

  /** Makes turns long, with two callers, until each has one place. */
  async function makeBusy(): Promise<void> {
    const endMs = performance.now() + 1200;
    while (performance.now() < endMs) {
      const asked = ["x", "y"].map(
        async (name) => await app.inject({ method: "POST", url: "/webhook", headers: { authorization: name } }),
      );
      const heldMs = performance.now() + 8;
      await new Promise((resolve) => setImmediate(resolve));
      while (performance.now() < heldMs);
      await Promise.all(asked);
    }
  }

  test("are one for each caller of a busy service, and webhooks need none", async () => {
    await makeBusy();
    const answered: string[] = [];
    const ask = async (name: string, url: string, method: "GET" | "POST" = "GET"): Promise<void> => {
      await app.inject({ method, url, headers: { authorization: name } });
      answered.push(`${name} ${url}`);
    };
    await Promise.all(["many", "few"].map(async (name) => await ask(name, "/webhook", "POST")));
    answered.length = 0;
    const slow = [ask("many", "/slow"), ask("many", "/slow"), ask("few", "/slow")];
    await expect.poll(() => finish.length, { timeout: 400 }).toBe(2);
    await ask("many", "/livez");
    await ask("many", "/webhook", "POST");
    expect(answered).toEqual(["many /livez", "many /webhook"]);
    expect(finish).toHaveLength(2);
    // A slow request gives its place on.
    await expect.poll(() => finish.length, { timeout: 5000 }).toBe(3);
    for (const end of finish) end();
    await Promise.all(slow);
  });

  test("are shared by all credentials of a network that were not right yet", async () => {
    await makeBusy();
    const slow = ["made up 1", "made up 2", "made up 3"].map(
      async (name) => await app.inject({ url: "/slow", headers: { authorization: name } }),
    );
    await expect.poll(() => finish.length, { timeout: 400 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(finish).toHaveLength(1);
    await expect
      .poll(
        () => {
          for (const end of finish) end();
          return finish.length;
        },
        { timeout: 5000 },
      )
      .toBe(3);
    await Promise.all(slow);
  });
});
