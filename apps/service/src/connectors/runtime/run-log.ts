import type { Health } from "../registry/connectors.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Hook, LogLine } from "../sandbox/hosts.ts";
import { after, paginate, parseId, parseJson, ServiceError, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Clock, IdMaker, Page, Uuid, Id } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope, ScopeFields } from "../../accounts/accounts.ts";
import { lastRuns, listRuns, recordRuns } from "./run-log.store.ts";
import type { EndedRun, LastRun, RunRow } from "./run-log.store.ts";

/**
 * The results of a call. `threw`: the code threw an error. `deadline`, `memory`, `crashed`, `protocol`: the child
 * process was ended. `start`, `unavailable`: the call did not begin. `skipped`: the call would have formed a loop.
 * `refused`: the signature of a webhook was invalid.
 */
export const OUTCOMES = [
  "ok",
  "threw",
  "deadline",
  "memory",
  "crashed",
  "protocol",
  "start",
  "unavailable",
  "skipped",
  "refused",
] as const;
export type RunOutcome = (typeof OUTCOMES)[number];
export const HOOKS = [
  "subscriber",
  "identity",
  "context",
  "webhook",
  "action",
  "test",
] as const satisfies readonly Hook[];
type LoggedHook = (typeof HOOKS)[number];

/** One service request of a call, without secrets, bodies or paths. */
export interface ServiceNote {
  readonly service: string;
  readonly duration_ms: number;
  /** Null if the request succeeded. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly [detail: string]: unknown;
}

/** The record of a call while it runs. */
export interface RunDraft {
  note(service: ServiceNote): void;
  line(line: LogLine): void;
  end(outcome: RunOutcome, error: string | null): Promise<void>;
}

export interface RunOf {
  readonly scope: Scope;
  readonly key: string;
  readonly version: string;
  readonly hook: LoggedHook;
  readonly name: string;
  readonly eventId: Uuid | null;
  /** The tenant whose event or action led to the call. */
  readonly tenant: string | null;
  /** Removes secrets from a text. */
  redact(text: string): string;
}

export interface RunView extends ScopeFields {
  readonly id: Id;
  readonly object: "connector_run";
  readonly connector: string;
  readonly version: string;
  readonly hook: LoggedHook;
  readonly name: string;
  readonly event_id: Id | null;
  readonly outcome: RunOutcome;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly services: ServiceNote[];
  readonly log: { readonly level: LogLine["level"]; readonly message: string; readonly fields?: object }[];
  readonly started_at: string;
  readonly created_at: string;
}

export interface RunQuery {
  readonly hook?: LoggedHook;
  readonly outcome?: RunOutcome;
  readonly event_id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export type RunLog = ReturnType<typeof createRunLog>;

export interface RunLogDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly clock: Clock;
  readonly log: Log;
  readonly signals: Signals;
}

const MAX_NOTES = 100;
const MAX_LINES_BYTES = 32 * 1024;
const MAX_MESSAGE = 1024;
const MAX_ERROR = 1000;
const MAX_BATCH = 200;
const HOUR_MS = 3_600_000;
/** The maximum for one connector in one environment and process. */
const MAX_LINES_AN_HOUR = 10_000;

export function createRunLog(deps: RunLogDeps) {
  const { db, ids, clock, log } = deps;
  const batcher = createShardBatcher<EndedRun, void>(db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: MAX_BATCH,
    concurrency: 2,
    async run(rows) {
      await recordRuns(db, rows);
      return rows.map(() => undefined);
    },
  });
  const writing = new Set<Promise<void>>();
  const mayLog = createHourly(clock);

  async function write(row: EndedRun): Promise<void> {
    const written = batcher
      .add(row)
      .catch((error: unknown) => log.error({ err: error, connector: row.key }, "failed to write a connector run"));
    writing.add(written);
    await written.finally(() => writing.delete(written));
  }

  function begin(run: RunOf): RunDraft {
    const id = ids.uuid();
    const startedMs = clock.monotonicMs();
    const texts = createTexts(run, () => mayLog(`${run.scope.tag} ${run.key}`));
    return {
      note: texts.note,
      line: texts.line,
      async end(outcome, error) {
        const durationMs = Math.round(clock.monotonicMs() - startedMs);
        deps.signals.connectorCalled(run.hook, outcome, durationMs);
        const { bucket, tag, workspaceId } = run.scope;
        await write({
          bucket,
          tag,
          id,
          key: run.key,
          version: run.version,
          hook: run.hook,
          name: run.name,
          event_id: run.eventId,
          tenant: run.tenant,
          workspace_id: workspaceId,
          outcome,
          error: error === null ? null : shownError(run.redact(error)),
          duration_ms: durationMs,
          ...texts.columns(),
        });
      },
    };
  }

  return {
    begin,
    list: async (scope: Scope, key: string, query: RunQuery): Promise<Page<RunView>> =>
      await list(db, scope, key, query),
    health: async (scope: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Health>> =>
      new Map((await lastRuns(db, scope, keys)).map((row) => [row.key, healthOf(row)])),
    /** Resolves when all calls that have ended are written. */
    async flushed(): Promise<void> {
      await Promise.all(writing);
    },
  };
}

function shownError(text: string): string {
  return text.replaceAll("\u0000", "").slice(0, MAX_ERROR).toWellFormed();
}

function healthOf({ id, outcome, duration_ms: durationMs, error }: LastRun): Health {
  const isWell = outcome === "ok" || outcome === "skipped";
  return {
    status: isWell ? "ok" : "failing",
    last_run_at: toRfc3339(after(uuidTime(id), durationMs)),
    last_error: isWell ? null : error,
  };
}

/** Collects the service requests and log lines of a call, up to the limits. */
function createTexts(
  { redact }: RunOf,
  mayLog: () => boolean,
): Pick<RunDraft, "note" | "line"> & { columns(): Pick<RunRow, "services" | "lines"> } {
  const notes: string[] = [];
  const lines: string[] = [];
  let [moreNotes, moreLines, bytes] = [0, 0, 0];
  return {
    note(note) {
      if (notes.length < MAX_NOTES) notes.push(JSON.stringify(redacted(note, redact)));
      else moreNotes += 1;
    },
    line({ level, message, fields }) {
      const shown = { level, message: message.slice(0, MAX_MESSAGE), ...(fields === undefined ? {} : { fields }) };
      const text = JSON.stringify(redacted(shown, redact));
      if (bytes + text.length > MAX_LINES_BYTES || !mayLog()) {
        moreLines += 1;
        return;
      }
      bytes += text.length;
      lines.push(text);
    },
    columns() {
      const left = (what: string, count: number): string[] => (count === 0 ? [] : [what.replace("#", String(count))]);
      return {
        services: `[${[...notes, ...left('{"service":"","duration_ms":0,"error":null,"more":#}', moreNotes)].join(",")}]`,
        lines: `[${[...lines, ...left('{"level":"warning","message":"# more lines are left out."}', moreLines)].join(",")}]`,
      };
    },
  };
}

/** Redacts each text in a JSON value. Redacting the serialized text could break its syntax. */
function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value).toWellFormed();
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redacted(member, redact)]));
}

/** Returns a function that counts one per name, and returns true while the hour's limit is not exceeded. */
function createHourly(clock: Clock): (name: string) => boolean {
  let counts = new Map<string, number>();
  let sinceMs = clock.monotonicMs();
  return (name) => {
    if (clock.monotonicMs() - sinceMs > HOUR_MS) {
      counts = new Map();
      sinceMs = clock.monotonicMs();
    }
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= MAX_LINES_AN_HOUR;
  };
}

async function list(db: Db, scope: Scope, key: string, query: RunQuery): Promise<Page<RunView>> {
  const { limit, cursor, ...filters } = query;
  const filter = {
    key,
    hook: filters.hook,
    outcome: filters.outcome,
    event_id: filters.event_id === undefined ? undefined : eventUuid(scope, filters.event_id),
  };
  return await paginate(
    { limit, cursor },
    {
      binding: [scope.tag, "connector runs", key, filters],
      read: async (before, count) => await listRuns(db.query, scope, { ...filter, before }, count),
      view: (row) => runView(scope, row),
    },
  );
}

function eventUuid(scope: Scope, id: string): Uuid {
  if (parseId(id)?.prefix !== "evt") throw new ServiceError("not_found");
  return ownUuid(scope, "evt", id);
}

function runView(scope: Scope, row: RunRow): RunView {
  const startedAt = toRfc3339(uuidTime(row.id));
  return {
    id: wireId("crun", row.tag, row.id),
    object: "connector_run",
    connector: row.key,
    version: row.version,
    hook: row.hook as LoggedHook,
    name: row.name,
    event_id: row.event_id === null ? null : wireId("evt", row.tag, row.event_id),
    outcome: row.outcome as RunOutcome,
    error: row.error,
    duration_ms: row.duration_ms,
    services: parseJson(row.services) as ServiceNote[],
    log: parseJson(row.lines) as RunView["log"],
    ...scopeFields(scope),
    started_at: startedAt,
    created_at: startedAt,
  };
}
