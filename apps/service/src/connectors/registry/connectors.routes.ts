import { StringExample, Type } from "../../lib/lib.ts";
import { callerOf, readers, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Connectors } from "./connectors.ts";
import * as shapes from "./connectors.schemas.ts";

const KeyParams = Type.Object({ key: StringExample("stripe", { description: "The connector's key." }) });

export function connectorRoutes(app: App, connectors: Connectors): void {
  readRoutes(app, connectors);
  switchRoutes(app, connectors);
  settingsRoute(app, connectors);
  rescanRoute(app, connectors);
}

function readRoutes(app: App, { inventory }: Connectors): void {
  app.get(
    "/v1/connectors",
    {
      config: { operation: "connectors.list", callers: readers, limit: "connectors.list" },
      schema: {
        operationId: "listConnectors",
        summary: "List connectors",
        description:
          "Returns the connectors in the installation's folders, including refused ones with the reason, and the connectors that the workspace has set up.",
        querystring: shapes.ConnectorListQuery,
        response: { 200: shapes.ConnectorListView },
      },
    },
    async (request) => await inventory.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/connectors/:key",
    {
      config: { operation: "connectors.get", callers: readers },
      schema: {
        operationId: "getConnector",
        summary: "Show a connector",
        description: "Returns the connector's description, its permissions, and its settings in the workspace.",
        params: KeyParams,
        response: { 200: shapes.ConnectorView },
      },
    },
    async (request) => await inventory.get(callerOf(request).scope, request.params.key),
  );
}

function switchRoutes(app: App, { inventory }: Connectors): void {
  app.post(
    "/v1/connectors/:key/enable",
    {
      config: {
        operation: "connectors.enable",
        callers: writers,
        doesWith: { settings: "connectors.update" },
        audit: "connector",
        errors: ["url_blocked", "conflict"],
      },
      schema: {
        operationId: "enableConnector",
        summary: "Enable a connector",
        description:
          "Pins its version, subscribes it to its events and registers its actions. Another version in its folder does not run until it is enabled by its digest. Refused if the code differs from what the connector's files declare (`code_mismatch`), or cannot be used (`code_failed`, `runtime_unavailable`). Lifts a quarantine.",
        params: KeyParams,
        body: shapes.EnableBody,
        response: { 200: shapes.ConnectorView },
      },
    },
    async (request) => await inventory.enable(callerOf(request), request.params.key, request.body ?? {}),
  );

  app.post(
    "/v1/connectors/:key/disable",
    {
      config: {
        operation: "connectors.disable",
        callers: writers,
        audit: "connector",
        errors: ["conflict"],
      },
      schema: {
        operationId: "disableConnector",
        summary: "Disable a connector",
        description:
          "The connector receives no more events, and its actions can no longer be run. Its settings and its version are kept.",
        params: KeyParams,
        response: { 200: shapes.ConnectorView },
      },
    },
    async (request) => await inventory.disable(callerOf(request), request.params.key),
  );
}

function settingsRoute(app: App, { inventory }: Connectors): void {
  app.patch(
    "/v1/connectors/:key",
    {
      config: {
        operation: "connectors.update",
        callers: writers,
        audit: "connector",
        errors: ["url_blocked", "conflict"],
      },
      schema: {
        operationId: "updateConnector",
        summary: "Change a connector's settings",
        description:
          "The settings may be incomplete until the connector is enabled. Secrets are stored encrypted and never shown.",
        params: KeyParams,
        body: shapes.ChangeBody,
        response: { 200: shapes.ConnectorView },
      },
    },
    async (request) => await inventory.configure(callerOf(request), request.params.key, request.body.settings),
  );
}

function rescanRoute(app: App, connectors: Connectors): void {
  app.post(
    "/v1/connectors/rescan",
    {
      // The folders belong to the installation, so the operation concerns all workspaces.
      config: { operation: "connectors.rescan", callers: writers, audit: "connector", allWorkspaces: true },
      schema: {
        operationId: "rescanConnectors",
        summary: "Scan for connectors",
        description:
          "Scans the installation's folders, as each start does, and returns the number of connectors found and refused.",
        response: { 200: shapes.RescanView },
      },
    },
    async () => ({ object: "connector_scan" as const, ...(await connectors.rescan()) }),
  );
}
