import { isDeepStrictEqual } from "node:util";
import type { Db, Tx } from "../../platform/db/db.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Json } from "../../lib/lib.ts";
import { parseJson, t } from "../../lib/lib.ts";
import type { CallContext } from "./context.ts";
import { formOf } from "./form.ts";
import * as store from "./kv.store.ts";
import type { KvEntry, KvPlace } from "./kv.store.ts";

const MOST = 1000;
const MAX_ENTRIES = 10_000;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_VALUE_BYTES = 64 * 1024;
const YEAR_SECONDS = 31_536_000;

const readName = formOf(t.String({ minLength: 1, maxLength: 200, pattern: String.raw`^[^\u0000]*$` }), "kv");
const readOptions = formOf(
  t.Object({ ttl_seconds: t.Optional(t.Integer({ minimum: 1, maximum: YEAR_SECONDS })) }, t.strict),
  "kv.set",
);

/** Stores JSON values by key between a connector's calls, separately for each workspace and environment. */
export function createKv(db: Db) {
  return {
    async get(context: CallContext, [key]: readonly Json[]): Promise<Json> {
      context.count("kv", MOST);
      const value = await store.findValue(db.query, placeOf(context), readName(key));
      return value === undefined ? null : (parseJson(value) as Json);
    },
    /** Sets a value. Null deletes it. */
    async set(context: CallContext, [key, value, options = {}]: readonly Json[]): Promise<Json> {
      context.count("kv", MOST);
      const entry = entryOf(readName(key), value ?? null, readOptions(options).ttl_seconds ?? null);
      await db.transaction(async (tx) => await put(tx, placeOf(context), entry));
      return null;
    },
    /**
     * Sets the value if the current one equals the expected one; `null` means "does not exist". Returns whether it was
     * set.
     */
    async cas(context: CallContext, [key, expected, value]: readonly Json[]): Promise<Json> {
      context.count("kv", MOST);
      const place = placeOf(context);
      const entry = entryOf(readName(key), value ?? null, null);
      return await db.transaction(async (tx) => {
        // Every change of the connector's values takes this lock first.
        await store.holdQuota(tx, place);
        const found = await store.findValue(tx.query, place, entry.name);
        if (!isDeepStrictEqual(found === undefined ? null : parseJson(found), expected ?? null)) return false;
        await put(tx, place, entry);
        return true;
      });
    },
  };
}

function placeOf({ pinned: { scope, key } }: CallContext): KvPlace {
  return { bucket: scope.bucket, tag: scope.tag, key };
}

function entryOf(name: string, value: Json, ttlSeconds: number | null): KvEntry {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw new HostError("too_large", "A value of kv must not be larger than 64 KiB.");
  return { name, value: text, bytes: Buffer.byteLength(text) + Buffer.byteLength(name), ttlSeconds };
}

async function put(tx: Tx, place: KvPlace, entry: KvEntry): Promise<void> {
  const quota = await store.holdQuota(tx, place);
  const before = await store.bytesOf(tx, place, entry.name);
  if (entry.value === "null") {
    await store.deleteValue(tx, place, entry.name);
    if (before !== undefined)
      await store.setQuota(tx, place, { entries: quota.entries - 1, bytes: quota.bytes - before });
    return;
  }
  const after = (from: store.Quota): store.Quota => ({
    entries: from.entries + (before === undefined ? 1 : 0),
    bytes: from.bytes - (before ?? 0) + entry.bytes,
  });
  let wanted = after(quota);
  if (isBeyond(wanted)) {
    const counted = await store.recount(tx, place);
    // The recount may have deleted the old value, if that was expired.
    const left = (await store.bytesOf(tx, place, entry.name)) ?? 0;
    wanted = { entries: counted.entries + (left === 0 ? 1 : 0), bytes: counted.bytes - left + entry.bytes };
    if (isBeyond(wanted))
      throw new HostError("too_large", "kv can contain at most 10 000 keys and 10 MiB per connector.");
  }
  await store.putValue(tx, place, entry);
  await store.setQuota(tx, place, wanted);
}

function isBeyond({ entries, bytes }: store.Quota): boolean {
  return entries > MAX_ENTRIES || bytes > MAX_BYTES;
}
