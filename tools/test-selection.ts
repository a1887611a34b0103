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
    files: ["faults/faults.test.ts", "apps/**/crash.test.ts"],
  },
  { name: "fuzz tests", files: ["**/fuzz.test.ts"] },
  { name: "short runs of the benchmarks", files: ["bench/short.test.ts"] },
  {
    name: "tests that need the toolchains of other languages (Python, PHP, Java, Go, Rust, Ruby, other versions of Node, shells)",
    files: [
      "apps/cli/src/completion.test.ts",
      "apps/connector-php/**/*.test.ts",
      "apps/service/src/mcp/clients.test.ts",
      "apps/service/src/testing/contract-tools.test.ts",
      "deploy/{deploy,helm}.test.ts",
      "sdks/node/test/{guide,installed,receivers,types}.test.ts",
      "sdks/python/*.test.ts",
      "tools/docs/verify.test.ts",
      "tools/old-node.test.ts",
      "tools/php/*.test.ts",
      "tools/sdk/php.test.ts",
    ],
  },
  {
    name: "tests that install the packed SDKs and command line, and the offline archive",
    files: ["tools/pack/*.test.ts", "world/archive.test.ts"],
  },
  {
    name: "tests against programs of other vendors",
    files: ["connectors/*.test.ts", "tools/counterparts/*.test.ts"],
  },
  {
    name: "tests that install and start the service many times",
    files: [
      "deploy/installs.test.ts",
      "apps/cli/src/{doctor,guide,hostile,installation,master-key}.test.ts",
      "apps/service/src/app-fleet.test.ts",
      "apps/service/src/db/embedded.test.ts",
      "apps/console/src/shell/installation.test.ts",
      "apps/service/src/setup/{commands,connector-commands,data-folder,rotation}.test.ts",
      "tools/docs/first-minute.test.ts",
      "tools/{start,start-refusals}.test.ts",
    ],
  },
  {
    name: "long tests of connectors' sandboxes",
    files: ["apps/service/src/hosts/{attacks,php-attacks,lifecycle}.test.ts", "apps/service/src/kit/kit.test.ts"],
  },
  {
    name: "tests that wait for time limits, retries and schedules",
    files: [
      "apps/cli/src/{commands,listen}.test.ts",
      "apps/service/src/assistant/hearing.test.ts",
      "apps/service/src/http/closing.test.ts",
      "apps/service/src/tester/waiting.test.ts",
      "apps/service/src/usage/usage.test.ts",
      "apps/service/src/backup/backup.test.ts",
      "apps/service/src/connector-runs/{enabling,mail,performing,providers,services,subscriber,trouble,webhooks}.test.ts",
      "apps/service/src/deliver/{fairness,traces,trouble}.test.ts",
      "apps/service/src/dispatch/{batching,dispatch}.test.ts",
      "apps/service/src/hosts/{php,php-backends,php-values,protocol}.test.ts",
      "apps/service/src/news/stream.test.ts",
      "apps/service/src/self-test/*.test.ts",
      "apps/service/src/workflows/runs.test.ts",
      "apps/service/src/workspaces/key-usage.test.ts",
    ],
  },
  {
    name: "tests that go over every route and screen",
    files: [
      "apps/console/src/testing/every-route.test.ts",
      "apps/service/src/gate/{copies,every-operation}.test.ts",
      "apps/service/src/http/general.test.ts",
    ],
  },
];

/** All files of all groups. */
export const leftOutFiles: readonly string[] = LEFT_OUT.flatMap(({ files }) => files);
