import type { WireReader, WireWriter } from "./wire.ts";

/** One request, and how its answer is read. The versions are those that every broker since Kafka 2.1 has, before the compact encodings. */
export interface WireRequest<Answer> {
  readonly api: number;
  readonly version: number;
  write(writer: WireWriter): void;
  read(reader: WireReader): Answer;
}

export interface NamedBroker {
  readonly host: string;
  readonly port: number;
}

export interface TopicAnswer {
  readonly brokers: ReadonlyMap<number, NamedBroker>;
  readonly code: number;
  /** The leader's id of each partition, by its index; undefined for a partition without one. */
  readonly leaders: readonly (number | undefined)[];
}

export interface ProducedPartition {
  readonly partition: number;
  readonly code: number;
  readonly offset: bigint;
}

const PRODUCE = { api: 0, version: 7 };
const METADATA = { api: 3, version: 4 };
const HANDSHAKE = { api: 17, version: 1 };
const API_VERSIONS = { api: 18, version: 0 };
const AUTHENTICATE = { api: 36, version: 1 };
const ACKS_ALL = -1;
const MOST_PARTITIONS = 100_000;

/** Answers which of the versions of this file the broker lacks, as names of requests. */
export const askVersions: WireRequest<{ readonly code: number; readonly missing: readonly string[] }> = {
  ...API_VERSIONS,
  write: () => undefined,
  read(reader) {
    const code = reader.int16();
    const ranges = reader.array(() => ({ api: reader.int16(), min: reader.int16(), max: reader.int16() }));
    const needed = { Produce: PRODUCE, Metadata: METADATA };
    const missing = Object.entries(needed).filter(
      ([, { api, version }]) => !ranges.some((one) => one.api === api && one.min <= version && version <= one.max),
    );
    return { code, missing: missing.map(([name, { version }]) => `${name} ${version}`) };
  },
};

export function askHandshake(
  mechanism: string,
): WireRequest<{ readonly code: number; readonly mechanisms: readonly string[] }> {
  return {
    ...HANDSHAKE,
    write: (writer) => writer.string(mechanism),
    read: (reader) => ({ code: reader.int16(), mechanisms: reader.array(() => reader.string()) }),
  };
}

/** The lifetime is that of the sign-in, in milliseconds; 0 for no end. The broker's text is left out: it could quote what it was sent. */
export function askAuthenticate(
  bytes: Buffer,
): WireRequest<{ readonly code: number; readonly bytes: Buffer; readonly lifetimeMs: number }> {
  return {
    ...AUTHENTICATE,
    write(writer) {
      writer.int32(bytes.length);
      writer.raw(bytes);
    },
    read(reader) {
      const code = reader.int16();
      reader.nullableString();
      return { code, bytes: reader.bytes(), lifetimeMs: Number(reader.int64()) };
    },
  };
}

/** Asks for one topic, which the broker must not create. */
export function askTopic(topic: string): WireRequest<TopicAnswer> {
  return {
    ...METADATA,
    write(writer) {
      writer.int32(1);
      writer.string(topic);
      writer.int8(0);
    },
    read(reader) {
      reader.int32();
      const brokers = new Map(reader.array(() => readBroker(reader)));
      reader.nullableString();
      reader.int32();
      const found = reader.array(() => readTopic(reader)).find(({ name }) => name === topic);
      return { brokers, code: found?.code ?? UNKNOWN_TOPIC, leaders: found?.leaders ?? [] };
    },
  };
}

/** The code of an answer that does not have the topic. */
const UNKNOWN_TOPIC = 3;

function readBroker(reader: WireReader): [number, NamedBroker] {
  const id = reader.int32();
  const place = { host: reader.string(), port: reader.int32() };
  reader.nullableString();
  return [id, place];
}

function readTopic(reader: WireReader) {
  const code = reader.int16();
  const name = reader.string();
  reader.boolean();
  const leaders: (number | undefined)[] = [];
  const partitions = reader.array(() => {
    const one = { code: reader.int16(), index: reader.int32(), leader: reader.int32() };
    reader.array(() => reader.int32());
    reader.array(() => reader.int32());
    return one;
  });
  for (const { index, leader } of partitions) {
    // An index from outside must not size an array.
    if (index >= 0 && index < Math.min(partitions.length, MOST_PARTITIONS))
      leaders[index] = leader < 0 ? undefined : leader;
  }
  return { code, name, leaders: Array.from(leaders) };
}

/** Sends one batch for each partition, to be answered when all in-sync replicas have it. */
export function askProduce(
  topic: string,
  batches: ReadonlyMap<number, Buffer>,
  timeoutMs: number,
): WireRequest<readonly ProducedPartition[]> {
  return {
    ...PRODUCE,
    write(writer) {
      writer.int16(NO_TEXT);
      writer.int16(ACKS_ALL);
      writer.int32(timeoutMs);
      writer.int32(1);
      writer.string(topic);
      writer.int32(batches.size);
      for (const [partition, batch] of batches) {
        writer.int32(partition);
        writer.int32(batch.length);
        writer.raw(batch);
      }
    },
    read(reader) {
      const topics = reader.array(() => {
        reader.string();
        return reader.array(() => readProduced(reader));
      });
      reader.int32();
      return topics.flat();
    },
  };
}

const NO_TEXT = -1;

function readProduced(reader: WireReader): ProducedPartition {
  const one = { partition: reader.int32(), code: reader.int16(), offset: reader.int64() };
  reader.int64();
  reader.int64();
  return one;
}
