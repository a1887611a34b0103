import { BrokerError } from "./broker.ts";

/** The bytes of AMQP 0-9-1, as far as a publisher needs them. */
export const PROTOCOL_HEADER = Buffer.from("AMQP\u0000\u0000\u0009\u0001", "latin1");

export const FRAME = { method: 1, header: 2, body: 3, heartbeat: 8 } as const;
const FRAME_END = 0xce;
/** The type, channel and size before a frame's payload, and the octet after it. */
const HEAD_BYTES = 7;
export const FRAME_OVERHEAD = HEAD_BYTES + 1;
/** The largest frame that we take and send. RabbitMQ offers the same. */
export const FRAME_MAX = 131_072;

/** Methods as class × 65536 + method. */
export const METHOD = {
  connectionStart: 0xa000a,
  connectionStartOk: 0xa000b,
  connectionTune: 0xa001e,
  connectionTuneOk: 0xa001f,
  connectionOpen: 0xa0028,
  connectionOpenOk: 0xa0029,
  connectionClose: 0xa0032,
  connectionCloseOk: 0xa0033,
  connectionBlocked: 0xa003c,
  connectionUnblocked: 0xa003d,
  channelOpen: 0x14000a,
  channelOpenOk: 0x14000b,
  channelClose: 0x140028,
  exchangeDeclare: 0x28000a,
  exchangeDeclareOk: 0x28000b,
  basicPublish: 0x3c0028,
  basicReturn: 0x3c0032,
  basicAck: 0x3c0050,
  basicNack: 0x3c0078,
  confirmSelect: 0x55000a,
  confirmSelectOk: 0x55000b,
} as const;

const BASIC_CLASS = 60;
const PROPERTY = { contentType: 0x8000, headers: 0x2000, deliveryMode: 0x1000, messageId: 0x80 } as const;
const PROPERTIES = PROPERTY.contentType | PROPERTY.headers | PROPERTY.deliveryMode | PROPERTY.messageId;
const PERSISTENT = 2;
const LONG_STRING = 0x53;
const TABLE = 0x46;
const BOOLEAN = 0x74;

export interface Frame {
  readonly type: number;
  readonly channel: number;
  readonly payload: Buffer;
}

/** Returns a function that takes bytes as they arrive and returns the frames that are complete. Throws for bytes that do not form a frame. */
export function createFrameReader(): (bytes: Buffer) => Frame[] {
  let parts: Buffer[] = [];
  let length = 0;
  let needed = HEAD_BYTES;
  return (bytes) => {
    parts.push(bytes);
    length += bytes.length;
    if (length < needed) return [];
    let rest = parts.length === 1 ? bytes : Buffer.concat(parts);
    const frames: Frame[] = [];
    for (;;) {
      needed = rest.length < HEAD_BYTES ? HEAD_BYTES : sizeOf(rest);
      if (rest.length < needed) break;
      if (rest[needed - 1] !== FRAME_END) throw new Error("a frame has no end");
      frames.push({
        type: rest.readUInt8(0),
        channel: rest.readUInt16BE(1),
        payload: rest.subarray(HEAD_BYTES, needed - 1),
      });
      rest = rest.subarray(needed);
    }
    parts = rest.length === 0 ? [] : [rest];
    length = rest.length;
    return frames;
  };
}

function sizeOf(head: Buffer): number {
  const type = head.readUInt8(0);
  if (![FRAME.method, FRAME.header, FRAME.body, FRAME.heartbeat].some((known) => known === type))
    throw new Error(`a frame has the type ${type}`);
  const size = head.readUInt32BE(3);
  if (size > FRAME_MAX - FRAME_OVERHEAD) throw new Error(`a frame has ${size} bytes`);
  return size + FRAME_OVERHEAD;
}

/** Reads the fields of a payload in their order. Throws beyond its end. */
export interface Fields {
  u8(): number;
  u16(): number;
  u32(): number;
  u64(): number;
  /** A text of at most 255 bytes. */
  short(): string;
  long(): string;
  skip(bytes: number): void;
}

export function fieldsOf(payload: Buffer): Fields {
  let at = 0;
  const take = (size: number): number => {
    at += size;
    if (at > payload.length) throw new Error("a frame ends early");
    return at - size;
  };
  const text = (size: number): string => {
    const from = take(size);
    return payload.toString("utf8", from, at);
  };
  const fields: Fields = {
    u8: () => payload.readUInt8(take(1)),
    u16: () => payload.readUInt16BE(take(2)),
    u32: () => payload.readUInt32BE(take(4)),
    u64: () => Number(payload.readBigUInt64BE(take(8))),
    short: () => text(fields.u8()),
    long: () => text(fields.u32()),
    skip: (bytes) => void take(bytes),
  };
  return fields;
}

/** Returns the message id in the content header of a message that we sent and that came back. */
export function messageIdOf(payload: Buffer): string {
  const fields = fieldsOf(payload);
  fields.skip(12);
  const flags = fields.u16();
  if (flags !== PROPERTIES) throw new Error("a returned message has other properties than it was sent with");
  fields.short();
  fields.skip(fields.u32());
  fields.u8();
  return fields.short();
}

/** Returns a frame around a payload. */
export function frame(type: number, channel: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([FRAME_END])]);
}

export function methodFrame(channel: number, method: number, ...fields: readonly Buffer[]): Buffer {
  return frame(FRAME.method, channel, Buffer.concat([u32(method), ...fields]));
}

export const HEARTBEAT = frame(FRAME.heartbeat, 0, Buffer.alloc(0));

export function u8(value: number): Buffer {
  return Buffer.from([value]);
}

export function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const SHORT_BYTES = 255;

/** Writes a text of at most 255 bytes. Throws `BrokerError`, which names the text by `what`, for a longer one. */
export function short(text: string, what: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > SHORT_BYTES)
    throw new BrokerError("send", `AMQP allows ${SHORT_BYTES} bytes for ${what}, and this one has ${bytes.length}.`);
  return Buffer.concat([u8(bytes.length), bytes]);
}

export function long(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([u32(bytes.length), bytes]);
}

/** A table of texts, booleans and tables. */
export interface Table {
  readonly [name: string]: string | boolean | Table;
}

export function table(entries: Table): Buffer {
  const parts = Object.entries(entries).flatMap(([name, value]) => {
    const key = short(name, "the name of a header");
    if (typeof value === "string") return [key, u8(LONG_STRING), long(value)];
    if (typeof value === "boolean") return [key, u8(BOOLEAN), u8(value ? 1 : 0)];
    return [key, u8(TABLE), table(value)];
  });
  const bytes = Buffer.concat(parts);
  return Buffer.concat([u32(bytes.length), bytes]);
}

export interface Content {
  readonly exchange: string;
  readonly routingKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly messageId: string;
  readonly body: Buffer;
}

/** Returns the frames that publish a persistent message which must reach a queue. */
export function publishFrames(channel: number, content: Content, frameMax: number): Buffer {
  const { headers, body } = content;
  const properties = Buffer.concat([
    u16(BASIC_CLASS),
    u16(0),
    u32(0),
    u32(body.length),
    u16(PROPERTIES),
    short(headers["content-type"] ?? "application/octet-stream", "the content type"),
    table(headers),
    u8(PERSISTENT),
    short(content.messageId, "the message id"),
  ]);
  const room = frameMax - FRAME_OVERHEAD;
  if (properties.length > room)
    throw new BrokerError(
      "send",
      `The headers have ${properties.length} bytes. The broker allows ${room} in one frame.`,
    );
  const frames = [
    methodFrame(
      channel,
      METHOD.basicPublish,
      u16(0),
      short(content.exchange, "the name of an exchange"),
      short(content.routingKey, "a routing key"),
      u8(MANDATORY),
    ),
    frame(FRAME.header, channel, properties),
  ];
  for (let at = 0; at < body.length; at += room) frames.push(frame(FRAME.body, channel, body.subarray(at, at + room)));
  return Buffer.concat(frames);
}

const MANDATORY = 1;
