import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { otherWorkspace } from "../../testing/keys.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";
import { rotateMasterKey } from "./rotation.ts";
import { sealedValuesCheck } from "./seals.ts";

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver();
});
afterAll(async () => {
  await service.database.drop();
  await receiver.close();
});

test("a rotation reaches every workspace's values, which work with the new key", async () => {
  const keys = [service.key];
  for (let n = 0; n < 6; n += 1) keys.push((await otherWorkspace(service)).key);
  const endpoint = { url: receiver.url, events: ["order.created"] };
  for (const key of keys)
    expect((await service.api("POST", "/v1/webhook-endpoints", endpoint, { key })).status).toBe(201);
  await service.api("POST", "/v1/keys", { name: "signs", permission_mode: "all", signing_secret: true });
  const [old, fresh] = [Buffer.from(MASTER_KEY, "base64"), randomBytes(32)];
  const { db, encryptedColumns: columns } = service.service;
  const rotation = await rotateMasterKey({ db, masterKey: fresh, previous: [old], columns, tell: () => undefined });
  expect(rotation).toMatchObject({ isComplete: true, unreadable: {} });
  expect(rotation.resealed).toBeGreaterThan(keys.length);
  const check = await sealedValuesCheck({ db, masterKey: fresh, previous: [], columns });
  expect(check.detail).toMatch(/decrypts all|different master key/);
  await service.service.stop();
  const env = { JUNCTION_MASTER_KEY: fresh.toString("base64") };
  service = await startService({ env, on: service });
  for (const key of keys)
    expect((await service.api("POST", "/v1/events/fire", { event: "order.created", data: {} }, { key })).status).toBe(
      202,
    );
  await receiver.count(keys.length);
  await service.service.stop();
});
