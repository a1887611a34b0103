import type { Db, HotStatement } from "../../platform/db/db.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { LeasedDelivery } from "./queue.ts";

/**
 * The largest data that waits in memory with its delivery, in bytes. Larger data is read when its delivery is sent, and counts
 * against the bytes in flight.
 */
export const LARGE_BYTES = 8 * 1024;
/** The size of the texts that are kept for other deliveries of the same event, in UTF-16 units. */
const KEPT_UNITS = 16 * 1024 * 1024;

/** The data of a leased delivery: its text, its size, and null for an event that retention has deleted. */
export type LeasedData = Pick<LeasedDelivery, "data" | "bytes">;

type EventKey = Pick<LeasedDelivery, "bucket" | "tag" | "eventId">;

/** The texts of large events, each once for all its deliveries. */
export type EventTexts = ReturnType<typeof createEventTexts>;

/** Returns what a delivery of an event keeps in memory while it waits. */
export function leasedData(text: string): LeasedData {
  // A unit has at most three bytes.
  if (text.length * 3 <= LARGE_BYTES) return { data: text, bytes: 0 };
  const bytes = Buffer.byteLength(text);
  return bytes <= LARGE_BYTES ? { data: text, bytes: 0 } : { data: undefined, bytes };
}

const DATA: HotStatement = {
  name: "delivery_event_data",
  text: `select data from event where bucket = $1 and tag = $2 and id = $3`,
};

const SUBJECT: HotStatement = {
  name: "delivery_event_subject",
  text: `select subject from event where bucket = $1 and tag = $2 and id = $3`,
};

export function createEventTexts(db: Db) {
  const kept = new Map<string, string>();
  const reading = new Map<string, Promise<string | null>>();
  let units = 0;

  function keep(key: string, text: string): void {
    if (kept.has(key)) return;
    kept.set(key, text);
    units += text.length;
    for (const [oldest, { length }] of kept) {
      if (units <= KEPT_UNITS) return;
      kept.delete(oldest);
      units -= length;
    }
  }

  async function read({ bucket, tag, eventId }: EventKey): Promise<string | null> {
    const [row] = await db.hot<{ data: string }>(DATA, [bucket, tag, eventId]);
    if (row !== undefined) keep(keyOf({ tag, eventId }), row.data);
    return row?.data ?? null;
  }

  return {
    /** Keeps the text of an event whose deliveries are about to be sent. */
    keep: (key: EventKey, text: string): void => keep(keyOf(key), text),
    /** Returns the subject of a delivery's event, which what a lane leases comes without. */
    async subjectOf({ bucket, tag, eventId, subject }: LeasedDelivery): Promise<string | null> {
      if (subject !== undefined) return subject;
      const [row] = await db.hot<{ subject: string | null }>(SUBJECT, [bucket, tag, eventId]);
      return row?.subject ?? null;
    },
    /** Returns the data of a delivery; null if retention has deleted the event. */
    async of(delivery: LeasedDelivery): Promise<string | null> {
      if (delivery.data !== undefined) return delivery.data;
      const key = keyOf(delivery);
      const text = kept.get(key);
      if (text !== undefined) return text;
      const running = reading.get(key) ?? read(delivery).finally(() => reading.delete(key));
      reading.set(key, running);
      return await running;
    },
  };
}

function keyOf({ tag, eventId }: { readonly tag: Tag; readonly eventId: Uuid }): string {
  return `${tag} ${eventId}`;
}
