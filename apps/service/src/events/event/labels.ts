import { parseJson, ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { violatedConstraint } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import type { EventDraft, EventLabels } from "./event.ts";
import { eventsOfUids, LABEL_UID } from "./labels.store.ts";
import type { LabelRow } from "./labels.store.ts";

/** Returns the labels of a row. */
export function labelsOfRow(row: LabelRow | undefined): EventLabels | null {
  if (row === undefined) return null;
  const { uid, channels, tags, metadata } = row;
  return { uid, channels, tags, metadata };
}

/** Returns the labels as the members of an event that their caller sees. */
export function labelsView(labels: EventLabels | null): object {
  return {
    uid: labels?.uid ?? null,
    channels: labels?.channels ?? [],
    metadata: labels?.metadata == null ? {} : parseJson(labels.metadata),
  };
}

/** The JSON text that a scheduled event keeps. */
export function labelsText(labels: EventLabels | null | undefined): string | null {
  return labels == null ? null : JSON.stringify(labels);
}

export function labelsOfText(text: string | null): EventLabels | null {
  return text === null ? null : (parseJson(text) as EventLabels);
}

type Labelled = Pick<EventDraft, "scope" | "tenant" | "labels">;

/**
 * Throws 409 if another event of the workspace has the id of one of these. The index distinguishes two calls at the same moment: see
 * `isUidTaken`.
 */
export async function assertUidsFree({ query }: Db, events: readonly Labelled[]): Promise<void> {
  const uids = events.flatMap(({ tenant, labels }) => (labels?.uid == null ? [] : [{ tenant, uid: labels.uid }]));
  const [first] = events;
  if (first === undefined || uids.length === 0) return;
  if ((await eventsOfUids(query, first.scope, uids)).length > 0) throw uidTaken();
}

/** Returns true if the database refused a row because of its `uid`. */
export function isUidTaken(error: unknown): boolean {
  return violatedConstraint(error)?.startsWith(LABEL_UID) === true;
}

export function uidTaken(): ServiceError {
  return new ServiceError("conflict", {
    detail: "Another event of this tenant has this `uid`. Send the event with another one, or without.",
  });
}

/** Returns the faults of two events of one call that have the same id. */
export function repeatedUids(events: readonly Labelled[]): Violation[] {
  const seen = new Set<string>();
  return events.flatMap(({ tenant, labels }, at): Violation[] => {
    if (labels?.uid == null) return [];
    const key = `${tenant ?? ""} ${labels.uid}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [{ pointer: `/events/${at}/uid`, code: "duplicate", message: "must not repeat that of another event" }];
  });
}
