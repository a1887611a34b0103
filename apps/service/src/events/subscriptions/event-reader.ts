import type { Db } from "../../platform/db/db.ts";
import { findEvents } from "../event/events.store.ts";
import { environmentOf, fromDate } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { Scope, Workspaces } from "../../accounts/accounts.ts";
import type { Event } from "../event/event.ts";
import type { DispatchDeps } from "./subscriber.ts";

/** Reads events of one bucket that this node did not accept itself. */
export function createEventReader({
  db,
  workspaces,
}: {
  readonly db: Db;
  readonly workspaces: Pick<Workspaces, "idOfTag">;
}): DispatchDeps["readEvents"] {
  return async (bucket, places) => {
    const events = await findEvents(db.query, bucket, places);
    const tags = [...new Set(events.map(({ tag }) => tag))];
    const scopes = new Map(
      await Promise.all(
        tags.map(async (tag): Promise<[Tag, Scope]> => {
          const workspaceId = await workspaces.idOfTag(tag);
          return [tag, { bucket, tag, workspaceId, environment: environmentOf(tag) }];
        }),
      ),
    );
    return new Map(
      events.flatMap((row): [Uuid, Event][] => {
        const scope = scopes.get(row.tag);
        if (scope === undefined) return [];
        const { id, name, canonical, data, subject, tenant, chain, traceparent, type_version: typeVersion } = row;
        const isInternal = row.internal;
        const facts = {
          scope,
          id,
          name,
          canonical,
          data,
          subject,
          tenant,
          isInternal,
          chain: chain ?? [],
          traceparent,
          typeVersion,
          // Its endpoints were selected when it was accepted.
          labels: null,
        };
        const occurredAt = fromDate(row.occurred_at);
        return [[id, { ...facts, occurredAt, schemaErrors: null, refusal: null, versionFault: false }]];
      }),
    );
  };
}
