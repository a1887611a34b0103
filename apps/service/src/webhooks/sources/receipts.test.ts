import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { parseId } from "../../lib/lib.ts";
import { inboundBody, makeSource, MAPPING } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const PATH = "/v1/inbound-receipts";

async function reprocess(id: string, key = service.key): Promise<ApiAnswer> {
  return await service.api("POST", `${PATH}/${id}/reprocess`, undefined, { key });
}

async function map(source: TestSource, mapping: object = MAPPING): Promise<void> {
  await service.api("PATCH", `/v1/inbound-endpoints/${source.id}`, mapping);
}

async function activities(email: string): Promise<number> {
  const rows = await service.database.query(
    "select 1 from activity a join contact c on c.bucket = a.bucket and c.id = a.contact_id where c.email = $1",
    [email],
  );
  return rows.length;
}

covers(
  ["receipt.status.values", "workspace.belongs.receipt"],
  "receipts are listed by status, source, contact and time, newest first",
  async () => {
    const source = await makeSource(service);
    const body = inboundBody();
    const ok = (await source.send(body)).body;
    await source.send(body);
    await source.send("{}");
    await source.sendAs({}, "{}");
    for (const status of ["ok", "error", "duplicate", "unmapped"]) {
      expect((await source.receipts(`&status=${status}`)).map((receipt) => receipt.status)).toEqual([status]);
    }
    expect((await source.receipts(`&contact_id=${ok.contact_id}`)).map(({ id }) => id)).toEqual([ok.receipt_id]);
    const [newest] = await source.receipts();
    expect(await source.receipts(`&created_after=${newest.created_at}`)).toMatchObject([{ id: newest.id }]);
    expect(await source.receipts(`&created_before=${newest.created_at}`)).toHaveLength(3);
    expect(newest).toMatchObject({ scope_kind: "workspace", environment: "live", object: "inbound_receipt" });
    expect(newest).not.toHaveProperty("raw_payload");
    const page = await service.api("GET", `${PATH}?source_id=${source.id}&limit=3`);
    const rest = await service.api("GET", `${PATH}?source_id=${source.id}&limit=3&cursor=${page.body.next_cursor}`);
    expect([page.body.data.length, page.body.has_more, rest.body.data.length, rest.body.has_more]).toEqual([
      3,
      true,
      1,
      false,
    ]);
  },
);

test("wrong filters get 400, receipts of other workspaces 403, and absent ones 404", async () => {
  const source = await makeSource(service);
  const { receipt_id: id } = (await source.send("{}")).body;
  expect((await service.api("GET", `${PATH}?status=odd`)).body.code).toBe("query_invalid");
  expect((await service.api("GET", `${PATH}?nonsense=1`)).body.code).toBe("query_invalid");
  expect((await service.api("GET", `${PATH}?created_after=yesterday`)).body.code).toBe("query_invalid");
  const absent = absentId({ tag: tagOfId(id) }, "rcp");
  const foreign = (await otherWorkspace(service)).id("rcp");
  for (const call of [async (one: string) => await service.api("GET", `${PATH}/${one}`), reprocess]) {
    expect((await call(absent)).body.code).toBe("not_found");
    expect((await call(source.id)).body.code).toBe("not_found");
    expect((await call(foreign)).body.code).toBe("workspace_mismatch");
  }
  const reader = await mintKey(service, { permission_mode: "read_only" });
  expect((await reprocess(id, reader.key)).body.code).toBe("key_read_only");
  expect((await service.api("GET", PATH, undefined, { key: null })).status).toBe(401);
});

test("an unmapped receipt is processed after its source was corrected", async () => {
  const source = await makeSource(service, { contact: "required" });
  const body = inboundBody({ email: "later@example.com" });
  const { receipt_id: id } = (await source.send(body)).body;
  const still = await reprocess(id);
  expect([still.status, still.body.status, still.body.reason_code]).toEqual([200, "unmapped", "contact_email_unset"]);
  await map(source);
  const done = await reprocess(id);
  expect(done.status).toBe(200);
  expect(done.body).toMatchObject({
    id,
    status: "ok",
    reason: null,
    reason_code: null,
    contact_id: expect.stringMatching(/^con_/),
    activity_id: expect.stringMatching(/^act_/),
    event_id: expect.stringMatching(/^evt_/),
    reprocessed_at: expect.any(String),
    raw_payload: body,
    extracted: { contact_email: "later@example.com" },
  });
  expect(await source.receipt(id)).toEqual(done.body);
  const [row] = await service.database.query<{ occurred_at: Date }>(
    "select occurred_at from activity where receipt_id = $1",
    [parseId(id)?.uuid],
  );
  expect(row?.occurred_at.toISOString()).toBe(done.body.created_at);
  // Its id is now seen: the sender's own repeat is a duplicate.
  expect((await source.send(body)).body.status).toBe("duplicate");
});

test("concurrent reprocessing and a sender's repeats create one activity", async () => {
  const source = await makeSource(service, { contact: "required" });
  const body = inboundBody({ email: "race@example.com" });
  const { receipt_id: id } = (await source.send(body)).body;
  await map(source);
  const [again, repeats] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, async () => await reprocess(id))),
    Promise.all(Array.from({ length: 5 }, async () => await source.send(body))),
  ]);
  expect(await activities("race@example.com")).toBe(1);
  const statuses = again.map((answer) => answer.status);
  expect([
    statuses.filter((status) => status === 200).length,
    statuses.filter((status) => status === 409).length,
  ]).toEqual([1, 19]);
  const accepted = [...again, ...repeats].filter((answer) => answer.body.status === "ok");
  expect(accepted).toHaveLength(1);
});

test("many concurrent callers create one activity without a key", async () => {
  const { idempotency_key_path: _path, ...keyless } = MAPPING;
  const source = await makeSource(service, { contact: "required" });
  const { receipt_id: id } = (await source.send(inboundBody({ email: "keyless@example.com" }))).body;
  await map(source, keyless);
  const answers = await Promise.all(Array.from({ length: 10 }, async () => await reprocess(id)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  expect(await activities("keyless@example.com")).toBe(1);
});

test("receipts that are ok, duplicate, unsigned or without source get 409", async () => {
  const source = await makeSource(service);
  const body = inboundBody();
  const ids = [
    (await source.send(body)).body.receipt_id,
    (await source.send(body)).body.receipt_id,
    (await source.sendAs({}, inboundBody())).body.receipt_id,
  ];
  const { receipt_id: orphan } = (await source.send("{}")).body;
  for (const id of ids) expect((await reprocess(id)).body).toMatchObject({ status: 409, code: "conflict" });
  await service.api("DELETE", `/v1/inbound-endpoints/${source.id}`);
  expect((await reprocess(orphan)).body).toMatchObject({
    status: 409,
    detail: "The source of the receipt was deleted.",
  });
});

test("a person's receipts and their duplicates are exported and erased", async () => {
  const source = await makeSource(service);
  const body = inboundBody({ email: "gone@example.com" });
  const { receipt_id: id, contact_id: contactId } = (await source.send(body)).body;
  await source.send(body);
  const exported = await service.api("GET", `/v1/contacts/${contactId}/export`);
  expect(exported.status).toBe(200);
  expect(exported.body.inbound_receipts).toMatchObject([
    { id, status: "ok", raw_payload: body },
    { status: "duplicate", raw_payload: body },
  ]);
  const deleted = await service.api("DELETE", `/v1/contacts/${contactId}`);
  expect(Math.floor(deleted.status / 100)).toBe(2);
  for (const receipt of await source.receipts()) {
    const erased = await source.receipt(receipt.id);
    expect(erased).toMatchObject({
      raw_payload: "",
      extracted: { contact_email: null },
      contact_id: null,
      reason_code: "erased",
    });
    expect(JSON.stringify(erased)).not.toContain("gone@example.com");
  }
});

test("receipts are in a partition of their day and are dropped with it", async () => {
  const source = await makeSource(service);
  const { receipt_id: id } = (await source.send(inboundBody())).body;
  const [row] = await service.database.query<{ part: string }>(
    "select tableoid::regclass::text as part from inbound_receipt where id = $1",
    [parseId(id)?.uuid],
  );
  expect(row?.part).toMatch(/^inbound_receipt_\d{8}$/);
});
