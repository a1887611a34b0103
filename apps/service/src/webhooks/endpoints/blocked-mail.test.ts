import { afterAll, beforeAll, expect, test } from "vitest";
import { startMailServer } from "../../testing/mail-server.ts";
import type { MailServer } from "../../testing/mail-server.ts";
import { joined, OWNER } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { SHORT_LADDER, subscribe } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let server: MailServer;
let service: TestService;

beforeAll(async () => {
  server = await startMailServer("junction@example.com", "secret");
  service = await startService({ env: { ...SHORT_LADDER, JUNCTION_SMTP_URL: server.url } });
  await joined(service, "admin");
});
afterAll(async () => {
  await service.close();
  await server.close();
});

const textsTo = (email: string): string[] =>
  server.mails.filter(({ to }) => to.includes(email)).map(({ data }) => data.replaceAll("=\r\n", ""));
const ended = async (delivery: string): Promise<unknown> =>
  await service.until(`/v1/deliveries/${delivery}`, ({ state }) => state !== "pending");

test("a lane that is blocked for an hour is one e-mail until it continues", async () => {
  const { endpoint, fire, path } = await subscribe(service, { status: 410, more: { ordering: { key: "endpoint" } } });
  await ended(await fire());
  await service.until(path, ({ active }) => active === false);
  await service.database.query("delete from mail");
  const blocked = async (): Promise<Parsed[]> =>
    (await service.api("GET", "/v1/mails?limit=100&purpose=lane_blocked")).body["data"] as Parsed[];
  const lanes = "select 1 from lane where blocked_at is not null";
  await expect.poll(async () => await service.database.query(lanes)).toHaveLength(1);
  await service.database.query("update lane set blocked_at = now() - interval '61 minutes'");
  // Two nodes that start look for blocked lanes at once.
  const nodes = await Promise.all([
    startService({ on: service, env: { ...SHORT_LADDER, JUNCTION_SMTP_URL: server.url } }),
    startService({ on: service, env: { ...SHORT_LADDER, JUNCTION_SMTP_URL: server.url } }),
  ]);
  await expect.poll(blocked).toHaveLength(2);
  await service.database.query("update mail set due_at = now() where state = 'waiting'");
  await expect.poll(() => textsTo(OWNER.email).join("")).toContain("Deliveries of a webhook endpoint are blocked");
  expect(textsTo(OWNER.email).join("")).toContain(`/endpoints/${endpoint.id}`);
  await Promise.all(nodes.map(async (node) => await node.close()));
  expect(await blocked()).toHaveLength(2);
});
