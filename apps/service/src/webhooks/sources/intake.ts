import { createShardBatcher, oneRequest } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { announcementPart } from "../../events/events.ts";
import type { Announcement, Events } from "../../events/events.ts";
import { reportPart } from "../../issues/issues.ts";
import type { Report } from "../../issues/issues.ts";
import { isPassing, ServiceError, wireId } from "../../lib/lib.ts";
import type { Clock, Id, Instant, ScannedJson, Uuid, t } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { isRead, readBody } from "./body.ts";
import type { ReadBody } from "./body.ts";
import { areElementsProven, elementOnces } from "./element-proofs.ts";
import { answerTo, handshakeOf, mayBeChallenge, unsignedHandshake, visit } from "./handshake.ts";
import type { HandshakeAnswer } from "./handshake.ts";
import { keptHeaders } from "./kept-headers.ts";
import { mapRequest, MAX_ELEMENTS } from "./map-request.ts";
import { columnsOf, extractedOf, greeted, isUnsigned, refusedAs } from "./outcome.ts";
import type { MappingOutcome, Refused } from "./outcome.ts";
import { processEntries } from "./process-inbound.ts";
import type { Entry, ProcessDeps, Processed } from "./process-inbound.ts";
import { createRecordLimit } from "./record-limit.ts";
import { receiptPart } from "./receipts.store.ts";
import type { ReceiptInsert } from "./receipts.store.ts";
import { extractedText } from "./receipt-view.ts";
import { isForm } from "./placeholders.ts";
import type { Header, SentRequest } from "./placeholders.ts";
import type { Source } from "./source.ts";
import type { Sources } from "./sources.ts";
import { CODINGS_ACCEPTED, signedBytes } from "./signed-bytes.ts";
import { headOf, smallForm } from "./unproven.ts";
import { signedHeadersOf } from "./verifier.ts";
import type { Verdict, Verifier } from "./verifier.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type * as shapes from "./receipts.schemas.ts";

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

export type InboundAnswer = t.Static<typeof shapes.HookAnswer>;

/** The response to a request: the service's own, or the one that its sender needs. */
export type InboundResponse =
  | { readonly kind: "own"; readonly answer: InboundAnswer }
  | { readonly kind: "senders"; readonly answer: HandshakeAnswer };

export type Intake = ReturnType<typeof createIntake>;

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
  /** Called after failures were written that may open an issue. */
  readonly reported: () => void;
}

interface Job {
  readonly source: Source;
  readonly receiptId: Uuid;
  readonly receivedAt: Instant;
  readonly body: Buffer;
  readonly headers: string;
  /** The body as JSON text, for the event about one that cannot be mapped. */
  readonly payload: string | null;
  /** The hash of a proof that counts once. */
  readonly proof: Buffer | null;
  /** How the body was read, as JSON text. */
  readonly readAs: string | null;
  readonly outcome: MappingOutcome;
}

type Settled = InboundAnswer | ServiceError;

const MAX_JOBS = 200;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** A list with all of its elements fills a batch. */
const BYTES_PER_ELEMENT = MAX_BATCH_BYTES / MAX_ELEMENTS;
/** The maximum of a body without a valid signature that is kept. */
const MAX_UNSIGNED_BYTES = 4096;

export function createIntake(deps: IntakeDeps) {
  const mayRecord = createRecordLimit(deps);
  const batcher = createShardBatcher<Job, InboundAnswer>(deps.db, {
    bucketOf: ({ source }) => source.scope.bucket,
    maxSize: MAX_JOBS,
    weight: { of: weightOf, max: MAX_BATCH_BYTES },
    concurrency: 2,
    run: async (jobs) => await commitJobs(deps, jobs),
  });
  return {
    /**
     * Answers a handshake. Otherwise checks the signature, maps, deduplicates and writes the activity, in this order, with the effects in one
     * transaction that concurrent requests share. Throws 404 for an unknown token, 401 `signature_invalid`, 403
     * `inbound_inactive`, 405 for another method than POST without a handshake, and 500 `inbound_processing_failed`, which does not count as
     * seen.
     */
    async receive(request: InboundRequest): Promise<InboundResponse> {
      const source = await deps.sources.byToken(request.token);
      if (source === undefined) {
        throw new ServiceError("not_found", { detail: "No source has this token." });
      }
      const receivedAt = deps.clock.now();
      const { body, header, headerNames } = request;
      const evaluated = await evaluateSent(deps, source, request);
      const { outcome, greeting, payload = null, readAs = null, proof = null } = evaluated;
      if (isUnsigned(outcome) && !(await mayRecord(source))) {
        if (outcome.kind === "refused") throw intakeRefusal(outcome);
      } else {
        const headers = keptHeaders(headerNames, header, source.scheme);
        const read = { payload, readAs, proof, outcome };
        const job: Job = { source, receiptId: deps.ids.uuid(), receivedAt, body, headers, ...read };
        const answer = await batcher.add(job);
        if (greeting === undefined) return responseOf(source, answer);
      }
      if (greeting === undefined) throw new Error("a request without a handshake was not recorded");
      return { kind: "senders", answer: greeting };
    },
  };
}

function weightOf({ body, outcome }: Job): number {
  return body.length + (outcome.kind === "list" ? outcome.items.length * BYTES_PER_ELEMENT : 0);
}

function responseOf({ respond }: Source, answer: InboundAnswer): InboundResponse {
  return respond === null ? { kind: "own", answer } : { kind: "senders", answer: respond };
}

/** A request with its body, which is read at most once. */
interface ReadRequest extends SentRequest {
  /** Reads the whole body. Only for a request whose signature is right. */
  read(): Promise<ReadBody>;
}

function sentRequest({ baseUrl }: IntakeDeps, { charset }: Source, sent: InboundRequest): ReadRequest {
  const { method, search, header, body } = sent;
  let found: Promise<ReadBody> | undefined;
  let head: { readonly json: ScannedJson | undefined } | undefined;
  const read = (): Promise<ReadBody> => (found ??= readBody({ body, header, charset }));
  return {
    method,
    url: `${baseUrl}/api/v1/inbound.php${search}`,
    header,
    body,
    charset,
    read,
    head(use) {
      head ??= { json: headOf(body) };
      return (
        head.json ?? (use === "handshake" && isForm({ header }) ? smallForm({ header, body, charset }) : undefined)
      );
    },
    async json() {
      const one = await read();
      return isRead(one) ? one : undefined;
    },
  };
}

interface Evaluated {
  readonly outcome: MappingOutcome;
  /** The answer to a handshake. */
  readonly greeting?: HandshakeAnswer;
  readonly payload?: string | null;
  readonly proof?: Buffer | null;
  readonly readAs?: string;
}

/** Evaluates a request whose scheme signs the bytes within its coding, too. */
async function evaluateSent(deps: IntakeDeps, source: Source, request: InboundRequest): Promise<Evaluated> {
  const signed = await signedBytes(source.scheme, request, source.id);
  if ("code" in signed) return { outcome: { ...refusedAs(signed.code, signed.reason), signed: false } };
  return await evaluateRequest(deps, source, sentRequest(deps, source, { ...request, ...signed }));
}

/**
 * A handshake that its sender does not sign is answered before the signature is checked. It fires nothing. Of any other request nothing
 * is read before the signature is right.
 */
async function evaluateRequest(deps: IntakeDeps, source: Source, request: ReadRequest): Promise<Evaluated> {
  const { active, secrets } = source;
  const handshake = active ? unsignedHandshake(source, request) : undefined;
  if (handshake !== undefined) return { outcome: greeted(false), greeting: answerTo(handshake, secrets, request) };
  assertPosted(request);
  const verdict = await verdictOn(deps, source, request);
  if (verdict !== "valid" || mayBeChallenge(source, request.body))
    return { outcome: { ...unverified(verdict === "valid" ? "invalid" : verdict), signed: false } };
  if (!active) return { outcome: refusedAs("inbound_inactive", "The source is disabled") };
  const confirmation = await signedHandshake(deps, source, request);
  if (confirmation !== undefined) return confirmation;
  if (isSimulated(source, request)) return { outcome: refusedAs("inbound_processing_failed", "A simulated failure") };
  return await mapped(deps, source, request);
}

/** Judges the proof of a request, and that of each event of a list. */
async function verdictOn({ verifier }: IntakeDeps, source: Source, request: ReadRequest): Promise<Verdict> {
  const verdict = await verifier.verify(source.scheme, source.secrets, request);
  if (verdict !== "valid") return verdict;
  return (await areElementsProven(verifier, source, request)) ? "valid" : "invalid";
}

/** A signed handshake may be of any form: of a proven body, all is read. */
async function signedHandshake(
  { net }: IntakeDeps,
  { handshakes, secrets }: Source,
  request: ReadRequest,
): Promise<Evaluated | undefined> {
  if (!handshakes.some(({ signed }) => signed)) return undefined;
  const json = await request.json();
  const proven: SentRequest = { ...request, head: () => json };
  const handshake = handshakeOf(handshakes, proven, true);
  if (handshake === undefined) return undefined;
  if (handshake.visit !== undefined && !(await visit(net, handshake, proven)))
    return { outcome: refusedAs("inbound_processing_failed", "The address of the confirmation could not be opened") };
  return { outcome: greeted(true), greeting: answerTo(handshake, secrets, proven) };
}

async function mapped({ verifier }: IntakeDeps, source: Source, request: ReadRequest): Promise<Evaluated> {
  const { scheme, mapping, tenant } = source;
  const read = await request.read();
  const readAs = JSON.stringify(read.as);
  if ("isUnknownCoding" in read) return { outcome: refusedAs("unsupported_media_type", read.reason), readAs };
  const onces = await elementOnces(source, request);
  const once = onces === undefined ? verifier.once(scheme, request) : null;
  const isSigned = signedHeadersOf(scheme);
  const content = { body: request.body, header: request.header, read, tenant, once, onces, isSigned };
  const outcome = await mapRequest(mapping, content);
  const isBounded = isRead(read) && !(outcome.kind === "unmapped" && outcome.code === "data_too_large");
  return { outcome, payload: isBounded ? read.text : null, readAs, proof: once };
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
  const entries = jobs.map(entriesOf);
  const results = await processEntries(deps, tx, entries.flat());
  let done = 0;
  const written = jobs.map((job, at) => {
    const count = entries[at]?.length ?? 0;
    done += count;
    return { job, row: rowOf(job, results.slice(done - count, done)) };
  });
  const news = written.flatMap((one) => newsOf(deps, one));
  const receipts = receiptPart(written.map(({ row }) => row));
  const reports = written.flatMap(reportsOf);
  const reported = reportPart(reports);
  const announced = announcementPart(news.map((one) => ({ ...one, request: 0 })));
  await tx.commit(news.length === 0 ? [receipts, reported] : [oneRequest, announced, receipts, reported], "select 1");
  tx.onCommit(() => {
    for (const { job, row } of written) deps.signals.receiptWritten(row.tag, row.status, job.source.tenant);
    if (news.length > 0) deps.events.announced();
    if (reports.some(({ failure }) => failure !== null)) deps.reported();
  });
  return written.map(answerOf);
}

/** Returns the events of a request: itself, or the elements of its list that can be mapped. */
function entriesOf({ outcome, source, receiptId, receivedAt }: Job): Entry[] {
  const parts = outcome.kind === "list" ? outcome.items : [outcome];
  return parts.flatMap((part, position) =>
    part.kind === "mapped" ? [{ source, receiptId, receivedAt, position, mapped: part }] : [],
  );
}

/** Records the failure of a request. The request does not count as seen, so that the sender's retry works. */
async function recordFailure(deps: IntakeDeps, job: Job, error: unknown): Promise<Settled> {
  const { scope, id } = job.source;
  deps.log.error({ err: error, source_id: wireId("src", scope.tag, id) }, "failed to process an inbound request");
  const failed = refusedAs("inbound_processing_failed", "Processing failed on our side");
  const outcome = { ...failed, extracted: extractedOf(job.outcome) };
  const row = rowOf({ ...job, outcome }, []);
  try {
    await deps.db.commit([receiptPart([row]), reportPart(reportsOf({ job, row }))], "select 1");
    deps.reported();
    deps.signals.receiptWritten(job.source.scope.tag, "error", job.source.tenant);
  } catch (unwritten) {
    deps.log.error({ err: unwritten }, "failed to write the receipt of a failed inbound request");
    return intakeRefusal(failed);
  }
  return intakeRefusal(failed, wireId("rcp", scope.tag, job.receiptId));
}

interface WrittenReceipt {
  readonly job: Job;
  readonly row: ReceiptInsert;
}

/** A request that cannot be mapped is neither a failure nor a success, and neither is one to a source that is disabled. */
function reportsOf({ job: { source }, row: { id, status, reason_code: code, reason } }: WrittenReceipt): Report[] {
  if (status === "unmapped" || code === "inbound_inactive") return [];
  const failure = status === "error" ? { code: code ?? status, detail: reason, receiptId: id } : null;
  return [{ scope: source.scope, kind: "source", object: source.id, id, tenant: source.tenant, failure }];
}

/** `results` are those of the events of the job. */
function rowOf(job: Job, results: readonly Processed[]): ReceiptInsert {
  const { source, receiptId, body, headers, readAs, outcome, proof } = job;
  const extracted = extractedOf(outcome);
  const signed = !isUnsigned(outcome);
  const columns = columnsOf(outcome, results);
  return {
    bucket: source.scope.bucket,
    tag: source.scope.tag,
    id: receiptId,
    source_id: source.id,
    extracted: extractedText(extracted),
    event_type: extracted.event_type,
    ...columns,
    signed,
    headers,
    body: signed ? body : body.subarray(0, MAX_UNSIGNED_BYTES),
    body_bytes: body.length,
    proof: columns.status === "unmapped" || columns.status === "error" ? proof : null,
    read_as: readAs,
  };
}

function answerOf({ job: { outcome }, row }: WrittenReceipt): Settled {
  const { tag, status, activity_id: activity, contact_id: contact } = row;
  const id = wireId("rcp", tag, row.id);
  if (outcome.kind === "refused") return intakeRefusal(outcome, id);
  if (status === "error") throw new Error("a request that was not refused has a receipt of an error");
  return {
    receipt_id: id,
    status,
    ...(activity === null || contact === null
      ? {}
      : { activity_id: wireId("act", tag, activity), contact_id: wireId("con", tag, contact) }),
  };
}

function intakeRefusal({ code, reason }: Refused, receiptId?: Id): ServiceError {
  const extra = receiptId === undefined ? {} : { extra: { receipt_id: receiptId } };
  const headers = code === "unsupported_media_type" ? { headers: CODINGS_ACCEPTED } : {};
  return new ServiceError(code, { detail: `${reason}.`, ...extra, ...headers });
}

/** Announces a request that cannot be mapped, or some of whose elements cannot. */
function newsOf(deps: IntakeDeps, { job: { source, payload }, row }: WrittenReceipt): Announcement[] {
  if (row.reason === null || (row.status !== "unmapped" && row.items === null)) return [];
  const { scope, id } = source;
  const sourceId = wireId("src", scope.tag, id);
  const head = JSON.stringify({
    receipt_id: wireId("rcp", scope.tag, row.id),
    source_id: sourceId,
    reason: row.reason,
    event_type: row.event_type,
  });
  // A text keeps the digits of its numbers.
  const data = `${head.slice(0, -1)},"payload":${payload ?? "null"}}`;
  const name = "inbound.receipt.unmapped";
  return [{ scope, id: deps.ids.uuid(), name, subject: sourceId, tenant: source.tenant, data }];
}
