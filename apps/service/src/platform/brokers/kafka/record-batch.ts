import type { BrokerMessage } from "../broker.ts";
import { crc32c } from "./crc32c.ts";
import { createWriter } from "./wire.ts";

const MAGIC = 2;
const LENGTH_AT = 8;
const CRC_AT = 17;
const CHECKED_FROM = 21;
const NONE = -1;
/** The length, the attributes and the deltas of a record, at most. */
const RECORD_HEAD_BYTES = 16;

/** Returns key, value and headers of a message as a record has them, without what its place in a batch decides. */
export function recordOf({ key, body, headers }: BrokerMessage): Buffer {
  const writer = createWriter(body.length + 1024);
  writer.varintBytes(key === null ? null : Buffer.from(key));
  writer.varintBytes(body);
  const entries = Object.entries(headers);
  writer.varint(entries.length);
  for (const [name, value] of entries) {
    writer.varintBytes(Buffer.from(name));
    writer.varintBytes(Buffer.from(value));
  }
  return writer.written();
}

/** Returns records as one batch (format 2), with the same time for all and without a producer's id. */
export function batchOf(records: readonly Buffer[], timestampMs: number): Buffer {
  const size = records.reduce((sum, { length }) => sum + length + RECORD_HEAD_BYTES, CHECKED_FROM + 64);
  const writer = createWriter(size);
  writer.int64(0);
  writer.int32(0);
  writer.int32(NONE);
  writer.int8(MAGIC);
  writer.int32(0);
  writer.int16(0);
  writer.int32(records.length - 1);
  writer.int64(timestampMs);
  writer.int64(timestampMs);
  writer.int64(NONE);
  writer.int16(NONE);
  writer.int32(NONE);
  writer.int32(records.length);
  for (const [index, record] of records.entries()) writeRecord(writer, record, index);
  writer.setUint32(LENGTH_AT, writer.length - LENGTH_AT - 4);
  writer.setUint32(CRC_AT, crc32c(writer.written(CHECKED_FROM)));
  return writer.written();
}

function writeRecord(writer: ReturnType<typeof createWriter>, record: Buffer, index: number): void {
  // A byte each for the attributes and the time, which is the batch's.
  writer.varint(2 + varintSize(index) + record.length);
  writer.int8(0);
  writer.varint(0);
  writer.varint(index);
  writer.raw(record);
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value * 2; rest > 0x7f; rest = Math.floor(rest / 128)) size += 1;
  return size;
}
