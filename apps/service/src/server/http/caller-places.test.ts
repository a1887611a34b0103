import Fastify from "fastify";
import { afterEach, describe, expect, test } from "vitest";
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
  callerPlaces(app, { clock: systemClock });
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
    const ask = (name: string, url: string, method: "GET" | "POST" = "GET"): Promise<void> =>
      app.inject({ method, url, headers: { authorization: name } }).then(() => void answered.push(`${name} ${url}`));
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
});
