import { bucketOf, environmentOf, parseId, ServiceError, tagOf, wireId } from "../../lib/lib.ts";
import type { Environment, Id, IdPrefix, Tag, Uuid } from "../../lib/lib.ts";

/** Whose data, and which environment's. Every query of business data is bound to one. */
export interface Scope {
  readonly workspaceId: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly environment: Environment;
}

/** A workspace, its people, rules, workflows and contracts belong to both environments; their ids carry the live tag. */
const SHARED: ReadonlySet<IdPrefix> = new Set(["ws", "mem", "inv", "ses", "rule", "wf", "ctr"]);

/** The fields that every workspace resource shows (contract, section 2). */
export interface ScopeFields {
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
}

export function scopeOf(workspaceId: Uuid, tag: Tag): Scope {
  return { workspaceId, tag, environment: environmentOf(tag), bucket: bucketOf(tag) };
}

export function scopeFields(scope: Scope): ScopeFields {
  return {
    scope_kind: "workspace",
    scope_key: workspaceWireId(scope.tag, scope.workspaceId),
    environment: scope.environment,
  };
}

export function workspaceWireId(tag: Tag, id: Uuid): Id {
  return wireId("ws", tagOf(tag, "live"), id);
}

/** Refuses an id of another workspace or environment without a query: its tag tells. Anything that is no id of ours passes. */
export function assertOwnId(scope: Pick<Scope, "tag">, id: string): void {
  const parsed = parseId(id);
  // Requests have their ids before anyone is known: these are nobody's, and looked for among one's own.
  if (parsed === undefined || parsed.tag === scope.tag || parsed.prefix === "req") return;
  if (tagOf(parsed.tag, "live") !== tagOf(scope.tag, "live")) throw new ServiceError("workspace_mismatch");
  if (SHARED.has(parsed.prefix)) return;
  throw new ServiceError("environment_mismatch", {
    detail: `The object belongs to the ${environmentOf(parsed.tag)} environment.`,
  });
}

/** The uuid of an own id of the given kind. 404 when it is malformed or of another kind, 403 when it is another's. */
export function ownUuid(scope: Pick<Scope, "tag">, prefix: IdPrefix, id: string): Uuid {
  assertOwnId(scope, id);
  const parsed = parseId(id);
  if (parsed === undefined || parsed.prefix !== prefix) throw new ServiceError("not_found");
  return parsed.uuid;
}
