/** A group of test files that `npm test` leaves out, so that it takes ten minutes on two processors. `npm run test:all` runs them. */
export interface Group {
  /** Completes the sentence "... are left out", for the person who reads the end of a run. */
  readonly name: string;
  /** Globs from the repository's root. */
  readonly files: readonly string[];
}

export const LEFT_OUT: readonly Group[] = [
  {
    name: "crash tests that kill processes again and again",
    files: ["faults/faults.test.ts", "apps/**/*crash.test.ts"],
  },
  { name: "fuzz tests", files: ["**/fuzz.test.ts"] },
  { name: "short runs of the benchmarks", files: ["bench/short.test.ts"] },
  {
    name: "tests that need the toolchains of other languages (Python, PHP, Java, Go, Rust, Ruby, other versions of Node, shells)",
    files: [
      "apps/cli/src/completion.test.ts",
      "apps/connector-php/**/*.test.ts",
      "apps/service/src/ai/mcp/clients.test.ts",
      "apps/service/src/testing/contract-tools.test.ts",
      "deploy/{deploy,helm,proxy}.test.ts",
      "packages/sdk-generator/src/php.test.ts",
      "sdks/node/test/{guide,installed,receivers,types}.test.ts",
      "sdks/python/*.test.ts",
      "tools/docs/{portal-hosts,verify}.test.ts",
      "tools/language/language.test.ts",
      "tools/old-node.test.ts",
      "tools/php/*.test.ts",
    ],
  },
  {
    name: "tests that install the packed SDKs and command line, and the offline archive",
    files: ["tools/pack/*.test.ts", "world/archive.test.ts"],
  },
  {
    name: "tests against programs of other vendors",
    files: ["apps/service/src/ai/mcp/conformance.test.ts", "connectors/*.test.ts", "tools/counterparts/*.test.ts"],
  },
  {
    name: "tests that install and start the service many times",
    files: [
      "deploy/installs.test.ts",
      "apps/cli/src/{doctor,guide,hostile,installation,master-key}.test.ts",
      "apps/service/src/process/cluster.test.ts",
      "apps/service/src/platform/embedded-postgres/embedded-postgres.test.ts",
      "apps/console/src/shell/installation.test.ts",
      "apps/service/src/operator/commands/{commands,connector-commands,data-folder,rotation}.test.ts",
      "tools/docs/first-minute.test.ts",
      "tools/{start,start-refusals}.test.ts",
    ],
  },
  {
    name: "long tests of connectors' sandboxes",
    files: [
      "apps/service/src/connectors/sandbox/{attacks,php-attacks,lifecycle}.test.ts",
      "apps/service/src/connectors/testkit/kit.test.ts",
    ],
  },
  {
    name: "tests that wait for time limits, retries and schedules",
    files: [
      "apps/cli/src/{commands,listen}.test.ts",
      "apps/service/src/ai/assistant/hearing.test.ts",
      "apps/service/src/server/http/closing.test.ts",
      "apps/service/src/webhooks/inboxes/named-inboxes.test.ts",
      "apps/service/src/insights/usage/usage.test.ts",
      "apps/service/src/operator/backup/backup.test.ts",
      "apps/service/src/connectors/runtime/{connector-actions,enabling,mail,providers,sandbox-install,services,subscriber,trouble,webhooks}.test.ts",
      "apps/service/src/webhooks/deliveries/{fairness,traces,trouble}.test.ts",
      "apps/service/src/webhooks/transforms/script.test.ts",
      "apps/service/src/events/subscriptions/{batching,dispatch}.test.ts",
      "apps/service/src/connectors/sandbox/{php,php-backends,php-values,protocol}.test.ts",
      "apps/service/src/insights/live/stream.test.ts",
      "apps/service/src/operator/self-test/*.test.ts",
      "apps/service/src/automation/schedules/two-nodes.test.ts",
      "apps/service/src/automation/workflows/runs.test.ts",
      "apps/service/src/accounts/api-keys/key-usage.test.ts",
    ],
  },
  {
    name: "tests that go over every route and screen",
    files: [
      "apps/console/src/testing/every-route.test.ts",
      "apps/service/src/access/{copies,every-operation}.test.ts",
      "apps/service/src/server/openapi/general.test.ts",
    ],
  },
];

/** All files of all groups. */
export const leftOutFiles: readonly string[] = LEFT_OUT.flatMap(({ files }) => files);
