/** Tests the first steps of a new user in the order of the README, with nothing set: clone, start, claim, webhook, delivery, replay, backup. */
import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { announced, createWorld } from "./world.ts";
import type { Answer, World } from "./world.ts";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
// The clone is below the repository, which is an overlay in the world, so everything is deleted at the end.
const CLONE = `${REPOSITORY}/coverage/clone`;
const ADDRESS = "93.184.216.34";
const NAME = "hooks.shop.example";
const OWNER = { email: "ines@shop.example", name: "Ines Costa", password: "correct horse battery staple" };

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.addresses([`${ADDRESS}/32`]);
  await world.name(NAME, [ADDRESS]);
});
afterAll(async () => await world?.close());

test("a fresh clone is claimed, delivers to a host name, replays, is backed up", async () => {
  const receiver = await world.receiver({ address: ADDRESS, certificate: { names: [NAME] } });
  await world.command("git", ["clone", "-q", "--no-hardlinks", REPOSITORY, CLONE]);
  // The world has no registry; tools/docs/first-minute.test.ts starts a clone that installs.
  await world.command("mkdir", [`${CLONE}/node_modules`]);
  await world.command("mount", ["--bind", `${REPOSITORY}/node_modules`, `${CLONE}/node_modules`]);
  const output = await world.startUntilReady({ command: ["npm", "start"], cwd: CLONE });

  const { token } = announced(output);
  expect(
    (await world.api("GET", `/setup?token=${token}`, undefined, { headers: { Accept: "text/html" } })).status,
  ).toBe(200);
  const { api_key: key } = (await world.api("POST", "/v1/auth/setup", { token, ...OWNER })).body;
  const api = async (method: string, path: string, body?: unknown): Promise<Answer["body"]> => {
    const answer = await world.api(method, path, body, { key });
    expect({ isOk: answer.status < 300, text: answer.text }).toEqual({ isOk: true, text: answer.text });
    return answer.body;
  };

  const url = `https://${NAME}/webhooks`;
  const { secret } = await api("POST", "/v1/webhook-endpoints", { url, events: ["order.created"] });
  const data = { external_id: "10482", email: "ada@example.com", total_minor: 4900, currency: "EUR" };
  const { deliveries } = await api("POST", "/v1/events/fire", { event: "order.created", data });
  const [{ id }] = deliveries;
  await world.until(`/v1/deliveries/${id}`, key, ({ state }) => state === "delivered");
  await api("POST", `/v1/deliveries/${id}/replay`, {});
  await expect.poll(async () => (await world.received(receiver)).length).toBe(2);
  for (const { body, headers } of await world.received(receiver)) {
    expect(JSON.parse(body)).toMatchObject({ event: "order.created", delivery_id: id, data });
    expect(headers["x-service-signature"]).toBe(createHmac("sha256", secret).update(body).digest("hex"));
  }

  await world.command(`${CLONE}/node_modules/.bin/junction`, ["backup", "--out", `${CLONE}/junction.tar`], CLONE);
  expect(await world.command("tar", ["-tf", `${CLONE}/junction.tar`])).toContain("manifest.json");
  expect(await world.command("git", ["status", "--short"], CLONE)).toBe("");
  expect(await world.stop()).toBe(0);
});
