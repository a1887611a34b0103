import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { announced, createWorld } from "./world.ts";
import type { World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.watchDepartures();
});
afterAll(async () => await world?.close());

test("the service sends no packet and no DNS query on its own", async () => {
  const output = await world.npmStart();
  const { sandboxKey: key } = announced(output);
  expect((await world.api("GET", "/readyz?deep=1")).status).toBe(200);
  expect((await world.api("GET", "/docs/api")).status).toBe(200);
  expect((await world.api("GET", "/v1/me", undefined, { key })).status).toBe(200);
  await sleep(5000);
  expect({ packets: await world.departures(), names: await world.questions() }).toEqual({ packets: 0, names: [] });
  // A test webhook proves that the counter works.
  await world.api("POST", "/v1/webhooks/test", { url: "https://93.184.216.34/" }, { key });
  expect(await world.departures()).toBeGreaterThan(0);
});
