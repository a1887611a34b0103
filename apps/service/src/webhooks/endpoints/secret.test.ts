import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { instant } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { Received } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { macHex, macStandard, unsigned } from "../../testing/signature.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const standard = (secret: string, { headers, body }: Received): string =>
  macStandard(secret, { id: headers["webhook-id"], timestamp: headers["webhook-timestamp"], body });

covers(
  ["endpoint.secret.regenerate", "endpoint.secret.new-verifies"],
  "deliveries verify only with the new secret after a regeneration",
  async () => {
    const { path, endpoint, receiver, fire } = await subscribe(service);
    await fire();
    await receiver.count(1);
    const answer = await service.api("POST", `${path}/secret/regenerate`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: endpoint.id, object: "webhook_endpoint" });
    const secret: string = answer.body["secret"];
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(endpoint.secret);
    await fire();
    const [before, after] = await receiver.count(2);
    if (before === undefined || after === undefined) throw new Error("two requests were received");
    expect(before.headers["x-service-signature"]).toBe(macHex(endpoint.secret, before.body));
    expect(after.headers["x-service-signature"]).toBe(macHex(secret, after.body));
    expect(after.headers["webhook-signature"]).toBe(standard(secret, after));
    expect((await service.api("GET", `${path}/secret`)).body).toEqual({ secret });
  },
);

covers(
  "endpoint.secret.new-verifies",
  "a pending delivery is signed with the new secret and otherwise unchanged",
  async () => {
    const { path, receiver, fire } = await subscribe(service, { status: 500 });
    const log = deliveryLog(service);
    const id = await fire();
    await log.attempted(id, 1);
    const { body } = await service.api("POST", `${path}/secret/regenerate`, {});
    receiver.status(200);
    await log.hurry();
    await log.in(id, "delivered");
    const [before, after] = await receiver.count(2);
    const signed = unsigned(after?.body ?? "");
    expect(signed.before).toBe(unsigned(before?.body ?? "").before);
    expect(signed.signature).toBe(`sha256=${macHex(body["secret"], signed.before)}`);
    expect(after?.headers["x-service-signature"]).toBe(macHex(body["secret"], after?.body ?? ""));
  },
);

covers(
  "endpoint.secret.regenerate",
  "webhook-signature contains both secrets' values until the overlap ends",
  async () => {
    const { path, endpoint, receiver, fire } = await subscribe(service);
    const asked = Date.now();
    const { body } = await service.api("POST", `${path}/secret/regenerate`, { overlap_seconds: 3600 });
    const secret: string = body["secret"];
    const revealed = (await service.api("GET", `${path}/secret`)).body;
    expect(revealed).toMatchObject({ secret, previous_secret: endpoint.secret });
    // The result is checked in seconds, because a wrong unit would be far off.
    expect(Math.abs(Date.parse(revealed["previous_expires_at"]) - asked - 3_600_000)).toBeLessThan(60_000);
    await fire();
    const [both] = await receiver.count(1);
    if (both === undefined) throw new Error("a request was received");
    expect(both.headers["x-service-signature"]).toBe(macHex(secret, both.body));
    expect(both.headers["webhook-signature"]).toBe(`${standard(secret, both)} ${standard(endpoint.secret, both)}`);

    await service.database.query(
      "update endpoint set previous_expires_at = now() where previous_expires_at is not null",
    );
    await fire();
    const [, one] = await receiver.count(2);
    if (one === undefined) throw new Error("a second request was received");
    expect(one.headers["webhook-signature"]).toBe(standard(secret, one));
    expect((await service.api("GET", `${path}/secret`)).body).toEqual({ secret });
  },
);

covers("endpoint.secret.regenerate", "an overlap ends at the exact millisecond on every node", async () => {
  let now = Date.now();
  const clock: Clock = { now: () => instant(now), monotonicMs: () => performance.now() };
  const first = await startService({ on: service, env: UNLIMITED, deps: { clock } });
  const second = await startService({ on: service, env: UNLIMITED, deps: { clock } });
  try {
    const { path, endpoint, receiver, event } = await subscribe(first);
    const { body } = await first.api("POST", `${path}/secret/regenerate`, { overlap_seconds: 60 });
    const both = [body["secret"], endpoint.secret];
    const signers = [
      [first, 0, both],
      [second, 0, both],
      [second, 59_999, both],
      [first, 60_000, [body["secret"]]],
      [second, 60_000, [body["secret"]]],
    ] as const;
    const started = now;
    for (const [at, [node, passedMs, secrets]] of signers.entries()) {
      now = started + passedMs;
      await node.fire(event);
      const received = (await receiver.count(at + 1))[at];
      if (received === undefined) throw new Error("a request was received");
      const wanted = secrets.map((secret) => standard(secret, received)).join(" ");
      expect([passedMs, received.headers["webhook-signature"]]).toEqual([passedMs, wanted]);
    }
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

covers("endpoint.secret.regenerate", "regenerating without an overlap ends a current overlap", async () => {
  const { path, receiver, fire } = await subscribe(service);
  await service.api("POST", `${path}/secret/regenerate`, { overlap_seconds: 3600 });
  const { body } = await service.api("POST", `${path}/secret/regenerate`, { overlap_seconds: 0 });
  await fire();
  const [first] = await receiver.count(1);
  expect(first?.headers["webhook-signature"]).toBe(first === undefined ? "" : standard(body["secret"], first));
});

test("the secret is shown only at creation and on reveal", async () => {
  const { path, endpoint } = await subscribe(service);
  for (const shown of [path, "/v1/webhook-endpoints?limit=100"]) {
    const { text } = await service.api("GET", shown);
    expect(text).not.toContain("whsec_");
    expect(text).not.toContain('"secret"');
  }
  const changed = await service.api("PATCH", path, { description: "x" });
  expect(changed.text).not.toContain("whsec_");
  expect((await service.api("POST", `${path}/toggle`)).text).not.toContain("whsec_");
  expect((await service.api("GET", `${path}/secret`)).body).toEqual({ secret: endpoint.secret });
  const [row] = await service.database.query<{ text: string }>(
    "select endpoint::text as text from endpoint order by created_at desc limit 1",
  );
  expect(row?.text).not.toContain(endpoint.secret.slice(6));
});

test("an overlap that is out of bounds or of another type is refused", async () => {
  const { path } = await subscribe(service);
  for (const overlap_seconds of [-1, 1.5, 604_801, "60", null]) {
    const answer = await service.api("POST", `${path}/secret/regenerate`, { overlap_seconds });
    expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
  }
});
