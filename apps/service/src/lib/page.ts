import { createHash } from "node:crypto";
import { parseRfc3339, systemClock } from "./clock.ts";
import type { Instant } from "./clock.ts";
import { ServiceError } from "./errors.ts";
import { canonicalJson } from "./json.ts";
import { uuidFloor, uuidOfHex } from "./ids.ts";
import type { Uuid } from "./ids.ts";
import { createPauses } from "./pauses.ts";

export interface Page<T> {
  readonly object: "list";
  readonly data: T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/**
 * Encodes a position in one list of one workspace. `binding` names both, including filters; the cursor is refused with
 * any other.
 */
export function encodeCursor(last: Uuid, binding: unknown): string {
  return cursorOf(Buffer.from(last.replaceAll("-", ""), "hex"), binding);
}

export function decodeCursor(cursor: string | undefined, binding: unknown): Uuid | undefined {
  if (cursor === undefined) return undefined;
  const position = positionOf(cursor, binding);
  if (position.length !== 16) throw invalidCursor();
  return uuidOf(position);
}

/** Encodes a position in a list that is ordered by name. */
export function encodeNameCursor(last: string, binding: unknown): string {
  return cursorOf(Buffer.from(last), binding);
}

export function decodeNameCursor(cursor: string | undefined, binding: unknown): string | undefined {
  return cursor === undefined ? undefined : positionOf(cursor, binding).toString("utf8");
}

const DIGEST_BYTES = 8;

function cursorOf(position: Buffer, binding: unknown): string {
  return Buffer.concat([position, digest(binding)]).toString("base64url");
}

function positionOf(cursor: string, binding: unknown): Buffer {
  const bytes = Buffer.from(cursor, "base64url");
  const position = bytes.subarray(0, -DIGEST_BYTES);
  const isOfList = bytes.subarray(-DIGEST_BYTES).equals(digest(binding));
  if (position.length === 0 || !isOfList || bytes.toString("base64url") !== cursor) throw invalidCursor();
  return position;
}

function invalidCursor(): ServiceError {
  return new ServiceError("cursor_invalid", { detail: "Use next_cursor unchanged, with the same list and filters." });
}

/** Converts a list's own number to a cursor's position, which sorts like the number. */
export function numberAsId(number: number): Uuid {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(number, 12);
  return uuidOf(bytes);
}

export function numberOfId(id: Uuid): number {
  return Number.parseInt(id.slice(-8), 16);
}

function nameAsId(name: string): Uuid {
  return uuidOf(createHash("sha256").update(name).digest().subarray(0, 16));
}

function uuidOf(bytes: Buffer): Uuid {
  return uuidOfHex(bytes.toString("hex"));
}

/** The size at which a page ends, regardless of its limit (contract, section 13). One row may be larger. */
export const PAGE_BYTES = 8 * 1024 * 1024;
/** The size from which the text of a view is measured. Below it, the view is about as large as its row. */
const MEASURED_BYTES = 16 * 1024;

/**
 * Returns a page of rows that were read in the list's order, one beyond the limit or beyond `PAGE_BYTES`. The additional row only
 * shows that there are more.
 */
export function pageOf<Row extends { readonly id: Uuid }, View>(
  rows: readonly Row[],
  limit: number,
  binding: unknown,
  view: (row: Row) => View,
): Page<View> {
  const filling = createFilling<View>();
  for (const row of rows.slice(0, limit)) if (!filling.add(row, view(row))) break;
  return filled(filling, rows, binding);
}

/** The views of a page, up to `PAGE_BYTES`. */
interface Filling<View> {
  readonly data: View[];
  /** Returns false if the page has no room for the view. */
  add(row: unknown, view: View): boolean;
}

function createFilling<View>(): Filling<View> {
  const data: View[] = [];
  let bytes = 0;
  return {
    data,
    add(row, view) {
      bytes += sizeOf(row, view);
      if (bytes > PAGE_BYTES && data.length > 0) return false;
      data.push(view);
      return true;
    },
  };
}

function filled<View>({ data }: Filling<View>, rows: readonly { readonly id: Uuid }[], binding: unknown): Page<View> {
  const last = rows[data.length - 1];
  const more = rows.length > data.length && last !== undefined;
  return {
    object: "list",
    data,
    has_more: more,
    next_cursor: more ? encodeCursor(last.id, binding) : null,
  };
}

function sizeOf(row: unknown, view: unknown): number {
  const size = bytesOf(row);
  if (typeof view === "string") return Math.max(size, Buffer.byteLength(view));
  // The text of a view can be several times as large: control characters are written as escapes.
  return size < MEASURED_BYTES ? size : Math.max(size, Buffer.byteLength(JSON.stringify(view)));
}

/** Returns about the size of a value in memory. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + bytesOf(one), 0);
}

export interface PageInput {
  readonly limit?: number;
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 20;

/**
 * Returns a page of a list, newest first. `read` gets the id of the last row that was shown, and how many rows to read:
 * one beyond the limit.
 */
export async function paginate<Row extends { readonly id: Uuid }, View>(
  { limit = DEFAULT_LIMIT, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  list: {
    readonly binding: unknown;
    read(before: Uuid | undefined, count: number): Promise<readonly Row[]>;
    view(row: Row): View;
  },
): Promise<Page<View>> {
  const rows = await list.read(decodeCursor(cursor, list.binding), limit + 1);
  const filling = createFilling<View>();
  const pauses = createPauses(systemClock);
  for (const row of rows.slice(0, limit)) {
    if (!filling.add(row, list.view(row))) break;
    // The text of a large row takes milliseconds to measure.
    if (pauses.isDue()) await pauses.pause();
  }
  return filled(filling, rows, list.binding);
}

/**
 * Returns a page of a list that is in the order of names. `read` gets the name of the last row that was shown, and how many rows to read:
 * one beyond the limit.
 */
export async function paginateByName<Row, View>(
  { limit = DEFAULT_LIMIT, cursor }: PageInput,
  list: {
    readonly binding: unknown;
    read(after: string | undefined, count: number): Promise<readonly Row[]>;
    nameOf(row: Row): string;
    view(rows: readonly Row[]): View[] | Promise<View[]>;
  },
): Promise<Page<View>> {
  const rows = await list.read(decodeNameCursor(cursor, list.binding), limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    object: "list",
    data: await list.view(shown),
    has_more: more,
    next_cursor: more ? encodeNameCursor(list.nameOf(last), list.binding) : null,
  };
}

/**
 * Returns a page of a list that is completely in memory, or the whole list without a limit. The cursor names the last
 * item shown, so that new items before it cause no repetition. Throws 400 `cursor_invalid` if that item was removed.
 */
export function pageOfWhole<T>(
  all: readonly T[],
  { limit = all.length, cursor }: PageInput,
  list: { readonly binding: unknown; nameOf(item: T): string },
): Page<T> {
  const named = all.map((item) => ({ id: nameAsId(list.nameOf(item)), item }));
  const last = decodeCursor(cursor, list.binding);
  const at = named.findIndex(({ id }) => id === last);
  if (last !== undefined && at === -1)
    throw new ServiceError("cursor_invalid", { detail: "The list has changed. Read it again from the beginning." });
  return pageOf(named.slice(at + 1), limit, list.binding, ({ item }) => item);
}

/** Returns the JSON text of a page whose objects are JSON text. */
export function pageText({ data, has_more, next_cursor }: Page<string>): string {
  return `{"object":"list","data":[${data.join(",")}],${JSON.stringify({ has_more, next_cursor }).slice(1)}`;
}

function digest(binding: unknown): Buffer {
  // Canonical, because filters are in the order of the caller's query. A filter that was not sent is undefined, which
  // JSON does not have.
  const plain: unknown = JSON.parse(JSON.stringify(binding));
  return createHash("sha256").update(canonicalJson(plain)).digest().subarray(0, DIGEST_BYTES);
}

/** Reads a timestamp of a body. Throws 422 at its pointer if it is not RFC 3339. */
export function parseTimestamp(text: string | undefined, pointer: string): Instant | undefined {
  if (text === undefined) return undefined;
  const at = parseRfc3339(text);
  if (at !== undefined) return at;
  throw new ServiceError("validation_failed", {
    errors: [
      { pointer, code: "format", message: "must be an RFC 3339 timestamp with a zone, such as 2026-11-21T13:00:00Z" },
    ],
  });
}

const MOST_AHEAD_MS = 86_400_000;

/**
 * Reads the caller's time of an event. Throws 422 at the pointer if it is not RFC 3339 or is more than a day ahead:
 * clocks differ, but not by years.
 */
export function happenedAt(text: string | undefined, pointer: string, now: Instant): Instant | undefined {
  const at = parseTimestamp(text, pointer);
  if (at === undefined || at <= now + MOST_AHEAD_MS) return at;
  throw new ServiceError("validation_failed", {
    errors: [
      {
        pointer,
        code: "future",
        message: "must not be more than a day in the future: it is the time at which something happened",
      },
    ],
  });
}

/** Returns the smallest id of a `created_after` or `created_before`. Throws 400 if it is not RFC 3339. */
export function minUuidAt(text: string | undefined, name: string): Uuid | undefined {
  if (text === undefined) return undefined;
  const at = parseRfc3339(text);
  if (at !== undefined) return uuidFloor(at);
  throw new ServiceError("query_invalid", {
    detail: `${name} must be an RFC 3339 timestamp with a zone, such as 2026-11-21T13:00:00Z.`,
  });
}
