import type { Db, Tx } from "../db/db.ts";
import { eventPart, everyPart } from "../events/events.ts";
import { toDate } from "../kernel/kernel.ts";
import type { Clock, IdMaker, Sealer, Uuid, Violation } from "../kernel/kernel.ts";
import type { Net } from "../net/net.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { cancelPending } from "./deliveries.store.ts";
import { insertEndpoint } from "./endpoints.store.ts";
import { LEASE_SECONDS } from "./engine.worker.ts";
import { refuseHeaders } from "./headers.ts";
import { outcomeBuckets, takeOutcomes } from "./outcome.store.ts";
import type { Outcome } from "./outcome.store.ts";
import { pendingPart } from "./queue.store.ts";
import { secretPlace } from "./targets.ts";

export type { Outcome } from "./outcome.store.ts";

type Place = Pick<Scope, "bucket" | "tag">;

/** Where another module's deliveries go. */
export interface Channel {
  readonly id: Uuid;
  /** Says whose it is, in the database. */
  readonly owner: string;
  readonly description: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `whsec_…` */
  readonly secret: string;
}

/** What is sent. It has an event of its own, which nothing else reacts to. */
export interface Post {
  readonly endpointId: Uuid;
  readonly event: string;
  /** JSON text of an object. */
  readonly data: string;
  readonly subject: string;
  readonly chain: readonly Uuid[];
}

/**
 * Deliveries that another module makes as a part of its own work: signed, retried, logged and replayed as all are, and
 * told of by `delivery_outcome` when they end. Their endpoints belong to that module: no event goes to them by itself,
 * the endpoints' routes do not know them, and they are not switched off.
 */
export interface Posting {
  /** The guard at save. Throws 422 `url_blocked`; answers what is wrong with the headers, by pointers from `/headers` on. */
  vet(url: string, headers: Readonly<Record<string, string>>): Promise<readonly Violation[]>;
  /** Makes the endpoint. */
  open(tx: Tx, scope: Scope, channel: Channel): Promise<void>;
  /** A delivery, due at once when the transaction commits; answers its id. */
  post(tx: Tx, scope: Scope, post: Post): Promise<Uuid>;
  /** Harmless when it has ended already. */
  cancel(tx: Tx, place: Place, deliveryId: Uuid): Promise<void>;
  /** Which buckets have outcomes. */
  outcomeBuckets(): Promise<readonly number[]>;
  /** Takes up to 200 outcomes of one bucket: they are gone with the transaction. */
  outcomes(tx: Tx, bucket: number): Promise<readonly Outcome[]>;
}

export interface PostingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly wakeAll: () => void;
}

export function createPosting(deps: PostingDeps): Posting {
  return {
    async vet(url, headers) {
      await deps.net.vet(url);
      return refuseHeaders(headers);
    },
    async open(tx, { bucket, tag, workspaceId }, { id, owner, description, url, headers, secret }) {
      await insertEndpoint(tx.query, {
        bucket,
        tag,
        id,
        workspace_id: workspaceId,
        url,
        events: [],
        active: true,
        description,
        secret_sealed: deps.sealer.seal(secret, secretPlace(id)),
        headers: JSON.stringify(headers),
        rate_limit_per_second: null,
        max_in_flight: 16,
        owner,
      });
    },
    post: async (tx, scope, post) => await write(deps, tx, scope, post),
    async cancel(tx, place, deliveryId) {
      await cancelPending(tx.query, place, deliveryId);
    },
    outcomeBuckets: async () => await outcomeBuckets(deps.db),
    outcomes: async (tx, bucket) => await takeOutcomes(tx, bucket),
  };
}

async function write(deps: PostingDeps, tx: Tx, { bucket, tag }: Scope, post: Post): Promise<Uuid> {
  const { endpointId, event, data, subject, chain } = post;
  const eventId = deps.ids.uuid();
  const id = deps.ids.uuid();
  const occurredAt = toDate(deps.clock.now());
  await tx.commit(
    [
      everyPart(1),
      eventPart([
        { bucket, tag, id: eventId, name: event, canonical: false, data, occurredAt, subject, chain, request: 1 },
      ]),
      pendingPart(
        [{ bucket, tag, id, eventId, eventName: event, endpointId, request: 1, birth: "due" }],
        deps.ids.uuid(),
        LEASE_SECONDS,
      ),
    ],
    "select 1",
  );
  tx.onCommit(deps.wakeAll);
  return id;
}
