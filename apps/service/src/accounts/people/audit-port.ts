import type { Db, Tx } from "../../platform/db/db.ts";
import { createBatcher } from "../../lib/lib.ts";
import type { ErrorCode, Id, Uuid } from "../../lib/lib.ts";
import type { AuditSubject } from "../callers/caller.routes.ts";
import type { ApiKey } from "../callers/api-key.ts";
import { memberWireId } from "./member-view.ts";
import { membershipsOf } from "./members.store.ts";
import { scopeOf } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";

/** An entry for the audit log about people or workspaces, outside of the audited operations. */
export interface AuditNote {
  readonly subject: AuditSubject | "sign_in";
  readonly action: string;
  /** Null for the operator of the installation. */
  readonly actor: NotedActor | null;
  /** The error code of a refusal. */
  readonly errorCode?: ErrorCode;
  readonly parameters?: object;
  /** The tenant that the entry is about. */
  readonly tenant?: string;
}

export interface NotedActor {
  /** The kind of actor. Default: a person. */
  readonly type?: "user" | "service";
  readonly id: Id | null;
  readonly display: string;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** Writes a note in the transaction of the change that it describes. */
export type RecordAudit = (tx: Tx, scope: Scope, note: AuditNote) => void;

export interface NotingDeps {
  readonly db: Db;
  readonly note: RecordAudit;
  readonly log: { warn(fields: object, message: string): void };
}

/** The origin of a person's request. */
export interface NotedOrigin {
  readonly ip: string;
  readonly requestId?: string;
}

interface Noted extends Omit<AuditNote, "actor"> {
  /** Null if the operator of the installation acts on the person's account. */
  readonly origin: NotedOrigin | null;
}

/** Writes a note about a person to the audit log of each workspace that the person belongs to. */
export async function noteEverywhere(
  { note }: Pick<NotingDeps, "note">,
  tx: Tx,
  person: { readonly id: Uuid; readonly name: string },
  { origin, ...noted }: Noted,
): Promise<void> {
  for (const membership of await membershipsOf(tx.query, person.id)) {
    const scope = scopeOf(membership.workspace_id, membership.tag);
    const memberId = memberWireId(scope, membership.member_id);
    const actor =
      origin === null
        ? null
        : { id: memberId, display: person.name, ip: origin.ip, requestId: origin.requestId ?? null };
    note(tx, scope, { ...noted, actor, parameters: { ...noted.parameters, member_id: memberId } });
  }
}

interface Refusal {
  readonly person: { readonly id: Uuid; readonly name: string };
  /** The action that the proof was for. */
  readonly action: string;
  readonly origin: NotedOrigin;
}

/** Records failed proofs of a person's identity. */
export type Refusals = ReturnType<typeof createRefusals>;

/**
 * Records refusals after the response, so that the response time does not reveal whether the account exists. Concurrent
 * refusals share a transaction.
 */
export function createRefusals(deps: NotingDeps) {
  const batcher = createBatcher<Refusal, null>({
    maxSize: 100,
    run: async (refusals) => {
      await deps.db.transaction(async (tx) => {
        for (const { person, action, origin } of refusals)
          await noteEverywhere(deps, tx, person, { subject: "sign_in", action, origin, errorCode: "sign_in_failed" });
      });
      return refusals.map(() => null);
    },
  });
  return {
    note(refusal: Refusal): void {
      batcher
        .add(refusal)
        .catch((error: unknown) =>
          deps.log.warn({ err: error }, "failed to write a rejected sign-in to the audit log"),
        );
    },
  };
}

/** Returns the caller as the actor of a note in another scope than the call's. */
export function notedCaller(key: ApiKey): NotedActor {
  const id = key.memberId === null ? null : memberWireId(key, key.memberId);
  return { id, display: key.display, ip: null, requestId: null };
}
