import type { FastifyReply } from "fastify";
import { Type } from "../kernel/kernel.ts";
import { callerOf } from "../workspaces/workspaces.ts";
import type { App } from "../workspaces/workspaces.ts";
import type { Inbound } from "./inbound.ts";
import * as shapes from "./inbound.schemas.ts";
import { PRESETS, presets } from "./presets.ts";
import { previewText } from "./receipt-view.ts";
import { signatureHeader } from "./signature.ts";

const IdParams = Type.Object({ id: Type.String() });
const MAX_BODY_BYTES = 1024 * 1024;

export function inboundRoutes(app: App, inbound: Inbound): void {
  hookRoute(app, inbound);
  sourceRoutes(app, inbound);
  sourceChangeRoutes(app, inbound);
  secretRoutes(app, inbound);
  mappingRoutes(app, inbound);
  receiptRoutes(app, inbound);
}

/** Public: the token names the source, the signature lets in. */
function hookRoute(app: App, inbound: Inbound): void {
  app.post(
    "/api/v1/inbound.php",
    {
      config: { rawBody: true, refusals: [401, 403, 404] },
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        operationId: "receiveInbound",
        summary: "Takes a signed event of an external system",
        description:
          "The raw body, of at most 1 MiB, signed as its source's `signature_scheme` says: by default " +
          "`X-Service-Inbound-Signature`, the hex HMAC-SHA256 of the body under the source's secret. A repeat and what the " +
          "mapping cannot read are answered 200 too. In the sandbox `X-Service-Simulate: processing_error` makes it fail.",
        security: [],
        querystring: shapes.HookQuery,
        response: { 200: shapes.HookAnswer },
      },
    },
    async (request) => {
      const body: unknown = request.body;
      return await inbound.receive({
        token: request.query.t ?? "",
        header: (name) => {
          const value = request.headers[name];
          return Array.isArray(value) ? value.join(", ") : value;
        },
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      });
    },
  );
}

function sourceRoutes(app: App, { sources }: Inbound): void {
  app.post(
    "/v1/inbound-endpoints",
    {
      config: { operation: "inbound_endpoints.create" },
      schema: {
        operationId: "createInboundEndpoint",
        body: shapes.SourceBody,
        response: { 201: shapes.SourceWithSecret },
      },
    },
    async (request, reply) => await reply.code(201).send(await sources.create(callerOf(request).scope, request.body)),
  );

  app.get(
    "/v1/inbound-endpoints",
    {
      config: { operation: "inbound_endpoints.list" },
      schema: {
        operationId: "listInboundEndpoints",
        querystring: shapes.SourceListQuery,
        response: { 200: shapes.SourceListView },
      },
    },
    async (request) => await sources.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/inbound-endpoints/:id",
    {
      config: { operation: "inbound_endpoints.get" },
      schema: { operationId: "getInboundEndpoint", params: IdParams, response: { 200: shapes.SourceView } },
    },
    async (request) => await sources.get(callerOf(request).scope, request.params.id),
  );
}

function sourceChangeRoutes(app: App, { sources }: Inbound): void {
  app.patch(
    "/v1/inbound-endpoints/:id",
    {
      config: { operation: "inbound_endpoints.update" },
      schema: {
        operationId: "updateInboundEndpoint",
        params: IdParams,
        body: shapes.SourcePatch,
        response: { 200: shapes.SourceView },
      },
    },
    async (request) => await sources.change(callerOf(request).scope, request.params.id, request.body),
  );

  app.delete(
    "/v1/inbound-endpoints/:id",
    {
      config: { operation: "inbound_endpoints.delete" },
      schema: { operationId: "deleteInboundEndpoint", params: IdParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await sources.remove(callerOf(request).scope, request.params.id);
      return await reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/inbound-endpoints/:id/toggle",
    {
      config: { operation: "inbound_endpoints.toggle" },
      schema: { operationId: "toggleInboundEndpoint", params: IdParams, response: { 200: shapes.SourceView } },
    },
    async (request) => await sources.toggle(callerOf(request).scope, request.params.id),
  );
}

function secretRoutes(app: App, { sources }: Inbound): void {
  app.post(
    "/v1/inbound-endpoints/:id/secret/regenerate",
    {
      config: { operation: "inbound_endpoints.secret.regenerate" },
      schema: {
        operationId: "regenerateInboundSecret",
        params: IdParams,
        body: shapes.SecretBody,
        response: { 200: shapes.SourceWithSecret },
      },
    },
    async (request) => await sources.regenerateSecret(callerOf(request).scope, request.params.id, request.body ?? {}),
  );

  app.post(
    "/v1/inbound-endpoints/:id/token/regenerate",
    {
      config: { operation: "inbound_endpoints.token.regenerate" },
      schema: {
        operationId: "regenerateInboundToken",
        summary: "A new URL; the old one is dead at once",
        params: IdParams,
        response: { 200: shapes.SourceView },
      },
    },
    async (request) => await sources.regenerateToken(callerOf(request).scope, request.params.id),
  );
}

function mappingRoutes(app: App, { sources }: Inbound): void {
  app.post(
    "/v1/inbound-endpoints/:id/preview",
    {
      config: { operation: "inbound_endpoints.preview", access: "read" },
      schema: {
        operationId: "previewInbound",
        summary: "What the source would make of a payload; writes nothing",
        params: IdParams,
        body: shapes.PreviewBody,
        response: { 200: shapes.PreviewView },
      },
    },
    async (request, reply) => {
      const { payload, mapping } = request.body;
      // The source text: a number must not lose digits on its way.
      const body = Buffer.from(typeof payload === "string" ? payload : (request.scanned?.slice(["payload"]) ?? ""));
      const { scope } = callerOf(request);
      return await sendText(reply, previewText(await sources.preview(scope, request.params.id, body, mapping ?? {})));
    },
  );

  app.get(
    "/v1/inbound-presets",
    {
      config: { operation: "inbound_presets.list" },
      schema: { operationId: "listInboundPresets", response: { 200: shapes.PresetListView } },
    },
    () => ({
      object: "list" as const,
      data: PRESETS.map((key) => {
        const { mapping, ...preset } = presets[key];
        const header = signatureHeader(preset.signature_scheme);
        return { object: "inbound_preset" as const, key, ...preset, signature_header: header, ...mapping };
      }),
      has_more: false,
      next_cursor: null,
    }),
  );
}

function receiptRoutes(app: App, { receipts }: Inbound): void {
  app.get(
    "/v1/inbound-receipts",
    {
      config: { operation: "inbound_receipts.list" },
      schema: {
        operationId: "listInboundReceipts",
        querystring: shapes.ReceiptListQuery,
        response: { 200: shapes.ReceiptListView },
      },
    },
    async (request, reply) => {
      const page = await receipts.list(callerOf(request).scope, request.query);
      const rest = JSON.stringify({ has_more: page.has_more, next_cursor: page.next_cursor });
      return await sendText(reply, `{"object":"list","data":[${page.data.join(",")}],${rest.slice(1)}`);
    },
  );

  app.get(
    "/v1/inbound-receipts/:id",
    {
      config: { operation: "inbound_receipts.get" },
      schema: { operationId: "getInboundReceipt", params: IdParams, response: { 200: shapes.ReceiptView } },
    },
    async (request, reply) => await sendText(reply, await receipts.get(callerOf(request).scope, request.params.id)),
  );

  app.post(
    "/v1/inbound-receipts/:id/reprocess",
    {
      config: { operation: "inbound_receipts.reprocess", roles: ["owner", "admin", "developer", "operator"] },
      schema: {
        operationId: "reprocessInboundReceipt",
        summary: "Processes an unmapped or failed receipt by what its source says now",
        params: IdParams,
        response: { 200: shapes.ReceiptView },
      },
    },
    async (request, reply) =>
      await sendText(reply, await receipts.reprocess(callerOf(request).scope, request.params.id)),
  );
}

/** JSON that is text already: its numbers have more digits than a number has. */
async function sendText(reply: FastifyReply, text: string): Promise<FastifyReply> {
  return await reply.type("application/json; charset=utf-8").send(text);
}
