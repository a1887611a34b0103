import { createHmac, timingSafeEqual } from "node:crypto";
import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import type { Received, Receiver } from "../../testing/receiver.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const WINDOW_SECONDS = 300;

/** A receiver that follows only the text of the specification. `applied` lists what it does once per delivery. */
interface Careful {
  secret: string;
  /** The number of seconds that its clock is ahead. */
  aheadSeconds: number;
  /** The point at which it stops once: before or after it applies what it has stored. */
  dies: "before" | "after" | undefined;
  readonly deliveries: Map<string, "stored" | "committed">;
  readonly nonces: Map<string, number>;
  readonly applied: string[];
  readonly answered: (number | "died")[];
}

function careful(receiver: Receiver, secret: string): Careful {
  const self: Careful = {
    secret,
    aheadSeconds: 0,
    dies: undefined,
    deliveries: new Map(),
    nonces: new Map(),
    applied: [],
    answered: [],
  };
  receiver.answer((response, request) => {
    const outcome = receive(self, request);
    self.answered.push(outcome);
    if (outcome === "died") response.destroy();
    else response.writeHead(outcome).end();
  });
  return self;
}

function receive(self: Careful, { headers, body }: Received): number | "died" {
  const header = (name: string): string => String(headers[`x-service-${name}`]);
  const expected = Buffer.from(createHmac("sha256", self.secret).update(body).digest("hex"));
  const signature = Buffer.from(header("signature"));
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return 401;
  const now = Date.now() / 1000 + self.aheadSeconds;
  if (Math.abs(now - Number(header("timestamp"))) > WINDOW_SECONDS) return 400;
  const [id, nonce] = [header("delivery"), header("idempotency")];
  if (self.deliveries.get(id) === "committed" || self.nonces.has(nonce)) return 200;
  self.deliveries.set(id, "stored");
  if (died(self, "before")) return "died";
  self.applied.push(id);
  self.deliveries.set(id, "committed");
  self.nonces.set(nonce, now);
  return died(self, "after") ? "died" : 200;
}

function died(self: Careful, where: Careful["dies"]): boolean {
  if (self.dies !== where) return false;
  self.dies = undefined;
  return true;
}

covers(
  "deliver.receiver.mismatch-401",
  "a receiver that answers 401 gets the delivery once it has the secret",
  async () => {
    const { receiver, endpoint, path, fire } = await subscribe(service);
    const self = careful(receiver, endpoint.secret);
    const { secret } = (await service.api("POST", `${path}/secret/regenerate`)).body;
    const id = await fire();
    await log.attempted(id, 1);
    await log.hurry();
    await log.attempted(id, 2);
    expect([self.answered, self.applied]).toEqual([[401, 401], []]);
    self.secret = secret;
    await log.hurry();
    await log.in(id, "delivered");
    expect(self.applied).toEqual([id]);
    expect((await log.attempts(id)).map((one) => one["status_code"])).toEqual([401, 401, 200]);
  },
);

covers("deliver.receiver.stale", "a receiver rejects a delivery that is sent later but accepts the retry", async () => {
  const { receiver, endpoint, fire } = await subscribe(service, { status: 500 });
  const id = await fire();
  await log.attempted(id, 1);
  const [recorded] = receiver.received;
  if (recorded === undefined) throw new Error("a request was received");
  const self = careful(receiver, endpoint.secret);
  self.aheadSeconds = WINDOW_SECONDS + 60;
  // An attacker sends the recorded request once more. Its timestamp is too old and covered by the signature.
  const headers = Object.fromEntries(Object.entries(recorded.headers).filter(([name]) => name.startsWith("x-")));
  const repeat = await fetch(receiver.url, {
    method: "POST",
    headers: headers as Record<string, string>,
    body: recorded.body,
  });
  expect([repeat.status, self.applied]).toEqual([400, []]);
  // The service's retry has the time of its own attempt.
  self.aheadSeconds = 0;
  await log.hurry();
  await log.in(id, "delivered");
  expect(self.applied).toEqual([id]);
  const last = receiver.received.at(-1);
  expect(Number(last?.headers["x-service-timestamp"])).toBeGreaterThanOrEqual(
    Number(recorded.headers["x-service-timestamp"]),
  );
});

covers(
  ["deliver.receiver.persist-first", "deliver.receiver.repeat-2xx"],
  "a receiver that stores the delivery id first applies each delivery once",
  async () => {
    for (const dies of ["before", "after"] as const) {
      const { receiver, endpoint, fire } = await subscribe(service);
      const self = careful(receiver, endpoint.secret);
      self.dies = dies;
      const id = await fire();
      await log.attempted(id, 1);
      await log.hurry();
      expect(await log.in(id, "delivered")).toMatchObject({ attempt_count: 2 });
      expect([dies, self.answered, self.applied]).toEqual([dies, ["died", 200], [id]]);
      // The replay of an applied delivery gets a 2xx response and is not applied again.
      await service.api("POST", `/v1/deliveries/${id}/replay`);
      await log.attempted(id, 3);
      expect([dies, self.answered, self.applied]).toEqual([dies, ["died", 200, 200], [id]]);
    }
  },
);

covers(
  "deliver.receiver.nonce-table",
  "a nonce table for the timestamp window prevents repeated application",
  async () => {
    const { receiver, endpoint, fire } = await subscribe(service);
    const self = careful(receiver, endpoint.secret);
    self.dies = "after";
    const id = await fire();
    await log.attempted(id, 1);
    await log.hurry();
    await log.in(id, "delivered");
    expect(self.nonces.size).toBe(1);
    // The nonce alone is enough.
    self.deliveries.clear();
    const [first] = receiver.received;
    if (first === undefined) throw new Error("a request was received");
    expect(receive(self, first)).toBe(200);
    expect(self.applied).toEqual([id]);
    // After the window the table may forget the nonce: the same request is refused for its timestamp.
    self.aheadSeconds = WINDOW_SECONDS + 60;
    self.nonces.clear();
    expect(receive(self, first)).toBe(400);
    expect(self.applied).toEqual([id]);
  },
);
