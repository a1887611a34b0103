import type { AuditActor, AuditEntry } from "../../audit/audit.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Actor } from "../callers/actor.ts";
import type { Contract } from "../contracts/contract.ts";

/** The audit entries of actions. Parameters are passed unchanged, because the audit log redacts before it writes. */

type Audited = Pick<Contract, "key" | "version" | "params"> & { readonly sha256: string | null };

export interface About {
  readonly actor: Actor;
  readonly approver?: Actor | null;
  readonly proposalId?: Uuid | null;
  readonly runId?: Uuid | null;
  readonly prompt?: string | null;
  readonly parameters?: unknown;
  readonly result?: unknown;
  readonly errorCode?: string | null;
  readonly requestId?: string | null;
  readonly durationMs?: number | null;
  readonly backend?: { readonly host: string; readonly status: number | null } | null;
}

/** Builds an audit entry. `status` is the new state, or `refused`. */
export function entryOf(kind: "run" | "proposal", contract: Audited, status: string, about: About): AuditEntry {
  const { actor, approver = null, ...rest } = about;
  return {
    kind,
    action: contract.key,
    status,
    actor: auditActor(actor),
    approver: approver === null ? null : auditActor(approver),
    contractVersion: contract.version,
    contractSha256: contract.sha256,
    sensitive: sensitiveOf(contract),
    ...rest,
  };
}

export function sensitiveOf({ params }: Pick<Contract, "params">): string[] {
  return Object.entries(params).flatMap(([name, spec]) => (spec.sensitive ? [name] : []));
}

export function auditActor({ type, id, display, key_id: keyId, ip }: Actor): AuditActor {
  return { type, id, display, keyId, ip };
}
