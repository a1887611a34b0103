import type { Db } from "../../platform/db/db.ts";
import { minUuidAt, paginate, ServiceError } from "../../lib/lib.ts";
import type { Page, Uuid } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { cancelScheduled, findScheduled } from "../scheduled/scheduled.store.ts";
import { pageOfScheduled, storedScheduled } from "../scheduled/scheduled.ts";
import { eventsAfter, findEvent, listEvents } from "./events.store.ts";
import { stored } from "./stored-event.ts";
import type { EventQuery, StoredEvent } from "./stored-event.ts";

/** The events that were fired, that are scheduled, and that were cancelled. */
export interface EventLog {
  list(scope: Scope, query: EventQuery): Promise<Page<StoredEvent>>;
  get(scope: Scope, id: string): Promise<StoredEvent>;
  /**
   * Returns the events of a tenant or of all, in the order of their ids. An event that is being committed can get an id before those
   * of events that are read already.
   */
  after(
    scope: Scope,
    from: { readonly after: Uuid; readonly tenant: string | null },
    limit: number,
  ): Promise<StoredEvent[]>;
  /** Cancels a scheduled event. Has no effect if it was cancelled before. Throws 409 `event_already_fired`. */
  cancel(scope: Scope, id: string): Promise<void>;
}

export function createEventLog(db: Db): EventLog {
  return {
    async list(scope, query) {
      const asked = isOfTenant(scope) ? { ...query, tenant: scope.tenant } : query;
      const { limit, cursor, ...filters } = asked;
      const { status = "accepted", event, subject, tenant } = filters;
      if (status !== "accepted") return await pageOfScheduled(db.query, scope, asked);
      const filter = {
        event,
        subject,
        tenant,
        from: minUuidAt(filters.created_after, "created_after"),
        to: minUuidAt(filters.created_before, "created_before"),
      };
      return await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "events", filters],
          read: async (before, count) => await listEvents(db.query, scope, { ...filter, before }, count),
          view: stored,
        },
      );
    },
    async after(scope, { after, tenant }, limit) {
      const from = { after, tenant: isOfTenant(scope) ? scope.tenant : tenant };
      return (await eventsAfter(db.query, scope, from, limit)).map(stored);
    },
    async get(scope, id) {
      const uuid = ownUuid(scope, "evt", id);
      // An event that moves between two of the reads is found by the last one.
      const found =
        (await fired(db, scope, uuid)) ?? (await scheduled(db, scope, uuid)) ?? (await fired(db, scope, uuid));
      if (found === undefined || isHidden(scope, found)) throw new ServiceError("not_found");
      return found;
    },
    async cancel(scope, id) {
      const uuid = ownUuid(scope, "evt", id);
      if (await cancelScheduled(db.query, scope, [uuid])) return;
      if ((await scheduled(db, scope, uuid)) !== undefined) return;
      throw new ServiceError((await fired(db, scope, uuid)) === undefined ? "not_found" : "event_already_fired");
    },
  };
}

function isOfTenant(scope: Scope): scope is Scope & { readonly tenant: string } {
  return (scope.tenant ?? null) !== null;
}

/** Returns true if the caller's key is of another tenant than the event. Row-level security hides such events too. */
function isHidden(scope: Scope, { row }: StoredEvent): boolean {
  return isOfTenant(scope) && row.tenant !== scope.tenant;
}

async function fired({ query }: Db, scope: Scope, id: Uuid): Promise<StoredEvent | undefined> {
  const row = await findEvent(query, scope, id);
  return row && stored(row);
}

async function scheduled({ query }: Db, scope: Scope, id: Uuid): Promise<StoredEvent | undefined> {
  const row = await findScheduled(query, scope, id);
  return row && storedScheduled(row);
}
