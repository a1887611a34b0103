import type { Db } from "../../platform/db/db.ts";
import { createSealer, fingerprintOf } from "../../lib/lib.ts";
import type { SealedColumn, Sealer } from "../../lib/lib.ts";
import { failed, ok, warning } from "./checks.ts";
import type { Check } from "./checks.ts";
import { primaryKey, sealedRows, servingProcesses } from "./reseal.store.ts";
import { opened } from "./rotation.ts";

export interface SealsDeps {
  readonly db: Pick<Db, "query" | "onAllPlaces">;
  readonly masterKey: Uint8Array;
  readonly previous: readonly Uint8Array[];
  /** Every column whose values are sealed with the master key. */
  readonly columns: readonly SealedColumn[];
}

/** The keys that the values of the database are encrypted with, by column. */
interface Seals {
  readonly looked: number;
  /** Columns with a value under an earlier key. */
  readonly earlier: readonly string[];
  /** Columns with a value that no configured key decrypts, each with the places of the first few. */
  readonly unknown: readonly string[];
}

const NAME = "sealed_values";
const BATCH = 200;
/**
 * The number of values of a column that are checked if no rotation is in progress, so that a check does not read a
 * whole database.
 */
const SAMPLE = 2000;
/** The number of places of a column that are named, enough to find the objects. */
const MOST_NAMED = 3;

/** Checks whether a rotation of the master key is incomplete, and says what to do next. */
export async function sealedValuesCheck(deps: SealsDeps): Promise<Check> {
  const mark = fingerprintOf(deps.masterKey);
  const others = (await servingProcesses(deps.db.query)).filter((found) => found !== mark);
  const seals = await examineSeals(deps);
  if (seals.unknown.length > 0)
    return failed(NAME, {
      detail: `None of the configured master keys decrypts values of ${seals.unknown.join(", ")}.`,
      cause:
        "They were encrypted with another key: JUNCTION_MASTER_KEY is incorrect, or a rotation was started and its old key is missing.",
      fix: "Restore the key that encrypted them: in JUNCTION_MASTER_KEY or, if the key was changed, in JUNCTION_MASTER_KEY_PREVIOUS of every process. Then run `junction master-key rotate`.",
    });
  if (others.length > 0)
    return warning(NAME, {
      detail: `Other processes use this database with a different master key (connections: ${others.length}).`,
      cause:
        "A rotation of the master key is in progress, or the settings of this command differ from those of the service.",
      fix: "Start each process with JUNCTION_MASTER_KEY set to the new key and JUNCTION_MASTER_KEY_PREVIOUS set to the old one, then run `junction master-key rotate` with the same two settings.",
    });
  if (seals.earlier.length > 0)
    return warning(NAME, {
      detail: `A rotation of the master key is not complete: values of ${seals.earlier.join(", ")} are encrypted with an earlier key.`,
      cause: "`master-key rotate` has not been run yet, or was interrupted.",
      fix: "Run `junction master-key rotate`. It continues where it stopped. Until it prints `complete`, every process needs JUNCTION_MASTER_KEY_PREVIOUS.",
    });
  if (deps.previous.length > 0)
    return warning(NAME, {
      detail: `All ${seals.looked} values are encrypted with JUNCTION_MASTER_KEY. They do not need JUNCTION_MASTER_KEY_PREVIOUS.`,
      cause: "A rotation of the master key is complete, or has not started to encrypt values.",
      fix: "If JUNCTION_MASTER_KEY is the new key, start every process without JUNCTION_MASTER_KEY_PREVIOUS, and keep the old key for as long as you keep backups from before the rotation. If it is still the old key, continue with step 3 of docs/guide/master-key.md.",
    });
  return ok(NAME, `The master key decrypts all ${seals.looked} values that were checked.`);
}

async function examineSeals({ db, masterKey, previous, columns }: SealsDeps): Promise<Seals> {
  const current = createSealer(masterKey);
  const any = createSealer(masterKey, previous);
  const most = previous.length > 0 ? Number.POSITIVE_INFINITY : SAMPLE;
  let looked = 0;
  const earlier: string[] = [];
  const unknown: string[] = [];
  for (const column of columns) {
    const found = await examineColumn({ db, current, any, most }, column);
    looked += found.looked;
    if (found.isEarlier) earlier.push(`${column.table}.${column.column}`);
    if (found.unknown.length > 0) unknown.push(`${column.table}.${column.column} (${found.unknown.join(", ")})`);
  }
  return { looked, earlier, unknown };
}

interface Look {
  readonly db: SealsDeps["db"];
  readonly current: Sealer;
  readonly any: Sealer;
  readonly most: number;
}

async function examineColumn(
  { db, current, any, most }: Look,
  column: SealedColumn,
): Promise<{ looked: number; isEarlier: boolean; unknown: readonly string[] }> {
  const { query } = db;
  const keys = await primaryKey(query, column.table);
  const unknown: string[] = [];
  const found = { looked: 0, isEarlier: false, unknown };
  await db.onAllPlaces(column.table, async () => {
    let last: readonly string[] | undefined;
    while (found.looked < most) {
      const rows = await sealedRows(query, column, { keys, last, limit: BATCH });
      for (const { by, sealed } of rows) {
        const place = column.place(by);
        if (opened(current, sealed, place) !== undefined) continue;
        if (opened(any, sealed, place) !== undefined) found.isEarlier = true;
        else if (unknown.length < MOST_NAMED) unknown.push(place);
      }
      found.looked += rows.length;
      last = rows.at(-1)?.at;
      if (rows.length < BATCH) break;
    }
  });
  return found;
}
