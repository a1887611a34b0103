import type { PersonalData } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import { fromDate, pageText, paginate, parseJson, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EventRecords } from "../../webhooks/webhooks.ts";
import { ruleWireId } from "./rule.ts";
import { eraseRuns, listRuns, runsOfContacts } from "./runs.store.ts";
import type { RunRow, RunStatus } from "./runs.store.ts";

export interface RunQuery {
  readonly status?: RunStatus;
  readonly limit?: number;
  readonly cursor?: string;
}

const EXPORT_STEP = 200;

/** Returns a page of a rule's runs in the caller's environment, newest event first, as JSON text. */
export async function runsText(db: Db, scope: Scope, ruleId: Uuid, query: RunQuery): Promise<string> {
  const { status } = query;
  const page = await paginate(query, {
    binding: [scope.tag, "rule runs", ruleId, status ?? null],
    async read(before, count) {
      const rows = await listRuns(db.query, scope, { ruleId, status, before }, count);
      // The list is sorted by the events of the runs.
      return rows.map((row) => ({ id: row.event_id, row }));
    },
    view: ({ row }) => runText(scope, row),
  });
  return pageText(page);
}

/** Exports and erases the personal data in runs: leaves show values of the contact. */
export function personalRuns(db: Db): PersonalData {
  return {
    name: "rule_runs",
    read: (scope, contactIds) => readOf(db, scope, contactIds),
    async erase(tx, scope, ids) {
      await eraseRuns(tx, scope, { column: "contact_id", ids, reason: "The contact was erased" });
    },
  };
}

/** Erases what runs show of the events of a deleted tenant. */
export const runsOfEvents: EventRecords = {
  async eraseOfEvents(tx, scope, ids) {
    await eraseRuns(tx, scope, { column: "event_id", ids, reason: "The tenant was deleted" });
  },
};

async function* readOf(db: Db, scope: Scope, contactIds: readonly Uuid[]): AsyncGenerator<object> {
  for (let after: Uuid | undefined; ;) {
    const rows = await runsOfContacts(db.query, scope, contactIds, { after, limit: EXPORT_STEP });
    for (const row of rows) yield parseJson(runText(scope, row)) as object;
    after = rows.at(-1)?.id;
    if (rows.length === 0) return;
  }
}

function runText(scope: Scope, row: RunRow): string {
  const { tag } = row;
  const head = {
    id: wireId("rrun", tag, row.id),
    object: "rule_run",
    rule_id: ruleWireId(scope, row.rule_id),
    rule_version: row.rule_version,
    event_id: wireId("evt", tag, row.event_id),
    event: row.event_name,
    contact_id: row.contact_id === null ? null : wireId("con", tag, row.contact_id),
    status: row.status,
    reason_code: row.reason_code,
    reason: row.reason,
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
    started_at: toRfc3339(fromDate(row.started_at)),
    ended_at: row.ended_at === null ? null : toRfc3339(fromDate(row.ended_at)),
  };
  return `${JSON.stringify(head).slice(0, -1)},"leaves":${row.leaves},"actions":${row.actions}}`;
}
