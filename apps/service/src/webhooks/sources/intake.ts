import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { announcementPart, oneRequest } from "../../events/events.ts";
import type { Announcement, Events } from "../../events/events.ts";
import { isPassing, ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, ErrorCode, Id, Instant, ScannedJson, Uuid } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { isRead, looksLikeJson, readBody } from "./body.ts";
import type { ReadBody } from "./body.ts";
import { answerTo, handshakeOf, signsForStrangers, visit } from "./handshake.ts";
import type { Answer, Handshake } from "./handshake.ts";
import { keptHeaders } from "./kept-headers.ts";
import { mapContent, NOTHING } from "./mapping.ts";
import type { Extracted, Mapped, Unmapped } from "./mapping.ts";
import { processEntries, resultColumns } from "./process.ts";
import type { ProcessDeps, Processed } from "./process.ts";
import { createRecordLimit } from "./record-limit.ts";
import { receiptPart } from "./receipts.store.ts";
import type { ReceiptInsert, ReceiptStatus } from "./receipts.store.ts";
import { extractedText } from "./receipt-view.ts";
import { isForm } from "./placeholders.ts";
import type { Header, SentRequest } from "./placeholders.ts";
import type { Source } from "./source.ts";
import type { Sources } from "./sources.ts";
import { headOf, smallForm } from "./unproven.ts";
import { signedHeadersOf, signsWholeBody } from "./verifier.ts";
import type { Verifier } from "./verifier.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";

/** A request to `/api/v1/inbound.php?t=…`, as received. */
export interface InboundRequest {
  readonly token: string;
  readonly method: string;
  /** The query as received, with its question mark. */
  readonly search: string;
  readonly header: Header;
  /** The names of the headers, in lower case. */
  readonly headerNames: readonly string[];
  readonly body: Buffer;
}

export interface InboundAnswer {
  readonly receipt_id: Id;
  readonly status: "ok" | "duplicate" | "unmapped";
  readonly activity_id?: Id;
  readonly contact_id?: Id;
}

/** The response to a request: the service's own, or the one that its sender needs. */
export type InboundResponse =
  | { readonly kind: "own"; readonly answer: InboundAnswer }
  | { readonly kind: "senders"; readonly answer: Answer };

export interface Intake {
  /**
   * Answers a handshake. Otherwise checks the signature, maps, deduplicates and writes the activity, in this order, with the effects in one
   * transaction that concurrent requests share. Throws 404 for an unknown token, 401 `signature_invalid`, 403
   * `inbound_inactive`, 405 for a GET that is not a handshake, and 500 `inbound_processing_failed`, which does not count as
   * seen.
   */
  receive(request: InboundRequest): Promise<InboundResponse>;
}

export interface IntakeDeps extends ProcessDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly signals: Signals;
  readonly sources: Pick<Sources, "byToken">;
  readonly events: Pick<Events, "fireWithin" | "announced">;
  readonly verifier: Verifier;
  readonly net: Pick<Net, "send">;
  readonly baseUrl: string;
}

/** A request that ends before its mapping, with its response. */
interface Refused {
  readonly kind: "refused";
  readonly extracted: Extracted;
  readonly signed: boolean;
  readonly code: ErrorCode;
  readonly reason: string;
}

/** A request that only checks the URL. It fires nothing. */
interface Greeting {
  readonly kind: "handshake";
  readonly extracted: Extracted;
  readonly signed: boolean;
}

interface Job {
  readonly source: Source;
  readonly receiptId: Uuid;
  readonly receivedAt: Instant;
  readonly body: Buffer;
  readonly headers: string;
  /** The body as JSON text, for the event about one that cannot be mapped. */
  readonly payload: string | null;
  readonly outcome: Mapped | Unmapped | Refused | Greeting;
}

type Settled = InboundAnswer | ServiceError;

const MAX_JOBS = 200;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** The maximum of a body without a valid signature that is kept. */
const MAX_UNSIGNED_BYTES = 4096;

export function createIntake(deps: IntakeDeps): Intake {
  const mayRecord = createRecordLimit(deps);
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
      const { body, header, headerNames } = request;
      const sent = sentRequest(deps, request);
      const { outcome, handshake, payload = null } = await evaluateRequest(deps, source, sent);
      if (isUnsigned(outcome) && !(await mayRecord(source))) {
        if (outcome.kind === "refused") throw refusalOf(outcome);
      } else {
        const headers = keptHeaders(headerNames, header, source.scheme);
        const job: Job = { source, receiptId: deps.ids.uuid(), receivedAt, body, headers, payload, outcome };
        const answer = await batcher.add(job);
        if (handshake === undefined) return responseOf(source, answer);
      }
      if (handshake === undefined) throw new Error("a request without a handshake was not recorded");
      return { kind: "senders", answer: answerTo(handshake, source.secrets, sent) };
    },
  };
}

function isUnsigned(outcome: Job["outcome"]): boolean {
  return (outcome.kind === "refused" || outcome.kind === "handshake") && !outcome.signed;
}

function responseOf({ respond }: Source, answer: InboundAnswer): InboundResponse {
  return respond === null ? { kind: "own", answer } : { kind: "senders", answer: respond };
}

/** A request with its body, which is read at most once. */
interface ReadRequest extends SentRequest {
  /** Reads the whole body. Only for a request whose signature is right. */
  read(): Promise<ReadBody>;
}

function sentRequest({ baseUrl }: IntakeDeps, { method, search, header, body }: InboundRequest): ReadRequest {
  let found: Promise<ReadBody> | undefined;
  let head: { readonly json: ScannedJson | undefined } | undefined;
  const read = (): Promise<ReadBody> => (found ??= readBody(header("content-type"), body));
  return {
    method,
    url: `${baseUrl}/api/v1/inbound.php${search}`,
    header,
    body,
    read,
    head(use) {
      head ??= { json: headOf(body) };
      return head.json ?? (use === "handshake" && isForm({ header }) ? smallForm(body) : undefined);
    },
    async json() {
      const one = await read();
      return isRead(one) ? one : undefined;
    },
  };
}

interface Evaluated {
  readonly outcome: Job["outcome"];
  readonly handshake?: Handshake;
  readonly payload?: string | null;
}

/**
 * A handshake that its sender does not sign is answered before the signature is checked. It fires nothing. Of any other request nothing
 * is read before the signature is right.
 */
async function evaluateRequest(deps: IntakeDeps, source: Source, request: ReadRequest): Promise<Evaluated> {
  const { active, scheme, handshakes } = source;
  const greeting = active ? unsignedHandshake(source, request) : undefined;
  if (greeting !== undefined) return { outcome: greeted(false), handshake: greeting };
  assertPosted(request);
  const verdict = await deps.verifier.verify(scheme, source.secrets, request);
  if (verdict !== "valid" || isSignedForStrangers(source, request))
    return { outcome: { ...unverified(verdict === "valid" ? "invalid" : verdict), signed: false } };
  if (!active) return { outcome: refusedAs("inbound_inactive", "The source is disabled") };
  const handshake = handshakeOf(handshakes, request, true);
  if (handshake !== undefined) return await confirmed(deps, handshake, request);
  if (isSimulated(source, request)) return { outcome: refusedAs("inbound_processing_failed", "A simulated failure") };
  return await mapped(deps, source, request);
}

/** A signature for strangers is answered only where the whole body is signed: `isSignedForStrangers` can tell it from an event's then. */
function unsignedHandshake({ handshakes, scheme }: Source, request: SentRequest): Handshake | undefined {
  const found = handshakeOf(handshakes, request, false);
  return found?.hmac === undefined || signsWholeBody(scheme) ? found : undefined;
}

/**
 * Returns true if the signature may be the answer to a handshake: anyone can have a challenge signed, which contains no bracket, so
 * that only a JSON object or array proves its sender.
 */
function isSignedForStrangers({ handshakes }: Source, { body }: SentRequest): boolean {
  return signsForStrangers(handshakes) && !looksLikeJson(body);
}

async function mapped({ verifier }: IntakeDeps, source: Source, request: ReadRequest): Promise<Evaluated> {
  const { scheme, mapping, tenant } = source;
  const read = await request.read();
  const once = verifier.once(scheme, request);
  const isSigned = signedHeadersOf(scheme);
  const outcome = mapContent(mapping, { body: request.body, header: request.header, read, tenant, once, isSigned });
  const isBounded = isRead(read) && !(outcome.kind === "unmapped" && outcome.code === "data_too_large");
  return { outcome, payload: isBounded ? read.text : null };
}

function assertPosted({ method }: SentRequest): void {
  if (method !== "POST")
    throw new ServiceError("method_not_allowed", { detail: "Send events with POST.", headers: { Allow: "POST" } });
}

function isSimulated({ scope }: Source, { header }: SentRequest): boolean {
  return scope.environment === "sandbox" && header("x-service-simulate") === "processing_error";
}

function unverified(verdict: "invalid" | "undecided"): Refused {
  return verdict === "invalid"
    ? refusedAs("signature_invalid", "The signature does not match")
    : refusedAs("inbound_processing_failed", "The sender's keys cannot be read at the moment");
}

async function confirmed({ net }: IntakeDeps, handshake: Handshake, request: SentRequest): Promise<Evaluated> {
  if (handshake.visit !== undefined && !(await visit(net, handshake, request)))
    return { outcome: refusedAs("inbound_processing_failed", "The address of the confirmation could not be opened") };
  return { outcome: greeted(true), handshake };
}

function greeted(signed: boolean): Greeting {
  return { kind: "handshake", signed, extracted: NOTHING };
}

function refusedAs(code: ErrorCode, reason: string): Refused {
  return { kind: "refused", signed: true, code, reason, extracted: NOTHING };
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
    for (const [at, { tag, status }] of rows.entries())
      deps.signals.receiptWritten(tag, status, jobs[at]?.source.tenant ?? null);
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
    deps.signals.receiptWritten(job.source.scope.tag, "error", job.source.tenant);
  } catch (unwritten) {
    deps.log.error({ err: unwritten }, "failed to write the receipt of a failed inbound request");
    return refusalOf(failed);
  }
  return refusalOf(failed, wireId("rcp", scope.tag, job.receiptId));
}

function rowOf(job: Job, processed: Processed | undefined): ReceiptInsert {
  const { source, receiptId, body, headers, outcome } = job;
  const { extracted } = outcome;
  const signed = !isUnsigned(outcome);
  const why = reasonOf(outcome);
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
    headers,
    body: signed ? body : body.subarray(0, MAX_UNSIGNED_BYTES),
    body_bytes: body.length,
  };
}

function reasonOf(outcome: Job["outcome"]): { readonly code: string | null; readonly reason: string | null } {
  if (outcome.kind === "mapped") return { code: null, reason: null };
  return outcome.kind === "handshake" ? { code: "handshake", reason: "The sender checked the URL" } : outcome;
}

function statusOf(outcome: Job["outcome"], processed: Processed | undefined): ReceiptStatus {
  if (processed !== undefined) return processed.status;
  if (outcome.kind === "handshake") return "ok";
  return outcome.kind === "unmapped" ? "unmapped" : "error";
}

function answerOf({ source, receiptId, outcome }: Job, processed: Processed | undefined): Settled {
  const { tag } = source.scope;
  const id = wireId("rcp", tag, receiptId);
  if (outcome.kind === "refused") return refusalOf(outcome, id);
  if (outcome.kind === "handshake") return { receipt_id: id, status: "ok" };
  if (processed?.status !== "ok") return { receipt_id: id, status: processed?.status ?? "unmapped" };
  const { person } = processed;
  return {
    receipt_id: id,
    status: "ok",
    ...(person === null
      ? {}
      : { activity_id: wireId("act", tag, person.activityId), contact_id: wireId("con", tag, person.contactId) }),
  };
}

function refusalOf({ code, reason }: Refused, receiptId?: Id): ServiceError {
  const extra = receiptId === undefined ? {} : { extra: { receipt_id: receiptId } };
  return new ServiceError(code, { detail: `${reason}.`, ...extra });
}

function newsOf(deps: IntakeDeps, { source, receiptId, outcome, payload }: Job): Announcement[] {
  if (outcome.kind !== "unmapped") return [];
  const { scope, id } = source;
  const sourceId = wireId("src", scope.tag, id);
  const head = JSON.stringify({
    receipt_id: wireId("rcp", scope.tag, receiptId),
    source_id: sourceId,
    reason: outcome.reason,
    event_type: outcome.extracted.event_type,
  });
  // A text keeps the digits of its numbers.
  const data = `${head.slice(0, -1)},"payload":${payload ?? "null"}}`;
  const name = "inbound.receipt.unmapped";
  return [{ scope, id: deps.ids.uuid(), name, subject: sourceId, tenant: source.tenant, data }];
}
