import type { RouteOptions } from "fastify";
import { closest, editDistance } from "../../../../packages/command-line/src/command-line.ts";
import { isRecord } from "../lib/lib.ts";
import type { AuditSubject, Callers } from "../accounts/accounts.ts";

/**
 * An operation of a route, under the dotted name that lists of restricted keys, the audit log and the General API use.
 */
export interface Operation extends Callers {
  readonly name: string;
  readonly access: "read" | "write";
  /** Operations with the same name here share one limit per minute. */
  readonly limit: string;
  /** The handler writes the idempotency record itself, in the transaction of its effect. */
  readonly ownIdempotency: boolean;
  /** The effect is in another system: a refusal does not undo it, and it is recorded afterwards. */
  readonly remote: boolean;
  /** The subject in the audit log, or null if the operation is not audited. */
  readonly audit: AuditSubject | null;
  /** The operation through which this one is called: a list that blocks that one blocks this one. */
  readonly through?: string;
  /** Operations that have the same effect: a list that blocks one of them blocks this one. */
  readonly does: readonly string[];
  /** Operations whose effect this one has if its body contains the member, by the member's name. */
  readonly doesWith: Readonly<Record<string, string>>;
  /** Operations that a credential of the portal must also be able to call. */
  readonly needs: readonly string[];
  /** Operations that it needs if the body contains the member, by the member's name. */
  readonly needsWith: Readonly<Record<string, string>>;
  /** The caller names an action contract, which has further conditions on the caller. */
  readonly runsContract: boolean;
  /** Keys of tenants may call it. */
  readonly tenants: boolean;
  /**
   * The scope that a credential must name, in place of that of the area. All scopes do not include it. Who named it for an AI
   * gave it the right, so that the AI acts in the role of its member.
   */
  readonly namedScope?: string;
}

export interface OperationSpec
  extends
    Pick<Operation, "name" | "access">,
    Partial<Omit<Operation, keyof Callers | "name" | "access" | "audit" | "through" | "needs" | "namedScope">> {
  readonly callers: Callers;
  readonly audit?: AuditSubject;
}

export function operation(spec: OperationSpec): Operation {
  const { name, access, callers } = spec;
  return {
    ...callers,
    name,
    access,
    limit: spec.limit ?? `management.${access}`,
    ownIdempotency: spec.ownIdempotency ?? false,
    remote: spec.remote ?? false,
    audit: spec.audit ?? null,
    does: spec.does ?? [],
    doesWith: spec.doesWith ?? {},
    needs: [],
    needsWith: spec.needsWith ?? {},
    runsContract: spec.runsContract ?? false,
    tenants: spec.tenants ?? false,
  };
}

/** Throws if a route of the API does not declare its callers, so that no route is public by omission. */
export function assertCallersDeclared({ url, method, config }: RouteOptions): void {
  const { operation: name, callers } = config ?? {};
  const ofTheApi = url.startsWith("/v1/") || url.startsWith("/api/") || name !== undefined;
  if (!ofTheApi || (name === undefined ? typeof callers === "string" : typeof callers === "object")) return;
  throw new Error(`${String(method)} ${url} does not declare its callers: give its config \`callers\``);
}

/** Returns the operation with the effects that the members of this body add. */
export function withBody(asked: Operation, body: unknown): Operation {
  if (!isRecord(body)) return asked;
  const named = (by: Readonly<Record<string, string>>): string[] =>
    Object.entries(by).flatMap(([member, name]) => (Object.hasOwn(body, member) ? [name] : []));
  const [does, needs] = [named(asked.doesWith), named(asked.needsWith)];
  if (does.length === 0 && needs.length === 0) return asked;
  return { ...asked, does: [...asked.does, ...does], needs: [...asked.needs, ...needs] };
}

/**
 * Calls per minute and key (specification, "Limits"). Operations that are not listed share the two management limits.
 */
export const DEFAULT_LIMITS: Readonly<Record<string, number>> = {
  "events.fire": 1000,
  "actions.run": 200,
  "webhooks.test": 60,
  "webhooks.pull": 6000,
  "webhooks.commit": 6000,
  "customers.get": 2000,
  "tickets.list": 2000,
  "connectors.list": 2000,
  // The libraries of Svix repeat no refusal of a limit.
  "svix.read": 2000,
  "svix.write": 600,
  "management.read": 600,
  "management.write": 120,
};

/** Returns true if a restricted key's list blocks an operation: by its exact name, `prefix.*`, or `*`. */
export function isBlocked(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    if (pattern === "*" || pattern === name) return true;
    return pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -1));
  });
}

type ScopedOperation = Pick<Operation, "name" | "access"> & Partial<Pick<Operation, "needs" | "namedScope">>;

/**
 * Returns true if the scopes allow an operation. A scope is `<area>:<level>`: the area is the operation's first word,
 * and `write` covers `read`. Operations of the area `meta` need no scope. The scopes of the portal's credentials are exact names
 * of operations.
 */
export function scopesAllow(scopes: readonly string[] | null, op: ScopedOperation): boolean {
  if (op.namedScope !== undefined) return isNamed(scopes ?? [], op.namedScope, op);
  if (scopes === null) return true;
  if (scopes.includes(op.name)) return (op.needs ?? []).every((one) => scopes.includes(one));
  const area = op.name.slice(0, op.name.indexOf("."));
  if (area === "meta") return true;
  return scopes.includes(`${area}:write`) || (op.access === "read" && scopes.includes(`${area}:read`));
}

/** Returns true if the scopes name this one. Exact names of operations, as the portal's credentials have them, narrow it. */
function isNamed(scopes: readonly string[], scope: string, op: ScopedOperation): boolean {
  if (!scopes.includes(scope) && !scopes.includes(scope.replace(/:read$/, ":write"))) return false;
  const operations = scopes.filter((one) => one.includes("."));
  return operations.length === 0 || [op.name, ...(op.needs ?? [])].every((one) => operations.includes(one));
}

/** Returns the names that are similar to a mistyped one, the closest first. */
export function nearest(wanted: string, names: Iterable<string>): string[] {
  const text = wanted.toLowerCase();
  return closest(
    names,
    (name) => editDistance(text, name),
    (name) => Math.max(2, Math.ceil(name.length / 3)),
  );
}
