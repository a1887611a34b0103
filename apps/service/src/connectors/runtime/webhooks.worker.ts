import type { Db } from "../../platform/db/db.ts";
import type { IdMaker, Json, Uuid } from "../../lib/lib.ts";
import { createLoop, createTaskSet, parseJson, wireId } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Calling } from "./invoke-hook.ts";
import { faithful } from "./connector-facts.ts";
import { claimWebhooks, dueBuckets, endWebhook, findLeased, giveBackWebhooks } from "./webhooks.store.ts";
import type { WebhookEnd, WebhookRow } from "./webhooks.store.ts";

/**
 * Processes stored webhooks: at once on the node that received them, and on any node after a failure or if that node
 * has stopped.
 */
export type WebhookWorker = ReturnType<typeof createWebhookWorker>;

export interface WebhookWorkerDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly calling: Calling;
}

/** Longer than a call, including the start of its child process. */
export const LEASE_SECONDS = 60;
const DEADLINE_MS = 10_000;
const IDLE_MS = 5000;
const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5000;
/** The time that a stopping node waits for running calls. Other nodes take over the rest. */
const STOP_MS = 10_000;
const CLAIM = 20;
const MAX_ERROR = 500;

export function createWebhookWorker(deps: WebhookWorkerDeps) {
  const { db, log } = deps;
  const leaseId = deps.ids.uuid();
  const tasks = createTaskSet((error) =>
    log.error({ err: error }, "failed to process a connector's webhook; its lease will expire"),
  );

  const loop = createLoop({
    async round(stopping) {
      for (const bucket of await dueBuckets(db)) {
        if (stopping.aborted || tasks.size >= CLAIM) break;
        const claimed = await claimWebhooks(db, bucket, {
          id: leaseId,
          seconds: LEASE_SECONDS,
          limit: CLAIM - tasks.size,
        });
        for (const row of claimed) tasks.add(db.at(bucket, async () => await handle(deps, leaseId, row)));
      }
      return IDLE_MS;
    },
    failed(error) {
      log.warn({ err: error }, "failed to claim connectors' webhooks; retrying");
      return IDLE_MS;
    },
  });

  return {
    /** The lease of this node's webhooks. */
    leaseId,
    /** Processes a webhook that was just committed. Returns at once. */
    run: (place: Pick<WebhookRow, "bucket" | "tag" | "id">): void =>
      tasks.add(
        db.at(place.bucket, async () => {
          const row = await findLeased(db, place, leaseId);
          if (row !== undefined) await handle(deps, leaseId, row);
        }),
      ),
    start: loop.start,
    async stop(): Promise<void> {
      await loop.stop();
      await tasks.settled(STOP_MS);
      if (tasks.size > 0) await giveBackWebhooks(db, leaseId);
    },
  };
}

async function handle({ db, calling }: WebhookWorkerDeps, leaseId: Uuid, row: WebhookRow): Promise<void> {
  const { tag, id, key } = row;
  const scope = scopeOf(row.workspace_id, tag);
  const request = parseJson(row.request ?? "{}") as Record<string, Json>;
  const end = await calling.call({
    scope,
    key,
    hook: "webhook",
    name: "",
    args: [faithful(row.body ?? "{}"), { id: wireId("cwh", tag, id), ...request }],
    deadlineMs: DEADLINE_MS,
    event: null,
    cause: `webhook:${id}`,
    chain: [],
    tenant: null,
  });
  const attempts = row.attempts + 1;
  await endWebhook(db, row, leaseId, end.ok ? done(attempts) : failed(attempts, `${end.kind}: ${end.message}`));
}

function done(attempts: number): WebhookEnd {
  return { state: "done", attempts, error: null, dueInMs: 0 };
}

function failed(attempts: number, why: string): WebhookEnd {
  return {
    state: attempts >= MAX_ATTEMPTS ? "failed" : "waiting",
    attempts,
    error: why.slice(0, MAX_ERROR).toWellFormed().replaceAll("\u0000", ""),
    dueInMs: FIRST_RETRY_MS * 4 ** (attempts - 1),
  };
}
