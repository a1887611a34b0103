import type { Db, Query, Tx } from "../../platform/db/db.ts";
import { orNotFound } from "../../lib/lib.ts";
import type { Clock, IdMaker, Sealer, TenantKey, Uuid } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Events, EventTypes } from "../../events/events.ts";
import type { EndIssues } from "../../issues/issues.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { changeEndpoint, findEndpoint, holdEndpoint } from "./endpoints.store.ts";
import type { EndpointChange, EndpointRow } from "./endpoints.store.ts";
import type { SecretFor } from "../requests/endpoint-auth.ts";
import type { EndpointStatistics } from "./endpoint-stats.ts";
import type { Lanes } from "./ordering.ts";
import type { OwnInboxes } from "./own-inboxes.ts";
import type { RetrySchedule } from "./own-schedule.ts";
import type { EndpointView } from "./endpoint-view.ts";
import { wakePulls } from "./pull-log.store.ts";
import type { TransformRunner } from "../transforms/run-transform.ts";

export type WithSecret = EndpointView & { readonly secret: string };

export interface EndpointsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly wakeAll: () => void;
  /** Cancels the pending deliveries of an endpoint. Returns true if any is left, because its result is being written. */
  readonly cancelPending: (query: Query, place: TenantKey, id: Uuid) => Promise<boolean>;
  readonly lanes: Pick<Lanes, "unblocked">;
  readonly statistics: EndpointStatistics;
  readonly inboxes: OwnInboxes;
  readonly events: Pick<Events, "get" | "list">;
  readonly runner: TransformRunner;
  readonly retentionDays: number;
  readonly secretFor: SecretFor;
  /** The waits of endpoints without their own. */
  readonly retrySchedule: RetrySchedule;
  /** Returns those of the names that are not of types that the workspace shows to its customers. */
  readonly hiddenTypes: EventTypes["hidden"];
  /** Ends the issues of an endpoint that is deleted in this transaction. */
  readonly issuesEnded: EndIssues;
}

/** Returns the endpoint with an own id, at its current address. Throws the 404 and 403 errors of ids. */
export async function existingEndpoint(
  deps: Pick<EndpointsDeps, "db" | "inboxes">,
  scope: Scope,
  id: string,
): Promise<EndpointRow> {
  const row = await storedEndpoint(deps, scope, id);
  const [current = row] = await deps.inboxes.current([row]);
  return current;
}

/** Returns the same endpoint with its stored address. */
export async function storedEndpoint(
  { db }: Pick<EndpointsDeps, "db">,
  scope: Scope,
  id: string,
): Promise<EndpointRow> {
  return orNotFound(await findEndpoint(db.query, scope, ownUuid(scope, "ep", id)));
}

/**
 * Changes an endpoint. `by` receives the locked row, so that another change cannot interfere. If `assert` throws, nothing
 * is changed.
 */
export async function changeExisting(
  deps: Pick<EndpointsDeps, "db" | "wakeAll" | "inboxes">,
  { scope, id }: { scope: Scope; id: string },
  by: (held: EndpointRow) => EndpointChange,
  assert?: (tx: Tx, changed: EndpointRow, held: EndpointRow) => Promise<void>,
): Promise<EndpointRow> {
  const changed = await deps.db.transaction(async (tx) => {
    const uuid = ownUuid(scope, "ep", id);
    const held = orNotFound(await holdEndpoint(tx, scope, uuid));
    const row = orNotFound(await changeEndpoint(tx.query, scope, uuid, by(held)));
    await assert?.(tx, row, held);
    if (held.active && !row.active && row.kind === "pull") await wakePulls(tx, row.id);
    // Deliveries that waited for the endpoint may be due now.
    tx.onCommit(deps.wakeAll);
    return row;
  });
  const [current = changed] = await deps.inboxes.current([changed]);
  return current;
}
