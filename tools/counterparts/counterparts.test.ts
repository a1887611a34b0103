import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { answers } from "../program.ts";
import { newFolder, startCounterpart } from "./counterpart.ts";
import { startRoundup } from "./roundup.ts";
import { startStripeMock } from "./stripe-mock.ts";
import { startTryton } from "./tryton.ts";

/** The first call of a machine installs and builds. */
const MINUTES_15 = 900_000;

test(
  "stripe-mock judges requests as Stripe's document says",
  async () => {
    const stripe = await startStripeMock();
    const headers = { Authorization: "Bearer sk_test_123" };
    const made = await fetch(`${stripe.url}/v1/refunds`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ payment_intent: "pi_1", amount: "500" }),
    });
    expect([made.status, await made.json()]).toMatchObject([200, { object: "refund", amount: 500 }]);
    const wrong = await fetch(`${stripe.url}/v1/refunds`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ no_such: "1" }),
    });
    expect(wrong.status).toBe(400);
    await stripe.stop();
    expect(await answers(stripe.url)).toBe(false);
  },
  MINUTES_15,
);

test(
  "Tryton keeps parties and denies access without the password",
  async () => {
    const tryton = await startTryton();
    const [id] = (await tryton.call("model.party.party.create", [{ name: "Ada" }])) as number[];
    expect(await tryton.call("model.party.party.read", [id], ["name"])).toMatchObject([{ name: "Ada" }]);
    const stranger = await fetch(`${tryton.url}/${tryton.database}/rpc/`, {
      method: "POST",
      headers: { Authorization: "Basic YTpi", "Content-Type": "application/json" },
      body: JSON.stringify({ id: 1, method: "model.party.party.search", params: [[], {}] }),
    });
    expect(stranger.status).toBe(401);
    await tryton.stop();
  },
  MINUTES_15,
);

test(
  "Roundup has its classic tracker behind its REST API",
  async () => {
    const roundup = await startRoundup();
    expect(await roundup.call("/status?@fields=name")).toMatchObject({ "@total_size": 8 });
    await roundup.stop();
  },
  MINUTES_15,
);

test("a counterpart that ends at once is reported with its output and leaves nothing", async () => {
  const folder = await newFolder("broken");
  const started = startCounterpart({
    program: "sh",
    args: ["-c", "echo no such database >&2; exit 3"],
    folder,
    ready: async () => await Promise.resolve(undefined),
  });
  await expect(started).rejects.toThrow("sh ended before it was ready:\nno such database");
  expect(existsSync(folder)).toBe(false);
  expect((await readdir(tmpdir())).filter((name) => folder.endsWith(name))).toEqual([]);
});
