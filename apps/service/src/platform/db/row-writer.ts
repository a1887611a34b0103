import { isPassing } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Db } from "./types.ts";

/** Rows that could not be written. */
export interface Unwritten<Row> {
  /** To be written with the next rows. */
  readonly again: readonly Row[];
  /** Rows that the database refused on their own, time after time. */
  readonly lost: readonly Row[];
}

export interface RowWriterOptions<Row> {
  readonly db: Pick<Db, "byShard" | "shardOf">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly log: { warn(fields: object, message: string): void };
  /** Names the rows in the log. */
  readonly name: string;
  bucketOf(row: Row): number;
  keyOf(row: Row): string;
  /** Writes all of these rows or none, in one statement. */
  write(rows: readonly Row[]): Promise<void>;
  /** The number of calls after which a row is given up that the database refuses. A database that does not answer refuses nothing. */
  readonly tries: number;
}

/** The statements of one call on a shard, so that many refused rows do not hold up the next ones. */
const MOST_STATEMENTS = 64;
const MOST_KEYS = 10_000;
/** A shard that did not answer is left out for this many times as long as it took, so that the others do not wait for it each time. */
const REST = 5;

/**
 * Returns a function that writes rows of many workspaces, and never throws: what is written stays written, and the rest is returned. A
 * shard that cannot be reached fails with its own rows. If the database refuses a statement, halves of its rows are written, so that the
 * rows that it refuses stand alone.
 */
export function createRowWriter<Row>(
  options: RowWriterOptions<Row>,
): (rows: readonly Row[]) => Promise<Unwritten<Row>> {
  const { db, log, name, bucketOf } = options;
  /** The number of times that the database refused a row. */
  const refusals = new Map<string, number>();
  const resting = createResting(options);

  async function write(rows: readonly Row[], result: Writing<Row>["result"]): Promise<unknown[]> {
    const errors: unknown[] = [];
    await db.byShard(rows, bucketOf, async (own) => {
      const rest = await resting.begin(own);
      const left = rest.isOver ? MOST_STATEMENTS : 0;
      const writing = { options, refusals, result, errors, left, isReached: rest.isOver };
      await writeParts(writing, own);
      if (rest.isOver) rest.end(writing.isReached);
    });
    return errors;
  }

  return async (rows) => {
    const result = { again: [] as Row[], lost: [] as Row[] };
    try {
      const [err] = await write(rows, result);
      const counts = { waiting: result.again.length, lost: result.lost.length };
      if (err !== undefined) log.warn({ err, ...counts }, `failed to write some rows of ${name}; retrying these`);
      return result;
    } catch (error) {
      // The machines are not known now, so that nothing was written.
      log.warn({ err: error, waiting: rows.length }, `failed to write ${name}; retrying`);
      return { again: rows, lost: [] };
    }
  };
}

interface Rest {
  readonly isOver: boolean;
  end(isReached: boolean): void;
}

/** Remembers which shards did not answer. A plain PostgreSQL has one, which is asked each time. */
function createResting<Row>({ db, clock, bucketOf }: RowWriterOptions<Row>): {
  begin(rows: readonly Row[]): Promise<Rest>;
} {
  const until = new Map<string, number>();
  return {
    async begin([row]) {
      const shard = row === undefined ? "" : await db.shardOf(bucketOf(row));
      const startedMs = clock.monotonicMs();
      return {
        isOver: startedMs >= (until.get(shard) ?? 0),
        end(isReached) {
          const nowMs = clock.monotonicMs();
          if (isReached || shard === "") until.delete(shard);
          else until.set(shard, nowMs + REST * (nowMs - startedMs));
        },
      };
    },
  };
}

interface Writing<Row> {
  readonly options: RowWriterOptions<Row>;
  readonly refusals: Map<string, number>;
  readonly result: { readonly again: Row[]; readonly lost: Row[] };
  readonly errors: unknown[];
  /** The number of statements that may still run. */
  left: number;
  isReached: boolean;
}

/** Writes all rows, then their halves where that failed, and so on. Larger parts come first, so that few statements write most rows. */
async function writeParts<Row>(writing: Writing<Row>, rows: readonly Row[]): Promise<void> {
  const { options } = writing;
  const open: (readonly Row[])[] = [rows.toSorted((left, right) => options.bucketOf(left) - options.bucketOf(right))];
  for (let part = open.shift(); part !== undefined; part = open.shift()) {
    const isRefused = writing.left === 0 || !(await writePart(writing, part));
    if (!isRefused) continue;
    const isLast = part.length === 1 || writing.left === 0;
    if (!isLast) open.push(...partsOf(options, part));
    else if (writing.isReached) for (const row of part) refuse(writing, row);
    else writing.result.again.push(...part);
  }
}

/** Returns false if the part was not written. */
async function writePart<Row>(writing: Writing<Row>, part: readonly Row[]): Promise<boolean> {
  writing.left -= 1;
  try {
    await writing.options.write(part);
    if (writing.refusals.size > 0) for (const row of part) writing.refusals.delete(writing.options.keyOf(row));
    return true;
  } catch (error) {
    writing.errors.push(error);
    // The database does not answer: other statements would wait for it too.
    if (isPassing(error)) Object.assign(writing, { left: 0, isReached: false });
    return false;
  }
}

function refuse<Row>({ options, refusals, result }: Writing<Row>, row: Row): void {
  const key = options.keyOf(row);
  const times = (refusals.get(key) ?? 0) + 1;
  refusals.delete(key);
  if (times >= options.tries || refusals.size >= MOST_KEYS) result.lost.push(row);
  else {
    refusals.set(key, times);
    result.again.push(row);
  }
}

/** Returns two parts of sorted rows: between two buckets if there are several, so that those of one workspace stay together. */
function partsOf<Row>({ bucketOf }: RowWriterOptions<Row>, rows: readonly Row[]): (readonly Row[])[] {
  const middle = Math.floor(rows.length / 2);
  const isBorder = (at: number): boolean => bucketAt(at) !== bucketAt(at - 1);
  const bucketAt = (at: number): number => bucketOf(rows[at] as Row);
  const borders = rows.flatMap((_row, at) => (at > 0 && isBorder(at) ? [at] : []));
  const [border = middle] = borders.toSorted((left, right) => Math.abs(left - middle) - Math.abs(right - middle));
  return [rows.slice(0, border), rows.slice(border)];
}
