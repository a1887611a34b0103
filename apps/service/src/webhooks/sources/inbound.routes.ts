import { sendText } from "../../gate/gate.ts";
import { pageOfWhole, Type, WireId } from "../../lib/lib.ts";
import { callerOf, operators, readers, writers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { Inbound } from "./inbound.ts";
import * as shapes from "./inbound.schemas.ts";
import { PRESETS, presets } from "./presets.ts";
import { previewText } from "./receipt-view.ts";
import { signatureHeader } from "./signature.ts";

const SourceParams = Type.Object({ id: WireId("src") });
const ReceiptParams = Type.Object({ id: WireId("rcp") });
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
      config: {
        callers: "public",
        rawBody: true,
        errors: ["signature_invalid", "inbound_inactive", "not_found", "inbound_processing_failed"],
      },
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        operationId: "receiveInbound",
        summary: "Receive a signed event of another system",
        description:
          "The raw body, of at most 1 MiB, signed as its source's `signature_scheme` says: by default " +
          "`X-Service-Inbound-Signature`, the hex HMAC-SHA256 of the body under the source's secret. A repeat and what the " +
          "mapping cannot read are answered 200 too. In the sandbox `X-Service-Simulate: processing_error` makes it fail.",
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
      config: { operation: "inbound_endpoints.create", callers: writers, audit: "source" },
      schema: {
        operationId: "createInboundEndpoint",
        summary: "Add an inbound endpoint",
        description: "A preset fills in what its sender does. The answer shows the secret.",
        body: shapes.SourceBody,
        response: { 201: shapes.SourceWithSecret },
      },
    },
    async (request, reply) => await reply.code(201).send(await sources.create(callerOf(request).scope, request.body)),
  );

  app.get(
    "/v1/inbound-endpoints",
    {
      config: { operation: "inbound_endpoints.list", callers: readers },
      schema: {
        operationId: "listInboundEndpoints",
        summary: "List inbound endpoints",
        description: "Newest first.",
        querystring: shapes.SourceListQuery,
        response: { 200: shapes.SourceListView },
      },
    },
    async (request) => await sources.list(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/inbound-endpoints/:id",
    {
      config: { operation: "inbound_endpoints.get", callers: readers },
      schema: {
        operationId: "getInboundEndpoint",
        summary: "Show an inbound endpoint",
        description: "With its URL and mapping.",
        params: SourceParams,
        response: { 200: shapes.SourceView },
      },
    },
    async (request) => await sources.get(callerOf(request).scope, request.params.id),
  );
}

function sourceChangeRoutes(app: App, { sources }: Inbound): void {
  app.patch(
    "/v1/inbound-endpoints/:id",
    {
      config: {
        operation: "inbound_endpoints.update",
        callers: writers,
        doesWith: { active: "inbound_endpoints.toggle" },
        audit: "source",
      },
      schema: {
        operationId: "updateInboundEndpoint",
        summary: "Change an inbound endpoint",
        description: "Only the members that are sent change.",
        params: SourceParams,
        body: shapes.SourcePatch,
        response: { 200: shapes.SourceView },
      },
    },
    async (request) => await sources.change(callerOf(request).scope, request.params.id, request.body),
  );

  app.delete(
    "/v1/inbound-endpoints/:id",
    {
      config: { operation: "inbound_endpoints.delete", callers: writers, audit: "source" },
      schema: {
        operationId: "deleteInboundEndpoint",
        summary: "Delete an inbound endpoint",
        description: "Its URL is dead at once; its receipts stay.",
        params: SourceParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await sources.remove(callerOf(request).scope, request.params.id);
      return await reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/inbound-endpoints/:id/toggle",
    {
      config: {
        operation: "inbound_endpoints.toggle",
        callers: writers,
        does: ["inbound_endpoints.update"],
        audit: "source",
      },
      schema: {
        operationId: "toggleInboundEndpoint",
        summary: "Switch an inbound endpoint on or off",
        description: "While it is off, what comes is refused with 403.",
        params: SourceParams,
        response: { 200: shapes.SourceView },
      },
    },
    async (request) => await sources.toggle(callerOf(request).scope, request.params.id),
  );
}

function secretRoutes(app: App, { sources }: Inbound): void {
  app.post(
    "/v1/inbound-endpoints/:id/secret/regenerate",
    {
      config: { operation: "inbound_endpoints.secret.regenerate", callers: writers, audit: "source" },
      schema: {
        operationId: "regenerateInboundSecret",
        summary: "Make a new inbound secret",
        description: "With `overlap_seconds` both are good for so long.",
        params: SourceParams,
        body: shapes.SecretBody,
        response: { 200: shapes.SourceWithSecret },
      },
    },
    async (request) => await sources.regenerateSecret(callerOf(request).scope, request.params.id, request.body ?? {}),
  );

  app.post(
    "/v1/inbound-endpoints/:id/token/regenerate",
    {
      config: { operation: "inbound_endpoints.token.regenerate", callers: writers, audit: "source" },
      schema: {
        operationId: "regenerateInboundToken",
        summary: "Make a new inbound URL",
        description: "The old one is dead at once.",
        params: SourceParams,
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
      config: { operation: "inbound_endpoints.preview", callers: readers, access: "read" },
      schema: {
        operationId: "previewInbound",
        summary: "Try a mapping",
        description: "What the source would make of a payload; writes nothing.",
        params: SourceParams,
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
      config: { operation: "inbound_presets.list", callers: readers },
      schema: {
        operationId: "listInboundPresets",
        summary: "List inbound presets",
        description: "What the service knows of common senders.",
        querystring: shapes.PresetListQuery,
        response: { 200: shapes.PresetListView },
      },
    },
    (request) => {
      const list = PRESETS.map((key) => {
        const { mapping, ...preset } = presets[key];
        const header = signatureHeader(preset.signature_scheme);
        return { object: "inbound_preset" as const, key, ...preset, signature_header: header, ...mapping };
      });
      return pageOfWhole(list, request.query, { binding: "inbound presets", nameOf: ({ key }) => key });
    },
  );
}

function receiptRoutes(app: App, { receipts }: Inbound): void {
  app.get(
    "/v1/inbound-receipts",
    {
      config: { operation: "inbound_receipts.list", callers: readers, errors: ["not_found"] },
      schema: {
        operationId: "listInboundReceipts",
        summary: "List receipts",
        description: "Newest first, with filters.",
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
      config: { operation: "inbound_receipts.get", callers: readers },
      schema: {
        operationId: "getInboundReceipt",
        summary: "Show a receipt",
        description: "With the payload as it came.",
        params: ReceiptParams,
        response: { 200: shapes.ReceiptView },
      },
    },
    async (request, reply) => await sendText(reply, await receipts.get(callerOf(request).scope, request.params.id)),
  );

  app.post(
    "/v1/inbound-receipts/:id/reprocess",
    {
      config: {
        operation: "inbound_receipts.reprocess",
        callers: operators,
        errors: ["conflict", "inbound_processing_failed"],
      },
      schema: {
        operationId: "reprocessInboundReceipt",
        summary: "Process a receipt again",
        description: "An unmapped or failed one, by what its source says now.",
        params: ReceiptParams,
        response: { 200: shapes.ReceiptView },
      },
    },
    async (request, reply) =>
      await sendText(reply, await receipts.reprocess(callerOf(request).scope, request.params.id)),
  );
}
