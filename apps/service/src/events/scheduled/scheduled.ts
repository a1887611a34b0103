import type { Contacts, PersonalData } from "../../contacts/contacts.ts";
import type { Db, Query, Tx } from "../../platform/db/db.ts";
import {
  fromDate,
  paginate,
  parseJson,
  parseTimestamp,
  ServiceError,
  sha256,
  toRfc3339,
  uuidFrom,
  uuidTime,
  wireId,
} from "../../lib/lib.ts";
import type { IdMaker, Instant, Page, Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { isCanonical } from "../catalogue/catalogue.ts";
import { MAX_DAYS_AHEAD } from "../event/event.ts";
import type { EventDraft } from "../event/event.ts";
import type { FiredEvent } from "../event/fired-event.ts";
import type { EventQuery, StoredEvent } from "../event/stored-event.ts";
import { deleteScheduled, listScheduled } from "./scheduled.store.ts";
import type { ScheduledEvent, ScheduledRow } from "./scheduled.store.ts";

const DAY_MS = 86_400_000;

/**
 * Reads `deliver_at`. A time that has passed is undefined: such an event is fired at once, so that a call that is repeated
 * after an outage is not lost. Throws 422.
 */
export function deliverAtOf(text: string | undefined, pointer: string, now: Instant): Instant | undefined {
  const at = parseTimestamp(text, pointer);
  if (at === undefined || at <= now) return undefined;
  if (at <= now + MAX_DAYS_AHEAD * DAY_MS) return at;
  const message = `must be at most ${MAX_DAYS_AHEAD} days in the future`;
  throw new ServiceError("validation_failed", { errors: [{ pointer, code: "future", message }] });
}

/** Divides the events of a request into those to fire now and those to fire later. */
export function divided(
  { ids }: { readonly ids: IdMaker },
  drafts: readonly EventDraft[],
): { readonly now: readonly EventDraft[]; readonly later: readonly ScheduledEvent[] } {
  if (drafts.every(({ deliverAt }) => deliverAt === undefined)) return { now: drafts, later: [] };
  return {
    now: drafts.filter(({ deliverAt }) => deliverAt === undefined),
    later: drafts.flatMap((draft, position): ScheduledEvent[] => {
      const { deliverAt } = draft;
      return deliverAt === undefined
        ? []
        : [{ draft, deliverAt, position, id: uuidFrom(deliverAt, sha256(ids.uuid())) }];
    }),
  };
}

/** Returns a scheduled event in the form that its caller receives. */
export function scheduledView({ draft, id, deliverAt }: ScheduledEvent): FiredEvent {
  return {
    id: wireId("evt", draft.scope.tag, id),
    object: "event",
    event: draft.name,
    canonical: isCanonical(draft.name),
    occurred_at: toRfc3339(draft.occurredAt ?? deliverAt),
    ...(draft.tenant != null && { tenant: draft.tenant }),
    status: "scheduled",
    deliver_at: toRfc3339(deliverAt),
    subscribers: [],
    deliveries: [],
  };
}

export function storedScheduled(row: ScheduledRow): StoredEvent {
  const deliverAt = uuidTime(row.id);
  return {
    id: row.id,
    row: { ...row, canonical: isCanonical(row.name), schema_errors: null },
    occurredAt: toRfc3339(row.occurred_at === null ? deliverAt : fromDate(row.occurred_at)),
    createdAt: toRfc3339(fromDate(row.accepted_at)),
    status: row.due_at === null ? "cancelled" : "scheduled",
    deliverAt: toRfc3339(deliverAt),
  };
}

/** Returns the events that wait for their time, or those that were cancelled. */
export async function pageOfScheduled(
  query: Query,
  scope: Scope,
  { limit, cursor, ...filters }: EventQuery,
): Promise<Page<StoredEvent>> {
  const filter = {
    isCancelled: filters.status === "cancelled",
    event: filters.event,
    subject: filters.subject,
    tenant: filters.tenant,
    acceptedFrom: parseTimestamp(filters.created_after, "created_after"),
    acceptedBefore: parseTimestamp(filters.created_before, "created_before"),
  };
  return await paginate(
    { limit, cursor },
    {
      binding: [scope.tag, "events", filters],
      read: async (before, count) => await listScheduled(query, scope, { ...filter, before }, count),
      view: storedScheduled,
    },
  );
}

const STEP = 500;

/** Exports and erases the scheduled events about a contact. */
export function personalScheduled({ db, contacts }: PersonalDeps): PersonalData {
  return {
    name: "scheduled_events",
    async *read(scope, contactIds) {
      for await (const rows of aboutContacts({ on: db, contacts, scope, contactIds })) {
        for (const row of rows) yield exported(row);
      }
    },
    async erase(tx, scope, contactIds) {
      for await (const rows of aboutContacts({ on: tx, contacts, scope, contactIds })) {
        const ids = rows.map(({ id }) => id);
        if (ids.length > 0) await deleteScheduled(tx.query, scope, ids);
      }
    },
  };
}

interface PersonalDeps {
  readonly db: Db;
  readonly contacts: Pick<Contacts, "reacting">;
}

function exported(row: ScheduledRow): object {
  const { row: one, status, deliverAt, createdAt } = storedScheduled(row);
  const head = {
    id: wireId("evt", one.tag, one.id),
    event: one.name,
    status,
    deliver_at: deliverAt,
    created_at: createdAt,
  };
  return { ...head, data: parseJson(one.data) as object };
}

interface About {
  readonly on: Db | Tx;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly scope: Scope;
  readonly contactIds: readonly Uuid[];
}

/** Reads all scheduled events of the tenant, because a contact is known only from their data. */
async function* aboutContacts({ on, contacts, scope, contactIds }: About): AsyncGenerator<readonly ScheduledRow[]> {
  for (let before: Uuid | undefined; ;) {
    const rows = await listScheduled(on.query, scope, { before }, STEP);
    if (rows.length === 0) return;
    const found = await contacts.reacting.findAll(
      on,
      rows.map(({ data }) => ({ scope, data })),
    );
    yield rows.filter((_row, at) => contactIds.some((id) => id === found[at]?.id));
    before = rows.at(-1)?.id;
  }
}
