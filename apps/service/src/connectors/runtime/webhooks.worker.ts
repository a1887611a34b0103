import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import type { Json } from "../sandbox/hosts.ts";
import { createLoop, environmentOf, wireId } from "../../lib/lib.ts";
import type { IdMaker, Uuid } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Scope } from "../../accounts/workspaces/workspaces.ts";
import type { Calling } from "./invoke-hook.ts";
import { faithful } from "./facts.ts";
import { claimWebhooks, dueBuckets, endWebhook, findLeased, giveBackWebhooks } from "./webhooks.store.ts";
import type { WebhookEnd, WebhookRow } from "./webhooks.store.ts";

/** Handles what was kept: at once where it came in, and by whoever is there where that failed, or the node is gone. */
export interface WebhookWorker {
  /** Under this the node's webhooks are leased. */
  readonly leaseId: Uuid;
  /** Handles one that was just committed. Returns at once. */
  run(place: Pick<WebhookRow, "bucket" | "tag" | "id">): void;
  start(): void;
  stop(): Promise<void>;
}

export interface WebhookWorkerDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly calling: Calling;
}

/** Longer than a call and its child's start may take. */
export const LEASE_SECONDS = 60;
const DEADLINE_MS = 10_000;
const IDLE_MS = 5000;
const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5000;
/** How long a stopping node waits for what is under way; what has not ended by then is another's. */
const STOP_MS = 10_000;
const CLAIM = 20;
const MAX_ERROR = 500;

export function createWebhookWorker(deps: WebhookWorkerDeps): WebhookWorker {
  const { db, log } = deps;
  const leaseId = deps.ids.uuid();
  const active = new Set<Promise<void>>();

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => log.error({ err: error }, "a connector's webhook was left to its lease"))
      .finally(() => active.delete(tracked));
    active.add(tracked);
  }

  const loop = createLoop({
    async round(stopping) {
      for (const bucket of await dueBuckets(db)) {
        if (stopping.aborted || active.size >= CLAIM) break;
        const claimed = await claimWebhooks(db, bucket, {
          id: leaseId,
          seconds: LEASE_SECONDS,
          limit: CLAIM - active.size,
        });
        for (const row of claimed) track(handle(deps, leaseId, row));
      }
      return IDLE_MS;
    },
    failed(error) {
      log.warn({ err: error }, "connectors' webhooks could not be taken up; trying again");
      return IDLE_MS;
    },
  });

  return {
    leaseId,
    run: (place) =>
      track(
        (async () => {
          const row = await findLeased(db, place, leaseId);
          if (row !== undefined) await handle(deps, leaseId, row);
        })(),
      ),
    start: loop.start,
    async stop() {
      await loop.stop();
      await Promise.race([Promise.allSettled(active), sleep(STOP_MS, undefined, { ref: false })]);
      if (active.size > 0) await giveBackWebhooks(db, leaseId);
    },
  };
}

async function handle({ db, calling }: WebhookWorkerDeps, leaseId: Uuid, row: WebhookRow): Promise<void> {
  const { bucket, tag, id, workspace_id: workspaceId, key } = row;
  const scope: Scope = { workspaceId, bucket, tag, environment: environmentOf(tag) };
  const request = JSON.parse(row.request ?? "{}") as Record<string, Json>;
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
