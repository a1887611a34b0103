import { ServiceError, uuidOfHex } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { EventsRead } from "../../events/events.ts";
import { readPosition } from "../../insights/insights.ts";

/** A client's position among the events. */
export interface EventPosition extends EventsRead {
  /** The events after `after` that the client has got. */
  readonly seen: readonly Uuid[];
}

/** The number of events that a cursor can name. */
export const MOST_SEEN = 100;
const BYTES = 16;

/** Encodes a position as a cursor. It has no rights: the events are those of the caller that sends it. */
export function cursorOf({ after, seen, snapshot, late }: EventPosition): string {
  const rest = late === null ? [] : [bytesOf([late.after]), late.until];
  return [bytesOf([after, ...seen]), ...(snapshot === null ? [] : [snapshot, ...rest])].join(".");
}

/** Throws 400 `cursor_invalid`. */
export function positionOf(cursor: string): EventPosition {
  const [ids = "", snapshot, late, until, ...more] = cursor.split(".");
  const [after, ...seen] = idsOf(ids, MOST_SEEN + 1);
  const [lateAfter] = late === undefined ? [] : idsOf(late, 1);
  if (after === undefined || more.length > 0 || (late === undefined) !== (until === undefined)) throw invalid();
  return {
    after,
    seen,
    snapshot: snapshot === undefined ? null : snapshotOf(snapshot),
    late: lateAfter === undefined || until === undefined ? null : { after: lateAfter, until: snapshotOf(until) },
  };
}

function bytesOf(ids: readonly Uuid[]): string {
  return Buffer.from(ids.map((id) => id.replaceAll("-", "")).join(""), "hex").toString("base64url");
}

function idsOf(text: string, most: number): Uuid[] {
  const bytes = Buffer.from(text, "base64url");
  const count = bytes.length / BYTES;
  if (!Number.isInteger(count) || count < 1 || count > most || bytes.toString("base64url") !== text) throw invalid();
  return Array.from({ length: count }, (_, at) => uuidOfHex(bytes.toString("hex", at * BYTES, (at + 1) * BYTES)));
}

function snapshotOf(text: string): string {
  if (readPosition(text) === undefined) throw invalid();
  return text;
}

function invalid(): ServiceError {
  return new ServiceError("cursor_invalid", { detail: "Use the cursor of an earlier response unchanged." });
}
