import { openSecrets, rotateSecret, ServiceError, toDate } from "../../lib/lib.ts";
import type { Hidden, Instant, Uuid } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import { changeEndpoint, lockCreation } from "./endpoints.store.ts";
import type { EndpointChange, EndpointRow } from "./endpoints.store.ts";
import { holdSubscription } from "./subscriptions.store.ts";
import { secretPlace } from "./targets.ts";

/** The client that subscribes, and the settings that only its endpoint has. */
export interface Subscriber {
  readonly keyId: Uuid;
  readonly lineageId: Uuid;
  /** The client's own signing secret. */
  readonly secret: Hidden;
  readonly endsAt: Instant;
  /** Set for a subscription that the client knows by an id of its own. The same id again is the same endpoint. */
  readonly client?: ClientSubscription;
  /** Runs in the transaction that creates or changes the endpoint. */
  record(tx: Tx, subscribed: { readonly id: Uuid; readonly change: "created" | "refreshed" | "rotated" }): void;
}

export interface ClientSubscription {
  readonly id: string;
  /** Canonical JSON text. */
  readonly arguments: string;
  readonly verifiedAt: Instant;
}

const OVERLAP_SECONDS = 86_400;

/**
 * Extends an open subscription with the same id, and takes its new secret; the one before signs for a day. Undefined if there is none:
 * then no other transaction creates it before this one ends.
 */
export async function refreshSubscription(
  { sealer, clock, wakeAll }: Pick<EndpointsDeps, "sealer" | "clock" | "wakeAll">,
  tx: Tx,
  { scope, subscriber }: { readonly scope: Scope; readonly subscriber: Subscriber },
): Promise<EndpointRow | undefined> {
  const { client, secret } = subscriber;
  if (client === undefined) return undefined;
  await lockCreation(tx, scope);
  const held = await holdSubscription(tx, scope, client.id);
  if (held === undefined) return undefined;
  if (isPaused(held)) throw paused();
  const now = clock.now();
  const isSame = openSecrets(sealer, secretPlace(held.id), held, now).secret.reveal() === secret.reveal();
  const change: EndpointChange = {
    subscriber_key_id: subscriber.keyId,
    ends_at: toDate(subscriber.endsAt),
    callback_verified_at: toDate(client.verifiedAt),
    // The client is there again.
    ...(held.active ? {} : { active: true, disabled_reason: null, failing_since: null, inactive_since: null }),
    ...(isSame
      ? {}
      : rotateSecret(sealer, secretPlace(held.id), held.secret_sealed, {
          secret,
          now,
          overlapSeconds: OVERLAP_SECONDS,
        })),
  };
  subscriber.record(tx, { id: held.id, change: isSame ? "refreshed" : "rotated" });
  tx.onCommit(wakeAll);
  return await changeEndpoint(tx.query, scope, held.id, change);
}

/** Returns true if a person disabled the endpoint. What the service disabled after failures, its client enables again. */
export function isPaused({ active, disabled_reason: reason }: EndpointRow): boolean {
  return !active && reason === null;
}

/** The reason of the refusal for a subscription that a person disabled, and its words. */
export const PAUSED = "subscription_paused";
export const PAUSED_WORDS =
  "A person of the workspace has disabled this subscription. Only a person can enable it again.";

function paused(): ServiceError {
  return new ServiceError("conflict", { detail: PAUSED_WORDS, extra: { reason: PAUSED } });
}

/** The settings that people may change of a client's subscription. Its client has chosen the others, and its id stands for them. */
const OPEN_TO_PEOPLE: ReadonlySet<string> = new Set(["active", "description"]);

/** Throws 409 for a change of a setting that the client of a subscription has chosen. */
export function assertClientAgrees({ subscription_id: id }: EndpointRow, change: object): void {
  const changed = Object.entries(change).filter(([name, value]) => value !== undefined && !OPEN_TO_PEOPLE.has(name));
  if (id === null || changed.length === 0) return;
  throw new ServiceError("conflict", {
    detail: "An AI client chose the settings of its subscription. Disable or delete the endpoint instead.",
  });
}
