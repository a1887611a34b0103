import type { AccessChecks } from "../access/access.ts";
import { readStanding, UNLIMITED } from "../accounts/accounts.ts";
import type { Admitted, ApiKey, Scope, Workspaces } from "../accounts/accounts.ts";
import type { OperationHandler } from "../actions/actions.ts";
import { parseId, ServiceError } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import type { Db } from "../platform/db/db.ts";

export interface RequesterDeps {
  readonly db: Db;
  readonly accessChecks: Pick<AccessChecks, "operations" | "assertStillAllowed">;
  readonly keys: Pick<Workspaces["keys"], "byId">;
}

type Approved = Parameters<OperationHandler>[1];

/** Returns the requester of a plan with the rights of this moment. Throws the refusal of one that may no longer apply a configuration. */
export async function requesterOf(
  deps: RequesterDeps,
  { scope, runId, parameters, actor }: Approved,
): Promise<Admitted> {
  const key = await credentialOf(deps, scope, { id: String(parameters["requester_id"]), display: actor.display ?? "" });
  const operation = deps.accessChecks.operations.get("configuration.apply");
  if (operation === undefined) throw new Error("no route has the operation configuration.apply");
  if (key === undefined || key.workspaceId !== scope.workspaceId || key.environment !== scope.environment)
    throw new ServiceError("key_invalid", { detail: "The requester no longer exists in this workspace." });
  deps.accessChecks.assertStillAllowed(key, operation);
  return { key, scope: { ...scope, tenant: key.tenant }, ip: "", requestId: runId };
}

async function credentialOf(
  { db, keys }: RequesterDeps,
  scope: Scope,
  requester: { readonly id: string; readonly display: string },
): Promise<ApiKey | undefined> {
  const parsed = parseId(requester.id);
  if (parsed?.prefix === "key") return await keys.byId(parsed.uuid);
  if (parsed?.prefix !== "mem") return undefined;
  return await sessionOf(db, scope, { memberId: parsed.uuid, display: requester.display });
}

/** Returns a member as in a console session that has proved nothing: what needs a repeated proof is refused. */
async function sessionOf(
  db: Db,
  { workspaceId, bucket, tag, environment }: Scope,
  { memberId, display }: { readonly memberId: Uuid; readonly display: string },
): Promise<ApiKey | undefined> {
  const standing = await readStanding(db, workspaceId, { kind: "member", id: memberId });
  if (standing === undefined) return undefined;
  const [personId = memberId] = standing.people;
  return {
    ...UNLIMITED,
    ...standing,
    workspaceId,
    bucket,
    tag,
    environment,
    id: memberId,
    lineageId: memberId,
    display,
    signingSecret: null,
    session: { id: memberId, personId, recoveredAt: null },
  };
}
