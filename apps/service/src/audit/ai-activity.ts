import type { Scope } from "../accounts/accounts.ts";
import type { Clock, IdMaker, Instant, Uuid } from "../lib/lib.ts";
import type { AuditActor } from "./entry.ts";

/** The object of a request, with its name at that time. */
export interface Target {
  readonly id: string | null;
  readonly name: string | null;
}

/** A request of an AI caller that writes no exchange. Its texts may come from the caller. */
export interface AiRequest {
  readonly source: "mcp" | "api";
  readonly kind: "call" | "dry_run" | "poll";
  readonly actor: AuditActor;
  /** The program that the caller says it is. */
  readonly client: string | null;
  /** The tool, method or operation. */
  readonly name: string;
  readonly target: Target | null;
  readonly status: "ok" | "refused" | "failed";
  readonly errorCode: string | null;
  readonly requestId: string | null;
}

const MINUTE_MS = 60_000;
/** Different requests of a caller in a minute that get a row each. The others are counted by their outcome. */
const MOST_OF_CALLER = 30;
/** Rows in memory, also while the database is unavailable. Requests beyond these are not counted. */
const MOST_ROWS = 10_000;

/** The requests that are counted in one row. */
export interface Counted {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly request: AiRequest;
  readonly startedMs: number;
  readonly at: Instant;
  lastAt: Instant;
  count: number;
}

/**
 * Counts requests of AI callers in memory, alike ones of a minute in one row. No caller can cause more rows than a fixed number per
 * minute.
 */
export function createActivityCounts({ clock, ids }: { readonly clock: Clock; readonly ids: IdMaker }) {
  /** The rows that still count, each for a minute from its first request. */
  const open = new Map<string, Counted>();
  const unwritten = new Set<Counted>();
  /** The number of rows of each caller, for a minute from the first. */
  const callers = new Map<string, { readonly startedMs: number; count: number }>();

  const isOver = ({ startedMs }: { readonly startedMs: number }): boolean =>
    clock.monotonicMs() - startedMs >= MINUTE_MS;

  function openRow(scope: Scope, request: AiRequest): Counted | undefined {
    const row = open.get(keyOf(scope, request));
    return row === undefined || isOver(row) ? undefined : row;
  }

  /** Returns the request as it is counted: without what its caller can choose, if that caller has rows enough. */
  function bounded({ tag }: Scope, request: AiRequest): AiRequest {
    const name = `${tag} ${request.actor.keyId ?? request.actor.id}`;
    const known = callers.get(name);
    const caller = known === undefined || isOver(known) ? { startedMs: clock.monotonicMs(), count: 0 } : known;
    callers.set(name, caller);
    caller.count += 1;
    return caller.count <= MOST_OF_CALLER ? request : { ...request, client: null, name: SEVERAL, target: null };
  }

  /** Counts a request (hot). Touches memory alone. */
  function note(scope: Scope, asked: AiRequest): void {
    const at = clock.now();
    const request = openRow(scope, asked) === undefined ? bounded(scope, asked) : asked;
    let row = openRow(scope, request);
    if (row === undefined) {
      if (open.size >= MOST_ROWS || unwritten.size >= MOST_ROWS) return;
      row = { scope, id: ids.uuid(), request, startedMs: clock.monotonicMs(), at, lastAt: at, count: 0 };
      open.set(keyOf(scope, request), row);
    }
    row.count += 1;
    row.lastAt = at;
    unwritten.add(row);
  }

  return {
    note,
    /** Returns the rows that have changed since they were taken, of one scope or of all. */
    take(scope?: Scope): readonly Counted[] {
      const changed = [...unwritten].filter((row) => scope === undefined || row.scope.tag === scope.tag);
      for (const row of changed) unwritten.delete(row);
      for (const [key, row] of open) if (isOver(row)) open.delete(key);
      for (const [name, caller] of callers) if (isOver(caller)) callers.delete(name);
      return changed;
    },
    /** Takes back rows that could not be written. */
    putBack(rows: readonly Counted[]): void {
      for (const row of rows) unwritten.add(row);
    },
  };
}

/** The name of a row for several tools. It is stored as null. */
const SEVERAL = "";

function keyOf({ tag }: Scope, { actor, source, kind, client, name, target, ...outcome }: AiRequest): string {
  const { status, errorCode } = outcome;
  return JSON.stringify([tag, actor.keyId, actor.id, source, kind, client, name, target?.id, status, errorCode]);
}
