import type { Db, Query } from "../../platform/db/db.ts";
import { createSealer, retryOnConflict } from "../../lib/lib.ts";
import type { Hidden, SealedColumn, Sealer } from "../../lib/lib.ts";
import { primaryKey, putResealed, sealedRows } from "./reseal.store.ts";
import type { Keys, Resealed, SealedRow } from "./reseal.store.ts";

export interface RotationDeps {
  readonly db: Pick<Db, "query" | "onAllPlaces">;
  readonly masterKey: Uint8Array;
  readonly previous: readonly Uint8Array[];
  /** Every column whose values are sealed with the master key. */
  readonly columns: readonly SealedColumn[];
  /** Called before each batch, with the column and the number of values that were read. */
  tell(progress: { readonly label: string; readonly done: number; readonly total: number }): void;
}

export interface Rotation {
  /** The number of values that this run encrypted again. */
  readonly resealed: number;
  /** The number of values under the new key, as found by the last pass. */
  readonly sealed: number;
  /** The number of values that no key decrypts, by table and column. */
  readonly unreadable: Readonly<Record<string, number>>;
  /** True if the last pass found only values under the new key. */
  readonly isComplete: boolean;
}

interface Pass {
  resealed: number;
  sealed: number;
  /** Values that changed during the pass. The next pass reads them again. */
  missed: number;
  readonly unreadable: Map<string, number>;
}

const BATCH = 200;
/** Limits the passes, because a process that keeps writing under the old key would prevent the end. */
const MOST_PASSES = 5;
const MOST_TRIES = 5;

/**
 * Encrypts all values again that are not under `masterKey`, in batches of one short statement each, until a pass finds
 * none. Each batch is complete by itself, so that a run after a crash skips finished values. Never overwrites a newer
 * value.
 */
export async function rotateMasterKey(deps: RotationDeps): Promise<Rotation> {
  const fresh = createSealer(deps.masterKey);
  const any = createSealer(deps.masterKey, deps.previous);
  let resealed = 0;
  for (let passes = 1; ; passes += 1) {
    const pass: Pass = { resealed: 0, sealed: 0, missed: 0, unreadable: new Map() };
    for (const column of deps.columns) await passColumn(deps, { fresh, any, pass }, column);
    resealed += pass.resealed;
    const isQuiet = pass.resealed === 0 && pass.missed === 0;
    if (isQuiet || passes === MOST_PASSES) {
      const unreadable = Object.fromEntries(pass.unreadable);
      return { resealed, sealed: pass.sealed, unreadable, isComplete: isQuiet && pass.unreadable.size === 0 };
    }
  }
}

interface RotationKeys {
  readonly fresh: Sealer;
  readonly any: Sealer;
  readonly pass: Pass;
}

async function passColumn(deps: RotationDeps, work: RotationKeys, column: SealedColumn): Promise<void> {
  const label = `${column.table}.${column.column}`;
  const { query } = deps.db;
  const keys = await primaryKey(query, column.table);
  let done = 0;
  await deps.db.onAllPlaces(column.table, async () => {
    let last: readonly string[] | undefined;
    for (;;) {
      deps.tell({ label, done, total: 0 });
      const rows = await sealedRows(query, column, { keys, last, limit: BATCH });
      const changed = rows.flatMap((row) => resealRow(work, column, row));
      await put(query, { column, keys, pass: work.pass }, changed);
      done += rows.length;
      last = rows.at(-1)?.at;
      if (rows.length < BATCH) return;
    }
  });
}

/** Returns the value to write for a row, or nothing if its value is under the new key or no key decrypts it. */
function resealRow(
  { fresh, any, pass }: RotationKeys,
  column: SealedColumn,
  { at, by, sealed }: SealedRow,
): Resealed[] {
  const place = column.place(by);
  if (opened(fresh, sealed, place) !== undefined) {
    pass.sealed += 1;
    return [];
  }
  const plain = opened(any, sealed, place);
  if (plain !== undefined) return [{ at, sealed, fresh: fresh.seal(plain, place) }];
  const name = `${column.table}.${column.column}`;
  pass.unreadable.set(name, (pass.unreadable.get(name) ?? 0) + 1);
  return [];
}

/** Returns the value, or undefined if this sealer cannot decrypt it. */
export function opened(sealer: Sealer, sealed: Buffer, place: string): Hidden | undefined {
  try {
    return sealer.open(sealed, place);
  } catch {
    return undefined;
  }
}

interface Target {
  readonly column: SealedColumn;
  readonly keys: Keys;
  readonly pass: Pass;
}

/** Writes rows. Requests lock rows in other orders, so a write that loses a deadlock is repeated. */
async function put(query: Query, { column, keys, pass }: Target, rows: readonly Resealed[]): Promise<void> {
  if (rows.length === 0) return;
  const written = await retryOnConflict(MOST_TRIES, async () => await putResealed(query, column, keys, rows));
  pass.resealed += written;
  pass.missed += rows.length - written;
}
