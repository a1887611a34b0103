import type { Scope } from "../../accounts/accounts.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import { parseId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { ofTenant } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { endpointView } from "./endpoint-view.ts";
import type { EndpointView } from "./endpoint-view.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import type { EndpointRow } from "./endpoints.store.ts";

/** A part of a list whose newest objects come first: the objects before an id, or the ones right after it. */
export interface NewestFirst {
  readonly before?: Uuid | undefined;
  readonly after?: Uuid | undefined;
  readonly limit: number;
}

/** The endpoints of one tenant, by all of their names. */
export type EndpointSpans = ReturnType<typeof createEndpointSpans>;

export function createEndpointSpans(deps: Pick<EndpointsDeps, "db" | "clock" | "inboxes">) {
  const shown = async (scope: Scope, rows: readonly EndpointRow[]): Promise<EndpointView[]> =>
    (await deps.inboxes.current(rows)).map((row) => endpointView(scope, row, deps.clock.now()));
  return {
    /** Returns the id of a tenant's endpoint by its id, its `uid` or the id that it had elsewhere; undefined for none. */
    async named(scope: Scope, tenant: string, name: string): Promise<EndpointView | undefined> {
      const id = parseId(name)?.prefix === "ep" ? ownUuid(scope, "ep", name) : undefined;
      const rows = own(deps.db, scope, tenant);
      const found = await rows
        .where((eb) =>
          eb.or([
            eb("uid", "=", name),
            eb("external_ref", "=", name),
            ...(id === undefined ? [] : [eb("id", "=", id)]),
          ]),
        )
        .limit(2)
        .execute();
      // The caller's own id comes before one that another product gave.
      const chosen = found.find((row) => row.uid === name) ?? found[0];
      return chosen === undefined ? undefined : (await shown(scope, [chosen]))[0];
    },
    /** Returns the endpoints with these ids, deleted ones too, for the log. */
    async known(scope: Scope, ids: readonly Uuid[]): Promise<EndpointView[]> {
      if (ids.length === 0) return [];
      const rows = deps.db.query.selectFrom("endpoint").selectAll().$call(ofTenant(scope));
      return await shown(
        scope,
        await rows
          .where("id", "in", [...ids])
          .where("channel_id", "is", null)
          .execute(),
      );
    },
    async ofTenant(scope: Scope, tenant: string, { before, after, limit }: NewestFirst): Promise<EndpointView[]> {
      const rows = own(deps.db, scope, tenant).limit(limit);
      if (after !== undefined) {
        const later = await rows.where("id", ">", after).orderBy("id").execute();
        return await shown(scope, later.toReversed());
      }
      const older = before === undefined ? rows : rows.where("id", "<", before);
      return await shown(scope, await older.orderBy("id", "desc").execute());
    },
  };
}

function own({ query }: Db, scope: Scope, tenant: string) {
  return query
    .selectFrom("endpoint")
    .selectAll()
    .$call(ofTenant(scope))
    .where("tenant", "=", tenant)
    .where("channel_id", "is", null)
    .where("deleted_at", "is", null);
}
