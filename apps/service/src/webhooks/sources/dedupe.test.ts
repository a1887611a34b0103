import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { parseId } from "../../lib/lib.ts";
import { hexMac, inboundBody, makeSource, MAPPING } from "../../testing/inbound.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let second: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  second = await startService({ on: service, env: UNLIMITED });
});
afterAll(async () => {
  await second?.close();
  await service?.close();
});

async function activities(email: string): Promise<number> {
  const [row] = await service.database.query<{ n: number }>(
    "select count(*)::int as n from activity a join contact c on c.bucket = a.bucket and c.id = a.contact_id where c.email = $1",
    [email],
  );
  return row?.n ?? 0;
}

covers(
  ["receipt.status.duplicate", "receipt.duplicate.success", "mapping.path.idempotency-key"],
  "twenty simultaneous copies on two nodes create one activity and nineteen duplicates",
  async () => {
    const source = await makeSource(service, { ...MAPPING, score: { default: 3 } });
    const body = inboundBody({ email: "twenty@example.com" });
    const onSecond = async () =>
      await fetch(second.baseUrl + source.target, {
        method: "POST",
        headers: { "X-Service-Inbound-Signature": hexMac(source.secret, body) },
        body,
      });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_copy, at) => {
        if (at % 2 === 0) return await source.send(body);
        const answer = await onSecond();
        return { status: answer.status, body: await answer.json() };
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const ok = answers.filter((answer) => answer.body.status === "ok");
    const repeats = answers.filter((answer) => answer.body.status === "duplicate");
    expect([ok.length, repeats.length]).toEqual([1, 19]);
    expect(repeats[0]?.body).toEqual({ receipt_id: expect.any(String), status: "duplicate" });
    expect(await activities("twenty@example.com")).toBe(1);
    const receipts = await source.receipts();
    expect(receipts).toHaveLength(20);
    expect(new Set(receipts.map((receipt) => receipt.duplicate_of))).toEqual(new Set([null, ok[0]?.body.receipt_id]));
    const [contact] = await service.database.query<{ score: string }>(
      "select score from contact where email = 'twenty@example.com'",
    );
    expect(contact?.score).toBe("3");
  },
);

test("the same id on two sources counts as two events", async () => {
  const [one, other] = [await makeSource(service), await makeSource(service)];
  const body = inboundBody({ email: "two@example.com" });
  expect([(await one.send(body)).body.status, (await other.send(body)).body.status]).toEqual(["ok", "ok"]);
  expect(await activities("two@example.com")).toBe(2);
});

test("keys that only look alike when joined are different events", async () => {
  const source = await makeSource(service);
  const send = async (id: unknown): Promise<string> => (await source.send(inboundBody({ id }))).body.status;
  expect([await send("a\nbc"), await send("ab\nc"), await send("body\na"), await send("abc")]).toEqual([
    "ok",
    "ok",
    "ok",
    "ok",
  ]);
  expect([await send("a\nbc"), await send(12), await send("12")]).toEqual(["duplicate", "ok", "duplicate"]);
  const long = "k".repeat(100_000);
  expect([await send(`${long}1`), await send(`${long}2`), await send(`${long}1`)]).toEqual(["ok", "ok", "duplicate"]);
});

test("a source without an idempotency path has duplicates only with dedupe_by_body", async () => {
  const { idempotency_key_path: _path, ...keyless } = MAPPING;
  const source = await makeSource(service, keyless);
  const body = inboundBody();
  expect([(await source.send(body)).body.status, (await source.send(body)).body.status]).toEqual(["ok", "ok"]);
  await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, { dedupe_by_body: true });
  const statuses = [];
  for (const sent of [body, body, `${body} `]) statuses.push((await source.send(sent)).body.status);
  expect(statuses).toEqual(["ok", "duplicate", "ok"]);
});

test("an event without its source's id is recognized by its bytes", async () => {
  const source = await makeSource(service);
  const body = inboundBody({ id: undefined });
  expect([(await source.send(body)).body.status, (await source.send(body)).body.status]).toEqual(["ok", "duplicate"]);
  expect((await source.send(inboundBody({ id: null }))).body.status).toBe("ok");
});

test("live and sandbox have separate ids, keys, contacts and receipts", async () => {
  const live = await makeSource(service);
  const sandbox = await makeSource(service, MAPPING, service.sandboxKey);
  const body = inboundBody({ email: "both@example.com" });
  const [inLive, inSandbox] = [await live.send(body), await sandbox.send(body)];
  expect([inLive.body.status, inSandbox.body.status]).toEqual(["ok", "ok"]);
  expect(parseId(inLive.body.contact_id)?.uuid).not.toBe(parseId(inSandbox.body.contact_id)?.uuid);
  const crossed = await service.api("GET", `/v1/inbound-receipts/${inSandbox.body.receipt_id}`);
  expect([crossed.status, crossed.body.code]).toEqual([403, "environment_mismatch"]);
  const filtered = await service.api("GET", `/v1/inbound-receipts?source_id=${sandbox.id}`);
  expect(filtered.status).toBe(403);
  expect(
    (await service.api("GET", "/v1/inbound-endpoints")).body.data.map(({ id }: { id: string }) => id),
  ).not.toContain(sandbox.id);
});
