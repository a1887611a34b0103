import type { Tx } from "../platform/db/db.ts";
import type { AuditedOperation } from "../access/access.ts";
import { tagOf, wireId } from "../lib/lib.ts";
import { memberWireId } from "../accounts/accounts.ts";
import type { Admitted, Caller, AuditNote, NotedActor, Scope } from "../accounts/accounts.ts";
import type { AuditActor, AuditEntry, AuditKind } from "./entry.ts";

/** The functions by which earlier modules write to the audit log, through ports of their own. */
export type Telling = ReturnType<typeof createTelling>;

type RecordEntry = (tx: Tx, scope: Scope, entry: AuditEntry) => void;

/**
 * People and the workspace itself belong to both environments. Their changes are recorded in live, where owners look.
 */
const OF_LIVE: ReadonlySet<AuditKind> = new Set(["sign_in", "account", "session", "member", "workspace"]);
/** Members whose values can be credentials of other systems, under any name. */
const SENSITIVE = ["headers"];
/** A new secret is not known as a secret before its transaction ends. */
const SENSITIVE_OF_SECRETS = [...SENSITIVE, "value"];
/** The connector's own form defines which of its settings are secrets. It is not read here. */
const SENSITIVE_OF: Readonly<Partial<Record<AuditKind, readonly string[]>>> = {
  secret: SENSITIVE_OF_SECRETS,
  channel: [...SENSITIVE, "signing_secret", "bot_token"],
  connector: [...SENSITIVE, "settings"],
};
const OPERATOR: AuditActor = { type: "system", id: null, display: "operator", keyId: null, ip: null };

export function createTelling(record: RecordEntry) {
  return {
    /** Records what a caller did, for the access checks. */
    operation(tx: Tx, { caller, subject, action, parameters, result, succeeded, tenant }: AuditedOperation): void {
      record(tx, chainFor(caller.scope, subject), {
        kind: subject,
        action,
        status: succeeded ? "ok" : "failed",
        actor: actorOf(caller),
        // The parameters of account operations are proofs: passwords and codes.
        ...(subject === "account" ? {} : { parameters }),
        result,
        sensitive: SENSITIVE_OF[subject] ?? SENSITIVE,
        requestId: caller.requestId,
        tenant,
      });
    },
    /** Records what happened to people outside a checked request, for workspaces. */
    note(tx: Tx, scope: Scope, { subject, action, actor, errorCode, parameters, tenant }: AuditNote): void {
      record(tx, chainFor(scope, subject), {
        kind: subject,
        action,
        status: errorCode === undefined ? "ok" : "refused",
        actor: actor === null ? OPERATOR : noted(actor),
        parameters,
        ...(errorCode === undefined ? {} : { errorCode }),
        requestId: actor?.requestId ?? null,
        ...(tenant === undefined ? {} : { tenant }),
      });
    },
  };
}

/** Returns a caller as rows show it: the person, or the key if it belongs to no person. */
export function actorOf({ key, scope, ip }: Caller & Pick<Admitted, "ip">): AuditActor {
  const keyId = key.session === undefined ? wireId("key", scope.tag, key.id) : null;
  const id = key.memberId === null ? keyId : memberWireId(scope, key.memberId);
  return { type: key.actorType, id, display: key.display, keyId, ip };
}

function noted({ type = "user", id, display, ip }: NotedActor): AuditActor {
  return { type, id, display, keyId: null, ip };
}

function chainFor(scope: Scope, kind: AuditKind): Scope {
  return OF_LIVE.has(kind) ? { ...scope, tag: tagOf(scope.tag, "live"), environment: "live" } : scope;
}
