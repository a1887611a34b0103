import type { Db } from "../../platform/db/db.ts";
import { canonicalJson, sha256, toDate } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { SessionInfo } from "../callers/api-key.ts";
import type { Scope } from "../callers/scope.ts";
import * as store from "./passkeys.store.ts";

/** The operations that can ask for a step-up of their own. */
export const GUARDED_OPERATIONS = [
  "workspaces.update",
  "runs.undo",
  "action_contracts.create",
  "action_contracts.update",
  "action_contracts.promote",
  "auth.password",
  "auth.totp.enrol",
  "auth.passkeys.begin",
  "auth.passkeys.delete",
  "slack_links.create",
] as const;
export type GuardedOperation = (typeof GUARDED_OPERATIONS)[number];

/** A request that changes what guards. */
export interface GuardedChange {
  readonly operation: GuardedOperation;
  /** The id or key in the request's path. */
  readonly id?: string;
  /** The request's body. Without a secret: a request that proves itself is known by its operation. */
  readonly body?: object;
}

/** The person, the session and the workspace in which a proof counts. */
export interface Prover {
  readonly scope: Scope;
  readonly session: SessionInfo;
}

/** Returns what exactly this change is known by to a step-up. */
export function changeSubject({ tag }: Pick<Scope, "tag">, { operation, id, body }: GuardedChange): Buffer {
  return sha256(canonicalJson({ decision: operation, tag, id: id ?? null, body: body ?? {} }));
}

/** Uses up the proof of a decision. Returns its method; undefined if there is none. */
export async function takeProof(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { scope, session }: Prover,
  subject: Buffer,
): Promise<string | undefined> {
  const owner = { workspace_id: scope.workspaceId, person_id: session.personId, session_id: session.id };
  return await store.takeStepUp(db.query, owner, subject, toDate(clock.now()));
}
