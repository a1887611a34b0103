import type { Uuid } from "../lib/lib.ts";
import type { AuditSubject } from "../accounts/accounts.ts";

/** Runs of actions and the decisions before them, and other operations of people and programs. */
export type AuditKind = "run" | "proposal" | "ai" | "sign_in" | AuditSubject;
export const AUDIT_KINDS = [
  "run",
  "proposal",
  "contract",
  "ai",
  "rule",
  "workflow",
  "connector",
  "sign_in",
  "account",
  "session",
  "member",
  "key",
  "secret",
  "endpoint",
  "issue",
  "event",
  "source",
  "channel",
  "tenant",
  "contact",
  "workspace",
  "configuration",
  "audit",
] as const satisfies readonly AuditKind[];

export const AUDIT_ACTOR_TYPES = [
  "user",
  "service",
  "ai",
  "rule",
  "workflow",
  "connector",
  "standing_approval",
  "system",
] as const;
export type AuditActorType = (typeof AUDIT_ACTOR_TYPES)[number];

/** The actor or the approver of an operation. */
export interface AuditActor {
  readonly type: AuditActorType;
  /** The wire id of a member, a key, a rule, a workflow or a standing approval. */
  readonly id: string | null;
  /** The display name: an e-mail address, or the name of a key. */
  readonly display: string | null;
  /** The wire id of the key that was used. */
  readonly keyId: string | null;
  readonly ip: string | null;
}

/** The content of a row. It is redacted before it is written, and must not be changed after it was passed. */
export interface AuditEntry {
  readonly kind: AuditKind;
  /** The dotted name of an operation or contract, such as `keys.revoke`. */
  readonly action: string;
  /** The outcome: `ok`, `refused`, `failed`, or a state's name such as `executed`. */
  readonly status: string;
  readonly actor: AuditActor;
  readonly approver?: AuditActor | null;
  readonly contractVersion?: number | null;
  readonly proposalId?: Uuid | null;
  readonly runId?: Uuid | null;
  readonly prompt?: string | null;
  /** JSON values. Absent and undefined values are stored as null. */
  readonly parameters?: unknown;
  readonly result?: unknown;
  readonly errorCode?: string | null;
  readonly durationMs?: number | null;
  readonly backend?: { readonly host: string; readonly status: number | null } | null;
  /** Hex, of the contract version that ran. */
  readonly contractSha256?: string | null;
  readonly requestId?: string | null;
  /** The tenant that the row is about. The filter of the log finds it; it is neither shown nor hashed. */
  readonly tenant?: string | null;
  /** Values to redact everywhere, in addition to those found by the rules and the workspace's own secrets. */
  readonly secrets?: readonly string[];
  /** Names of parameters that the contract marks as sensitive. */
  readonly sensitive?: readonly string[];
}
