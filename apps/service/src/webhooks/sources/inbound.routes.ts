import { markTenant, sendText, sentHeaders } from "../../access/access.ts";
import { pageOfWhole, t } from "../../lib/lib.ts";
import { callerOf, readers, route, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { InboundRequest, InboundResponse } from "./intake.ts";
import type { Inbound } from "./inbound.ts";
import type { Sender } from "./senders.ts";
import { receiptRoutes } from "./receipts.routes.ts";
import * as shapes from "./inbound.schemas.ts";
import * as receiptShapes from "./receipts.schemas.ts";
import { PRESETS, presets } from "./presets.ts";
import { previewText } from "./receipt-view.ts";
import { namedSchemes } from "./named-schemes.ts";
import { headerOf } from "./scheme.ts";
import { senders } from "./senders.ts";
import { trialOf } from "./mapping-trial.ts";
import { MAX_BODY_BYTES } from "./placeholders.ts";

const SourceParams = t.Object({ id: t.WireId("src") });

export function inboundRoutes(app: App, inbound: Inbound): void {
  hookRoute(app, inbound);
  sourceRoutes(app, inbound);
  sourceChangeRoutes(app, inbound);
  secretRoutes(app, inbound);
  mappingRoutes(app, inbound);
  receiptRoutes(app, inbound);
}

/** Registers the public route for senders: the token names the source, and the signature authenticates the request. */
function hookRoute(app: App, inbound: Inbound): void {
  route(app, "POST /api/v1/inbound.php", {
    config: {
      callers: "public",
      rawBody: true,
      errors: [
        "signature_invalid",
        "inbound_inactive",
        "not_found",
        "unsupported_media_type",
        "inbound_processing_failed",
      ],
    },
    bodyLimit: MAX_BODY_BYTES,
    operationId: "receiveInbound",
    summary: "Receive a signed event from another system",
    description:
      "Send the raw body, of at most 1 MiB, signed with the source's `signature_scheme`. The default is " +
      "`X-Service-Inbound-Signature`: the hex HMAC-SHA256 of the body, keyed with the source's secret. Duplicates, and events " +
      "that the mapping cannot read, are also answered with 200. The body can be JSON, a form, XML or text in any character set, and " +
      "compressed with gzip, deflate, br or zstd (another `Content-Encoding` is answered with 415). A source can have a response of its own, for senders that " +
      "need one. In the sandbox, `X-Service-Simulate: processing_error` makes the request fail.",
    querystring: receiptShapes.HookQuery,
    response: { 200: receiptShapes.HookAnswer },
    handler: async (request, reply) => await respond(reply, await inbound.receive(inboundRequest(request))),
  });

  route(app, "GET /api/v1/inbound.php", {
    config: { callers: "public", errors: ["not_found", "method_not_allowed"] },
    operationId: "checkInbound",
    summary: "Answer a sender that checks the URL",
    description:
      "Some senders check the URL of a source before they send events. The response is the one that they need.",
    querystring: receiptShapes.HookQuery,
    produces: ["text/plain", "application/json"],
    response: { 200: t.String({ examples: ["3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"] }) },
    handler: async (request, reply) => await respond(reply, await inbound.receive(inboundRequest(request))),
  });

  // Senders of CloudEvents ask with OPTIONS whether they may send events. The contract has no operation for it.
  app.options(
    "/api/v1/inbound.php",
    {
      config: { callers: "public", rawBody: true, errors: ["not_found", "method_not_allowed"] },
      bodyLimit: MAX_BODY_BYTES,
      schema: { hide: true, querystring: receiptShapes.HookQuery },
    },
    async (request, reply) =>
      await respond(reply.header("Allow", "POST"), await inbound.receive(inboundRequest(request))),
  );
}

function inboundRequest(request: FastifyRequest): InboundRequest {
  const { method, url, query, body } = request;
  const headers = sentHeaders(request);
  const at = url.indexOf("?");
  return {
    token: (query as { readonly t?: string }).t ?? "",
    method,
    search: at === -1 ? "" : url.slice(at),
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    headerNames: Object.keys(headers),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  };
}

async function respond(reply: FastifyReply, response: InboundResponse): Promise<FastifyReply> {
  if (response.kind === "own") return await reply.send(response.answer);
  const { status, content_type: type, body, headers } = response.answer;
  return await reply
    .code(status)
    .headers({ ...headers })
    .type(`${type}; charset=utf-8`)
    .send(body);
}

function sourceRoutes(app: App, { sources }: Inbound): void {
  route(app, "POST /v1/inbound-endpoints", {
    config: {
      operation: "inbound_endpoints.create",
      tenants: true,
      callers: writers,
      errors: ["url_blocked"],
      audit: "source",
    },
    operationId: "createInboundEndpoint",
    summary: "Create a source",
    description: "A sender or preset fills in the signature scheme and the mapping. The response contains the secret.",
    body: shapes.SourceBody,
    response: { 201: shapes.SourceWithSecret },
    handler: async (request) => await sources.create(callerOf(request).scope, request.body),
  });

  route(app, "GET /v1/inbound-endpoints", {
    config: { operation: "inbound_endpoints.list", tenants: true, callers: readers },
    operationId: "listInboundEndpoints",
    summary: "List sources",
    description: "Newest first.",
    querystring: shapes.SourceListQuery,
    response: { 200: shapes.SourceListView },
    handler: async (request) => await sources.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/inbound-endpoints/:id", {
    config: { operation: "inbound_endpoints.get", tenants: true, callers: readers },
    operationId: "getInboundEndpoint",
    summary: "Show a source",
    description: "Returns the source with its URL and mapping.",
    params: SourceParams,
    response: { 200: shapes.SourceView },
    handler: async (request) => await sources.get(callerOf(request).scope, request.params.id),
  });
}

function sourceChangeRoutes(app: App, { sources }: Inbound): void {
  route(app, "PATCH /v1/inbound-endpoints/:id", {
    config: {
      operation: "inbound_endpoints.update",
      tenants: true,
      callers: writers,
      doesWith: { active: "inbound_endpoints.toggle" },
      errors: ["url_blocked"],
      audit: "source",
    },
    operationId: "updateInboundEndpoint",
    summary: "Change a source",
    description: "Only the members in the request change.",
    params: SourceParams,
    body: shapes.SourcePatch,
    response: { 200: shapes.SourceView },
    handler: async (request) => await sources.change(callerOf(request).scope, request.params.id, request.body),
  });

  route(app, "DELETE /v1/inbound-endpoints/:id", {
    config: { operation: "inbound_endpoints.delete", tenants: true, callers: writers, audit: "source" },
    operationId: "deleteInboundEndpoint",
    summary: "Delete a source",
    description: "Its URL stops working at once. Its receipts are kept.",
    params: SourceParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await markTenant(sources, request, request.params.id);
      await sources.remove(callerOf(request).scope, request.params.id);
    },
  });

  route(app, "POST /v1/inbound-endpoints/:id/toggle", {
    config: {
      operation: "inbound_endpoints.toggle",
      tenants: true,
      callers: writers,
      does: ["inbound_endpoints.update"],
      audit: "source",
    },
    operationId: "toggleInboundEndpoint",
    summary: "Enable or disable a source",
    description: "While a source is disabled, inbound requests are refused with 403.",
    params: SourceParams,
    response: { 200: shapes.SourceView },
    handler: async (request) => await sources.toggle(callerOf(request).scope, request.params.id),
  });
}

function secretRoutes(app: App, { sources }: Inbound): void {
  route(app, "POST /v1/inbound-endpoints/:id/secret/regenerate", {
    config: { operation: "inbound_endpoints.secret.regenerate", tenants: true, callers: writers, audit: "source" },
    operationId: "regenerateInboundSecret",
    summary: "Regenerate a source's secret",
    description: "With `overlap_seconds`, both secrets are valid for that time.",
    params: SourceParams,
    body: shapes.SecretBody,
    response: { 200: shapes.SourceWithSecret },
    handler: async (request) =>
      await sources.regenerateSecret(callerOf(request).scope, request.params.id, request.body ?? {}),
  });

  route(app, "POST /v1/inbound-endpoints/:id/token/regenerate", {
    config: { operation: "inbound_endpoints.token.regenerate", tenants: true, callers: writers, audit: "source" },
    operationId: "regenerateInboundToken",
    summary: "Regenerate a source's URL",
    description: "The old URL stops working at once.",
    params: SourceParams,
    response: { 200: shapes.SourceView },
    handler: async (request) => await sources.regenerateToken(callerOf(request).scope, request.params.id),
  });
}

function mappingRoutes(app: App, { sources }: Inbound): void {
  route(app, "POST /v1/inbound-endpoints/:id/preview", {
    config: { operation: "inbound_endpoints.preview", tenants: true, callers: readers, access: "read" },
    bodyLimit: receiptShapes.MAX_TRIAL_BYTES,
    operationId: "previewInbound",
    summary: "Test a mapping",
    description:
      "Returns the result that the source would produce for a body, or for a whole request as it was copied or captured. " +
      "The signature is not checked. Nothing is written or fired.",
    params: SourceParams,
    body: receiptShapes.PreviewBody,
    response: { 200: receiptShapes.PreviewView },
    handler: async (request, reply) => {
      const { mapping = {}, ...input } = request.body;
      const trial = trialOf(input, request.scanned);
      return await sendText(
        reply,
        previewText(await sources.preview(callerOf(request).scope, request.params.id, trial, mapping)),
      );
    },
  });

  route(app, "GET /v1/senders", {
    config: { operation: "senders.list", tenants: true, callers: readers },
    operationId: "listSenders",
    summary: "List senders",
    description: "The senders that a source can be created for, with their signature, mapping and setup.",
    querystring: shapes.SenderListQuery,
    response: { 200: shapes.SenderListView },
    handler: (request) => {
      const { category, ...page } = request.query;
      const list = senders.filter((sender) => category === undefined || sender.category === category).map(senderView);
      return pageOfWhole(list, page, { binding: `senders ${category ?? ""}`, nameOf: ({ key }) => key });
    },
  });

  route(app, "GET /v1/inbound-presets", {
    config: { operation: "inbound_presets.list", tenants: true, callers: readers },
    operationId: "listInboundPresets",
    summary: "List presets",
    description: "Templates for the sources of common senders.",
    querystring: shapes.PresetListQuery,
    response: { 200: shapes.PresetListView },
    handler: (request) => {
      const list = PRESETS.map((key) => {
        const { mapping, ...preset } = presets[key];
        const header = headerOf(namedSchemes[preset.signature_scheme]) ?? "";
        return { object: "inbound_preset" as const, key, ...preset, signature_header: header, ...mapping };
      });
      return pageOfWhole(list, request.query, { binding: "inbound presets", nameOf: ({ key }) => key });
    },
  });
}

function senderView({
  contact,
  event_type_header,
  idempotency_key_header,
  mapping,
  handshakes,
  sample,
  ...rest
}: Sender) {
  return {
    object: "sender" as const,
    ...rest,
    event_types: [...rest.event_types],
    setup: [...rest.setup],
    // An address is visited for senders of the service only.
    handshakes: handshakes.map(({ visit: _visit, ...handshake }) => handshake),
    sample: { method: sample.method, headers: sample.headers, body: sample.body },
    mapping: { contact, event_type_header, idempotency_key_header, ...mapping },
  };
}
