import { createRowWriter } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { createFlushLoop, instant, toDate } from "../../lib/lib.ts";
import type { Clock, Instant, Uuid } from "../../lib/lib.ts";
import type { ApiKey } from "../callers/api-key.ts";
import { readUsage, writeCounts, writeLastUses } from "./key-usage.store.ts";
import type { LastUse, RequestOutcome, UsageCount, UsageRow } from "./key-usage.store.ts";

/** A call with a valid credential, and its status. */
export interface KeyCall {
  readonly key: Pick<ApiKey, "id" | "bucket" | "tag" | "lineageId">;
  readonly operation: string;
  readonly ip: string;
  /** The status of the response. */
  readonly status: number;
}

/**
 * Counts the calls of each key in memory and writes them every few seconds. A crash loses the counts of those seconds.
 */
export type KeyUsage = ReturnType<typeof createKeyUsage>;

export interface KeyUsageDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

const FLUSH_MS = 2000;
const HOUR_MS = 3_600_000;
/** A row that the database refuses on its own is tried for two minutes. */
const TRIES = 60;

export function createKeyUsage(deps: KeyUsageDeps) {
  const { db, clock, log } = deps;
  let uses = new Map<Uuid, LastUse>();
  let counts = new Map<string, UsageCount>();

  const shared = { db, clock, log, tries: TRIES, bucketOf: ({ bucket }: { readonly bucket: number }) => bucket };
  const addCounts = createRowWriter<UsageCount>({
    ...shared,
    name: "key usage",
    keyOf: nameOf,
    write: async (rows) => await writeCounts(db, rows),
  });
  const addUses = createRowWriter<LastUse>({
    ...shared,
    name: "the last uses of keys",
    keyOf: ({ keyId }) => keyId,
    write: async (rows) => await writeLastUses(db, rows),
  });

  function count(one: UsageCount): void {
    const name = nameOf(one);
    counts.set(name, { ...one, calls: one.calls + (counts.get(name)?.calls ?? 0) });
  }

  async function flush(): Promise<void> {
    if (counts.size === 0 && uses.size === 0) return;
    const [used, counted] = [uses, counts];
    uses = new Map();
    counts = new Map();
    // Counts that could not be written are added to the next write. A later last use takes precedence.
    (await addCounts([...counted.values()])).again.forEach(count);
    const { again } = await addUses([...used.values()]);
    uses = new Map([...again.map((use) => [use.keyId, use] as const), ...uses]);
  }

  return {
    /** Counts a call (hot). Touches memory alone. */
    note({ key, operation, ip, status }: KeyCall): void {
      const now = clock.now();
      const { bucket, tag, lineageId } = key;
      uses.set(key.id, { bucket, tag, keyId: key.id, at: toDate(now), ip });
      count({ bucket, tag, lineageId, hour: toDate(hourOf(now)), operation, outcome: outcomeOf(status), calls: 1 });
    },
    /** Returns the number of counts and last uses that are not written yet. */
    waiting: (): number => counts.size + uses.size,
    /** Returns the calls of the key's lineage, from the hour of `since` on. */
    read: async (key: KeyCall["key"], since: Instant): Promise<UsageRow[]> =>
      await readUsage(db.query, key, toDate(hourOf(since))),
    ...createFlushLoop(flush, FLUSH_MS),
  };
}

function hourOf(at: Instant): Instant {
  return instant(at - (at % HOUR_MS));
}

function outcomeOf(status: number): RequestOutcome {
  if (status < 400) return "succeeded";
  if (status === 429) return "rate_limited";
  return status < 500 ? "refused" : "failed";
}

function nameOf({ lineageId, hour, operation, outcome }: UsageCount): string {
  return `${lineageId}\n${hour.getTime()}\n${operation}\n${outcome}`;
}
