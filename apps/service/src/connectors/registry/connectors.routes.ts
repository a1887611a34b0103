import { t } from "../../lib/lib.ts";
import { callerOf, keepers, live, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Connectors } from "./connectors.ts";
import * as shapes from "./connectors.schemas.ts";

const KeyParams = t.Object({ key: t.StringExample("stripe", "The connector's key.") });

export function connectorRoutes(app: App, connectors: Connectors): void {
  readRoutes(app, connectors);
  switchRoutes(app, connectors);
  settingsRoute(app, connectors);
  sandboxRoutes(app, connectors);
  rescanRoute(app, connectors);
}

function readRoutes(app: App, { inventory }: Connectors): void {
  route(app, "GET /v1/connectors", {
    config: { operation: "connectors.list", callers: readers, limit: "connectors.list" },
    operationId: "listConnectors",
    summary: "List connectors",
    description:
      "Returns the connectors in the installation's folders, including refused ones with the reason, and the connectors that the workspace has set up. Live and sandbox can have different settings and versions of a connector: `installed_in` names the environment whose are shown.",
    querystring: shapes.ConnectorListQuery,
    response: { 200: shapes.ConnectorListView },
    handler: async (request) => await inventory.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/connectors/:key", {
    config: { operation: "connectors.get", callers: readers },
    operationId: "getConnector",
    summary: "Show a connector",
    description:
      "Returns the connector's description, its permissions, and its settings in the caller's environment, or else in the other one.",
    params: KeyParams,
    querystring: shapes.ConnectorQuery,
    response: { 200: shapes.ConnectorView },
    handler: async (request) => await inventory.get(callerOf(request).scope, request.params.key, request.query),
  });
}

function switchRoutes(app: App, { inventory }: Connectors): void {
  route(app, "POST /v1/connectors/:key/enable", {
    config: {
      operation: "connectors.enable",
      callers: writers,
      doesWith: { settings: "connectors.update" },
      audit: "connector",
      errors: ["url_blocked", "conflict"],
    },
    operationId: "enableConnector",
    summary: "Enable a connector",
    description:
      "Pins its version in the caller's environment, subscribes it to its events and registers its actions. Another version in its folder does not run until it is enabled by its digest. Refused if the code differs from what the connector's files declare (`code_mismatch`), or cannot be used (`code_failed`, `runtime_unavailable`). Lifts a quarantine. A sandbox credential enables it for the sandbox alone, with settings of its own; the live one does not change.",
    params: KeyParams,
    body: shapes.EnableBody,
    response: { 200: shapes.ConnectorView },
    handler: async (request) => await inventory.enable(callerOf(request), request.params.key, request.body ?? {}),
  });

  route(app, "POST /v1/connectors/:key/disable", {
    config: {
      operation: "connectors.disable",
      callers: writers,
      audit: "connector",
      errors: ["conflict"],
    },
    operationId: "disableConnector",
    summary: "Disable a connector",
    description:
      "The connector receives no more events in the caller's environment, and its actions can no longer be run. Its settings and its version are kept. A live credential disables the sandbox's, if live has none.",
    params: KeyParams,
    response: { 200: shapes.ConnectorView },
    handler: async (request) => await inventory.disable(callerOf(request), request.params.key),
  });
}

function settingsRoute(app: App, { inventory }: Connectors): void {
  route(app, "PATCH /v1/connectors/:key", {
    config: {
      operation: "connectors.update",
      callers: writers,
      audit: "connector",
      errors: ["url_blocked", "conflict"],
    },
    operationId: "updateConnector",
    summary: "Change a connector's settings",
    description:
      "Changes the settings of the caller's environment. They may be incomplete until the connector is enabled. Secrets are stored encrypted and never shown.",
    params: KeyParams,
    body: shapes.ChangeBody,
    response: { 200: shapes.ConnectorView },
    handler: async (request) => await inventory.configure(callerOf(request), request.params.key, request.body.settings),
  });
}

function sandboxRoutes(app: App, { inventory }: Connectors): void {
  route(app, "POST /v1/connectors/:key/promote", {
    config: {
      operation: "connectors.promote",
      callers: live(keepers),
      doesWith: { settings: "connectors.update" },
      audit: "connector",
      errors: ["url_blocked", "conflict"],
    },
    operationId: "promoteConnector",
    summary: "Promote a connector to live",
    description:
      "Enables in live the version that the sandbox runs. Live keeps its own settings and secrets; those that it lacks can be sent. With `dry_run`, only returns the difference. Refused if the sandbox does not run the connector on its own (`not_running`, `already_live`), or if a version was changed since you saw the difference (`version_changed`).",
    params: KeyParams,
    body: shapes.PromoteBody,
    response: { 200: shapes.PromotionView },
    handler: async (request) => await inventory.promote(callerOf(request), request.params.key, request.body ?? {}),
  });

  route(app, "DELETE /v1/connectors/:key/sandbox", {
    config: { operation: "connectors.sandbox.delete", callers: writers, audit: "connector" },
    operationId: "deleteSandboxConnector",
    summary: "Remove a connector from the sandbox",
    description:
      "Deletes the settings, the secrets and the pinned version that the sandbox has on its own. The sandbox then uses the live ones again. Live does not change.",
    params: KeyParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await inventory.removeSandbox(callerOf(request), request.params.key);
    },
  });
}

function rescanRoute(app: App, connectors: Connectors): void {
  route(app, "POST /v1/connectors/rescan", {
    config: { operation: "connectors.rescan", callers: writers, audit: "connector", allWorkspaces: true },
    operationId: "rescanConnectors",
    summary: "Scan for connectors",
    description:
      "Scans the installation's folders, as each start does, and returns the number of connectors found and refused.",
    response: { 200: shapes.RescanView },
    handler: async () => ({ object: "connector_scan" as const, ...(await connectors.rescan()) }),
  });
}
