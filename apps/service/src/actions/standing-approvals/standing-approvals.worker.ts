import { createSweep } from "../../platform/tasks/tasks.ts";
import { fromDate, NIL_UUID } from "../../lib/lib.ts";
import { scopeOf } from "../../accounts/accounts.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import { activeBuckets, activeIn } from "./standing-approvals.store.ts";
import type { ActiveRow, EndReason } from "./standing-approvals.store.ts";
import { endStanding, isTakenBack } from "./use.ts";

/** Each use checks the same itself. The sweep only makes it visible, and ends what is never used again. */
const IDLE_MS = 30_000;
const AFTER_ERROR_MS = 5000;
const AT_ONCE = 200;

export function createStandingWorker(deps: ActionDeps) {
  const loop = createSweep(deps.log, {
    to: "end standing approvals",
    everyMs: IDLE_MS,
    retryMs: AFTER_ERROR_MS,
    async run() {
      await sweep(deps);
    },
  });
  /** `sweep` ends those that can no longer approve anything, and returns their number. */
  return { ...loop, sweep: async () => await sweep(deps) };
}

async function sweep(deps: ActionDeps): Promise<number> {
  let ended = 0;
  for (const bucket of await activeBuckets(deps.db))
    ended += await deps.db.at(bucket, async () => await sweepBucket(deps, bucket));
  return ended;
}

async function sweepBucket(deps: ActionDeps, bucket: number): Promise<number> {
  let ended = 0;
  let after = NIL_UUID;
  for (let isMore = true; isMore;) {
    const rows = await activeIn(deps.db, bucket, after, AT_ONCE);
    ended += await endSome(deps, rows);
    after = rows.at(-1)?.id ?? after;
    isMore = rows.length === AT_ONCE;
  }
  return ended;
}

async function endSome(deps: ActionDeps, rows: readonly ActiveRow[]): Promise<number> {
  const contracts = await currentContracts(
    deps.db,
    rows.map((row) => ({ ...scopeOf(row.workspace_id, row.tag), key: row.action })),
  );
  let ended = 0;
  for (const [at, row] of rows.entries()) {
    const reason = reasonOf(deps, row, contracts[at]?.version);
    if (reason === undefined) continue;
    const scope = scopeOf(row.workspace_id, row.tag);
    if (await deps.db.transaction(async (tx) => await endStanding(deps, tx, scope, { row, reason }))) ended += 1;
  }
  return ended;
}

function reasonOf({ clock }: ActionDeps, row: ActiveRow, version: number | undefined): EndReason | undefined {
  if (fromDate(row.expires_at) <= clock.now()) return "expired";
  if (row.writer_role !== "owner" || isTakenBack(row, row.grants_ended_at)) return "writer_not_owner";
  return version === row.contract_version ? undefined : "contract_changed";
}
