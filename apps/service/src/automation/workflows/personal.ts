import type { PersonalData } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EventRecords } from "../../webhooks/webhooks.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { cancelRun } from "./cancelling.ts";
import { eraseRuns, eraseRunsById, openRunsOf, runsOfContacts, runsOfTenant } from "./personal-runs.store.ts";
import { stepsOf } from "./runs.store.ts";
import { runText } from "./views.ts";
import { parseJson } from "../../lib/lib.ts";

const EXPORT_STEP = 100;

/** Exports and erases the personal data in runs: the event that started a run, and the outputs of its steps. */
export function personalRuns(deps: WorkflowsDeps): PersonalData {
  return {
    name: "workflow_runs",
    read: (scope, contactIds) => readOf(deps.db, scope, contactIds),
    async erase(tx, scope, contactIds) {
      const { bucket, tag } = scope;
      // A run in progress would continue with the data that it has, and a pending delivery would send it.
      for (const id of await openRunsOf(tx.query, { bucket, tag, contactIds }))
        await cancelRun(deps, tx, scope, { id });
      await eraseRuns(tx, { bucket, tag, contactIds });
    },
  };
}

/** Ends and empties the runs of a deleted tenant: they hold its events, and what they would still do is for it. */
export function tenantRuns(deps: WorkflowsDeps): EventRecords {
  return {
    async eraseOfTenant(tx, scope, gone) {
      const runs = await runsOfTenant(tx.query, scope, gone);
      for (const run of runs) if (run.ended_at === null) await cancelRun(deps, tx, scope, { id: run.id });
      const ids = runs.map(({ id }) => id);
      if (ids.length > 0) await eraseRunsById(tx, scope, ids, "The tenant was deleted.");
      return ids.length;
    },
  };
}

async function* readOf(db: Db, scope: Scope, contactIds: readonly Uuid[]): AsyncGenerator<object> {
  const { bucket, tag } = scope;
  for (let after: Uuid | undefined; ;) {
    const rows = await runsOfContacts(db.query, { bucket, tag, contactIds }, { after, limit: EXPORT_STEP });
    for (const row of rows) {
      // Branches and items are runs of the same contact, so that each is exported itself.
      const run = runText(scope, row, { steps: await stepsOf(db.query, row), children: [] });
      yield parseJson(`${run.slice(0, -1)},"data":${row.data}}`) as object;
    }
    after = rows.at(-1)?.id;
    if (rows.length === 0) return;
  }
}
