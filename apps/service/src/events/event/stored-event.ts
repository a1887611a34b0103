import { fromDate, toRfc3339, uuidTime } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { EventListQuery } from "./event.schemas.ts";
import type { EventRow } from "./events.store.ts";
import type { EventLabels } from "./event.ts";

export type EventQuery = t.Static<typeof EventListQuery>;

/** An event as read from the database; `data` is its exact source text. */
export interface StoredEvent {
  readonly id: Uuid;
  readonly row: Pick<EventRow, "tag" | "id" | "name" | "canonical" | "subject" | "data" | "type_version" | "tenant"> & {
    /** Absent for one that is scheduled. */
    readonly internal?: boolean;
    /** JSON text of a list; null if the data matches its type, or was not compared. */
    readonly schema_errors: string | null;
  };
  readonly occurredAt: string;
  readonly createdAt: string;
  /** `accepted`: it was fired. */
  readonly status: "accepted" | "scheduled" | "cancelled";
  /** The labels that its caller added. Only where they are read: in the answers of `list` and `get`. */
  readonly labels?: EventLabels | null;
  /** The time at which a scheduled event is fired; undefined for one that was. */
  readonly deliverAt?: string;
}

export function stored(row: EventRow): StoredEvent {
  const { id } = row;
  return {
    id,
    row,
    occurredAt: toRfc3339(fromDate(row.occurred_at)),
    createdAt: toRfc3339(uuidTime(id)),
    status: "accepted",
  };
}
