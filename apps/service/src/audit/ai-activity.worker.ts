import type { Scope } from "../accounts/accounts.ts";
import { canonicalJson, createFlushLoop, createTaskSet, parseId, toDate } from "../lib/lib.ts";
import type { Clock, IdMaker } from "../lib/lib.ts";
import { createRowWriter } from "../platform/db/db.ts";
import type { Db } from "../platform/db/db.ts";
import { createActivityCounts } from "./ai-activity.ts";
import type { Counted } from "./ai-activity.ts";
import { writeActivity } from "./ai-activity.store.ts";
import type { ActivityRow } from "./ai-activity.store.ts";
import { actorView } from "./audit-row.ts";
import type { OwnSecrets } from "./own-secrets.ts";
import { createRedactor } from "./redaction.ts";
import type { Redactor } from "./redaction.ts";

export interface AiActivityDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: { warn(fields: object, message: string): void };
  readonly own: Pick<OwnSecrets, "redactorsOf">;
}

const FLUSH_MS = 5000;
const MAX_TEXT = { maxBytes: 512 };
/** A row that the database refuses on its own is tried for a minute. */
const TRIES = 12;

/** Writes the counted requests of AI callers every few seconds. A crash loses the counts of those seconds. */
export function createAiActivity({ db, clock, ids, log, own }: AiActivityDeps) {
  const counts = createActivityCounts({ clock, ids });
  const write = createRowWriter<ActivityRow>({
    db,
    clock,
    log,
    name: "the activity of AI clients",
    bucketOf: ({ bucket }) => bucket,
    keyOf: ({ id }) => id,
    write: async (rows) => await writeActivity(db, rows),
    tries: TRIES,
  });

  /** Writes that have begun. Their rows are no longer in memory, and not yet in the database. */
  const writing = createTaskSet(() => {
    // The caller that began the write gets the error, and the rows are counted again.
  });

  async function writeRows(changed: readonly Counted[]): Promise<void> {
    try {
      const scopes = changed.map((row) => row.scope);
      const redactors = await own.redactorsOf({ hot: db.soft }, scopes);
      const rows = changed.map((row) => rowOf(row, redactors.get(row.scope.workspaceId) ?? createRedactor()));
      const again = new Set((await write(rows)).again.map(({ id }) => id));
      counts.putBack(changed.filter(({ id }) => again.has(id)));
    } catch (error) {
      counts.putBack(changed);
      throw error;
    }
  }

  /** Writes what has changed, of one scope or of all, and waits for the writes that have begun before. */
  async function flush(scope?: Scope): Promise<void> {
    const begun = writing.settled();
    const changed = counts.take(scope);
    if (changed.length > 0) {
      const mine = writeRows(changed);
      writing.add(mine);
      await mine;
    }
    await begun;
  }

  return {
    note: counts.note,
    flush,
    ...createFlushLoop(flush, FLUSH_MS),
  };
}

function rowOf({ scope, id, request, at, lastAt, count }: Counted, redactor: Redactor): ActivityRow {
  const text = (value: string | null | undefined): string | null =>
    value === null || value === undefined || value === "" ? null : redactor.text(value, MAX_TEXT);
  const { actor, target } = request;
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    workspace_id: scope.workspaceId,
    tenant: scope.tenant ?? null,
    source: request.source,
    kind: request.kind,
    name: text(request.name),
    target_id: text(target?.id),
    target_name: text(target?.name),
    actor: canonicalJson(redactor.value(actorView(actor))),
    key_id: actor.keyId === null ? null : (parseId(actor.keyId)?.uuid ?? null),
    client: text(request.client),
    status: request.status,
    error_code: request.errorCode,
    request_id: text(request.requestId),
    at: toDate(at),
    last_at: toDate(lastAt),
    count,
  };
}
