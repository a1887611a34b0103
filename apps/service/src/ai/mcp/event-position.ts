import { ServiceError, uuidOfHex } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";

/** A client's position among the events. */
export interface EventPosition {
  /** Every event up to this id was read. */
  readonly after: Uuid;
  /** The events after it that the client has got. */
  readonly seen: readonly Uuid[];
}

/** The number of events that a cursor can name. */
export const MOST_SEEN = 100;
const BYTES = 16;

/** Encodes a position as a cursor. It has no rights: the events are those of the caller that sends it. */
export function cursorOf({ after, seen }: EventPosition): string {
  return Buffer.from([after, ...seen].map((id) => id.replaceAll("-", "")).join(""), "hex").toString("base64url");
}

/** Throws 400 `cursor_invalid`. */
export function positionOf(cursor: string): EventPosition {
  const bytes = Buffer.from(cursor, "base64url");
  const count = bytes.length / BYTES;
  if (!Number.isInteger(count) || count < 1 || count > MOST_SEEN + 1 || bytes.toString("base64url") !== cursor)
    throw new ServiceError("cursor_invalid", { detail: "Use the cursor of an earlier response unchanged." });
  const [after, ...seen] = Array.from({ length: count }, (_, at) =>
    uuidOfHex(bytes.toString("hex", at * BYTES, (at + 1) * BYTES)),
  );
  if (after === undefined) throw new Error("a cursor has no position");
  return { after, seen };
}
