import { expect, test } from "vitest";
import { systemClock } from "../../lib/lib.ts";
import { createRowWriter } from "./row-writer.ts";
import type { RowWriterOptions } from "./row-writer.ts";
import { byShard } from "./shard-work.ts";
import type { Sites } from "./sites.ts";

interface Row {
  readonly bucket: number;
  readonly id: string;
}

/** Even buckets are on one shard, odd ones on another. */
const shardOf = (bucket: number): string => (bucket % 2 === 0 ? "even" : "odd");
const sites = { ofEach: () => [0, 1], shardOf } as unknown as Sites;
const db: RowWriterOptions<Row>["db"] = {
  shardOf,
  byShard: async (rows, bucketOf, run) =>
    await byShard({ sites, tenants: { at: (_bucket, work) => work() } }, { rows, bucketOf, run }),
};

function rowsOf(buckets: readonly number[], each = 10): Row[] {
  return buckets.flatMap((bucket) => Array.from({ length: each }, (_, n) => ({ bucket, id: `${bucket}-${n}` })));
}

/** A database that refuses some rows, with all rows of their statement. */
function writerOf(refuses: (row: Row) => Error | undefined, tries = 3) {
  const written: string[] = [];
  let statements = 0;
  const heard: object[] = [];
  const write = createRowWriter<Row>({
    db,
    clock: systemClock,
    log: { warn: (fields) => void heard.push(fields) },
    name: "rows",
    bucketOf: ({ bucket }) => bucket,
    keyOf: ({ id }) => id,
    tries,
    async write(rows) {
      statements += 1;
      await Promise.resolve();
      const error = rows.map(refuses).find((one) => one !== undefined);
      if (error !== undefined) throw error;
      written.push(...rows.map(({ id }) => id));
    },
  });
  return { write, written, heard, statements: () => statements };
}

const REFUSED = new Error("violates a constraint");
const DOWN = Object.assign(new Error("the worker is down"), { code: "57P01" });

test("a shard that is down keeps its rows, and others are written once", async () => {
  const { write, written, heard } = writerOf(({ bucket }) => (bucket % 2 === 1 ? DOWN : undefined));
  let rows: readonly Row[] = rowsOf([1, 2, 3, 4]);
  for (let n = 0; n < 5; n += 1) rows = (await write(rows)).again;
  expect(new Set(rows.map(({ bucket }) => bucket))).toEqual(new Set([1, 3]));
  expect(rows).toHaveLength(20);
  expect(written.toSorted()).toEqual(
    rowsOf([2, 4])
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(heard[0]).toMatchObject({ waiting: 20, lost: 0 });
});

test("a refused row is given up after its tries, and delays no other", async () => {
  const { write, written, statements } = writerOf(({ id }) => (id === "4-7" ? REFUSED : undefined));
  let rows: readonly Row[] = rowsOf([1, 2, 3, 4]);
  const lost: Row[] = [];
  for (let n = 0; n < 5; n += 1) {
    const left = await write(rows);
    rows = left.again;
    lost.push(...left.lost);
  }
  expect([rows, lost]).toEqual([[], [{ bucket: 4, id: "4-7" }]]);
  expect(written).toHaveLength(39);
  expect(new Set(written).size).toBe(39);
  expect(statements()).toBeLessThan(25);
});

test("a workspace whose rows are refused delays others by one round", async () => {
  const { write, written, statements } = writerOf(({ bucket }) => (bucket === 500 ? REFUSED : undefined), 60);
  const buckets = Array.from({ length: 100 }, (_, n) => n * 10);
  let rows: readonly Row[] = rowsOf(buckets, 20);
  for (let n = 0; n < 2; n += 1) rows = (await write(rows)).again;
  expect(new Set(rows.map(({ bucket }) => bucket))).toEqual(new Set([500]));
  expect(new Set(written).size).toBe(99 * 20);
  expect(written).toHaveLength(99 * 20);
  expect(statements()).toBeLessThan(130);
});
