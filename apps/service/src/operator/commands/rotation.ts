import type { Query } from "../../platform/db/db.ts";
import { createSealer, retryOnConflict } from "../../lib/lib.ts";
import type { Hidden, SealedColumn, Sealer } from "../../lib/lib.ts";
import { primaryKey, putResealed, sealedRows } from "./reseal.store.ts";
import type { Keys, Resealed, SealedRow } from "./reseal.store.ts";

export interface RotationDeps {
  readonly query: Query;
  readonly masterKey: Uint8Array;
  readonly previous: readonly Uint8Array[];
  /** Every column whose values are sealed with the master key. */
  readonly columns: readonly SealedColumn[];
  /** Before each batch: whose, and how many values were looked at. */
  tell(progress: { readonly label: string; readonly done: number; readonly total: number }): void;
}

export interface Rotation {
  /** Values that were sealed anew, now. */
  readonly resealed: number;
  /** Values under the new key, as the last pass over all of them found them. */
  readonly sealed: number;
  /** Values that no key opens, by table and column. */
  readonly unreadable: Readonly<Record<string, number>>;
  /** Whether the last pass found nothing that was not under the new key. */
  readonly isComplete: boolean;
}

interface Pass {
  resealed: number;
  sealed: number;
  /** Another wrote the value meanwhile: the next pass looks at it again. */
  missed: number;
  readonly unreadable: Map<string, number>;
}

const BATCH = 200;
/** Whoever writes under the old key all the time would else keep this going for ever. */
const MOST_PASSES = 5;
const MOST_TRIES = 5;

/**
 * Seals every value anew that is not under `masterKey`, in batches of one short statement each, until a pass over everything finds none.
 * Each batch is whole by itself: after a crash the next run skips what is done. Nobody's newer value is overwritten.
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
  const keys = await primaryKey(deps.query, column.table);
  let last: readonly string[] | undefined;
  for (let done = 0; ;) {
    deps.tell({ label, done, total: 0 });
    const rows = await sealedRows(deps.query, column, { keys, last, limit: BATCH });
    const changed = rows.flatMap((row) => resealRow(work, column, row));
    await put(deps.query, { column, keys, pass: work.pass }, changed);
    done += rows.length;
    last = rows.at(-1)?.at;
    if (rows.length < BATCH) return;
  }
}

/** What is to be written for a row: nothing where its value is under the new key, or no key opens it. */
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

/** The value; undefined where this sealer does not open it. */
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

/** Requests lock rows in other orders: a write that loses a deadlock is tried again. */
async function put(query: Query, { column, keys, pass }: Target, rows: readonly Resealed[]): Promise<void> {
  if (rows.length === 0) return;
  const written = await retryOnConflict(MOST_TRIES, async () => await putResealed(query, column, keys, rows));
  pass.resealed += written;
  pass.missed += rows.length - written;
}
