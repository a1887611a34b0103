import { Readable } from "node:stream";
import { callerOf, keepers, owners } from "../accounts/workspaces/workspaces.ts";
import type { App } from "../accounts/workspaces/workspaces.ts";
import type { Audit } from "./audit.ts";
import * as shapes from "./audit.schemas.ts";

/** What was written is shown to those who look after the workspace; only owners take it out. */
export function auditRoutes(app: App, audit: Audit): void {
  rowRoutes(app, audit);
  proofRoutes(app, audit);
  historyRoutes(app, audit);
}

function rowRoutes(app: App, { log }: Audit): void {
  app.get(
    "/v1/audit",
    {
      config: { operation: "audit.list", callers: keepers },
      schema: {
        operationId: "listAuditRows",
        summary: "List the audit",
        description: "What was done, by whom and how it ended, newest first, with filters.",
        querystring: shapes.AuditListQuery,
        response: { 200: shapes.AuditRowList },
      },
    },
    async (request) => await log.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/audit/:id",
    {
      config: { operation: "audit.get", callers: keepers },
      schema: {
        operationId: "getAuditRow",
        summary: "Show a row of the audit",
        description: "With its place in the chain.",
        params: shapes.AuditParams,
        response: { 200: shapes.AuditRowShape },
      },
    },
    async (request) => await log.get(callerOf(request).scope, request.params.id),
  );

  app.get(
    "/v1/audit/export.csv",
    {
      config: { operation: "audit.export", callers: owners, does: ["audit.list"], audit: "audit" },
      schema: {
        operationId: "exportAudit",
        summary: "Export the audit",
        description:
          "A CSV file of all rows, or of those that a filter names, in the order of the chain, streamed. Of a file without " +
          "filters the chain can be checked without the service. Each export is itself a row.",
        querystring: shapes.AuditFilterQuery,
        produces: ["text/csv"],
        response: { 200: shapes.AuditExportStream },
      },
    },
    async (request, reply) => {
      const lines = await log.export(callerOf(request).scope, request.query);
      return await reply
        .type("text/csv; charset=utf-8; header=present")
        .header("Content-Disposition", 'attachment; filename="audit.csv"')
        .send(Readable.from(lines));
    },
  );
}

function proofRoutes(app: App, { log, digests }: Audit): void {
  app.get(
    "/v1/audit/verify",
    {
      config: { operation: "audit.verify", callers: keepers },
      schema: {
        operationId: "verifyAudit",
        summary: "Check the audit's chain",
        description: "Reads it through, or a part of it, and says where it is first not what was written.",
        querystring: shapes.VerifyQuery,
        response: { 200: shapes.VerificationShape },
      },
    },
    async (request) => await log.verify(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/audit/digests",
    {
      config: { operation: "audit.digests.list", callers: keepers },
      schema: {
        operationId: "listAuditDigests",
        summary: "List signed digests",
        description:
          "Where the chain stood at each hour's end, signed. Keep them elsewhere: they tell if it was made anew.",
        querystring: shapes.DigestListQuery,
        response: { 200: shapes.DigestList },
      },
    },
    async (request) => await digests.list(callerOf(request).scope, request.query),
  );
}

function historyRoutes(app: App, { history }: Audit): void {
  app.get(
    "/v1/ai-history",
    {
      config: { operation: "ai_history.list", callers: keepers },
      schema: {
        operationId: "listAiHistory",
        summary: "List the AI history",
        description: "Each prompt, what the model answered, and what came of it, newest first.",
        querystring: shapes.ExchangeListQuery,
        response: { 200: shapes.ExchangeList },
      },
    },
    async (request) => await history.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/ai-history/:id",
    {
      config: { operation: "ai_history.get", callers: keepers },
      schema: {
        operationId: "getAiExchange",
        summary: "Show an exchange with a model",
        description: "With the results of its tool calls.",
        params: shapes.ExchangeParams,
        response: { 200: shapes.ExchangeShape },
      },
    },
    async (request) => await history.get(callerOf(request).scope, request.params.id),
  );
}
