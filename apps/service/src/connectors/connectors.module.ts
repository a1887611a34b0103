import { join } from "node:path";
import { actions } from "../actions/actions.module.ts";
import { audit } from "../audit/audit.module.ts";
import { createConnectorRuns } from "./runtime/connector-runs.ts";
import { connectorRunRoutes } from "./runtime/connector-runs.routes.ts";
import { emptyRunsOfTenant } from "./runtime/run-log.store.ts";
import { createConnectors, sealedByConnectors } from "./registry/connectors.ts";
import { connectorRoutes } from "./registry/connectors.routes.ts";
import { contacts } from "../contacts/contacts.module.ts";
import { events } from "../events/events.module.ts";
import { createHosts, nodeBackend, phpBackends } from "./sandbox/hosts.ts";
import { defineModule } from "../composition/module.ts";
import { ISSUE_CONNECTORS } from "./registry/issue-connectors.ts";
import { platform } from "../platform/platform.module.ts";
import { only } from "../composition/points.ts";
import { createScripts } from "./scripts/scripts.ts";

/** The connectors: their folders, the processes that run their code, and the calls of that code. */
export const connectors = defineModule({
  name: "connectors",
  needs: { platform, audit, contacts, events, actions },
  encryptedColumns: sealedByConnectors,
  create(
    { platform: base, audit: audited, contacts: people, events: { events: fired }, actions: { contracts } },
    { points },
  ) {
    const { config } = base;
    const hosts = createHosts({
      ...base,
      directory: join(config.dataDir, "connectors", "running"),
      backends: [nodeBackend(), ...phpBackends(config.php)],
      crashListeners: points.crashListeners,
    });
    const registry = createConnectors({
      ...base,
      audit: audited,
      hosts,
      dataDir: config.dataDir,
      folders: config.connectorFolders,
      trusted: config.connectorTrust,
      contracts: contracts.ofConnectors,
      healthOf: async (scope, keys) => await only("connectorHealth", points.connectorHealth())(scope, keys),
    });
    const runs = createConnectorRuns({
      ...base,
      hosts,
      connectors: registry,
      contacts: people,
      events: fired,
      mail: config.mail,
    });
    const scripts = createScripts({ ...base, directory: join(config.dataDir, "transforms", "running") });
    return { hosts, registry, runs, scripts };
  },
  provides: ({ hosts, registry, runs, scripts }) => ({
    routes: [(app) => connectorRoutes(app, registry), (app) => connectorRunRoutes(app, runs)],
    workers: [
      { name: "connector processes", phase: "processes", stop: hosts.stop },
      { name: "script processes", phase: "processes", stop: scripts.stop },
      { name: "connector folders", phase: "effects", start: registry.start },
      { name: "connectors", phase: "effects", ...runs },
    ],
    subscribers: runs.subscribers,
    redactionSources: [registry.secrets],
    directories: [runs.elsewhere],
    actionHandlers: [runs.handler],
    eventRecords: [{ eraseOfTenant: async (tx, scope, gone) => await emptyRunsOfTenant(tx, scope, gone) }],
    scriptRunners: [scripts],
    crashListeners: [(program, kind) => runs.crashed(program.id, kind)],
    issueObjects: [ISSUE_CONNECTORS],
    connectorHealth: [runs.runs.health],
    gauges: [{ connectorProcesses: hosts.report }],
  }),
});
