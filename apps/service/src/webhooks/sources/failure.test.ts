import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { hexMac, inboundBody, makeSource, MAPPING } from "../../testing/inbound.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  // Simulates an internal fault that no input can cause: the database refuses rows with this summary.
  await service.database.query(`create function refuse_poison() returns trigger language plpgsql as $$
    begin if new.summary = 'poison' then raise exception 'poisoned'; end if; return new; end $$`);
  await service.database.query(
    "create trigger poison before insert on activity for each row execute function refuse_poison()",
  );
});
afterAll(async () => await service.close());

async function heal(): Promise<void> {
  await service.database.query("alter table activity disable trigger poison");
}

async function poison(): Promise<void> {
  await service.database.query("alter table activity enable trigger poison");
}

covers("receipt.status.error", "a processing failure gets 500 and an error receipt, and can be retried", async () => {
  await poison();
  const watcher = await subscribe(service);
  const source = await makeSource(service, { ...MAPPING, event_name: watcher.event });
  const body = inboundBody({ text: "poison", email: "poisoned@example.com" });
  const failed = await source.send(body);
  expect(failed.status).toBe(500);
  expect(failed.body).toMatchObject({
    code: "inbound_processing_failed",
    retryable: true,
    receipt_id: expect.stringMatching(/^rcp_/),
  });
  expect(failed.text).not.toContain("poisoned");
  expect(await source.receipt(failed.body.receipt_id)).toMatchObject({
    status: "error",
    reason_code: "inbound_processing_failed",
    signed: true,
    raw_payload: body,
    contact_id: null,
    extracted: { contact_email: "poisoned@example.com" },
  });
  const traces = await service.database.query(
    `select 1 from contact where email = 'poisoned@example.com' union all
       select 1 from inbound_seen where receipt_id not in (select id from inbound_receipt where status = 'ok')`,
  );
  expect(traces).toEqual([]);
  await heal();
  expect((await source.send(body)).body.status).toBe("ok");
  const again = await service.api("POST", `/v1/inbound-receipts/${failed.body.receipt_id}/reprocess`);
  expect([again.status, again.body.status]).toEqual([200, "duplicate"]);
  expect(await watcher.receiver.count(1)).toHaveLength(1);
});

test("a request that cannot be processed fails alone in its batch", async () => {
  await poison();
  const source = await makeSource(service);
  const bodies = Array.from({ length: 40 }, (_body, at) => inboundBody(at % 13 === 5 ? { text: "poison" } : {}));
  const answers = await Promise.all(bodies.map(async (body) => await source.send(body)));
  expect(answers.map(({ status }) => status)).toEqual(bodies.map((body) => (body.includes("poison") ? 500 : 200)));
  const statuses = (await source.receipts()).map(({ status }) => status);
  expect([statuses.filter((one) => one === "ok").length, statuses.filter((one) => one === "error").length]).toEqual([
    37, 3,
  ]);
  await heal();
});

test("an error receipt can be reprocessed, and keyless retries are detected", async () => {
  await poison();
  const { idempotency_key_path: _path, ...keyless } = MAPPING;
  const source = await makeSource(service, keyless);
  const [first, second] = [inboundBody({ text: "poison" }), inboundBody({ text: "poison" })];
  const [one, two] = [(await source.send(first)).body.receipt_id, (await source.send(second)).body.receipt_id];
  const again = async (id: string) => await service.api("POST", `/v1/inbound-receipts/${id}/reprocess`);
  const failed = await again(one);
  expect([failed.status, failed.body.code]).toEqual([500, "inbound_processing_failed"]);
  expect((await source.receipt(one)).status).toBe("error");
  await heal();
  expect((await again(one)).body.status).toBe("ok");
  const retried = (await source.send(second)).body;
  expect(retried.status).toBe("ok");
  expect((await again(two)).body).toMatchObject({ status: "duplicate", duplicate_of: retried.receipt_id });
});

test("a failure is simulated on request in the sandbox but not in live", async () => {
  const simulate = { "X-Service-Simulate": "processing_error" };
  const sandbox = await makeSource(service, MAPPING, service.sandboxKey);
  const body = inboundBody();
  const failed = await sandbox.send(body, simulate);
  expect([failed.status, failed.body.code]).toEqual([500, "inbound_processing_failed"]);
  expect(await sandbox.receipt(failed.body.receipt_id)).toMatchObject({ status: "error", signed: true });
  expect((await sandbox.send(body)).body.status).toBe("ok");
  expect((await sandbox.sendAs(simulate, body)).status).toBe(401);
  const live = await makeSource(service);
  expect((await live.send(inboundBody(), simulate)).body.status).toBe("ok");
});

test("requests that arrive together share their transactions", async () => {
  const source = await makeSource(service);
  const token = new URLSearchParams(source.target.split("?")[1]).get("t") ?? "";
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const body = inboundBody();
      const header = (name: string): string | undefined =>
        name === "x-service-inbound-signature" ? hexMac(source.secret, body) : undefined;
      const sent = { token, method: "POST", search: "", header, headerNames: [], body: Buffer.from(body) };
      return await service.service.inbound.receive(sent);
    }),
  );
  expect(new Set(answers.map((response) => response.kind === "own" && response.answer.status))).toEqual(
    new Set(["ok"]),
  );
  // Each transaction leaves its number on the rows that it wrote.
  const transactions = await service.database.query(
    "select distinct r.xmin::text from inbound_receipt r join inbound_source s on s.id = r.source_id where s.token_hash = sha256($1::bytea)",
    [Buffer.from(token)],
  );
  expect(transactions.length).toBeLessThanOrEqual(3);
});
