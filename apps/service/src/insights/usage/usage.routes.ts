import { pageOfWhole } from "../../lib/lib.ts";
import { callerOf, readers } from "../../accounts/workspaces/workspaces.ts";
import type { App } from "../../accounts/workspaces/workspaces.ts";
import type { Usage } from "./usage.ts";
import * as shapes from "../../usage/usage.schemas.ts";

export function usageRoutes(app: App, usage: Usage): void {
  app.get(
    "/v1/usage",
    {
      config: { operation: "usage.get", callers: readers },
      schema: {
        operationId: "getUsage",
        summary: "Show what was used, by day",
        description:
          "Events, deliveries, receipts and runs of each day of UTC, for 400 days. A few seconds behind; what a process counted in its last five seconds is lost if it is killed.",
        querystring: shapes.UsageQuery,
        response: { 200: shapes.UsageShape },
      },
    },
    async (request) => await usage.days(callerOf(request).scope, request.query),
  );

  app.get(
    "/v1/usage/series",
    {
      config: { operation: "usage.series", callers: readers },
      schema: {
        operationId: "getUsageSeries",
        summary: "Show what was used, by hour",
        description:
          "With the success rate, and how long it took from an event's acceptance to the receiver's answer: what a plot needs. Hours are kept for 30 days.",
        querystring: shapes.SeriesQuery,
        response: { 200: shapes.SeriesShape },
      },
    },
    async (request) => await usage.series(callerOf(request).scope, request.query.hours ?? 24),
  );

  app.get(
    "/v1/usage/events",
    {
      config: { operation: "usage.events", callers: readers },
      schema: {
        operationId: "listEventUsage",
        summary: "List the events that happened",
        description: "Canonical and custom ones, the most frequent first, at most 1000.",
        querystring: shapes.EventUsageQuery,
        response: { 200: shapes.EventUsageList },
      },
    },
    async (request) => {
      const { scope } = callerOf(request);
      const { hours = 720, ...page } = request.query;
      const binding = [scope.tag, "event usage", hours];
      return pageOfWhole(await usage.events(scope, hours), page, { binding, nameOf: ({ event }) => event });
    },
  );
}
