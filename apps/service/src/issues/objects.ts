import { wireId } from "../lib/lib.ts";
import type { Instant, Uuid } from "../lib/lib.ts";
import type { Query } from "../platform/db/db.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { IssueKind } from "./issue.ts";

/** The facts that a module knows of the objects whose attempts it reports. */
export interface IssueObjects {
  readonly kinds: readonly IssueKind[];
  /** Returns the names for people of those objects that were not deleted, by their ids or keys. */
  names(query: Query, scope: Scope, objects: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Only for kinds whose failures can be replayed. */
  readonly replays?: {
    count(scope: Scope, issue: Replayable): Promise<number>;
    /** Throws 409 `conflict` if the object cannot be reached now. */
    start(scope: Scope, issue: Replayable): Promise<{ readonly count: number; readonly job_id: string }>;
  };
}

export interface Replayable {
  readonly kind: IssueKind;
  readonly object: string;
  /** The first failure of the issue. */
  readonly since: Instant;
}

/** The prefixes of the ids of objects. Connectors and actions have keys. */
const PREFIXES: Readonly<Partial<Record<IssueKind, "ep" | "src">>> = {
  delivery: "ep",
  transform: "ep",
  broker: "src",
  source: "src",
};

/** Returns the id of an object as callers know it. */
export function objectId({ tag }: Pick<Scope, "tag">, kind: IssueKind, object: string): string {
  const prefix = PREFIXES[kind];
  return prefix === undefined ? object : wireId(prefix, tag, object as Uuid);
}

export function issueId({ tag, id }: { readonly tag: Scope["tag"]; readonly id: Uuid }): string {
  return wireId("iss", tag, id);
}
