import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { announcementPart, oneRequest } from "../../events/events.ts";
import type { Announcement, Events } from "../../events/events.ts";
import { createRateLimiter } from "../../access/access.ts";
import type { RateLimiter } from "../../access/access.ts";
import { isPassing, ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, ErrorCode, Id, Instant, Uuid } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { mapBody, NOTHING } from "./mapping.ts";
import type { Extracted, Mapped, Unmapped } from "./mapping.ts";
import { processEntries, resultColumns } from "./process.ts";
import type { ProcessDeps, Processed } from "./process.ts";
import { receiptPart } from "./receipts.store.ts";
import type { ReceiptInsert, ReceiptStatus } from "./receipts.store.ts";
import { extractedText } from "./receipt-view.ts";
import { isSigned } from "./signature.ts";
import type { Header } from "./signature.ts";
import type { Source } from "./source.ts";
import type { Sources } from "./sources.ts";

/** A request `POST /api/v1/inbound.php?t=…`, as received. */
export interface InboundRequest {
  readonly token: string;
  readonly header: Header;
  readonly body: Buffer;
}

export interface InboundAnswer {
  readonly receipt_id: Id;
  readonly status: "ok" | "duplicate" | "unmapped";
  readonly activity_id?: Id;
  readonly contact_id?: Id;
}

export interface Intake {
  /**
   * Checks the signature, maps, deduplicates and writes the activity, in this order, with the effects in one
   * transaction that concurrent requests share. Throws 404 for an unknown token, 401 `signature_invalid`, 403
   * `inbound_inactive`, and 500 `inbound_processing_failed`, which does not count as seen.
   */
  receive(request: InboundRequest): Promise<InboundAnswer>;
}

export interface IntakeDeps extends ProcessDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly signals: Signals;
  readonly sources: Pick<Sources, "byToken">;
  readonly events: Pick<Events, "fireWithin" | "announced">;
}

/** A request that ends before its mapping, with its response. */
interface Refused {
  readonly kind: "refused";
  readonly extracted: Extracted;
  readonly signed: boolean;
  readonly code: ErrorCode;
  readonly reason: string;
}

interface Job {
  readonly source: Source;
  readonly receiptId: Uuid;
  readonly receivedAt: Instant;
  readonly body: Buffer;
  readonly outcome: Mapped | Unmapped | Refused;
}

type Settled = InboundAnswer | ServiceError;

const MAX_JOBS = 200;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** The maximum of a body without a valid signature that is kept. */
const MAX_UNSIGNED_BYTES = 4096;
const REFUSALS_PER_MINUTE = 60;

export function createIntake(deps: IntakeDeps): Intake {
  const rates = createRateLimiter(deps.db);
  const batcher = createShardBatcher<Job, InboundAnswer>(deps.db, {
    bucketOf: ({ source }) => source.scope.bucket,
    maxSize: MAX_JOBS,
    weight: { of: (job) => job.body.length, max: MAX_BATCH_BYTES },
    concurrency: 2,
    run: async (jobs) => await commitJobs(deps, jobs),
  });
  return {
    async receive(request) {
      const source = await deps.sources.byToken(request.token);
      if (source === undefined) {
        throw new ServiceError("not_found", { detail: "No source has this token." });
      }
      const receivedAt = deps.clock.now();
      const outcome = evaluateRequest(source, request, receivedAt);
      if (outcome.kind === "refused" && !outcome.signed && !(await mayRecord(rates, source))) throw refusalOf(outcome);
      return await batcher.add({ source, receiptId: deps.ids.uuid(), receivedAt, body: request.body, outcome });
    },
  };
}

function evaluateRequest(source: Source, { header, body }: InboundRequest, now: Instant): Job["outcome"] {
  if (!isSigned(source.signatureScheme, source.secrets, { header, body, now })) {
    return { ...refusedAs("signature_invalid", "The signature does not match"), signed: false };
  }
  if (!source.active) return refusedAs("inbound_inactive", "The source is disabled");
  if (source.scope.environment === "sandbox" && header("x-service-simulate") === "processing_error") {
    return refusedAs("inbound_processing_failed", "A simulated failure");
  }
  return mapBody(source.mapping, body);
}

function refusedAs(code: ErrorCode, reason: string): Refused {
  return { kind: "refused", signed: true, code, reason, extracted: NOTHING };
}

/** Limits the receipts of unsigned requests, because anyone who knows the URL can send them. */
async function mayRecord(rates: RateLimiter, { scope, id }: Source): Promise<boolean> {
  const token = await rates.take({
    bucket: scope.bucket,
    subject: `src:${id}`,
    operation: "inbound.refused",
    perMinute: REFUSALS_PER_MINUTE,
  });
  return token.granted;
}

/**
 * Settles the jobs. If it fails for a single job, the failure is recorded. The batcher divides larger batches until the
 * failing request is alone.
 */
async function commitJobs(deps: IntakeDeps, jobs: readonly Job[]): Promise<Settled[]> {
  try {
    return await deps.db.transaction(async (tx) => await settle(deps, tx, jobs));
  } catch (error) {
    const [job, ...others] = jobs;
    if (isPassing(error) || job === undefined || others.length > 0) throw error;
    return [await recordFailure(deps, job, error)];
  }
}

async function settle(deps: IntakeDeps, tx: Tx, jobs: readonly Job[]): Promise<Settled[]> {
  const entries = jobs.flatMap(({ outcome, ...job }) =>
    outcome.kind === "mapped" ? [{ ...job, mapped: outcome }] : [],
  );
  const results = await processEntries(deps, tx, entries);
  const processed = new Map(entries.map((entry, at) => [entry.receiptId, results[at]]));
  const rows = jobs.map((job) => rowOf(job, processed.get(job.receiptId)));
  const news = jobs.flatMap((job) => newsOf(deps, job));
  const receipts = receiptPart(rows);
  const announced = announcementPart(news.map((one) => ({ ...one, at: 1 })));
  await tx.commit(news.length === 0 ? [receipts] : [oneRequest, announced, receipts], "select 1");
  tx.onCommit(() => {
    for (const { tag, status } of rows) deps.signals.receiptWritten(tag, status);
    if (news.length > 0) deps.events.announced();
  });
  return jobs.map((job) => answerOf(job, processed.get(job.receiptId)));
}

/** Records the failure of a request. The request does not count as seen, so that the sender's retry works. */
async function recordFailure(deps: IntakeDeps, job: Job, error: unknown): Promise<Settled> {
  const { scope, id } = job.source;
  deps.log.error({ err: error, source_id: wireId("src", scope.tag, id) }, "failed to process an inbound request");
  const failed = refusedAs("inbound_processing_failed", "Processing failed on our side");
  const outcome = { ...failed, extracted: job.outcome.extracted };
  const row = rowOf({ ...job, outcome }, undefined);
  try {
    await deps.db.commit([receiptPart([row])], "select 1");
    deps.signals.receiptWritten(job.source.scope.tag, "error");
  } catch (unwritten) {
    deps.log.error({ err: unwritten }, "failed to write the receipt of a failed inbound request");
    return refusalOf(failed);
  }
  return refusalOf(failed, wireId("rcp", scope.tag, job.receiptId));
}

function rowOf(job: Job, processed: Processed | undefined): ReceiptInsert {
  const { source, receiptId, body, outcome } = job;
  const { extracted } = outcome;
  const signed = outcome.kind !== "refused" || outcome.signed;
  const why = outcome.kind === "mapped" ? { code: null, reason: null } : outcome;
  return {
    bucket: source.scope.bucket,
    tag: source.scope.tag,
    id: receiptId,
    source_id: source.id,
    status: statusOf(outcome, processed),
    reason_code: why.code,
    reason: why.reason,
    extracted: extractedText(extracted),
    event_type: extracted.event_type,
    ...resultColumns(processed),
    signed,
    body: signed ? body : body.subarray(0, MAX_UNSIGNED_BYTES),
    body_bytes: body.length,
  };
}

function statusOf(outcome: Job["outcome"], processed: Processed | undefined): ReceiptStatus {
  if (processed !== undefined) return processed.status;
  return outcome.kind === "unmapped" ? "unmapped" : "error";
}

function answerOf({ source, receiptId, outcome }: Job, processed: Processed | undefined): Settled {
  const { tag } = source.scope;
  const id = wireId("rcp", tag, receiptId);
  if (outcome.kind === "refused") return refusalOf(outcome, id);
  if (processed?.status !== "ok") return { receipt_id: id, status: processed?.status ?? "unmapped" };
  return {
    receipt_id: id,
    status: "ok",
    activity_id: wireId("act", tag, processed.activityId),
    contact_id: wireId("con", tag, processed.contactId),
  };
}

function refusalOf({ code, reason }: Refused, receiptId?: Id): ServiceError {
  const extra = receiptId === undefined ? {} : { extra: { receipt_id: receiptId } };
  return new ServiceError(code, { detail: `${reason}.`, ...extra });
}

function newsOf(deps: IntakeDeps, { source, receiptId, outcome }: Job): Announcement[] {
  if (outcome.kind !== "unmapped") return [];
  const { scope, id } = source;
  const sourceId = wireId("src", scope.tag, id);
  const data = {
    receipt_id: wireId("rcp", scope.tag, receiptId),
    source_id: sourceId,
    reason: outcome.reason,
    event_type: outcome.extracted.event_type,
  };
  return [{ scope, id: deps.ids.uuid(), name: "inbound.receipt.unmapped", subject: sourceId, data }];
}
