import type { Db } from "../../platform/db/db.ts";
import type { Json, Loop } from "../../lib/lib.ts";
import { parseJson, wireId } from "../../lib/lib.ts";
import type { Tasks } from "../../platform/tasks/tasks.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { Calling } from "./invoke-hook.ts";
import { faithful } from "./connector-facts.ts";
import { endWebhook } from "./webhooks.store.ts";
import type { WebhookEnd, WebhookRow } from "./webhooks.store.ts";

export interface WebhookWorkerDeps {
  readonly db: Db;
  readonly tasks: Tasks;
  readonly calling: Calling;
}

const DEADLINE_MS = 10_000;
const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 5000;
const MAX_ERROR = 500;

/** Passes stored webhooks to the connectors' code. */
export function createWebhookWorker(deps: WebhookWorkerDeps): Loop {
  return deps.tasks.define<WebhookRow>({
    kind: "connector webhooks",
    table: "connector_webhook",
    open: "state = 'waiting'",
    concurrency: { ofNode: 32, ofTenant: 16 },
    isEverywhere: true,
    run: async (row) => await deps.db.at(row.bucket, async () => await handle(deps, row)),
  });
}

async function handle({ db, calling }: WebhookWorkerDeps, row: WebhookRow): Promise<void> {
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
  await endWebhook(db, row, end.ok ? DONE : failed(row.attempts, `${end.kind}: ${end.message}`));
}

const DONE: WebhookEnd = { state: "done", error: null, dueInMs: 0 };

function failed(attempts: number, why: string): WebhookEnd {
  return {
    state: attempts >= MAX_ATTEMPTS ? "failed" : "waiting",
    error: why.slice(0, MAX_ERROR).toWellFormed().replaceAll("\u0000", ""),
    dueInMs: FIRST_RETRY_MS * 4 ** (attempts - 1),
  };
}
