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
  "accounts/identity/password-resets",
  "accounts/mails/mails",
  "accounts/identity/people-migration",
  "accounts/identity/sessions",
  "accounts/workspaces/isolation",
  "accounts/workspaces/setup",
  "accounts/workspaces/workspace-settings",
  "actions/contracts/contracts",
  "actions/contracts/promotion",
  "actions/http-calls/http-calls",
  "actions/http-calls/lease",
  "actions/proposals/expiry",
  "actions/proposals/proposals",
  "actions/routes",
  "actions/runs/approval-step",
  "actions/runs/automation",
  "actions/runs/run",
  "actions/runs/undo",
  "actions/backend-secrets/secrets",
  "ai/assistant/hostile",
  "audit/chain",
  "automation/notifications/notifications",
  "automation/promotion",
  "automation/rules/reaction",
  "automation/rules/rules",
  "automation/schedules/schedules",
  "automation/workflows/parallel",
  "automation/workflows/runs",
  "automation/workflows/wait-event",
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
  "events/types/enforcement",
  "events/types/event-types",
  "events/fire/event-list",
  "events/fire/fire",
  "events/scheduled/scheduled",
  "events/subscriptions/dispatch",
  "insights/live/stream",
  "insights/usage/usage",
  "operator/backup/backup",
  "operator/commands/doctor",
  "operator/self-test/self-test",
  "platform/citus/placement",
  "platform/mail/mail",
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
  "webhooks/inboxes/token-sealing",
  "webhooks/sources/dedupe",
  "webhooks/sources/intake",
  "webhooks/sources/receipts",
  "webhooks/sources/sources",
].map((name) => `apps/service/src/${name}.test.ts`);

/** Tests of the service that are not run on Citus, by the reason. */
const NOT_ON_CITUS: Readonly<Record<string, readonly string[]>> = {
  "they cause a fault with a trigger, or watch writes with one, and Citus has no triggers on distributed tables": [
    "access/crash",
    "access/write",
    "ai/assistant/hearing",
    "audit/chain",
    "automation/workflows/crash",
    "automation/workflows/together",
    "automation/workflows/wait-race",
    "events/fire/neighbours",
    "events/subscriptions/batching",
    "operator/self-test/self-test",
    "operator/self-test/start",
    "webhooks/deliveries/attempt-limit",
    "webhooks/deliveries/replays",
    "webhooks/sources/failure",
  ],
  "they lock, stop or rename rows, tables and connections of the coordinator, which a shard does not need": [
    "access/rate-windows",
    "accounts/workspaces/isolation",
    "automation/schedules/held",
    "events/subscriptions/statements-crash",
    "platform/db/unit-of-work",
    "server/http/admission",
    "webhooks/deliveries/outcome",
    "webhooks/deliveries/trouble",
    "webhooks/endpoints/endpoint-state",
  ],
  "they change rows with statements that only a shard runs, such as damage of the audit": [
    "access/copies",
    "audit/unopened-secret",
    "audit/verify",
    "automation/workflows/personal",
    "connectors/runtime/trouble",
    "connectors/runtime/webhooks",
    "contacts/held",
    "events/subscriptions/dispatch",
    "operator/commands/installation",
    "operator/commands/rotation",
    "platform/db/kept",
    "server/http/error-codes",
    "webhooks/endpoints/listeners",
  ],
  "they read the definitions of tables, which are others there": [
    "audit/own-secrets",
    "operator/backup/backup",
    "operator/commands/distribute",
    "platform/citus/state",
    "platform/db/distribution",
    "webhooks/sources/receipts",
  ],
  "they upgrade a version that no distributed database can be of": [
    "webhooks/endpoints/plain-headers",
    "webhooks/inboxes/token-sealing",
  ],
  "a test's database of several machines is dropped with force": ["testing/database"],
  "it needs the locale of the embedded PostgreSQL": ["accounts/identity/sign-in"],
  "they use no database, or start one of their own": [
    "ai/mcp/clients",
    "connectors/sandbox/{attacks,php,php-attacks,php-backends,php-values,protocol}",
    "connectors/testkit/kit",
    "lib/**/*",
    "operator/commands/{connector-commands,data-folder}",
    "platform/embedded-postgres/*",
    "platform/outbound-http/*",
    "process/*",
    "testing/{contract-tools,processes,quickstart,store-tests}",
  ],
};

/** Tests of other parts that also run on a database of several machines. */
const OTHERS_ON_CITUS = [
  "apps/console/src/testing/every-route.test.ts",
  "connectors/{mirror-and-alerts,stripe}.test.ts",
];

/** The tests that also run on a database of several machines. */
export const citusTests = {
  include: ["apps/service/src/**/*.test.ts", ...OTHERS_ON_CITUS],
  exclude: Object.values(NOT_ON_CITUS).flatMap((names) => names.map((name) => `apps/service/src/${name}.test.ts`)),
};

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
