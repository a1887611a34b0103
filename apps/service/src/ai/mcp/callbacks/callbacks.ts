import { createHash } from "node:crypto";
import { assertAllowed } from "../../../access/access.ts";
import type { Admitted, AuditNote, Scope } from "../../../accounts/accounts.ts";
import type { EventTypes } from "../../../events/events.ts";
import { after, fromDate, ServiceError, wireId } from "../../../lib/lib.ts";
import type { Clock, Hidden, Instant } from "../../../lib/lib.ts";
import type { Tx } from "../../../platform/db/db.ts";
import type { Net } from "../../../platform/outbound-http/outbound-http.ts";
import {
  assertMaySubscribe,
  isPaused,
  MOST_CLIENT_SUBSCRIPTIONS,
  PAUSED,
  PAUSED_WORDS,
} from "../../../webhooks/webhooks.ts";
import type { Endpoints, OwnInboxes } from "../../../webhooks/webhooks.ts";
import { descriptionOf, FILTER, noteOf } from "../subscriptions.ts";
import { canonicalArguments, conditionOf } from "./event-arguments.ts";
import type { WrittenArguments } from "./event-arguments.ts";
import { verifyCallback } from "./challenge.ts";
import { forbidden, tooMany, unknownEvent } from "./refusals.ts";

/** The members that identify a subscription for its client. */
export interface CallbackKey {
  readonly name: string;
  readonly arguments: WrittenArguments;
  readonly url: string;
}

export interface CallbackInput extends CallbackKey {
  readonly secret: Hidden;
  readonly ttlMs: number;
  readonly client: string | null;
}

export interface CallbackView {
  readonly id: string;
  readonly refreshBefore: Instant;
}

/** The subscriptions of AI clients in the dialect of SEP-3415 (contract, section 17). */
export type Callbacks = ReturnType<typeof createCallbacks>;

export interface CallbacksDeps {
  readonly clock: Clock;
  readonly net: Pick<Net, "vet" | "post">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly types: Pick<EventTypes, "described">;
  readonly endpoints: Pick<Endpoints, "subscribe" | "subscriptionsOfClient" | "lastVerified" | "unsubscribe">;
  readonly note: (tx: Tx, scope: Scope, note: AuditNote) => void;
}

/** A receiver that repeated a challenge is not challenged again for a day. */
const VERIFIED_MS = 86_400_000;

export function createCallbacks(deps: CallbacksDeps) {
  const { endpoints, note } = deps;
  return {
    /**
     * Creates a subscription, or refreshes the one with the same event, arguments and URL. Throws 403, 422, and the refusals of the
     * protocol; then nothing is stored.
     */
    async subscribe(caller: Admitted, input: CallbackInput): Promise<CallbackView> {
      const { key, scope } = caller;
      assertMaySubscribe(key);
      const filter = conditionOf(await typeNamed(deps, scope, input.name), input.arguments);
      if (input.arguments.values["filter"] !== undefined) assertAllowed({ ...key, scopes: null }, FILTER);
      const callback = { ...input, url: await deps.inboxes.addressOf(scope, input.url) };
      const id = subscriptionIdOf(caller, input);
      const verifiedAt = await verified(deps, caller, { id, ...callback });
      const refreshBefore = endOf(caller, after(deps.clock.now(), input.ttlMs));
      const { url, name, client } = input;
      await inWordsOfProtocol(
        endpoints.subscribe(
          scope,
          { url, events: [name], filter, wire: "mcp", description: descriptionOf(key, client) },
          {
            keyId: key.id,
            lineageId: key.lineageId,
            secret: input.secret,
            endsAt: refreshBefore,
            client: { id, arguments: canonicalArguments(input.arguments), verifiedAt },
            record: (tx, subscribed) => {
              // The path of the address may contain a credential.
              const parameters = {
                id: wireId("ep", scope.tag, subscribed.id),
                subscription_id: id,
                events: [name],
                host: new URL(url).host,
                client,
                change: subscribed.change,
              };
              note(tx, scope, { ...noteOf(caller), action: "event_subscriptions.create", parameters });
            },
          },
        ),
      );
      return { id, refreshBefore };
    },
    /** Ends a subscription of the caller. Has no effect if there is none. */
    async unsubscribe(caller: Admitted, wanted: CallbackKey): Promise<void> {
      const { key, scope } = caller;
      const id = subscriptionIdOf(caller, wanted);
      const open = await endpoints.subscriptionsOfClient(scope, key.lineageId);
      const found = open.find((one) => one.subscription_id === id);
      if (found === undefined) return;
      const parameters = { id: wireId("ep", scope.tag, found.id), subscription_id: id };
      await endpoints.unsubscribe(scope, found.id, (tx) =>
        note(tx, scope, { ...noteOf(caller), action: "event_subscriptions.end", parameters }),
      );
    },
  };
}

async function typeNamed({ types }: Pick<CallbacksDeps, "types">, scope: Scope, name: string) {
  for (const type of await (await types.described(scope)).read()) if (type.name === name) return type;
  throw unknownEvent();
}

/** Returns when the receiver repeated a challenge: within the last day, or now. */
async function verified(
  deps: CallbacksDeps,
  { scope, key: { lineageId } }: Admitted,
  { id, url, secret }: Pick<CallbackInput, "url" | "secret"> & { readonly id: string },
): Promise<Instant> {
  const open = await deps.endpoints.subscriptionsOfClient(scope, lineageId);
  const held = open.find((one) => one.subscription_id === id);
  if (held === undefined && open.length >= MOST_CLIENT_SUBSCRIPTIONS) throw tooMany(MOST_CLIENT_SUBSCRIPTIONS);
  if (held !== undefined && isPaused(held)) throw forbidden(PAUSED_WORDS);
  const now = deps.clock.now();
  const verifiedAt = await deps.endpoints.lastVerified(scope, { lineageId, url });
  if (verifiedAt !== null && after(fromDate(verifiedAt), VERIFIED_MS) > now) return fromDate(verifiedAt);
  await verifyCallback(deps, { url, secret, subscriptionId: id });
  return now;
}

/** Other requests may have taken the last place, or a person disabled the subscription, after the look before the challenge. */
async function inWordsOfProtocol(subscribed: Promise<unknown>): Promise<void> {
  try {
    await subscribed;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "conflict") throw error;
    const { max, reason } = error.details.extra ?? {};
    if (typeof max === "number") throw tooMany(max);
    throw reason === PAUSED ? forbidden(PAUSED_WORDS) : error;
  }
}

/** No subscription outlives the key. */
function endOf({ key: { expiresAt } }: Admitted, wanted: Instant): Instant {
  return expiresAt !== null && expiresAt < wanted ? expiresAt : wanted;
}

const ID_CHARS = 40;

/** Returns the id of a subscription: the same for the same client, URL, event and arguments. */
function subscriptionIdOf({ key, scope }: Admitted, wanted: CallbackKey): string {
  const parts = [scope.tag, key.lineageId, wanted.url, wanted.name, canonicalArguments(wanted.arguments)];
  return `sub_${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, ID_CHARS)}`;
}
