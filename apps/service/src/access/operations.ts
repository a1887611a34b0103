import type { RouteOptions } from "fastify";
import { closest, editDistance } from "../../../../packages/command-line/src/command-line.ts";
import { isRecord } from "../lib/lib.ts";
import type { AuditSubject, Callers } from "../accounts/accounts.ts";

/** What a route does, under the dotted name that Restricted lists, the audit and the General API use. */
export interface Operation extends Callers {
  readonly name: string;
  readonly access: "read" | "write";
  /** Operations with one name here share one limit a minute. */
  readonly limit: string;
  /** The handler writes the idempotency record itself, in the transaction of its effect. */
  readonly ownIdempotency: boolean;
  /** The effect is elsewhere: nothing of it is undone when it is refused, and its record follows it. */
  readonly remote: boolean;
  /** What it is about, where the audit is told of it. */
  readonly audit: AuditSubject | null;
  /** The operation that it is reached by: a list that blocks that blocks this. */
  readonly through?: string;
  /** Operations whose effect it has: a list that blocks one of them blocks this. */
  readonly does: readonly string[];
  /** Operations whose effect it has when its body holds the member. */
  readonly doesWith: Readonly<Record<string, string>>;
  /** The caller names a contract, which says more of who may call it. */
  readonly runsContract: boolean;
}

export interface OperationSpec {
  readonly name: string;
  readonly access: "read" | "write";
  readonly callers: Callers;
  readonly limit?: string;
  readonly ownIdempotency?: boolean;
  readonly remote?: boolean;
  readonly audit?: AuditSubject;
  readonly does?: readonly string[];
  readonly doesWith?: Readonly<Record<string, string>>;
  readonly runsContract?: boolean;
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
    runsContract: spec.runsContract ?? false,
  };
}

/** A route of the API says who may call it, or the service does not start: none is public by omission. */
export function assertCallersDeclared({ url, method, config }: RouteOptions): void {
  const { operation: name, callers } = config ?? {};
  const ofTheApi = url.startsWith("/v1/") || url.startsWith("/api/") || name !== undefined;
  if (!ofTheApi || (name === undefined ? typeof callers === "string" : typeof callers === "object")) return;
  throw new Error(`${String(method)} ${url} does not declare its callers: give its config \`callers\``);
}

/** The operation as this body asks for it: with the effects that its members have. */
export function withBody(asked: Operation, body: unknown): Operation {
  if (!isRecord(body)) return asked;
  const added = Object.entries(asked.doesWith).flatMap(([member, name]) => (member in body ? [name] : []));
  return added.length === 0 ? asked : { ...asked, does: [...asked.does, ...added] };
}

/** Calls a minute and key (specification, "Limits"); all that it does not name share two limits for management. */
export const DEFAULT_LIMITS: Readonly<Record<string, number>> = {
  "events.fire": 1000,
  "actions.run": 200,
  "webhooks.test": 60,
  "customers.get": 2000,
  "tickets.list": 2000,
  "connectors.list": 2000,
  "management.read": 600,
  "management.write": 120,
};

/** Whether a Restricted list blocks an operation: by its exact name, `prefix.*`, or `*`. */
export function isBlocked(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    if (pattern === "*" || pattern === name) return true;
    return pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -1));
  });
}

/** `<area>:<level>`: the area is the operation's first word, and `write` covers `read`. What is about the service itself needs none. */
export function scopesAllow(scopes: readonly string[] | null, op: Pick<Operation, "name" | "access">): boolean {
  if (scopes === null) return true;
  const area = op.name.slice(0, op.name.indexOf("."));
  if (area === "meta") return true;
  return scopes.includes(`${area}:write`) || (op.access === "read" && scopes.includes(`${area}:read`));
}

/** Names that a mistyped one may have meant, the nearest first. */
export function nearest(wanted: string, names: Iterable<string>): string[] {
  const text = wanted.toLowerCase();
  return closest(
    names,
    (name) => editDistance(text, name),
    (name) => Math.max(2, Math.ceil(name.length / 3)),
  );
}
