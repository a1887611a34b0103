import type { Db } from "../../platform/db/db.ts";
import { environmentOf, fromDate } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { Scope, Workspaces } from "../../accounts/accounts.ts";
import type { Event } from "./event.ts";
import { findEvents } from "./events.store.ts";
import type { EventRow } from "./events.store.ts";

export interface EventReaderDeps {
  readonly db: Db;
  readonly workspaces: Pick<Workspaces, "idOfTag">;
}

/** Reads events of one bucket that this node did not accept itself. A deleted event is missing from the result. */
export type EventReader = (
  bucket: number,
  places: readonly { readonly tag: Tag; readonly id: Uuid }[],
) => Promise<ReadonlyMap<Uuid, Event>>;

export function createEventReader({ db, workspaces }: EventReaderDeps): EventReader {
  return async (bucket, places) => {
    const rows = await findEvents(db.query, bucket, places);
    const tags = [...new Set(rows.map((row) => row.tag))];
    const scopes = await Promise.all(
      tags.map(async (tag): Promise<[Tag, Scope]> => {
        const workspaceId = await workspaces.idOfTag(tag);
        return [tag, { bucket, tag, workspaceId, environment: environmentOf(tag) }];
      }),
    );
    const scopeOfTag = new Map(scopes);
    return new Map(
      rows.flatMap((row): [Uuid, Event][] => {
        const scope = scopeOfTag.get(row.tag);
        return scope === undefined ? [] : [[row.id, eventOfRow(scope, row)]];
      }),
    );
  };
}

function eventOfRow(scope: Scope, row: EventRow): Event {
  const { id, name, canonical, data, subject, tenant, traceparent } = row;
  return {
    scope,
    id,
    name,
    canonical,
    data,
    occurredAt: fromDate(row.occurred_at),
    subject,
    tenant,
    isInternal: row.internal,
    chain: row.chain ?? [],
    traceparent,
    typeVersion: row.type_version,
    // Its endpoints were selected when it was accepted.
    labels: null,
    schemaErrors: null,
    refusal: null,
    versionFault: false,
  };
}
