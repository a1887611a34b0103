import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { parseJson, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import { keepRequests, keptRequests } from "./delivery-requests.store.ts";
import type { DeliveryKey, DeliveryRequestRow, NewDeliveryRequest } from "./delivery-requests.store.ts";
import { ScriptsBusyError } from "../transforms/transform-script.ts";
import type { TransformedRequest, TransformInput } from "../transforms/transform-template.ts";
import { TRANSFORM_METHODS } from "../transforms/transform.ts";
import type { ReadDelivery } from "./queue.ts";
import type { EndpointTransform, TransformRunner } from "../transforms/run-transform.ts";

/**
 * The request of a delivery. `plain`: the usual body. `lost`: the delivery is no longer leased to this process, so nothing may
 * be sent. `busy`: other scripts had all turns, so nothing was run.
 */
export type Prepared =
  | { readonly kind: "plain" }
  | { readonly kind: "request"; readonly request: TransformedRequest }
  | { readonly kind: "filtered" }
  | { readonly kind: "failed"; readonly message: string; readonly ms: number }
  | { readonly kind: "lost" }
  | { readonly kind: "busy" };

/** Transforms deliveries before their first attempt. The result is kept, so that it is made once. */
export type Preparation = ReturnType<typeof createPreparation>;

export interface PreparationDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly runner: TransformRunner;
}

/** The least remaining time of a lease for which a new request is sent. The exchange takes 15 s at most. */
const LEAST_LEASE_MS = 16_000;
/** Bodies can have 256 KiB. */
const MAX_AT_ONCE = 100;

export function createPreparation({ db, clock, runner }: PreparationDeps, leaseId: Uuid) {
  const bucketOf = ({ bucket }: DeliveryKey): number => bucket;
  const keeping = createShardBatcher<NewDeliveryRequest, boolean>(db, {
    bucketOf,
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    run: async (rows) => await keepRequests(db, leaseId, rows),
  });
  const reading = createShardBatcher<DeliveryKey, DeliveryRequestRow | undefined>(db, {
    bucketOf,
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    run: async (keys) => await keptRequests(db, keys),
  });

  return {
    async prepare(delivery: ReadDelivery, transform: EndpointTransform | null): Promise<Prepared> {
      const { bucket, tag, deliveryId, attemptCount } = delivery;
      const kept = delivery.transformed ? await reading.add({ bucket, tag, deliveryId }) : undefined;
      if (kept !== undefined) return { kind: "request", request: keptAsSent(kept) };
      if (transform === null) return { kind: "plain" };
      const startedMs = clock.monotonicMs();
      const made = await unlessBusy(
        async () => await runner.run({ tag, tenant: transform.tenant, text: transform.text }, inputOf(delivery)),
      );
      if (made === undefined) return { kind: "busy" };
      if (made.kind === "failed") return { ...made, ms: clock.monotonicMs() - startedMs };
      if (made.kind === "filtered") return made;
      const { request, log } = made;
      const row = { bucket, tag, deliveryId, attemptCount, version: transform.version };
      const isKept = await keeping.add({ ...row, ...textsOf(request), log: JSON.stringify(log) });
      // A script may have waited for its process. The claimer of the next lease then sends the kept request.
      const isLeased = delivery.leasedUntilMs - clock.monotonicMs() >= LEAST_LEASE_MS;
      return isKept && isLeased ? { kind: "request", request } : { kind: "lost" };
    },
  };
}

async function unlessBusy<Made>(make: () => Promise<Made>): Promise<Made | undefined> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ScriptsBusyError) return undefined;
    throw error;
  }
}

function textsOf({
  method,
  headers,
  body,
}: TransformedRequest): Pick<NewDeliveryRequest, "method" | "headers" | "body"> {
  return { method, headers: JSON.stringify(headers), body };
}

/** Returns the request that is kept. */
export function keptAsSent({ method, headers, body }: DeliveryRequestRow): TransformedRequest {
  return {
    method: TRANSFORM_METHODS.find((known) => known === method) ?? "POST",
    headers: parseJson(headers) as Record<string, string>,
    body,
  };
}

/** Returns what a transformation reads of a delivery. */
export function inputOf({
  tag,
  eventId,
  eventName,
  occurredAt,
  tenant,
  data,
}: Pick<ReadDelivery, "tag" | "eventId" | "eventName" | "occurredAt" | "tenant" | "data">): TransformInput {
  return {
    event: eventName,
    id: wireId("evt", tag, eventId),
    timestamp: toRfc3339(occurredAt),
    tenant,
    attempt: 1,
    data,
  };
}
