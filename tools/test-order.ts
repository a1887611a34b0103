import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/**
 * The slowest test files by their paths from the repository's root, the slowest first. A long file that starts late runs alone at
 * the end while the other workers are idle. Add every new test file that takes more than half a minute.
 */
export const LONGEST: readonly string[] = [
  // These wait for most of their time, so they run together with others.
  "world/time.test.ts",
  "world/callers.test.ts",
  "world/self-test.test.ts",
  "world/stranger.test.ts",
  "world/defaults.test.ts",
  "world/no-calls.test.ts",
  "world/targets.test.ts",
  "world/mail.test.ts",
  "world/oauth.test.ts",
  "apps/service/src/server/general-api/general.test.ts",
  "apps/console/src/testing/every-route.test.ts",
  "apps/service/src/events/subscriptions/statements-crash.test.ts",
  "deploy/installs.test.ts",
  "faults/faults.test.ts",
  "apps/service/src/testing/crash.test.ts",
  "world/archive.test.ts",
  "apps/cli/src/installation.test.ts",
  "apps/service/src/automation/workflows/crash.test.ts",
  "apps/service/src/operator/backup/backup.test.ts",
  "tools/start-refusals.test.ts",
  "apps/console/src/features/automation/rules/rules.test.ts",
  "apps/console/src/features/deliveries/deliveries.test.ts",
  "apps/service/src/connectors/testkit/kit.test.ts",
  "apps/cli/src/doctor.test.ts",
  "apps/service/src/platform/embedded-postgres/embedded-postgres.test.ts",
  "apps/service/src/access/unknown-members.test.ts",
  "apps/service/src/operator/commands/connector-commands.test.ts",
  "apps/console/src/features/endpoints/endpoints.test.ts",
  "apps/console/src/features/actions/approvals.test.ts",
  "apps/console/src/features/sources/source.test.ts",
  "apps/console/src/features/actions/action.test.ts",
  "apps/service/src/operator/commands/commands.test.ts",
  "apps/service/src/access/planted-secrets.test.ts",
  "apps/service/src/ai/assistant/hearing.test.ts",
  "apps/service/src/automation/workflows/runs.test.ts",
  // The files from here on need the tools that tools/prepare-tests.ts makes at the same time.
  "apps/service/src/testing/contract-tools.test.ts",
  "apps/service/src/connectors/sandbox/php-attacks.test.ts",
  "sdks/python/checks.test.ts",
  "sdks/node/test/installed.test.ts",
  "tools/pack/release.test.ts",
  "connectors/guides.test.ts",
  "connectors/mirror-and-alerts.test.ts",
  "connectors/stripe.test.ts",
  "deploy/helm.test.ts",
];

/** Starts the slowest files first, even on a machine that has never run them, and the others in Vitest's own order. Vitest requires a class. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    return longestFirst(await super.sort.call(this, files), (file) => relative(root, file.moduleId));
  }
}

export function longestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const place = (file: File): number => {
    const found = LONGEST.indexOf(pathOf(file));
    return found === -1 ? LONGEST.length : found;
  };
  return files.toSorted((one, other) => place(one) - place(other));
}
