// This encoder is written by hand: the driver writes arrays as text, at twice the bytes (decision 0256).

import type { Uuid } from "../../lib/lib.ts";

/**
 * Columns for `unnest`, one array parameter for many rows, in PostgreSQL's binary form: half the bytes of the text form,
 * and neither side has anything to quote or to parse (docs/decisions/0256-statements-on-the-hot-path.md).
 */
export interface ColumnOf<Value> {
  <Row>(rows: readonly Row[], value: (row: Row) => Value | null): Buffer;
}

interface ElementType<Value> {
  /** The element's object id in pg_type. */
  readonly oid: number;
  /** Bytes of a value without its length. */
  size(value: Value): number;
  write(into: Buffer, value: Value, at: number, size: number): void;
}

const HEADER_BYTES = 20;
/** Offsets of each byte's two digits in a hyphenated UUID. */
const UUID_BYTES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const NIBBLE = new Uint8Array(128);
for (let i = 0; i < 16; i += 1) NIBBLE[i.toString(16).charCodeAt(0)] = i;
/** PostgreSQL counts microseconds from the year 2000. */
const POSTGRES_EPOCH_MS = 946_684_800_000;

export const columnOf = {
  boolean: column<boolean>({
    oid: 16,
    size: () => 1,
    write: (into, value, at) => into.writeUInt8(value ? 1 : 0, at),
  }),
  bytea: column<Uint8Array>({
    oid: 17,
    size: (value) => value.length,
    write: (into, value, at) => into.set(value, at),
  }),
  bigint: column<number>({
    oid: 20,
    size: () => 8,
    write: (into, value, at) => into.writeBigInt64BE(BigInt(value), at),
  }),
  smallint: column<number>({ oid: 21, size: () => 2, write: (into, value, at) => into.writeInt16BE(value, at) }),
  int: column<number>({ oid: 23, size: () => 4, write: (into, value, at) => into.writeInt32BE(value, at) }),
  text: column<string>({
    oid: 25,
    size: (value) => Buffer.byteLength(value),
    write: (into, value, at, size) => into.write(value, at, size, "utf8"),
  }),
  float8: column<number>({ oid: 701, size: () => 8, write: (into, value, at) => into.writeDoubleBE(value, at) }),
  timestamptz: column<Date>({
    oid: 1184,
    size: () => 8,
    write: (into, value, at) => into.writeBigInt64BE(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1000n, at),
  }),
  uuid: column<Uuid>({ oid: 2950, size: () => 16, write: writeUuid }),
} as const;

function column<Value>(type: ElementType<Value>): ColumnOf<Value> {
  return (rows, valueOf) => {
    if (rows.length === 0) return emptyArray(type.oid);
    const values = rows.map(valueOf);
    const sizes = values.map((value) => (value === null ? -1 : type.size(value)));
    const total = sizes.reduce((sum, size) => sum + 4 + Math.max(0, size), HEADER_BYTES);
    const into = Buffer.allocUnsafe(total);
    writeHeader(into, type.oid, { nulls: sizes.includes(-1), length: rows.length });
    let at = HEADER_BYTES;
    values.forEach((value, index) => {
      const size = sizes[index] ?? -1;
      at = into.writeInt32BE(size, at);
      if (value === null) return;
      type.write(into, value, at, size);
      at += size;
    });
    return into;
  };
}

/** Writes the header of an array with one dimension, numbered from 1. */
function writeHeader(into: Buffer, oid: number, { nulls, length }: { nulls: boolean; length: number }): void {
  into.writeInt32BE(1, 0);
  into.writeInt32BE(nulls ? 1 : 0, 4);
  into.writeInt32BE(oid, 8);
  into.writeInt32BE(length, 12);
  into.writeInt32BE(1, 16);
}

function emptyArray(oid: number): Buffer {
  const into = Buffer.alloc(12);
  into.writeInt32BE(oid, 8);
  return into;
}

function writeUuid(into: Buffer, uuid: Uuid, at: number): void {
  UUID_BYTES.forEach((from, byte) => {
    const high = NIBBLE[uuid.charCodeAt(from)] ?? 0;
    into[at + byte] = (high << 4) | (NIBBLE[uuid.charCodeAt(from + 1)] ?? 0);
  });
}
