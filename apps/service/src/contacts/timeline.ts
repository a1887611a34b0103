import type { Db, Query, Tx } from "../platform/db/db.ts";
import { happenedAt, minUuidAt, paginate, toDate } from "../lib/lib.ts";
import type { Clock, IdMaker, Page, Uuid, t } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import { ACTIVITY_KINDS, insertActivity, readTimeline } from "./activity.store.ts";
import type { ActivityRow } from "./activity.store.ts";
import { findLiving, holdLiving } from "./claim.ts";
import { countActivity, mergedInto } from "./contact.store.ts";
import { FIRST, LAST, positionOf } from "./position.ts";
import { activityView } from "./contact-views.ts";
import type { ActivityView } from "./contact-views.ts";
import type * as shapes from "./contacts.schemas.ts";

export type NoteInput = Omit<t.Static<typeof shapes.ActivityBody>, "value"> & {
  /** The text of a JSON number. */
  readonly value?: string | null;
};

export type TimelineQuery = t.Static<typeof shapes.ActivityListQuery>;

export type Timeline = ReturnType<typeof createTimeline>;

export interface TimelineDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
}

const EXPORT_PAGE = 500;

export function createTimeline(deps: TimelineDeps) {
  const { db } = deps;
  return {
    /**
     * Returns activities by when they happened, latest first. Activities of the same time are in the order of their ids.
     */
    async list(scope: Scope, contactId: string, query: TimelineQuery): Promise<Page<ActivityView>> {
      const { limit, cursor, ...filters } = query;
      const contact = await findLiving(db.query, scope, ownUuid(scope, "con", contactId));
      const contactIds = [contact.id, ...(await mergedInto(db.query, scope, contact.id))];
      const kinds = filters.kind === undefined ? ACTIVITY_KINDS : [filters.kind];
      const from = minUuidAt(filters.occurred_after, "occurred_after") ?? FIRST;
      return await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "activities", contact.id, filters],
          async read(last, count) {
            const to = earlier(last, minUuidAt(filters.occurred_before, "occurred_before"));
            const rows = await readTimeline(db.query, scope, contactIds, { filter: { kinds, from, to }, limit: count });
            return rows.map((row) => ({ id: row.position, row }));
          },
          view: ({ row }) => activityView(scope, row, contact.id),
        },
      );
    },
    add: async (scope: Scope, contactId: string, note: NoteInput): Promise<ActivityView> =>
      await db.transaction(async (tx) => await add(deps, tx, scope, { contactId, note })),
    /** Adds a note in the caller's transaction. */
    addWithin: async (
      tx: Tx,
      scope: Scope,
      activity: { readonly contactId: string; readonly note: NoteInput },
    ): Promise<ActivityView> => await add(deps, tx, scope, activity),
  };
}

function earlier(cursor: Uuid | undefined, bound: Uuid | undefined): Uuid {
  return [cursor, bound].filter((one) => one !== undefined).toSorted()[0] ?? LAST;
}

async function add(
  deps: TimelineDeps,
  tx: Tx,
  scope: Scope,
  { contactId, note }: { readonly contactId: string; readonly note: NoteInput },
): Promise<ActivityView> {
  const uuid = ownUuid(scope, "con", contactId);
  const id = deps.ids.uuid();
  const now = deps.clock.now();
  const occurredAt = happenedAt(note.occurred_at, "/occurred_at", now) ?? now;
  const scoreDelta = String(note.score_delta ?? 0);
  const contact = await holdLiving(tx, scope, uuid);
  const row: ActivityRow = {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    contact_id: contact.id,
    kind: "note",
    event_type: note.event_type ?? "note",
    summary: note.summary,
    value: note.value ?? null,
    score_delta: scoreDelta,
    occurred_at: toDate(occurredAt),
    position: positionOf(occurredAt, id),
    receipt_id: null,
  };
  await insertActivity(tx, row);
  await countActivity(tx, scope, contact.id, { scoreDelta, occurredAt: row.occurred_at });
  return activityView(scope, row, contact.id);
}

/** Returns every activity of a contact, page by page, so that they are never all in memory. */
export async function* allActivities(
  query: Query,
  scope: Scope,
  contactIds: readonly [Uuid, ...Uuid[]],
): AsyncGenerator<ActivityView> {
  for (let to: Uuid | undefined = LAST; to !== undefined;) {
    const filter = { kinds: ACTIVITY_KINDS, from: FIRST, to };
    const rows: ActivityRow[] = await readTimeline(query, scope, contactIds, { filter, limit: EXPORT_PAGE });
    for (const row of rows) yield activityView(scope, row, contactIds[0]);
    to = rows.length < EXPORT_PAGE ? undefined : rows.at(-1)?.position;
  }
}
