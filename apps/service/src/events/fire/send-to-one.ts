import { idempotencyPart } from "../../access/access.ts";
import type { Idempotency, IdempotencyRef, StoredAnswer } from "../../access/access.ts";
import type { Db } from "../../platform/db/db.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EventReader, Fanout } from "../event/event.ts";
import { firedView, MOST_LISTED } from "../event/fired-event.ts";

export interface FireAnswer extends StoredAnswer {
  readonly replayed: boolean;
}

export interface Sent {
  readonly eventId: Uuid;
  /** The endpoint as its caller names it. */
  readonly endpointId: string;
}

export interface SendDeps {
  readonly db: Db;
  readonly idempotency: Idempotency;
  readonly fanout: Fanout;
  readonly readEvents: EventReader;
}

/** Sends a stored event to one endpoint, besides the deliveries that it has. No other subscriber reacts. */
export async function sendTo(deps: SendDeps, scope: Scope, what: Sent, ref: IdempotencyRef): Promise<FireAnswer> {
  const { db, idempotency, fanout } = deps;
  const first = await idempotency.replay(ref);
  if (first !== undefined) return { ...first, replayed: true };
  const event = (await deps.readEvents(scope.bucket, [{ tag: scope.tag, id: what.eventId }])).get(what.eventId);
  if (event === undefined) throw new ServiceError("not_found");
  const answer = await db.transaction(async (tx) => {
    const delivery = await fanout.planTo(tx, scope, event, what.endpointId);
    const commit = { event, request: 1, stages: [], isAdmitted: true, deliveries: [delivery] };
    const body = JSON.stringify(firedView(commit, MOST_LISTED, scope.tenant ?? null));
    const made = { status: 202, body: ref.wrapBody?.(body, 202) ?? body };
    const kept = idempotencyPart([{ ref, sealed: idempotency.seal(ref, made) }], { status: 202 });
    const fresh = await tx.commit([kept, ...fanout.parts([commit])], "select at from fresh");
    if (fresh.length === 0) return undefined;
    tx.onCommit(() => fanout.committed([commit]));
    return made;
  });
  if (answer !== undefined) return { ...answer, replayed: false };
  const other = await idempotency.replay(ref);
  if (other === undefined)
    throw new ServiceError("service_unavailable", { internal: "an idempotency record vanished" });
  return { ...other, replayed: true };
}
