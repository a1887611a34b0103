import { assertAllowed, operation } from "../../access/access.ts";
import { readers, readStanding, writers } from "../../accounts/accounts.ts";
import type { Standing } from "../../accounts/accounts.ts";
import { fromDate, ServiceError } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { SubscriptionRow } from "./subscriptions.store.ts";

/**
 * The webhook subscriptions of AI clients (contract, sections 11 and 17). Such a client chooses where data of the workspace is sent, so
 * that a person must have granted the scope by name: a key with all scopes does not have it.
 */
export const SUBSCRIBE_SCOPE = "event_subscriptions:write";

export const SUBSCRIBE = operation({
  name: "event_subscriptions.create",
  access: "write",
  callers: readers,
  does: ["webhook_endpoints.create"],
});
const READ = operation({ name: "events.list", access: "read", callers: readers });

type Rights = Pick<Standing, "permissionMode" | "blockedActions" | "role" | "scopes" | "grantedRole">;

/** Throws 403 unless a person granted the scope by name, and the key may read events. */
export function assertMaySubscribe(key: Rights): void {
  assertAllowed(key, READ);
  assertAllowed(key, SUBSCRIBE);
  if (key.scopes?.includes(SUBSCRIBE_SCOPE) !== true)
    throw new ServiceError("scope_missing", {
      detail: `events/subscribe requires the scope ${SUBSCRIBE_SCOPE}, which the key must name.`,
    });
  // The rule of webhook endpoints. A connected app has no more rights than its member now. The key of an AI without a member has its
  // right from the person who named the scope.
  const role = key.grantedRole ?? key.role;
  if (role !== "ai" && !writers.roles.includes(role))
    throw new ServiceError("role_not_allowed", {
      detail: `events/subscribe creates a webhook endpoint: the key, or the member who connected the app, must have one of the roles ${writers.roles.join(", ")}.`,
    });
}

export type EndReason = "expired" | "key_ended" | "right_lost";

type Subscription = Pick<SubscriptionRow, "workspace_id" | "subscriber_key_id" | "subscriber_lineage_id" | "ends_at">;

/** Returns why a subscription has ended; undefined if it has not. Rights are read from the database each time. */
export async function endOf(db: Db, row: Subscription, now: Instant): Promise<EndReason | undefined> {
  if (fromDate(row.ends_at) <= now) return "expired";
  const id = row.subscriber_lineage_id ?? row.subscriber_key_id;
  const standing = await readStanding(db, row.workspace_id, { kind: "key", id });
  if (standing === undefined || standing.revokedAt !== null) return "key_ended";
  if (standing.expiresAt !== null && standing.expiresAt <= now) return "key_ended";
  try {
    assertMaySubscribe(standing);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return "right_lost";
    throw error;
  }
}
