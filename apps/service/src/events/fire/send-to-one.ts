import { idempotencyPart } from "../../access/access.ts";
import type { Idempotency, IdempotencyRef, SentAnswer } from "../../access/access.ts";
import type { Db } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EventReader } from "../event/event-reader.ts";
import type { Dispatch } from "../subscriptions/dispatch.ts";
import { answerOf } from "./accept-events.ts";

export interface Sent {
  readonly eventId: Uuid;
  /** The endpoint as its caller names it. */
  readonly endpointId: string;
}

export interface SendDeps {
  readonly db: Db;
  readonly idempotency: Idempotency;
  readonly dispatch: Dispatch;
  readonly readEvents: EventReader;
}

/** Sends a stored event to one endpoint, besides the deliveries that it has. No other subscriber reacts. */
export async function sendTo(deps: SendDeps, scope: Scope, what: Sent, ref: IdempotencyRef): Promise<SentAnswer> {
  const { db, idempotency } = deps;
  const first = await idempotency.replay(ref);
  if (first !== undefined) return { ...first, replayed: true };
  const event = (await deps.readEvents(scope.bucket, [{ tag: scope.tag, id: what.eventId }])).get(what.eventId);
  if (event === undefined) throw new ServiceError("not_found");
  const answer = await db.transaction(async (tx) => {
    const plan = await deps.dispatch.planTo(tx, scope, event, what.endpointId);
    const call = { ref, batch: false, tenant: scope.tenant ?? null, scheduled: [] };
    const made = answerOf(call, plan.requests.flat());
    const kept = idempotencyPart([{ ref, sealed: idempotency.seal(ref, made) }], { status: 202 });
    const fresh = await tx.commit([kept, ...plan.insert()], "select at from fresh");
    if (fresh.length === 0) return undefined;
    tx.onCommit(() => plan.start(plan.requests.flat()));
    return made;
  });
  return answer === undefined ? await idempotency.first(ref) : { ...answer, replayed: false };
}
