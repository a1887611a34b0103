/**
 * The files of `npm run test:unit`: they start no service, no database, no browser and no other program, and need no preparation of the
 * whole run.
 */
export const UNIT: readonly string[] = [
  "**/fuzz.test.ts",
  "apps/cli/src/{public,pull-progress}.test.ts",
  "apps/console/src/features/actions/states.test.ts",
  "apps/console/src/features/automation/workflows/outline.test.ts",
  "apps/console/src/features/deliveries/{retry-steps,rows}.test.ts",
  "apps/console/src/features/sources/mapping.test.ts",
  "apps/console/src/portal/accent.test.ts",
  "apps/console/src/ui/time.test.ts",
  "apps/service/src/access/{declared,secret-fields}.test.ts",
  "apps/service/src/accounts/proofs/relying-party.test.ts",
  "apps/service/src/actions/contracts/parameters.test.ts",
  "apps/service/src/actions/proposals/preview.test.ts",
  "apps/service/src/actions/runs/{backend,hostile-backend}.test.ts",
  "apps/service/src/actions/standing-approvals/{terms,windows}.test.ts",
  "apps/service/src/ai/assistant/tool-names.test.ts",
  "apps/service/src/ai/mcp/mcp-message.test.ts",
  "apps/service/src/ai/oauth/{client-documents,redirect-uri}.test.ts",
  "apps/service/src/audit/{linear,redaction}.test.ts",
  "apps/service/src/automation/schedules/schedule.test.ts",
  "apps/service/src/composition/compose.test.ts",
  "apps/service/src/config/config.test.ts",
  "apps/service/src/connectors/registry/{contents,package}.test.ts",
  "apps/service/src/connectors/sandbox/layout.test.ts",
  "apps/service/src/contacts/fold.test.ts",
  "apps/service/src/events/catalogue/catalogue.test.ts",
  "apps/service/src/events/data-schemas/data-schema.test.ts",
  "apps/service/src/events/expressions/*.test.ts",
  "apps/service/src/events/subscriptions/run-stages.test.ts",
  "apps/service/src/insights/live/live-position.test.ts",
  "apps/service/src/insights/usage/counters.test.ts",
  "apps/service/src/issues/issue.test.ts",
  "apps/service/src/lib/*.test.ts",
  "apps/service/src/operator/backup/chunks.test.ts",
  "apps/service/src/platform/db/{additive,commit-part,row-writer,shard-work}.test.ts",
  "apps/service/src/platform/outbound-http/!(plain-port).test.ts",
  "apps/service/src/platform/telemetry/*.test.ts",
  "apps/service/src/process/program.test.ts",
  "apps/service/src/server/general-api/bind.test.ts",
  "apps/service/src/server/http/schema-compilers.test.ts",
  "apps/service/src/server/openapi/{openapi-drift,openapi-schema}.test.ts",
  "apps/service/src/testing/store-tests.test.ts",
  "apps/service/src/webhooks/deliveries/queue.test.ts",
  "apps/service/src/webhooks/endpoints/lane-key.test.ts",
  "apps/service/src/webhooks/sources/{decimal,element-proofs,forged-events,map-request,odd-bodies,reading,remote-keys,sender-events,senders,signature,signature-forms}.test.ts",
  "bench/{histogram,report}.test.ts",
  "conformance/*.test.ts",
  "deploy/systemd/unit.test.ts",
  "faults/nemesis/*.test.ts",
  "packages/command-line/src/command-line.test.ts",
  "packages/sdk-generator/src/sdks.test.ts",
  "sdks/node/test/{client,headers,json,scenarios,vectors}.test.ts",
  "tools/architecture/*.test.ts",
  "tools/docs/{configuration,decisions,installs,links,named,senders,type-tables}.test.ts",
  "tools/lint/module-order.test.ts",
  "tools/{complete-lockfile,left-out-reporter,licences,requirements,sbom,security-doc,test-order,test-tiers}.test.ts",
];

/** A group of test files that `npm test` leaves out, so that it takes six minutes on two processors. `npm run test:all` runs them. */
export interface Group {
  /** The word by which JUNCTION_TEST_GROUPS names it. */
  readonly key: string;
  /** Completes the sentence "... are left out", for the person who reads the end of a run. */
  readonly name: string;
  /** Globs from the repository's root. */
  readonly files: readonly string[];
  /**
   * Globs of what the tests are about. CI takes groups by turns (tools/ci-turns.ts), and a group always when one of these files, or of its
   * own, has changed.
   */
  readonly about: readonly string[];
}

export const LEFT_OUT: readonly Group[] = [
  {
    key: "crashes",
    name: "crash tests that kill processes again and again, and short runs of the benchmarks",
    files: [
      "faults/{faults,seeds}.test.ts",
      "apps/**/*crash.test.ts",
      "apps/service/src/testing/processes.test.ts",
      "bench/short.test.ts",
    ],
    about: [
      "bench/**",
      "faults/**",
      "apps/service/src/platform/{db,embedded-postgres}/**",
      "apps/service/src/**/*.worker.ts",
      "apps/service/src/webhooks/sources/{intake,process,receipts.store}.ts",
    ],
  },
  {
    key: "toolchains",
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
      "tools/old-node.test.ts",
      "tools/php/*.test.ts",
    ],
    about: [
      "apps/connector-{php,ts}/**",
      "deploy/**",
      "openapi/**",
      "packages/sdk-generator/**",
      "sdks/**",
      "tools/{contract,php}/**",
      "tools/*{go,helm,python,debian}*",
      "docs/guide/verify*",
    ],
  },
  {
    key: "language",
    name: "tests of all texts, which need Go, of the guides' commands, of commits and of the lint rules",
    files: [
      "tools/docs/guides.test.ts",
      "tools/language/{commit-subjects,language}.test.ts",
      "tools/lint/plugin.test.ts",
    ],
    about: ["docs/guide/**", "docs/glossary.md", "tools/docs/**", "tools/language/**", "tools/lint/**"],
  },
  {
    key: "packages",
    name: "tests that install the packed SDKs and command line, and the offline archive",
    files: ["tools/pack/*.test.ts", "world/archive.test.ts"],
    about: ["apps/cli/**", "deploy/**", "package.json", "package-lock.json", "sdks/**", "tools/{bootstrap,pack}/**"],
  },
  {
    key: "vendors",
    name: "tests against programs of other vendors",
    files: [
      "apps/cli/src/import.test.ts",
      "apps/service/src/ai/mcp/conformance.test.ts",
      "apps/service/src/compat/svix/libraries.test.ts",
      "apps/service/src/events/data-schemas/suite.test.ts",
      "connectors/*.test.ts",
      "tools/counterparts/*.test.ts",
    ],
    about: [
      "apps/cli/src/imports/**",
      "apps/service/src/ai/mcp/**",
      "apps/service/src/compat/**",
      "apps/service/src/events/data-schemas/**",
      "apps/service/src/webhooks/sources/senders/**",
      "connectors/**",
      "tools/{counterparts,mcp,svix}/**",
    ],
  },
  {
    key: "installs",
    name: "tests that install and start the service many times",
    files: [
      "deploy/{installs,secrets}.test.ts",
      "apps/cli/src/{doctor,guide,hostile,installation,master-key}.test.ts",
      "apps/service/src/process/cluster.test.ts",
      "apps/service/src/platform/embedded-postgres/embedded-postgres.test.ts",
      "apps/console/src/shell/installation.test.ts",
      "apps/service/src/operator/commands/{commands,connector-commands,data-folder,rotation}.test.ts",
      "tools/docs/first-minute.test.ts",
      "tools/{start,start-refusals}.test.ts",
    ],
    about: [
      "apps/cli/src/**",
      "apps/service/src/{config,operator,process}/**",
      "apps/service/src/platform/embedded-postgres/**",
      "deploy/**",
      "tools/bootstrap/**",
      "tools/*start*",
    ],
  },
  {
    key: "sandboxes",
    name: "long tests of connectors' sandboxes",
    files: [
      "apps/service/src/connectors/sandbox/{attacks,php-attacks,lifecycle}.test.ts",
      "apps/service/src/connectors/testkit/kit.test.ts",
    ],
    about: ["apps/connector-{php,ts}/**", "apps/service/src/connectors/**", "tools/php/**"],
  },
  {
    key: "screens",
    name: "tests of single screens of the console and the portal",
    files: [
      "apps/console/src/features/{actions,ai-history,automation,connectors,deliveries,events,sources,standing-approvals,tenants}/**/{action,ai-history,approvals,channels,connector,deliveries,environments,events,flow,promotion,rules,schedule,senders,shell-command,source,standing-approvals,tenants}.test.ts",
      "apps/console/src/features/apps/connect.test.ts",
      "apps/console/src/features/endpoints/{endpoints,pull,recover,transform}.test.ts",
      "apps/console/src/features/workspace/{account,configuration,keys,mails,members}/*.test.ts",
      "apps/console/src/features/home/*.test.ts",
      "apps/console/src/features/sign-in/{claim,oidc}.test.ts",
      "apps/console/src/features/start/start.test.ts",
      "apps/console/src/shell/{demo,shell}.test.ts",
      "apps/console/src/testing/both-ways.test.ts",
      "apps/console/src/portal/portal.test.ts",
    ],
    about: ["apps/console/**", "packages/design/**", "tools/console/**"],
  },
  {
    key: "people",
    name: "longer tests of rights, accounts, keys and the audit log",
    files: [
      "apps/service/src/access/{order,rate-windows,revocation}.test.ts",
      "apps/service/src/access/request-log/request-log.test.ts",
      "apps/service/src/access/{access-matrix,planted-secrets}.test.ts",
      "apps/service/src/access/{another-workspace,tenant-keys}.test.ts",
      "apps/service/src/accounts/api-keys/key-usage.test.ts",
      "apps/service/src/accounts/identity/{members,password-resets}.test.ts",
      "apps/service/src/accounts/oidc/{logs,oidc}.test.ts",
      "apps/service/src/accounts/{mails/mails,proofs/passkeys,proofs/sign-in}.test.ts",
      "apps/service/src/audit/canaries.test.ts",
      "apps/service/src/audit/{chain,log,verify}.test.ts",
      "apps/service/src/audit/{own-secrets,unopened-secret}.test.ts",
      "apps/service/src/portal/{session-rights,sessions,shown-types}.test.ts",
    ],
    about: ["apps/service/src/{access,accounts,audit,portal}/**"],
  },
  {
    key: "work",
    name: "longer tests of actions, automation, AI clients and contacts",
    files: [
      "apps/service/src/actions/approval-channels/{channels,slack}.test.ts",
      "apps/service/src/actions/contracts/loosening.test.ts",
      "apps/service/src/http-calls/lease.test.ts",
      "apps/service/src/actions/proposals/people-count.test.ts",
      "apps/service/src/actions/runs/{approval-step,lost-run}.test.ts",
      "apps/service/src/actions/standing-approvals/{races,standing-approvals}.test.ts",
      "apps/service/src/actions/step-ups/step-ups.test.ts",
      "apps/service/src/ai/assistant/hearing.test.ts",
      "apps/service/src/ai/mcp/callbacks/callback-rights.test.ts",
      "apps/service/src/ai/mcp/{events,hostile-streams,nulls}.test.ts",
      "apps/service/src/automation/notifications/notifications.test.ts",
      "apps/service/src/automation/promotion.test.ts",
      "apps/service/src/automation/rules/webhook.test.ts",
      "apps/service/src/automation/schedules/{held,schedules,two-nodes}.test.ts",
      "apps/service/src/automation/workflows/{contact,for-each,parallel,runs,together,wait-event,wait-race,wait-tenant}.test.ts",
      "apps/service/src/contacts/timeline.test.ts",
    ],
    about: ["apps/service/src/{actions,ai,automation,contacts,http-calls}/**"],
  },
  {
    key: "webhooks",
    name: "longer tests of events, deliveries, sources and issues",
    files: [
      "apps/service/src/events/data-schemas/price.test.ts",
      "apps/service/src/events/scheduled/scheduled.test.ts",
      "apps/service/src/events/subscriptions/{batching,deleted-event,dispatch}.test.ts",
      "apps/service/src/events/types/enforcement.test.ts",
      "apps/service/src/events/types/two-nodes.test.ts",
      "apps/service/src/issues/{issue-kinds,issue-mail}.test.ts",
      "apps/service/src/webhooks/deliveries/payload-search.test.ts",
      "apps/service/src/webhooks/deliveries/{backfill,fan-out}.test.ts",
      "apps/service/src/webhooks/deliveries/{egress,fairness,hanging,traces,trouble}.test.ts",
      "apps/service/src/webhooks/deliveries/{error-class,replay-failed,replays,takeover}.test.ts",
      "apps/service/src/webhooks/endpoints/{blocked-mail,endpoint-validation,filters-agree,moved-in,tenants}.test.ts",
      "apps/service/src/webhooks/endpoints/{failing-mail,filters,listeners,plain-headers}.test.ts",
      "apps/service/src/webhooks/inboxes/named-inboxes.test.ts",
      "apps/service/src/webhooks/inboxes/token-sealing.test.ts",
      "apps/service/src/webhooks/lanes/{deleted-tenants,ends-of-lanes,lanes-model,odd-lanes,races}.test.ts",
      "apps/service/src/webhooks/pull/{deletions,idle-consumers,pull-attacks,pull-log,pull-model,pull-retries,waiting}.test.ts",
      "apps/service/src/webhooks/requests/sign-in.test.ts",
      "apps/service/src/webhooks/sources/{any-sender,lists,proof-of-one-thing}.test.ts",
      "apps/service/src/webhooks/tenants/tenant-traces.test.ts",
      "apps/service/src/webhooks/tenants/tenants.test.ts",
      "apps/service/src/webhooks/transforms/{script,script-neighbours,template}.test.ts",
    ],
    about: ["apps/service/src/{events,issues,webhooks}/**"],
  },
  {
    key: "platform",
    name: "longer tests of connectors, configurations, the database, the server, the operator's commands and the command line",
    files: [
      "apps/cli/src/{account,commands,configuration,event-types,listen,pull,seed}.test.ts",
      "apps/service/src/**/foreign-answers.test.ts",
      "apps/service/src/configuration/{approval,approval-by-slack,configuration}.test.ts",
      "apps/service/src/connectors/registry/{inventory,sandbox-install}.test.ts",
      "apps/service/src/connectors/runtime/{connector-actions,enabling,mail,providers,sandbox-install,services,subscriber,trouble,webhooks}.test.ts",
      "apps/service/src/connectors/sandbox/{php,php-backends,php-values,protocol}.test.ts",
      "apps/service/src/connectors/scripts/scripts.test.ts",
      "apps/service/src/connectors/{registry/scan-folders,sandbox/hosts}.test.ts",
      "apps/service/src/insights/live/stream.test.ts",
      "apps/service/src/insights/usage/usage.test.ts",
      "apps/service/src/operator/backup/{backup,hostile-backup}.test.ts",
      "apps/service/src/operator/commands/{installation,mail-check}.test.ts",
      "apps/service/src/operator/self-test/*.test.ts",
      "apps/service/src/platform/db/{days-out-of-range,maintenance,tenant-turns}.test.ts",
      "apps/service/src/platform/mail/mail.test.ts",
      "apps/service/src/server/docs-site/docs.test.ts",
      "apps/service/src/server/http/{closing,error-codes,head,large-bodies,lists,page-bytes,route-status}.test.ts",
      "world/time.test.ts",
    ],
    about: [
      "apps/cli/src/**",
      "apps/service/src/{configuration,connectors,insights,operator,platform,server}/**",
      "world/**",
    ],
  },
  {
    key: "routes",
    name: "tests that go over every route and screen",
    files: [
      "apps/console/src/testing/every-route.test.ts",
      "apps/service/src/access/{copies,every-operation,unknown-members,what-was-sent}.test.ts",
      "apps/service/src/insights/search/search.test.ts",
      "apps/service/src/server/http/public-cost.test.ts",
      "apps/service/src/server/general-api/general.test.ts",
      "apps/service/src/server/openapi/{documents,reference}.test.ts",
    ],
    about: ["apps/console/src/**/*routes*", "apps/service/src/{access,server}/**", "openapi/**"],
  },
];

/** All files of all groups. */
export const leftOutFiles: readonly string[] = LEFT_OUT.flatMap(({ files }) => files);

/** The store tests on PostgreSQL 15, which are a project of their own. */
export const POSTGRES_15 = {
  key: "postgres-15",
  about: ["apps/service/src/**/*.store.ts", "apps/service/src/platform/db/**"],
};

/** Returns the files of the groups that a comma list names; all files for undefined. Throws for a name that no group has. */
export function filesOfGroups(keys: string | undefined): readonly string[] {
  if (keys === undefined) return leftOutFiles;
  const wanted = keys.split(",").filter((key) => key !== "" && key !== POSTGRES_15.key);
  const stranger = wanted.find((key) => !LEFT_OUT.some((group) => group.key === key));
  if (stranger !== undefined) throw new Error(`JUNCTION_TEST_GROUPS names ${stranger}, which is no group of tests.`);
  return LEFT_OUT.filter(({ key }) => wanted.includes(key)).flatMap(({ files }) => files);
}
