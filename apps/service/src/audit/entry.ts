import type { Uuid } from "../lib/lib.ts";
import type { AuditSubject } from "../accounts/accounts.ts";

/** Executions of actions and what leads to them, and what else people and programs do. */
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
  "source",
  "contact",
  "workspace",
  "audit",
] as const satisfies readonly AuditKind[];

export const AUDIT_ACTOR_TYPES = ["user", "service", "ai", "rule", "workflow", "connector", "system"] as const;
export type AuditActorType = (typeof AUDIT_ACTOR_TYPES)[number];

/** Who did it, or allowed it. */
export interface AuditActor {
  readonly type: AuditActorType;
  /** A wire id: of a member, a key, a rule, a workflow. */
  readonly id: string | null;
  /** What people call it: an e-mail address, the name of a key. */
  readonly display: string | null;
  /** The wire id of the key that was shown. */
  readonly keyId: string | null;
  readonly ip: string | null;
}

/** What is written down. All of it is redacted first; it must not be changed after it was given. */
export interface AuditEntry {
  readonly kind: AuditKind;
  /** The dotted name of an operation or contract, such as `keys.revoke`. */
  readonly action: string;
  /** How it ended: `ok`, `refused`, `failed`, or a state's name such as `executed`. */
  readonly status: string;
  readonly actor: AuditActor;
  readonly approver?: AuditActor | null;
  readonly contractVersion?: number | null;
  readonly proposalId?: Uuid | null;
  readonly runId?: Uuid | null;
  readonly prompt?: string | null;
  /** JSON values; what is absent or undefined is null. */
  readonly parameters?: unknown;
  readonly result?: unknown;
  readonly errorCode?: string | null;
  readonly durationMs?: number | null;
  readonly backend?: { readonly host: string; readonly status: number | null } | null;
  /** Hex, of the contract as it was executed. */
  readonly contractSha256?: string | null;
  readonly requestId?: string | null;
  /** Values to redact wherever they stand, besides the rules and the workspace's own secrets. */
  readonly secrets?: readonly string[];
  /** Names of parameters that the contract marks as sensitive. */
  readonly sensitive?: readonly string[];
}
