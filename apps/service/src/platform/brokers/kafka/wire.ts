/** An answer that does not fit the protocol. Its text says where. */
export class MalformedAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MalformedAnswerError";
  }
}

export type WireReader = ReturnType<typeof createReader>;
export type WireWriter = ReturnType<typeof createWriter>;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the primitive types of Kafka's protocol. All that does not fit the bytes throws `MalformedAnswerError`. */
export function createReader(bytes: Buffer) {
  let at = 0;

  function take(count: number): number {
    if (count < 0 || count > bytes.length - at) throw new MalformedAnswerError(`it ends within a value at byte ${at}`);
    at += count;
    return at - count;
  }

  const int16 = (): number => bytes.readInt16BE(take(2));
  const int32 = (): number => bytes.readInt32BE(take(4));

  function text(count: number): string {
    const from = take(count);
    try {
      return UTF8.decode(bytes.subarray(from, at));
    } catch {
      throw new MalformedAnswerError(`a text at byte ${from} is not UTF-8`);
    }
  }

  function array<Item>(item: () => Item): Item[] {
    const count = int32();
    // An item has at least a byte, so a count beyond the rest is a lie that must not cost memory.
    if (count > bytes.length - at) throw new MalformedAnswerError(`it promises ${count} items in too few bytes`);
    return Array.from({ length: Math.max(0, count) }, item);
  }

  function nullableString(): string | null {
    const count = int16();
    return count === -1 ? null : text(count);
  }

  return {
    int16,
    int32,
    array,
    nullableString,
    boolean: (): boolean => bytes.readInt8(take(1)) !== 0,
    int64: (): bigint => bytes.readBigInt64BE(take(8)),
    string: (): string => text(int16()),
    bytes: (): Buffer => Buffer.from(bytes.subarray(take(int32()), at)),
    end(): void {
      if (at !== bytes.length) throw new MalformedAnswerError(`${bytes.length - at} bytes are left over`);
    },
  };
}

/** Writes the primitive types of Kafka's protocol into memory that grows. */
export function createWriter(sizeHint = 256) {
  let bytes = Buffer.allocUnsafe(sizeHint);
  let used = 0;

  function take(count: number): number {
    if (used + count > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, used + count));
      bytes.copy(larger, 0, 0, used);
      bytes = larger;
    }
    used += count;
    return used - count;
  }

  function int16(value: number): void {
    const from = take(2);
    bytes.writeInt16BE(value, from);
  }

  function int32(value: number): void {
    const from = take(4);
    bytes.writeInt32BE(value, from);
  }

  function raw(value: Uint8Array): void {
    const from = take(value.length);
    bytes.set(value, from);
  }

  /** Zigzag, 7 bits a byte; for values of 31 bits. */
  function varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    for (; rest > 0x7f; rest >>>= 7) {
      const from = take(1);
      bytes[from] = (rest & 0x7f) | 0x80;
    }
    const from = take(1);
    bytes[from] = rest;
  }

  return {
    int16,
    int32,
    raw,
    varint,
    int8(value: number): void {
      const from = take(1);
      bytes.writeInt8(value, from);
    },
    int64(value: number): void {
      const from = take(8);
      bytes.writeBigInt64BE(BigInt(value), from);
    },
    string(value: string): void {
      const text = Buffer.from(value);
      int16(text.length);
      raw(text);
    },
    varintBytes(value: Uint8Array | null): void {
      varint(value === null ? -1 : value.length);
      if (value !== null) raw(value);
    },
    get length(): number {
      return used;
    },
    /** Overwrites four bytes that were written before. */
    setUint32(at: number, value: number): void {
      bytes.writeUInt32BE(value, at);
    },
    /** The bytes so far, not copied: they hold until the next write. */
    written: (from = 0): Buffer => bytes.subarray(from, used),
  };
}
