import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The tests that also run on the oldest supported PostgreSQL. Together they send every kind of statement. Each folder with a store has
 * at least one of them (store-tests.test.ts).
 */
export const storeTests: readonly string[] = [
  "access/copies",
  "access/idempotency",
  "access/rate",
  "access/rate-windows",
  "access/request-log/request-log",
  "access/write",
  "accounts/api-keys/key-roll",
  "accounts/api-keys/key-usage",
  "accounts/api-keys/keys",
  "accounts/identity/invitations",
  "accounts/identity/members",
  "accounts/identity/people-migration",
  "accounts/identity/sessions",
  "accounts/workspaces/isolation",
  "accounts/workspaces/setup",
  "accounts/workspaces/workspace-settings",
  "actions/contracts/contracts",
  "actions/proposals/expiry",
  "actions/proposals/proposals",
  "actions/routes",
  "actions/runs/automation",
  "actions/runs/run",
  "actions/runs/undo",
  "actions/backend-secrets/secrets",
  "ai/assistant/hostile",
  "audit/chain",
  "automation/rules/reaction",
  "automation/rules/rules",
  "automation/workflows/runs",
  "automation/workflows/webhook-step",
  "connectors/registry/inventory",
  "connectors/registry/scan",
  "connectors/runtime/services",
  "connectors/runtime/webhooks",
  "contacts/arrive",
  "contacts/customers",
  "connectors/registry/scan",
  "contacts/merging",
  "contacts/projection",
  "contacts/records",
  "events/fire/batch",
  "events/fire/event-list",
  "events/fire/fire",
  "events/subscriptions/dispatch",
  "insights/live/stream",
  "insights/usage/usage",
  "operator/backup/backup",
  "operator/commands/doctor",
  "operator/self-test/self-test",
  "platform/citus/placement",
  "platform/db/db",
  "platform/db/second-wall",
  "platform/db/tables",
  "platform/db/unit-of-work",
  "webhooks/deliveries/delivery-list",
  "webhooks/deliveries/fairness",
  "webhooks/deliveries/outcome",
  "webhooks/deliveries/replay",
  "webhooks/deliveries/replay-failed",
  "webhooks/deliveries/replays",
  "webhooks/deliveries/takeover",
  "webhooks/endpoints/endpoint-state",
  "webhooks/endpoints/plain-headers",
  "webhooks/inboxes/inbox",
  "webhooks/inboxes/named-inboxes",
  "webhooks/endpoints/endpoint-state",
  "webhooks/endpoints/plain-headers",
  "webhooks/inboxes/token-sealing",
  "webhooks/sources/dedupe",
  "webhooks/sources/intake",
  "webhooks/sources/receipts",
  "webhooks/sources/sources",
].map((name) => `apps/service/src/${name}.test.ts`);

/**
 * Store tests that are not yet run on Citus: they make faults with triggers, which Citus refuses on distributed tables, or
 * look into one database for locks, partitions or constraints that are on several machines.
 */
const NOT_ON_CITUS = [
  "access/copies",
  "access/rate-windows",
  "access/write",
  "accounts/workspaces/isolation",
  "audit/chain",
  "connectors/runtime/webhooks",
  "contacts/merging",
  "events/subscriptions/dispatch",
  "operator/backup/backup",
  "operator/self-test/self-test",
  "platform/db/unit-of-work",
  "webhooks/deliveries/outcome",
  "webhooks/deliveries/replay-failed",
  "webhooks/deliveries/replays",
  "webhooks/deliveries/replay",
  "webhooks/inboxes/token-sealing",
  "webhooks/sources/receipts",
];

/** The tests that also run on a database of several machines. */
export const citusTests: readonly string[] = storeTests.filter(
  (file) => !NOT_ON_CITUS.some((name) => file.endsWith(`/${name}.test.ts`)),
);

/** Tests that start a database of several machines themselves. */
export const clusterTests: readonly string[] = [
  "apps/service/src/operator/backup/citus-backup.test.ts",
  "apps/service/src/platform/citus/cluster.test.ts",
];

/** Returns the folder of PostgreSQL 15's programs: `JUNCTION_POSTGRES_15`, or the one of Debian. Undefined if there is none. */
export function findPostgres15(): string | undefined {
  const folder = process.env["JUNCTION_POSTGRES_15"] ?? "/usr/lib/postgresql/15/bin";
  return existsSync(join(folder, "postgres")) ? folder : undefined;
}
