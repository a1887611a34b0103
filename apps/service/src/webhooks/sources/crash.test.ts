import { afterEach, beforeEach, expect } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { createCrashNode, repeatWith } from "../../testing/crash-node.ts";
import type { CrashNode } from "../../testing/crash-node.ts";
import { hexMac, MAPPING } from "../../testing/inbound.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";

const CLIENTS = 20;

let node: CrashNode;
let receiver: Receiver;

beforeEach(async () => {
  node = await createCrashNode({});
  receiver = await startReceiver();
  await node.start();
});
afterEach(async () => {
  await node.close();
  await receiver.close();
});

async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  return (await (await node.send(method, path, body)).json()) as Answer;
}

interface Accepted {
  readonly receiptId: string;
  readonly body: string;
}

/** Sends a new event. Returns undefined unless it was accepted with a 200. */
async function send(source: { url: string; secret: string }, client: number, n: number): Promise<Accepted | undefined> {
  const body = JSON.stringify({ id: `${client}-${n}`, type: "crash", email: `c${client}@example.com`, amount: 1 });
  const headers = { "X-Service-Inbound-Signature": hexMac(source.secret, body) };
  const answer = await fetch(source.url, { method: "POST", headers, body });
  const { receipt_id: receiptId, status } = (await answer.json()) as { receipt_id: string; status: string };
  return answer.status === 200 && status === "ok" ? { receiptId, body } : undefined;
}

covers(
  ["inbound.answer.success", "contact.activity.created"],
  "kill -9 under 20 senders loses no request that was answered with 200",
  async () => {
    await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["inbound.crash"] });
    const source = await call<{ url: string; secret: string; id: string }>("POST", "/v1/inbound-endpoints", MAPPING);
    const sending = repeatWith(CLIENTS, async (client, n) => await send(source, client, n));
    await expect.poll(sending.accepted).toBeGreaterThan(5 * CLIENTS);
    await node.kill();
    const accepted = await sending.stop();
    await node.start();
    // Checks a sample of at most 100, so that the read limit is not reached.
    for (const { receiptId, body } of accepted.filter((_one, at) => at % Math.ceil(accepted.length / 100) === 0)) {
      const receipt = await call<Record<string, unknown>>("GET", `/v1/inbound-receipts/${receiptId}`);
      expect(receipt).toMatchObject({ status: "ok", raw_payload: body, activity_id: expect.any(String) });
    }
    // Each accepted request fired an event, which is delivered. The leases of the killed node expire within 90 s.
    const missing = new Set(accepted.map(({ receiptId }) => receiptId));
    await expect
      .poll(
        () => {
          for (const { body } of receiver.received) missing.delete(JSON.parse(body).data.receipt_id);
          return missing.size;
        },
        { timeout: 100_000, interval: 200 },
      )
      .toBe(0);
    // A sender's retry of an accepted request is recognized.
    const [first] = accepted;
    const retried = await fetch(source.url, {
      method: "POST",
      headers: { "X-Service-Inbound-Signature": hexMac(source.secret, first?.body ?? "") },
      body: first?.body ?? "",
    });
    expect(await retried.json()).toMatchObject({ status: "duplicate" });
  },
);
