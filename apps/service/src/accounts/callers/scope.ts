import { bucketOf, environmentOf, parseId, ServiceError, tagOf, wireId } from "../../lib/lib.ts";
import type { Environment, Id, IdPrefix, Tag, Uuid } from "../../lib/lib.ts";

/** A workspace and an environment. Every query of business data is bound to one scope. */
export interface Scope {
  readonly workspaceId: Uuid;
  readonly bucket: number;
  readonly tag: Tag;
  readonly environment: Environment;
  /** The tenant of the caller's key. Null, as without it: the caller acts for the workspace. */
  readonly tenant?: string | null;
}

/** The id prefixes of objects that belong to both environments. Their ids contain the live tenant id. */
const SHARED: ReadonlySet<IdPrefix> = new Set(["ws", "mem", "inv", "ses", "pky", "rule", "wf", "ctr"]);

/** The fields that every workspace resource shows (contract, section 2). */
export interface ScopeFields {
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
}

export function scopeOf(workspaceId: Uuid, tag: Tag): Scope {
  return { workspaceId, tag, environment: environmentOf(tag), bucket: bucketOf(tag) };
}

/** Returns the scope of the whole environment, for work that a tenant's key starts and that is the workspace's. */
export function scopeOfWorkspace(scope: Scope): Scope {
  return (scope.tenant ?? null) === null ? scope : { ...scope, tenant: null };
}

/** Returns the scope of the same workspace in an environment. */
export function scopeIn({ workspaceId, tag }: Scope, environment: Environment): Scope {
  return scopeOf(workspaceId, tagOf(tag, environment));
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

/**
 * Refuses an id of another workspace or environment by its tenant id, without a query. Text that is not an id of the
 * service passes.
 */
export function assertOwnId(scope: Pick<Scope, "tag">, id: string): void {
  const parsed = parseId(id);
  // A request gets its id before its caller is known, so the id names no workspace. Look-ups search only the caller's
  // workspace.
  if (parsed === undefined || parsed.tag === scope.tag || parsed.prefix === "req") return;
  if (tagOf(parsed.tag, "live") !== tagOf(scope.tag, "live")) throw new ServiceError("workspace_mismatch");
  if (SHARED.has(parsed.prefix)) return;
  throw new ServiceError("environment_mismatch", {
    detail: `The object belongs to the ${environmentOf(parsed.tag)} environment.`,
  });
}

/**
 * Returns the UUID of an id. Throws 404 if it is malformed or of another kind, and 403 if it belongs to another
 * workspace.
 */
export function ownUuid(scope: Pick<Scope, "tag">, prefix: IdPrefix, id: string): Uuid {
  assertOwnId(scope, id);
  const parsed = parseId(id);
  if (parsed === undefined || parsed.prefix !== prefix) throw new ServiceError("not_found");
  return parsed.uuid;
}
