import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { createDb } from "../platform/db/db.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import { createIdMaker, createSealer, newTag, systemClock } from "../lib/lib.ts";
import { cloneDatabase } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";
import { createIdempotency } from "./idempotency.ts";
import type { Idempotency, IdempotencyRef, StoredAnswer, Write } from "./idempotency.ts";

const ids = createIdMaker(systemClock);
const tag = newTag();
let database: TestDatabase;
let db: Db;
let idempotency: Idempotency;
beforeAll(async () => {
  database = await cloneDatabase();
  const log = { warn: () => undefined };
  db = createDb({ url: database.url, poolSize: 4, log });
  idempotency = createIdempotency({ db, sealer: createSealer(randomBytes(32)), log });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

function newRef(): IdempotencyRef {
  return { bucket: 1, tag, lineageId: ids.uuid(), key: randomUUID(), requestHash: Buffer.from("request") };
}

async function begun(ref: IdempotencyRef, remote = false): Promise<Write> {
  const write = await idempotency.begin(ref, remote);
  if ("status" in write) throw new Error("it was done before");
  return write;
}

/** Performs the work, which creates a workspace of this name. */
async function work(write: Write, name: string): Promise<void> {
  await write.run(
    async () =>
      await db.transaction(async (tx) => {
        await tx.query.insertInto("workspace").values({ id: ids.uuid(), tag: newTag(), bucket: 1, name }).execute();
      }),
  );
}

async function made(name: string): Promise<number> {
  return (await database.query("select 1 from workspace where name = $1", [name])).length;
}

async function expire(ref: IdempotencyRef): Promise<void> {
  await database.query("update idempotency set leased_until = now() - interval '1 second' where key = $1", [ref.key]);
}

async function stored(ref: IdempotencyRef): Promise<StoredAnswer | string> {
  try {
    const again = await idempotency.begin(ref, false);
    return "status" in again ? again : "to be done";
  } catch (error) {
    return String(error);
  }
}

const done = { status: 201, body: '{"ok":1}', refused: false };

covers("idempotency.repeat.original", "the effect and its answer are one commit", async () => {
  const ref = newRef();
  const write = await begun(ref);
  await work(write, ref.key);
  expect([await made(ref.key), await stored(ref)]).toEqual([0, "ServiceError: idempotency_in_progress"]);
  await write.settle(done);
  expect([await made(ref.key), await stored(ref)]).toEqual([1, { status: 201, body: '{"ok":1}' }]);
});

covers("idempotency.repeat.original", "a write whose lease has expired is done only by its repeat", async () => {
  const ref = newRef();
  const slow = await begun(ref);
  await work(slow, ref.key);
  await expire(ref);
  const repeat = await begun(ref);
  await expect(slow.settle(done)).rejects.toMatchObject({ code: "idempotency_in_progress" });
  await work(repeat, ref.key);
  await repeat.settle({ ...done, body: "2" });
  expect([await made(ref.key), await stored(ref)]).toEqual([1, { status: 201, body: "2" }]);
});

covers("idempotency.repeat.original", "a slow write that ends after its repeat changes nothing", async () => {
  const ref = newRef();
  const slow = await begun(ref);
  await expire(ref);
  const repeat = await begun(ref);
  await work(repeat, ref.key);
  await repeat.settle(done);
  await work(slow, ref.key);
  await expect(slow.settle({ ...done, body: "slow" })).rejects.toMatchObject({ code: "idempotency_in_progress" });
  expect([await made(ref.key), await stored(ref)]).toEqual([1, { status: 201, body: '{"ok":1}' }]);
});

test("a thrown refusal undoes the work and is stored only if it is final", async () => {
  const outcomes = [];
  for (const status of [404, 409, 400, 401, 403, 413, 422, 429, 500, 503]) {
    const ref = newRef();
    const write = await begun(ref);
    await work(write, ref.key);
    await write.settle({ status, body: String(status), refused: true });
    outcomes.push([status, await made(ref.key), await stored(ref)]);
  }
  const kept = [404, 409].map((status) => [status, 0, { status, body: String(status) }]);
  expect(outcomes).toEqual([...kept, ...[400, 401, 403, 413, 422, 429, 500, 503].map((one) => [one, 0, "to be done"])]);
});

test("a failure that is the work's own result is kept with it", async () => {
  const ref = newRef();
  const write = await begun(ref);
  await work(write, ref.key);
  await write.settle({ status: 502, body: "failed", refused: false });
  expect([await made(ref.key), await stored(ref)]).toEqual([1, { status: 502, body: "failed" }]);
});

test("a failed commit leaves nothing, and the key can be reused at once", async () => {
  await database.query("create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$");
  await database.query(
    "create constraint trigger refuse after insert on workspace deferrable initially deferred for each row execute function refuse()",
  );
  const ref = newRef();
  const write = await begun(ref);
  await work(write, ref.key);
  await expect(write.settle(done)).rejects.toThrow("no");
  await database.query("drop trigger refuse on workspace");
  expect([await made(ref.key), await stored(ref)]).toEqual([0, "to be done"]);
});

test("a remote effect is recorded afterwards and settles even after its lease expired", async () => {
  const [ref, overtaken] = [newRef(), newRef()];
  await (await begun(ref, true)).settle({ ...done, status: 200 });
  expect(await stored(ref)).toEqual({ status: 200, body: '{"ok":1}' });
  const slow = await begun(overtaken, true);
  await expire(overtaken);
  await begun(overtaken, true);
  await expect(slow.settle({ ...done, status: 200 })).resolves.toBeUndefined();
});

/** Writes a workspace of this name in the transaction that settles a write, as an audit entry is written. */
function entry(name: string): (tx: Tx) => void {
  return (tx) =>
    tx.beforeCommit(async (inner) => {
      await inner.query.insertInto("workspace").values({ id: ids.uuid(), tag: newTag(), bucket: 1, name }).execute();
    }, name);
}

test("a remote effect is audited once even when a repeat took its record over", async () => {
  const [ref, overtaken] = [newRef(), newRef()];
  await (await begun(ref, true)).settle({ ...done, record: entry(ref.key) });
  const slow = await begun(overtaken, true);
  await expire(overtaken);
  await begun(overtaken, true);
  await slow.settle({ ...done, record: entry(overtaken.key) });
  expect([await made(ref.key), await made(overtaken.key)]).toEqual([1, 1]);
});

test("a remote effect is audited when its idempotency record cannot be written", async () => {
  const [ref, refused] = [newRef(), newRef()];
  const [write, failing] = [await begun(ref, true), await begun(refused, true)];
  await database.query("alter table idempotency add constraint broken check (status is null) not valid");
  await write.settle({ ...done, record: entry(ref.key) });
  await failing.settle({ status: 409, body: "", refused: true, record: entry(refused.key) });
  await database.query("alter table idempotency drop constraint broken");
  expect([await made(ref.key), await made(refused.key)]).toEqual([1, 0]);
});

test("a remote write fails when its audit entry cannot be written", async () => {
  const ref = newRef();
  const write = await begun(ref, true);
  const record = (): void => {
    throw new Error("no entry");
  };
  await expect(write.settle({ ...done, record })).rejects.toThrow("no entry");
});
