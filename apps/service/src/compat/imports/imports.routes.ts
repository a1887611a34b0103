import { callerOf, keepers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Imports } from "./imports.ts";
import { ImportBody, ImportView } from "./imports.schemas.ts";

const MAX_BODY_BYTES = 8 * 1024 * 1024;

export function importRoutes(app: App, imports: Imports): void {
  route(app, "POST /v1/imports", {
    config: {
      operation: "imports.create",
      callers: keepers,
      does: ["webhook_endpoints.create", "event_types.create", "tenants.update"],
      audit: "endpoint",
      errors: ["conflict"],
    },
    bodyLimit: MAX_BODY_BYTES,
    operationId: "createImport",
    summary: "Import the configuration of another product",
    description:
      "Creates event types, tenants and webhook endpoints, all in one transaction. Their ids are kept as `external_ref`, and endpoints keep their signing secrets. Objects that exist already stay as they are, so that a repeated import changes nothing. With `dry_run`, nothing is written. `junction import` reads the other product and calls this.",
    body: ImportBody,
    response: { 200: ImportView },
    handler: async (request) => {
      const outcome = await imports.run(callerOf(request), request.body, request.scanned);
      const { source, dry_run: isDry = false } = request.body;
      // The audit entry has the counts. The objects are thousands, and some of their members are secret.
      request.body = { source, dry_run: isDry };
      return outcome;
    },
  });
}
