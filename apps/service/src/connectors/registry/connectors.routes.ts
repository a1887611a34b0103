import { Sample, Type } from "../../lib/lib.ts";
import { callerOf, readers, writers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { Connectors } from "../connectors.ts";
import * as shapes from "./connectors.schemas.ts";

const KeyParams = Type.Object({ key: Sample("stripe", { description: "The connector's key." }) });

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
          "Those whose folders lie on the installation, refused ones with the reason, and those that the workspace set up.",
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
        description: "What it is, what it may do, and how the workspace set it up.",
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
          "Pins its version, wires it to its events and registers its actions. Another version in its folder does not run until it is enabled by its digest. Refused where its code is not what its files say (`code_mismatch`), or cannot be used (`code_failed`, `runtime_unavailable`). Lifts a quarantine.",
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
          "It hears of nothing any more, and its actions can be run no more. Its settings and its version are kept.",
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
        description: "Before it is enabled they need not be complete. Secrets are kept sealed, and never shown.",
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
      // What lies in the folders is the installation's.
      config: { operation: "connectors.rescan", callers: writers, audit: "connector", allWorkspaces: true },
      schema: {
        operationId: "rescanConnectors",
        summary: "Look for connectors",
        description: "Looks through the installation's folders, as each start does, and says how many hold what.",
        response: { 200: shapes.RescanView },
      },
    },
    async () => ({ object: "connector_scan" as const, ...(await connectors.rescan()) }),
  );
}
