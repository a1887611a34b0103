import { assertAllowed, operation } from "../../access/access.ts";
import type { AccessChecks } from "../../access/access.ts";
import { readers, scopeOf } from "../../accounts/accounts.ts";
import type { Admitted, ApiKey, AuditNote, Scope } from "../../accounts/accounts.ts";
import { after, parseId, wireId } from "../../lib/lib.ts";
import type { Clock, Hidden, Instant } from "../../lib/lib.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { assertMaySubscribe, endOf } from "../../webhooks/webhooks.ts";
import type { Endpoints, EndReason, SubscriptionRow } from "../../webhooks/webhooks.ts";
import type { EventSelection } from "./event-feed.ts";

/** Requests with a filter also do this. */
export const FILTER = operation({ name: "webhook_endpoints.filter.preview", access: "read", callers: readers });

export interface SubscriptionView {
  readonly subscriptionId: string;
  readonly endsAt: Instant;
}

export interface SubscriptionInput {
  readonly selection: EventSelection;
  readonly url: string;
  readonly secret: Hidden;
  readonly seconds: number;
  readonly client: string | null;
}

export type EventSubscriptions = ReturnType<typeof createEventSubscriptions>;

export interface EventSubscriptionsDeps {
  readonly clock: Clock;
  readonly accessChecks: Pick<AccessChecks, "at">;
  readonly db: Db;
  readonly endpoints: Pick<Endpoints, "subscribe" | "subscriptions" | "isSubscriptionOf" | "unsubscribe">;
  readonly note: (tx: Tx, scope: Scope, note: AuditNote) => void;
}

export function createEventSubscriptions(deps: EventSubscriptionsDeps) {
  const { db, clock, endpoints, note } = deps;
  return {
    /** Throws 403 `scope_missing`, 422 `url_blocked` and `validation_failed`, and 409 `conflict`. */
    async create(
      caller: Admitted,
      { selection, url, secret, seconds, client }: SubscriptionInput,
    ): Promise<SubscriptionView> {
      const { key, scope } = caller;
      assertMaySubscribe(key);
      if (selection.filter !== null) assertAllowed({ ...key, scopes: null }, FILTER);
      const wanted = after(clock.now(), seconds * 1000);
      const endsAt = key.expiresAt !== null && key.expiresAt < wanted ? key.expiresAt : wanted;
      const { patterns, filter, tenant } = selection;
      const input = { url, events: [...patterns], filter, tenant, description: descriptionOf(key, client) };
      const made = await endpoints.subscribe(scope, input, {
        keyId: key.id,
        lineageId: key.lineageId,
        secret,
        endsAt,
        record: (tx, { id }) => {
          // The path of the address may contain a credential.
          const parameters = { id: wireId("ep", scope.tag, id), events: patterns, host: new URL(url).host, client };
          note(tx, scope, { ...noteOf(caller), action: "event_subscriptions.create", parameters });
        },
      });
      return { subscriptionId: made.id, endsAt };
    },
    /** Returns false for an unknown subscription and for that of another caller. */
    async end(caller: Admitted, id: string): Promise<boolean> {
      const { key, scope } = caller;
      const parsed = parseId(id);
      if (parsed?.prefix !== "ep" || parsed.tag !== scope.tag) return false;
      if (!(await endpoints.isSubscriptionOf(scope, parsed.uuid, key.id))) return false;
      return await endpoints.unsubscribe(scope, parsed.uuid, (tx) =>
        note(tx, scope, { ...noteOf(caller), action: "event_subscriptions.end", parameters: { id } }),
      );
    },
    /** Ends the subscriptions whose time is over, and those whose client may no longer read events or subscribe. */
    async sweep(): Promise<void> {
      for (const row of await endpoints.subscriptions()) {
        const reason = await endOf(db, row, clock.now());
        if (reason !== undefined) await endFor(deps, row, reason);
      }
    },
    /** Returns the number of subscriptions that have not ended. */
    count: async (): Promise<number> => (await endpoints.subscriptions()).length,
  };
}

async function endFor(
  { accessChecks, endpoints, note }: EventSubscriptionsDeps,
  row: SubscriptionRow,
  reason: EndReason,
) {
  const scope = scopeOf(row.workspace_id, row.tag);
  const parameters = { id: wireId("ep", row.tag, row.id), reason };
  const actor = {
    id: wireId("key", row.tag, row.subscriber_key_id),
    display: "An AI client",
    ip: null,
    requestId: null,
  };
  await accessChecks.at(scope, async () => {
    await endpoints.unsubscribe(scope, row.id, (tx) =>
      note(tx, scope, { subject: "endpoint", action: "event_subscriptions.end", actor, parameters }),
    );
  });
}

export function noteOf({ key, scope, ip, requestId }: Admitted): Pick<AuditNote, "subject" | "actor"> {
  const id = wireId("key", scope.tag, key.id);
  return { subject: "endpoint", actor: { id, display: key.display, ip, requestId } };
}

/** The list of endpoints shows it, so that people see who made the endpoint. */
export function descriptionOf(key: ApiKey, client: string | null): string {
  const by = client === null || client === key.display ? "" : `, which calls itself ${client}`;
  return `Subscription of the AI client ${key.display}${by}. It ends by itself.`.slice(0, 200).toWellFormed();
}
