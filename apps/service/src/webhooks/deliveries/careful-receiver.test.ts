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

/** The specification's receiver, from its words alone; what it does once per delivery is `applied`. */
interface Careful {
  secret: string;
  /** How far its clock is ahead. */
  aheadSeconds: number;
  /** Where it dies once: before or after it applied what it had stored. */
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
  "a receiver that finds a mismatch answers 401, and gets the delivery once it has the new secret",
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

covers(
  "deliver.receiver.stale",
  "a receiver rejects a delivery that is sent to it again later, and accepts the service's own retry then",
  async () => {
    const { receiver, endpoint, fire } = await subscribe(service, { status: 500 });
    const id = await fire();
    await log.attempted(id, 1);
    const [recorded] = receiver.received;
    if (recorded === undefined) throw new Error("a request was received");
    const self = careful(receiver, endpoint.secret);
    self.aheadSeconds = WINDOW_SECONDS + 60;
    // Somebody who recorded the request sends it once more, its timestamp too old by now and signed with the body.
    const headers = Object.fromEntries(Object.entries(recorded.headers).filter(([name]) => name.startsWith("x-")));
    const repeat = await fetch(receiver.url, {
      method: "POST",
      headers: headers as Record<string, string>,
      body: recorded.body,
    });
    expect([repeat.status, self.applied]).toEqual([400, []]);
    // The service's retry carries the time of its own attempt.
    self.aheadSeconds = 0;
    await log.hurry();
    await log.in(id, "delivered");
    expect(self.applied).toEqual([id]);
    const last = receiver.received.at(-1);
    expect(Number(last?.headers["x-service-timestamp"])).toBeGreaterThanOrEqual(
      Number(recorded.headers["x-service-timestamp"]),
    );
  },
);

covers(
  ["deliver.receiver.persist-first", "deliver.receiver.repeat-2xx"],
  "a receiver that stores the delivery's id first applies each delivery once, wherever it dies",
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
      // A replay of what was applied is answered 2xx and applied no second time.
      await service.api("POST", `/v1/deliveries/${id}/replay`);
      await log.attempted(id, 3);
      expect([dies, self.answered, self.applied]).toEqual([dies, ["died", 200, 200], [id]]);
    }
  },
);

covers(
  "deliver.receiver.nonce-table",
  "a table of nonces over the timestamps' window removes repeated retries, and what has left it is too old",
  async () => {
    const { receiver, endpoint, fire } = await subscribe(service);
    const self = careful(receiver, endpoint.secret);
    self.dies = "after";
    const id = await fire();
    await log.attempted(id, 1);
    await log.hurry();
    await log.in(id, "delivered");
    expect(self.nonces.size).toBe(1);
    // The nonce alone would have been enough.
    self.deliveries.clear();
    const [first] = receiver.received;
    if (first === undefined) throw new Error("a request was received");
    expect(receive(self, first)).toBe(200);
    expect(self.applied).toEqual([id]);
    // Once the window has passed, the table may forget: the same request is refused by its time.
    self.aheadSeconds = WINDOW_SECONDS + 60;
    self.nonces.clear();
    expect(receive(self, first)).toBe(400);
    expect(self.applied).toEqual([id]);
  },
);
