import type { Db } from "../../platform/db/db.ts";
import { minUuidAt, paginate, ServiceError } from "../../lib/lib.ts";
import type { Page, Uuid } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { cancelScheduled, findScheduled } from "../scheduled/scheduled.store.ts";
import { pageOfScheduled, storedScheduled } from "../scheduled/scheduled.ts";
import { eventsOfTenant, findEvent, findEvents, listEvents, unreadHeads } from "../event/events.store.ts";
import type { EventSpan, UnreadHeads, UnreadQuery } from "../event/events.store.ts";
import { labelsOfRow } from "../event/labels.ts";
import { eventsOfUids, labelsOf } from "../event/labels.store.ts";
import { stored } from "../event/stored-event.ts";
import type { EventQuery, StoredEvent } from "../event/stored-event.ts";
import type { EventLabels } from "../event/event.ts";

export type EventLog = ReturnType<typeof createEventLog>;

/** The events that were fired, that are scheduled, and that were cancelled. */
export function createEventLog(db: Db) {
  return {
    async list(scope: Scope, query: EventQuery): Promise<Page<StoredEvent>> {
      const asked = isOfTenant(scope) ? { ...query, tenant: scope.tenant } : query;
      const { limit, cursor, ...filters } = asked;
      const { status = "accepted", event, subject, tenant } = filters;
      if (status !== "accepted") return await labelled(db, scope, await pageOfScheduled(db.query, scope, asked));
      const filter = {
        event,
        subject,
        tenant,
        withoutInternal: isOfTenant(scope),
        from: minUuidAt(filters.created_after, "created_after"),
        to: minUuidAt(filters.created_before, "created_before"),
      };
      const page = await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "events", filters],
          read: async (before, count) => await listEvents(db.query, scope, { ...filter, before }, count),
          view: stored,
        },
      );
      return await labelled(db, scope, page);
    },
    /** Returns the id of the event with this id of its caller; undefined for none. */
    idOfUid: async (scope: Scope, tenant: string | null, uid: string): Promise<Uuid | undefined> =>
      (await eventsOfUids(db.query, scope, [{ tenant, uid }]))[0],
    /**
     * Returns events of a tenant or of all that a reader has not read, without their data, in the order of their ids. One that is being
     * committed can get an id before those of events that are read already.
     */
    unread: async (scope: Scope, query: UnreadQuery): Promise<UnreadHeads> =>
      await unreadHeads(db.query, scope, { ...query, tenant: isOfTenant(scope) ? scope.tenant : query.tenant }),
    /** Returns these events of the workspace that still exist, with their labels. */
    async byId(scope: Scope, ids: readonly Uuid[]): Promise<StoredEvent[]> {
      const places = ids.map((id) => ({ tag: scope.tag, id }));
      const found = (await findEvents(db.query, scope.bucket, places)).map(stored);
      return await withLabels(
        db,
        scope,
        found.filter((one) => !isHidden(scope, one)),
      );
    },
    /** Returns the labels of the events that have some. */
    labels: async (scope: Scope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, EventLabels>> =>
      await labelsOf(db.query, scope, ids),
    /** Returns a part of the events of a tenant, newest first. */
    ofTenant: async (scope: Scope, span: EventSpan): Promise<StoredEvent[]> =>
      await withLabels(db, scope, (await eventsOfTenant(db.query, scope, span)).map(stored)),
    async get(scope: Scope, id: string): Promise<StoredEvent> {
      const uuid = ownUuid(scope, "evt", id);
      // An event that moves between two of the reads is found by the last one.
      const found =
        (await fired(db, scope, uuid)) ?? (await scheduled(db, scope, uuid)) ?? (await fired(db, scope, uuid));
      if (found === undefined || isHidden(scope, found)) throw new ServiceError("not_found");
      const labels = await labelsOf(db.query, scope, [uuid]);
      return { ...found, labels: labelsOfRow(labels.get(uuid)) };
    },
    /** Cancels a scheduled event. Has no effect if it was cancelled before. Throws 409 `event_already_fired`. */
    async cancel(scope: Scope, id: string): Promise<void> {
      const uuid = ownUuid(scope, "evt", id);
      if (await cancelScheduled(db.query, scope, [uuid])) return;
      if ((await scheduled(db, scope, uuid)) !== undefined) return;
      throw new ServiceError((await fired(db, scope, uuid)) === undefined ? "not_found" : "event_already_fired");
    },
  };
}

/** Adds the labels of the events of a page. */
async function labelled(db: Db, scope: Scope, page: Page<StoredEvent>): Promise<Page<StoredEvent>> {
  return { ...page, data: await withLabels(db, scope, page.data) };
}

async function withLabels({ query }: Db, scope: Scope, events: readonly StoredEvent[]): Promise<StoredEvent[]> {
  const labels = await labelsOf(
    query,
    scope,
    events.map(({ id }) => id),
  );
  return events.map((one) => ({ ...one, labels: labelsOfRow(labels.get(one.id)) }));
}

function isOfTenant(scope: Scope): scope is Scope & { readonly tenant: string } {
  return (scope.tenant ?? null) !== null;
}

/** Returns true if the caller's key is of a tenant that does not see the event. Row-level security hides such events too. */
function isHidden(scope: Scope, { row }: StoredEvent): boolean {
  return isOfTenant(scope) && (row.tenant !== scope.tenant || row.internal === true);
}

async function fired({ query }: Db, scope: Scope, id: Uuid): Promise<StoredEvent | undefined> {
  const row = await findEvent(query, scope, id);
  return row && stored(row);
}

async function scheduled({ query }: Db, scope: Scope, id: Uuid): Promise<StoredEvent | undefined> {
  const row = await findScheduled(query, scope, id);
  return row && storedScheduled(row);
}
