import { canonicalJson, fromDate, parseJson, sha256, timeText, toRfc3339, wireId } from "../lib/lib.ts";
import type { Instant, Uuid, Id } from "../lib/lib.ts";
import type { Scope, ScopeFields } from "../accounts/accounts.ts";
import type { Selectable, Tables } from "../platform/db/db.ts";
import type { AuditActor, AuditActorType, AuditEntry, AuditKind } from "./entry.ts";
import type { Redactor } from "./redaction.ts";

/** The stored members of a row, with JSON as canonical text. */
export interface RowFacts {
  readonly id: Uuid;
  readonly occurredAt: Instant;
  readonly kind: AuditKind;
  readonly action: string;
  readonly contractVersion: number | null;
  readonly proposalId: Uuid | null;
  readonly runId: Uuid | null;
  readonly actor: AuditActor;
  readonly approver: string | null;
  readonly prompt: string | null;
  readonly params: string | null;
  readonly result: string | null;
  readonly status: string;
  readonly errorCode: string | null;
  readonly durationMs: number | null;
  readonly backend: string | null;
  readonly deployment: string;
  readonly requestId: string | null;
}

type KeptRow = Selectable<Tables["audit_row"]>;

export interface ActorView {
  readonly type: AuditActorType;
  readonly id: string | null;
  readonly display: string | null;
  readonly key_id: string | null;
  readonly ip: string | null;
}

/** A row as `/v1/audit` shows it: the hashed members and the hash. */
export interface AuditRowView extends ScopeFields {
  readonly id: Id;
  readonly object: "audit_row";
  readonly seq: number;
  readonly occurred_at: string;
  /** The time of writing, which is never before that of the previous row. */
  readonly created_at: string;
  readonly kind: AuditKind;
  readonly action: string;
  readonly contract_version: number | null;
  readonly proposal_id: Id | null;
  readonly run_id: Id | null;
  readonly actor: ActorView;
  readonly approver: ActorView | null;
  readonly prompt: string | null;
  readonly params_redacted: unknown;
  readonly result_redacted: unknown;
  readonly status: string;
  readonly error_code: string | null;
  readonly duration_ms: number | null;
  readonly backend: { readonly host: string; readonly status: number | null } | null;
  readonly deployment: {
    readonly version: string;
    readonly git_sha: string | null;
    readonly instance_id: string;
    readonly contract_sha256: string | null;
  };
  readonly request_id: string | null;
  /** Hex of 32 bytes; zeros for the first row. */
  readonly prev_hash: string;
  readonly hash: string;
}

/** The deployment that wrote the row. */
export interface Deployment {
  readonly version: string;
  readonly gitSha: string | null;
  readonly instanceId: string;
}

const MAX_SHORT_BYTES = 512;
/** Redacts and truncates a short text. */
type Shorten = (text: string) => string;

/** Redacts everything that may come from outside, before it is used. */
export function factsOf(
  entry: AuditEntry,
  made: { readonly id: Uuid; readonly at: Instant; readonly deployment: Deployment },
  redactor: Redactor,
): RowFacts {
  const { secrets = [], sensitive = [] } = entry;
  const json = (value: unknown): string => canonicalJson(redactor.value(value, { secrets, sensitive }));
  const short: Shorten = (text) => redactor.text(text, { secrets, maxBytes: MAX_SHORT_BYTES });
  return {
    id: made.id,
    occurredAt: made.at,
    kind: entry.kind,
    action: short(entry.action),
    contractVersion: entry.contractVersion ?? null,
    proposalId: entry.proposalId ?? null,
    runId: entry.runId ?? null,
    actor: cleanActor(entry.actor, short),
    approver: presentOr(entry.approver, (approver) => canonicalJson(actorView(cleanActor(approver, short)))),
    prompt: presentOr(entry.prompt, (prompt) => redactor.text(prompt, { secrets })),
    params: presentOr(entry.parameters, json),
    result: presentOr(entry.result, json),
    status: short(entry.status),
    errorCode: presentOr(entry.errorCode, short),
    durationMs: presentOr(entry.durationMs, (ms) => Math.max(0, Math.round(ms))),
    backend: presentOr(entry.backend, ({ host, status }) => canonicalJson({ host: short(host), status })),
    deployment: deploymentOf(entry, made.deployment),
    requestId: presentOr(entry.requestId, short),
  };
}

function presentOr<Value, Made>(value: Value | null | undefined, make: (value: Value) => Made): Made | null {
  return value === null || value === undefined ? null : make(value);
}

function deploymentOf({ contractSha256 = null }: AuditEntry, { version, gitSha, instanceId }: Deployment): string {
  return canonicalJson({ version, git_sha: gitSha, instance_id: instanceId, contract_sha256: contractSha256 });
}

function cleanActor({ type, id, display, keyId, ip }: AuditActor, short: Shorten): AuditActor {
  return {
    type,
    id: presentOr(id, short),
    display: presentOr(display, short),
    keyId: presentOr(keyId, short),
    ip: presentOr(ip, short),
  };
}

export function actorView({ type, id, display, keyId, ip }: AuditActor): ActorView {
  return { type, id, display, key_id: keyId, ip };
}

/** A row as it is shown, without the members that are known only at the end of its chain. */
export type Unchained = Omit<AuditRowView, "created_at" | "seq" | "prev_hash" | "hash">;

export function unchained(
  scope: Pick<Scope, "tag" | "workspaceId" | "environment" | "bucket">,
  row: RowFacts,
): Unchained {
  return {
    id: wireId("aud", scope.tag, row.id),
    object: "audit_row",
    ...scopeFields(scope),
    occurred_at: toRfc3339(row.occurredAt),
    kind: row.kind,
    action: row.action,
    contract_version: row.contractVersion,
    proposal_id: row.proposalId === null ? null : wireId("prop", scope.tag, row.proposalId),
    run_id: row.runId === null ? null : wireId("run", scope.tag, row.runId),
    actor: actorView(row.actor),
    approver: parsed(row.approver) as ActorView | null,
    prompt: row.prompt,
    params_redacted: parsed(row.params),
    result_redacted: parsed(row.result),
    status: row.status,
    error_code: row.errorCode,
    duration_ms: row.durationMs,
    backend: parsed(row.backend) as AuditRowView["backend"],
    deployment: parsed(row.deployment) as AuditRowView["deployment"],
    request_id: row.requestId,
  };
}

export function parsed(json: string | null): unknown {
  return json === null ? null : parseJson(json);
}

/**
 * The canonical JSON of a row, split at `created_at`, `prev_hash` and `seq`, which are known only once its chain is
 * locked.
 */
export type Pieces = readonly [string, string, string, string];

export function piecesOf(row: Unchained): Pieces {
  type Part = Record<string, unknown>;
  const parts: [Part, Part, Part, Part] = [{}, {}, {}, {}];
  for (const [name, value] of Object.entries(row)) parts[placeOf(name)][name] = value;
  const [first, second, third, last] = parts.map((part) => canonicalJson(part).slice(1, -1));
  return [`{${first},"created_at":"`, `",${second},"prev_hash":"`, `",${third},"seq":`, `,${last}}`];
}

/** Returns the piece of a member: before or after `created_at`, `prev_hash` and `seq`, in the order of names. */
function placeOf(name: string): 0 | 1 | 2 | 3 {
  if (name < "created_at") return 0;
  if (name < "prev_hash") return 1;
  return name < "seq" ? 2 : 3;
}

/** Returns the members of a stored row as they were before it was chained. */
function factsOfRow(row: KeptRow): RowFacts {
  return {
    id: row.id,
    occurredAt: fromDate(row.occurred_at),
    kind: row.kind as AuditKind,
    action: row.action,
    contractVersion: row.contract_version,
    proposalId: row.proposal_id,
    runId: row.run_id,
    actor: {
      type: row.actor_type as AuditActorType,
      id: row.actor_id,
      display: row.actor_display,
      keyId: row.actor_key_id,
      ip: row.actor_ip,
    },
    approver: row.approver,
    prompt: row.prompt,
    params: row.params_redacted,
    result: row.result_redacted,
    status: row.status,
    errorCode: row.error_code,
    durationMs: row.duration_ms,
    backend: row.backend,
    deployment: row.deployment,
    requestId: row.request_id,
  };
}

/** Returns a stored row as it is shown, with exactly the text that was hashed. */
export function viewOfRow(scope: Scope, row: KeptRow): AuditRowView {
  return {
    ...unchained(scope, factsOfRow(row)),
    created_at: timeText(row.created_at),
    seq: Number(row.seq),
    prev_hash: row.prev_hash.toString("hex"),
    hash: row.hash.toString("hex"),
  };
}

/**
 * Computes the hash of a row. Contract, section 7: SHA-256 of prev_hash, a newline, and the canonical row without
 * `hash`.
 */
export function hashOf(view: AuditRowView): string {
  const { hash: _hash, ...hashed } = view;
  return sha256(`${view.prev_hash}\n${canonicalJson(hashed)}`).toString("hex");
}
