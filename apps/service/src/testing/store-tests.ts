import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The tests that also run on the oldest PostgreSQL we support: those that send every kind of statement there is. A
 * module with a store has at least one here (store-tests.test.ts).
 */
export const storeTests: readonly string[] = [
  "actions/automation",
  "actions/contracts",
  "actions/expiry",
  "actions/proposals",
  "actions/routes",
  "actions/run",
  "actions/secrets",
  "actions/undo",
  "audit/chain",
  "assistant/hostile",
  "connectors/inventory",
  "connectors/scan",
  "contacts/arrive",
  "contacts/customers",
  "contacts/merging",
  "contacts/projection",
  "contacts/records",
  "db/db",
  "db/second-wall",
  "db/tables",
  "db/unit",
  "deliver/delivery-list",
  "deliver/endpoint-state",
  "deliver/fairness",
  "deliver/outcome",
  "deliver/replay",
  "deliver/replay-failed",
  "deliver/replays",
  "deliver/takeover",
  "dispatch/dispatch",
  "events/batch",
  "events/event-list",
  "events/fire",
  "gate/copies",
  "gate/idempotency",
  "gate/rate",
  "gate/rate-windows",
  "gate/write",
  "inbound/dedupe",
  "inbound/intake",
  "inbound/receipts",
  "inbound/sources",
  "news/stream",
  "requests/requests",
  "rules/reaction",
  "rules/rules",
  "tester/inbox",
  "tester/waiting",
  "usage/usage",
  "workflows/runs",
  "workflows/webhook-step",
  "workspaces/current",
  "workspaces/invitations",
  "workspaces/isolation",
  "workspaces/key-roll",
  "workspaces/key-usage",
  "workspaces/keys",
  "workspaces/members",
  "workspaces/people-migration",
  "workspaces/sessions",
  "workspaces/setup",
].map((name) => `apps/service/src/${name}.test.ts`);

/** The folder of a PostgreSQL 15's programs: `JUNCTION_POSTGRES_15`, else Debian's. Undefined where there is none. */
export function findPostgres15(): string | undefined {
  const folder = process.env["JUNCTION_POSTGRES_15"] ?? "/usr/lib/postgresql/15/bin";
  return existsSync(join(folder, "postgres")) ? folder : undefined;
}
