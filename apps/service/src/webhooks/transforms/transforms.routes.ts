import type { FastifyRequest } from "fastify";
import { memberText } from "../../access/access.ts";
import { readers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { pageOfWhole } from "../../lib/lib.ts";
import { TRANSFORM_PRESETS } from "./presets.ts";
import * as shapes from "./transforms.schemas.ts";

export function transformRoutes(app: App): void {
  app.get(
    "/v1/transform-presets",
    {
      config: { operation: "transform_presets.list", callers: readers },
      schema: {
        operationId: "listTransformPresets",
        summary: "List presets of transformations",
        description: "Templates for the bodies that common receivers expect, to be copied into an endpoint and adapted.",
        querystring: shapes.PresetListQuery,
        response: { 200: shapes.PresetListView },
      },
    },
    (request) => {
      const list = TRANSFORM_PRESETS.map((preset) => ({ object: "transform_preset" as const, ...preset }));
      return pageOfWhole(list, request.query, { binding: "transform presets", nameOf: ({ key }) => key });
    },
  );
}

/** Returns `transform` as it was written, so that no digit is lost. Undefined if the body has none. */
export function transformText(
  request: FastifyRequest,
  transform: object | null | undefined,
): string | null | undefined {
  return typeof transform === "object" && transform !== null ? memberText(request, "transform") : transform;
}
