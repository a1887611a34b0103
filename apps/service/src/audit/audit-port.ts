import type { Tx } from "../platform/db/db.ts";
import type { AuditedOperation } from "../access/access.ts";
import { tagOf, wireId } from "../lib/lib.ts";
import { memberWireId } from "../accounts/accounts.ts";
import type { Admitted, Caller, AuditNote, NotedActor, Scope } from "../accounts/accounts.ts";
import type { AuditActor, AuditEntry, AuditKind } from "./entry.ts";

/** What the modules before this one tell the audit, by ports of their own. */
export interface Telling {
  /** For the gate: what a caller did. */
  operation(tx: Tx, operation: AuditedOperation): void;
  /** For workspaces: what happened to people outside of a gated request. */
  note(tx: Tx, scope: Scope, note: AuditNote): void;
}

type RecordEntry = (tx: Tx, scope: Scope, entry: AuditEntry) => void;

/** People and the workspace itself are of both environments, whoever changes them: they are written where an owner looks. */
const OF_LIVE: ReadonlySet<AuditKind> = new Set(["sign_in", "account", "session", "member", "workspace"]);
/** Values of these members may be credentials of others, whatever they are called. */
const SENSITIVE = ["headers"];
/** A new secret is not known as one before its transaction ends. */
const SENSITIVE_OF_SECRETS = [...SENSITIVE, "value"];
/** Which of a connector's settings are secrets, its own form says, which is not asked here. */
const SENSITIVE_OF: Readonly<Partial<Record<AuditKind, readonly string[]>>> = {
  secret: SENSITIVE_OF_SECRETS,
  connector: [...SENSITIVE, "settings"],
};
const OPERATOR: AuditActor = { type: "system", id: null, display: "operator", keyId: null, ip: null };

export function createTelling(record: RecordEntry): Telling {
  return {
    operation(tx, { caller, subject, action, parameters, result, succeeded }) {
      record(tx, chainFor(caller.scope, subject), {
        kind: subject,
        action,
        status: succeeded ? "ok" : "failed",
        actor: actorOf(caller),
        // What is said about an account is what proves it: passwords and codes.
        ...(subject === "account" ? {} : { parameters }),
        result,
        sensitive: SENSITIVE_OF[subject] ?? SENSITIVE,
        requestId: caller.requestId,
      });
    },
    note(tx, scope, { subject, action, actor, errorCode, parameters }) {
      record(tx, chainFor(scope, subject), {
        kind: subject,
        action,
        status: errorCode === undefined ? "ok" : "refused",
        actor: actor === null ? OPERATOR : notedPerson(actor),
        parameters,
        ...(errorCode === undefined ? {} : { errorCode }),
        requestId: actor?.requestId ?? null,
      });
    },
  };
}

/** A caller as rows show it: the person, or the key where it is nobody's. */
export function actorOf({ key, scope, ip }: Caller & Pick<Admitted, "ip">): AuditActor {
  const keyId = key.session === undefined ? wireId("key", scope.tag, key.id) : null;
  const id = key.memberId === null ? keyId : memberWireId(scope, key.memberId);
  return { type: key.actorType, id, display: key.display, keyId, ip };
}

function notedPerson({ id, display, ip }: NotedActor): AuditActor {
  return { type: "user", id, display, keyId: null, ip };
}

function chainFor(scope: Scope, kind: AuditKind): Scope {
  return OF_LIVE.has(kind) ? { ...scope, tag: tagOf(scope.tag, "live"), environment: "live" } : scope;
}
