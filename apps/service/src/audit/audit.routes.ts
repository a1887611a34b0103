import { Readable } from "node:stream";
import { callerOf, keepers, owners, route } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import type { Audit } from "./audit.ts";
import { createReadPlaces } from "./read-places.ts";
import type { ReadPlaces } from "./read-places.ts";
import * as shapes from "./audit.schemas.ts";

/** An export that takes nothing for this time has no reader, and leaves its place. */
const SILENT_MS = 120_000;

/** Owners and admins can read the audit log and the AI history. Only owners can export the log. */
export function auditRoutes(app: App, audit: Audit): void {
  const places = createReadPlaces();
  rowRoutes(app, audit);
  exportRoute(app, audit, places);
  proofRoutes(app, audit, places);
  historyRoutes(app, audit);
}

function rowRoutes(app: App, { log }: Audit): void {
  route(app, "GET /v1/audit", {
    config: { operation: "audit.list", callers: keepers },
    operationId: "listAuditRows",
    summary: "List the audit log",
    description: "Returns what was done, by whom and with which result, newest first, with filters.",
    querystring: shapes.AuditListQuery,
    response: { 200: shapes.AuditRowList },
    handler: async (request) => await log.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/audit/:id", {
    config: { operation: "audit.get", callers: keepers },
    operationId: "getAuditRow",
    summary: "Show a row of the audit log",
    description: "Returns the row with its position in the chain.",
    params: shapes.AuditParams,
    response: { 200: shapes.AuditRowShape },
    handler: async (request) => await log.get(callerOf(request).scope, request.params.id),
  });
}

function exportRoute(app: App, { log }: Audit, places: ReadPlaces): void {
  route(app, "GET /v1/audit/export.csv", {
    config: {
      operation: "audit.export",
      callers: owners,
      does: ["audit.list"],
      audit: "audit",
      errors: ["too_many_streams"],
    },
    operationId: "exportAudit",
    summary: "Export the audit log",
    description:
      "Streams a CSV file of all rows, or of the rows that match the filters, in the order of the chain. The chain of a file " +
      "without filters can be verified without the service. Each export is itself recorded as a row.",
    querystring: shapes.AuditFilterQuery,
    produces: ["text/csv"],
    response: { 200: shapes.AuditExportStream },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      await places.takeFor(scope.workspaceId, reply.raw);
      reply.raw.setTimeout(SILENT_MS, () => reply.raw.destroy());
      const lines = await log.export(scope, request.query);
      return await reply
        .type("text/csv; charset=utf-8; header=present")
        .header("Content-Disposition", 'attachment; filename="audit.csv"')
        .send(Readable.from(lines));
    },
  });
}

function proofRoutes(app: App, { log, digests }: Audit, places: ReadPlaces): void {
  route(app, "GET /v1/audit/verify", {
    config: { operation: "audit.verify", callers: keepers, errors: ["too_many_streams"] },
    operationId: "verifyAudit",
    summary: "Verify the chain of the audit log",
    description: "Reads all rows, or a range of them, and reports the first row that differs from what was written.",
    querystring: shapes.VerifyQuery,
    response: { 200: shapes.VerificationShape },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      await places.takeFor(scope.workspaceId, reply.raw);
      return await log.verify(scope, request.query);
    },
  });

  route(app, "GET /v1/audit/digests", {
    config: { operation: "audit.digests.list", callers: keepers },
    operationId: "listAuditDigests",
    summary: "List signed digests",
    description:
      "Returns the signed states of the chain. After each hour (`from` to `to`) in which it grew, its state at the time `at` is signed. It can include rows that were written after the hour. Store the digests in another place: they reveal whether the chain was rewritten.",
    querystring: shapes.DigestListQuery,
    response: { 200: shapes.DigestList },
    handler: async (request) => await digests.list(callerOf(request).scope, request.query),
  });
}

function historyRoutes(app: App, { history }: Audit): void {
  route(app, "GET /v1/ai-history", {
    config: { operation: "ai_history.list", callers: keepers, errors: ["not_found"] },
    operationId: "listAiHistory",
    summary: "List the AI history",
    description:
      "Returns the questions to the assistant's model, and each call of an action by an AI key or an MCP client, newest first: prompt, calls, redacted parameters, and what came of each. Polls, reads, dry runs and refusals are counted, one entry for alike ones of a minute. `proposal_id` and `run_id` find the exchange that led to them.",
    querystring: shapes.ExchangeListQuery,
    response: { 200: shapes.ExchangeList },
    handler: async (request) => await history.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/ai-history/:id", {
    config: { operation: "ai_history.get", callers: keepers },
    operationId: "getAiExchange",
    summary: "Show an AI exchange",
    description: "Returns the exchange with the results of its tool calls.",
    params: shapes.ExchangeParams,
    response: { 200: shapes.ExchangeShape },
    handler: async (request) => await history.get(callerOf(request).scope, request.params.id),
  });
}
