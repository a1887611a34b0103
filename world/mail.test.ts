/** Tests e-mail with `JUNCTION_SMTP_URL` as the only variable that is set. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { announced, createWorld } from "./world.ts";
import type { Answer, World } from "./world.ts";

const OWNER = { email: "ines@shop.example", name: "Ines Costa", password: "correct horse battery staple" };

let world: World;
let key: string;

beforeAll(async () => {
  world = await createWorld();
  await world.mailServer("127.0.0.1", "alerts@shop.example");
  const output = await world.npmStart({ JUNCTION_SMTP_URL: "smtp://alerts%40shop.example:secret@127.0.0.1:25" });
  key = (await world.api("POST", "/v1/auth/setup", { token: announced(output).token, ...OWNER })).body.api_key;
});
afterAll(async () => await world?.close());

const api = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  await world.api(method, path, body, { key });

test("an invitation is sent, and its link accepts it", async () => {
  const invited = await api("POST", "/v1/members/invitations", { email: "rui@shop.example", role: "operator" });
  expect(invited.status).toBe(201);
  await expect.poll(async () => (await world.mails()).map(({ to }) => to)).toEqual([["rui@shop.example"]]);
  const [mail] = await world.mails();
  const text = (mail?.data ?? "").replaceAll("=\r\n", "").replaceAll("=3D", "=");
  expect(text).toContain("http://127.0.0.1:4000/");
  const token = /token=([\w-]+)/.exec(text)?.[1];
  const accepted = await world.api("POST", "/v1/members/accept", { token, name: "Rui", password: OWNER.password });
  expect({ isAccepted: accepted.status < 300, text: accepted.text }).toMatchObject({ isAccepted: true });
  await world.until("/v1/mails", key, ({ data }) => data[0]?.state === "sent");
});

test("a notification of a rule reaches the owner", async () => {
  const then = [{ type: "notify", to: ["owner"], message: "Order ${$.data.order}" }];
  await api("POST", "/v1/rules", { name: "Tell the owner", on: ["order.stuck"], then });
  await api("POST", "/v1/events/fire", { event: "order.stuck", data: { order: "1001" } });
  const texts = async (): Promise<string> => JSON.stringify(await world.mails());
  await expect.poll(texts, { timeout: 60_000 }).toContain("Order 1001");
});
