import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hexMac, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { uuidOf } from "../../testing/keys.ts";
import { freePort, startProcess } from "../../testing/process.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

const CLIENTS = 10;
const KILLS = 3;
const ELEMENTS = 25;
const TYPE = "listed";

/** A request of a sender, and the receipt that answered it with 200. */
interface Sent {
  readonly body: string;
  readonly receiptId: string | undefined;
}

let dataDir: string;
let survivor: TestService;
let receiver: Receiver;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "junction-lists-crash-"));
  receiver = await startReceiver();
  survivor = await startService({ env: UNLIMITED });
});
afterEach(async () => {
  await survivor.close();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A list whose first element is one of the list before, as senders repeat the last event of a page. */
function listOf(client: string, n: number): string {
  const ids = Array.from({ length: ELEMENTS }, (_, at) => `${client}-${n * (ELEMENTS - 1) + at}`);
  return JSON.stringify({ events: ids.map((id) => ({ id, type: TYPE })) });
}

async function post(url: string, { secret }: TestSource, body: string): Promise<Sent> {
  const headers = { "Content-Type": "application/json", "X-Service-Inbound-Signature": hexMac(secret, body) };
  const answer = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
  const read = await answer?.text().catch(() => undefined);
  if (answer?.status !== 200 || read === undefined) return { body, receiptId: undefined };
  return { body, receiptId: (JSON.parse(read) as { receipt_id: string }).receipt_id };
}

/** Sends lists to a separate node, and stops it with SIGKILL at a moment after it answered some of each client. */
async function sendAndKill(source: TestSource, name: string): Promise<Sent[]> {
  const port = await freePort();
  const env = { DATABASE_URL: survivor.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_DATA_DIR: dataDir };
  const node = startProcess({ ...env, ...UNLIMITED, JUNCTION_ALLOW_TARGETS: "127.0.0.0/8" }, port);
  await node.ready();
  const sent: Sent[] = [];
  let running = true;
  const clients = Array.from({ length: CLIENTS }, async (_client, client) => {
    for (let n = 0; running; n += 1)
      sent.push(await post(node.baseUrl + source.target, source, listOf(`${name}-${client}`, n)));
  });
  const answered = (): number => sent.filter(({ receiptId }) => receiptId !== undefined).length;
  await expect.poll(answered, { timeout: 60_000, interval: 5 }).toBeGreaterThan(CLIENTS * (1 + Math.random() * 3));
  await sleep(Math.random() * 50);
  await node.kill();
  running = false;
  await Promise.all(clients);
  return sent;
}

test("kill -9 while lists arrive loses no answered event and doubles none", async () => {
  await survivor.endpoint(receiver.url, { events: [`inbound.${TYPE}`] });
  const source = await makeSource(survivor, {
    each: "$.events",
    event_type_path: "$.type",
    idempotency_key_path: "$.id",
  });
  const sent: Sent[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) sent.push(...(await sendAndKill(source, `kill-${kill}`)));
  const fired = async (): Promise<string[]> => {
    const rows = await survivor.database.query<{ data: string }>(
      "select data::text as data from event where name = $1",
      [`inbound.${TYPE}`],
    );
    return rows.map(({ data }) => JSON.parse(data)["payload"].id);
  };
  const idsOf = (lists: readonly Sent[]): Set<string> =>
    new Set(lists.flatMap(({ body }) => (JSON.parse(body).events as { id: string }[]).map(({ id }) => id)));

  const answered = sent.filter(({ receiptId }) => receiptId !== undefined);
  expect(sent.length).toBeGreaterThan(answered.length);
  const before = await fired();
  expect(new Set(before).size).toBe(before.length);
  expect(idsOf(answered).difference(new Set(before))).toEqual(new Set());
  const receipts = await survivor.database.query<{ n: number }>(
    "select count(*)::int as n from inbound_receipt where status in ('ok', 'duplicate') and id = any($1::uuid[])",
    [answered.map(({ receiptId }) => uuidOf(receiptId ?? ""))],
  );
  expect(receipts[0]?.n).toBe(answered.length);

  // A sender repeats what was not answered, and sometimes what was.
  for (const { body } of sent)
    expect((await post(survivor.baseUrl + source.target, source, body)).receiptId).toBeDefined();
  const after = await fired();
  expect([after.length, new Set(after)]).toEqual([idsOf(sent).size, idsOf(sent)]);
  await expect
    .poll(() => new Set(receiver.received.map(({ body }) => JSON.parse(body).data.payload.id)).size, {
      timeout: 150_000,
      interval: 500,
    })
    .toBe(after.length);
  const ids = new Map(receiver.received.map(({ body }) => [JSON.parse(body).id, JSON.parse(body).data.payload.id]));
  expect(ids.size).toBe(after.length);
});
