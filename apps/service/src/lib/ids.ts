import { randomBytes, randomFillSync } from "node:crypto";
import type { Clock, Instant } from "./clock.ts";

/** Wire id: `<prefix>_<tag><uuidv7>` (contract, section 2). */
export type Id = string & { readonly __id: true };
/** Eight base32 characters that name a workspace and an environment. */
export type Tag = string & { readonly __tag: true };

/**
 * Identifies the owner of rows: the tag of a workspace in one environment, and the shard of the workspace (0 to 63).
 */
export interface TenantKey {
  readonly bucket: number;
  readonly tag: Tag;
}
/** The canonical hyphenated form, which the database uses. */
export type Uuid = string & { readonly __uuid: true };
/** The nil UUID (RFC 9562, 5.9): of nothing, and before all others. */
export const NIL_UUID = "00000000-0000-0000-0000-000000000000" as Uuid;
export type Environment = "live" | "sandbox";

export const ID_PREFIXES = [
  "ws",
  "evt",
  "dlv",
  "att",
  "ep",
  "src",
  "rcp",
  "con",
  "act",
  "tkt",
  "key",
  "rule",
  "wf",
  "wfr",
  "ctr",
  "prop",
  "run",
  "aud",
  "dig",
  "air",
  "mem",
  "req",
  "ses",
  "inv",
  "job",
  "inb",
  "rrun",
  "crun",
  "cwh",
  "call",
  "mail",
  "ntf",
  "prt",
  "sap",
  "apc",
  "ann",
  "slk",
  "slu",
  "pky",
  "stp",
  "lse",
  "app",
  "pln",
  "iss",
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

export interface ParsedId {
  readonly prefix: IdPrefix;
  readonly tag: Tag;
  readonly uuid: Uuid;
}

export type IdMaker = ReturnType<typeof createIdMaker>;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const VALUE = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i += 1) VALUE[ALPHABET.charCodeAt(i)] = i;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** The two characters of each ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31));
const NIBBLE = new Uint8Array(128);
for (let i = 0; i < 16; i += 1) NIBBLE[i.toString(16).charCodeAt(0)] = i;
/** The positions of the hex digits in a hyphenated UUID. */
const POSITION = Uint8Array.from(
  { length: 32 },
  (_, digit) => digit + [8, 12, 16, 20].filter((cut) => digit >= cut).length,
);
const POOL_BYTES = 4096;
/**
 * Ids keep their order if the clock steps back by at most this much. A clock that steps back further was wrong before,
 * so ids follow it.
 */
const MOST_AHEAD_MS = 600_000;

export function createIdMaker(clock: Clock) {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  let lastMs = 0;
  let sequence = 0;
  return {
    /**
     * Returns a new UUIDv7. Later ones from the same maker sort after earlier ones, unless the clock stepped back by more
     * than ten minutes.
     */
    uuid(): Uuid {
      if (used + 8 > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const now = clock.now();
      // A clock that steps back, or 4096 ids in a millisecond, must not break the order: borrow from the future.
      if (now > lastMs || now < lastMs - MOST_AHEAD_MS) {
        lastMs = now;
        sequence = pool.readUInt16BE(used) & 0x3ff;
      } else if (++sequence > 0xfff) {
        lastMs += 1;
        sequence = 0;
      }
      const uuid = format(lastMs, sequence, pool, used);
      used += 8;
      return uuid;
    },
  };
}

/**
 * Returns a new UUIDv7 that sorts after `earlier`. Its time is at most `withinMs` later than that of `earlier`, for any
 * time of the clock.
 */
export function uuidAfter(ids: IdMaker, earlier: Uuid, withinMs: number): Uuid {
  const uuid = ids.uuid();
  const since = uuidTime(earlier);
  if (uuid > earlier && uuidTime(uuid) - since < withinMs) return uuid;
  const random = randomBytes(10);
  return format(since + 1, random.readUInt16BE(8) & 0xfff, random, 0);
}

/** Returns the UUIDv7 of a time whose other bits come from a hash, so that every process makes the same one. */
export function uuidFrom(at: Instant, hash: Buffer): Uuid {
  return format(at, hash.readUInt16BE(8) & 0xfff, hash, 0);
}

/** Returns the smallest UUIDv7 of a time, for partition bounds and `created_after` filters. */
export function uuidFloor(at: Instant): Uuid {
  const ms = Math.max(0, at).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000` as Uuid;
}

/** Returns the UUID of 32 hex digits. */
export function uuidOfHex(hex: string): Uuid {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uuid;
}

export function uuidTime(uuid: Uuid): Instant {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) as Instant;
}

export function wireId(prefix: IdPrefix, tag: Tag, uuid: Uuid): Id {
  return `${prefix}_${tag}${encode(uuid)}` as Id;
}

/** Returns undefined for a text that is not one of our ids, or that has an unknown prefix. */
export function parseId(text: string): ParsedId | undefined {
  const cut = text.indexOf("_");
  if (cut < 2 || text.length !== cut + 35) return undefined;
  const prefix = ID_PREFIXES.find((known) => known === text.slice(0, cut));
  const tag = text.slice(cut + 1, cut + 9);
  const uuid = decode(text.slice(cut + 9));
  if (prefix === undefined || uuid === undefined || !isTag(tag)) return undefined;
  return { prefix, tag, uuid };
}

export function isTag(text: string): text is Tag {
  return /^[0-9a-hjkmnp-tv-z]{8}$/.test(text);
}

/** The tag of the rows that the self-test writes. No workspace gets it. */
export const SELF_TEST_TAG = "zzzzzzzy" as Tag;

/** The tag of ids that belong to no workspace, such as request ids, which are created before the caller is known. */
export const NO_WORKSPACE_TAG = "00000000" as Tag;

/**
 * Returns a new live tag. The lowest bit of a tag is the environment, so the two tags of a workspace are distinguished
 * without a query.
 */
export function newTag(): Tag {
  const bytes = randomBytes(8);
  let tag = "";
  for (const byte of bytes) tag += ALPHABET.charAt(byte & 31);
  const live = tagOf(tag as Tag, "live");
  return live === SELF_TEST_TAG ? newTag() : live;
}

export function tagOf(tag: Tag, environment: Environment): Tag {
  const last = VALUE[tag.charCodeAt(7)] ?? 0;
  return (tag.slice(0, 7) + ALPHABET.charAt((last & ~1) | (environment === "live" ? 0 : 1))) as Tag;
}

export function environmentOf(tag: Tag): Environment {
  return ((VALUE[tag.charCodeAt(7)] ?? 0) & 1) === 0 ? "live" : "sandbox";
}

/**
 * Returns the shard of a workspace's hot rows, 0 to 63. Both environments share it. The hash is FNV-1a, so that every
 * node and the database agree.
 */
export function bucketOf(tag: Tag): number {
  const live = tagOf(tag, "live");
  let hash = 0x811c9dc5;
  for (let i = 0; i < live.length; i += 1) hash = Math.imul(hash ^ live.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % 64;
}

function format(ms: number, sequence: number, random: Buffer, at: number): Uuid {
  const time = ms.toString(16).padStart(12, "0");
  const tail = (0x7000 | sequence).toString(16);
  const hex = (offset: number): string => HEX[random[at + offset] ?? 0] ?? "00";
  const variant = HEX[((random[at] ?? 0) & 0x3f) | 0x80] ?? "80";
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail}-${variant}${hex(1)}-${hex(2)}${hex(3)}${hex(4)}${hex(5)}${hex(6)}${hex(7)}` as Uuid;
}

function encode(uuid: Uuid): string {
  // 128 bits in 26 characters of 5: the first carries the top 3 bits. Then 20 bits, five hex digits, are four characters.
  let out = PAIRS[nibbles(uuid, 0, 2)] ?? "";
  for (let digit = 2; digit < 32; digit += 5) {
    const bits = nibbles(uuid, digit, 5);
    out += (PAIRS[bits >> 10] ?? "") + (PAIRS[bits & 1023] ?? "");
  }
  return out;
}

/** Reads `count` hex digits of a UUID as a number, from digit `from` on. Hyphens do not count. */
function nibbles(uuid: Uuid, from: number, count: number): number {
  let value = 0;
  for (let digit = from; digit < from + count; digit += 1)
    value = (value << 4) | (NIBBLE[uuid.charCodeAt(POSITION[digit] ?? 0)] ?? 0);
  return value;
}

function decode(text: string): Uuid | undefined {
  if (text.length !== 26) return undefined;
  const digit = (at: number): number => VALUE[text.charCodeAt(at)] ?? -1;
  if ((digit(0) | 7) !== 7) return undefined;
  for (let i = 0; i < 26; i += 1) if (digit(i) < 0) return undefined;
  let hex = ((digit(0) << 5) | digit(1)).toString(16).padStart(2, "0");
  for (let i = 2; i < 26; i += 4) {
    hex += ((digit(i) << 15) | (digit(i + 1) << 10) | (digit(i + 2) << 5) | digit(i + 3)).toString(16).padStart(5, "0");
  }
  return uuidOfHex(hex);
}
