import type { FastifyRequest } from "fastify";
import { memberText, sendText } from "../../access/access.ts";
import { callerOf, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { pageOfWhole, pageText, t } from "../../lib/lib.ts";
import { questionOf } from "./filters.routes.ts";
import { TRANSFORM_PRESETS } from "../transforms/presets.ts";
import * as shapes from "./transforms.schemas.ts";
import type { Transforms } from "./transforms.ts";

const EndpointParams = t.Object({ id: t.WireId("ep") });

export function transformRoutes(app: App, transforms: Transforms): void {
  route(app, "POST /v1/webhook-endpoints/:id/transform/test", {
    config: {
      operation: "webhook_endpoints.transform.test",
      tenants: true,
      callers: readers,
      access: "read",
      doesWith: { event_id: "events.get" },
    },
    operationId: "testWebhookEndpointTransform",
    summary: "Test a transformation",
    description:
      "Returns what the transformation of the endpoint, or the given one, makes of a given or past event. Nothing is sent or changed.",
    params: EndpointParams,
    body: shapes.TransformTestBody,
    response: { 200: shapes.TransformTestView },
    handler: async (request) => {
      const event = questionOf(request, request.body);
      const transform = transformText(request, request.body.transform) ?? undefined;
      return await transforms.testTransform(callerOf(request).scope, request.params.id, { event, transform });
    },
  });

  route(app, "GET /v1/webhook-endpoints/:id/transform/versions", {
    config: { operation: "webhook_endpoints.transform.versions", tenants: true, callers: readers },
    operationId: "listWebhookEndpointTransformVersions",
    summary: "List the versions of a transformation",
    description: "Newest first: the last 50. Each change of the transformation made a version.",
    params: EndpointParams,
    querystring: shapes.VersionListQuery,
    response: { 200: shapes.VersionListView },
    handler: async (request, reply) => {
      const page = await transforms.transformVersions(callerOf(request).scope, request.params.id, request.query);
      return await sendText(reply, pageText(page));
    },
  });

  presetRoutes(app);
}

function presetRoutes(app: App): void {
  route(app, "GET /v1/transform-presets", {
    config: { operation: "transform_presets.list", tenants: true, callers: readers },
    operationId: "listTransformPresets",
    summary: "List presets of transformations",
    description: "Templates for the bodies that common receivers expect, to be copied into an endpoint and adapted.",
    querystring: shapes.PresetListQuery,
    response: { 200: shapes.PresetListView },
    handler: (request) => {
      const list = TRANSFORM_PRESETS.map((preset) => ({ object: "transform_preset" as const, ...preset }));
      return pageOfWhole(list, request.query, { binding: "transform presets", nameOf: ({ key }) => key });
    },
  });
}

/** Returns `transform` as it was written, so that no digit is lost. Undefined if the body has none. */
export function transformText(
  request: FastifyRequest,
  transform: object | null | undefined,
): string | null | undefined {
  return typeof transform === "object" && transform !== null ? memberText(request, "transform") : transform;
}
