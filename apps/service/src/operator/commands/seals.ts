import { fingerprintOf } from "../backup/backup.ts";
import type { Query } from "../../platform/db/db.ts";
import { createSealer } from "../../lib/lib.ts";
import type { SealedColumn, Sealer } from "../../lib/lib.ts";
import { failed, ok, warning } from "./checks.ts";
import type { Check } from "./checks.ts";
import { primaryKey, sealedRows, servingProcesses } from "./reseal.store.ts";
import { opened, SEALED_COLUMNS } from "./rotation.ts";

export interface SealsDeps {
  readonly query: Query;
  readonly masterKey: Uint8Array;
  readonly previous: readonly Uint8Array[];
}

/** What the values of the database are sealed with, by the names of their columns. */
interface Seals {
  readonly looked: number;
  /** Columns with a value under a key of before. */
  readonly earlier: readonly string[];
  /** Columns with a value that no key opens which is known here, each with the places of the first few. */
  readonly unknown: readonly string[];
}

const NAME = "sealed_values";
const BATCH = 200;
/** Of each column, where no rotation is under way: whoever only looks does not read a whole database. */
const SAMPLE = 2000;
/** Of each column: enough to find the object. */
const MOST_NAMED = 3;

/** Whether a change of the master key was begun and not ended, and what to do next. */
export async function sealedValuesCheck(deps: SealsDeps): Promise<Check> {
  const mark = fingerprintOf(deps.masterKey);
  const others = (await servingProcesses(deps.query)).filter((found) => found !== mark);
  const seals = await examineSeals(deps);
  if (seals.unknown.length > 0)
    return failed(NAME, {
      detail: `No master key that is known here opens values of ${seals.unknown.join(", ")}.`,
      cause:
        "They were sealed with another key: JUNCTION_MASTER_KEY is a wrong one, or a rotation began and its old key is missing.",
      fix: "Put the key that sealed them back: into JUNCTION_MASTER_KEY, or into JUNCTION_MASTER_KEY_PREVIOUS of every process where the key was changed, and then run `junction master-key rotate`.",
    });
  if (others.length > 0)
    return warning(NAME, {
      detail: `Processes serve on this database that seal with another master key than the one here (connections: ${others.length}).`,
      cause: "A change of the master key is under way, or this command has other settings than the service.",
      fix: "Start each process with JUNCTION_MASTER_KEY set to the new key and JUNCTION_MASTER_KEY_PREVIOUS to the old one, then run `junction master-key rotate` with the same two.",
    });
  if (seals.earlier.length > 0)
    return warning(NAME, {
      detail: `A rotation of the master key is half done: an earlier key seals values of ${seals.earlier.join(", ")}.`,
      cause: "`master-key rotate` was not run yet, or did not come to its end.",
      fix: "Run `junction master-key rotate`; it goes on where it stopped. Until it says `complete`, every process needs JUNCTION_MASTER_KEY_PREVIOUS.",
    });
  if (deps.previous.length > 0)
    return warning(NAME, {
      detail: `JUNCTION_MASTER_KEY seals all ${seals.looked} values: no key of JUNCTION_MASTER_KEY_PREVIOUS is needed for them.`,
      cause: "A change of the master key has come to its end, or has not begun to seal.",
      fix: "If JUNCTION_MASTER_KEY is the new key, start every process without JUNCTION_MASTER_KEY_PREVIOUS, and keep the old key for as long as backups of before are kept. If it is the old one still, go on with step 3 of docs/guide/master-key.md.",
    });
  return ok(NAME, `The master key opens each of the ${seals.looked} values that were looked at.`);
}

async function examineSeals({ query, masterKey, previous }: SealsDeps): Promise<Seals> {
  const current = createSealer(masterKey);
  const any = createSealer(masterKey, previous);
  const most = previous.length > 0 ? Number.POSITIVE_INFINITY : SAMPLE;
  let looked = 0;
  const earlier: string[] = [];
  const unknown: string[] = [];
  for (const column of SEALED_COLUMNS) {
    const found = await examineColumn({ query, current, any, most }, column);
    looked += found.looked;
    if (found.isEarlier) earlier.push(`${column.table}.${column.column}`);
    if (found.unknown.length > 0) unknown.push(`${column.table}.${column.column} (${found.unknown.join(", ")})`);
  }
  return { looked, earlier, unknown };
}

interface Look {
  readonly query: Query;
  readonly current: Sealer;
  readonly any: Sealer;
  readonly most: number;
}

async function examineColumn(
  { query, current, any, most }: Look,
  column: SealedColumn,
): Promise<{ looked: number; isEarlier: boolean; unknown: readonly string[] }> {
  const keys = await primaryKey(query, column.table);
  const unknown: string[] = [];
  const found = { looked: 0, isEarlier: false, unknown };
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
  return found;
}
