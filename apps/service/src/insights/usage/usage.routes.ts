import { pageOfWhole } from "../../lib/lib.ts";
import { callerOf, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import type { Usage } from "./usage.ts";
import * as shapes from "./usage.schemas.ts";

export function usageRoutes(app: App, usage: Usage): void {
  route(app, "GET /v1/usage", {
    config: { operation: "usage.get", tenants: true, callers: readers },
    operationId: "getUsage",
    summary: "Show usage by day",
    description:
      "Returns the events, deliveries, receipts and action runs of each UTC day, for 400 days, or those of one tenant for 30 days. The counts lag by a few seconds. If a process is killed, its counts of the last five seconds are lost.",
    querystring: shapes.UsageQuery,
    response: { 200: shapes.UsageShape },
    handler: async (request) => await usage.days(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/usage/series", {
    config: { operation: "usage.series", tenants: true, callers: readers },
    operationId: "getUsageSeries",
    summary: "Show usage by hour",
    description:
      "Returns the counts with the success rate, and with the time from an event's acceptance to the receiver's response, for charts. Hours are kept for 30 days. With `tenant`, the counts are those of its events, of the deliveries to its endpoints and of its sources, without times.",
    querystring: shapes.SeriesQuery,
    response: { 200: shapes.SeriesShape },
    handler: async (request) => await usage.series(callerOf(request).scope, request.query.hours ?? 24, request.query),
  });

  route(app, "GET /v1/usage/events", {
    config: { operation: "usage.events", callers: readers },
    operationId: "listEventUsage",
    summary: "List events by frequency",
    description: "Returns canonical and custom events, the most frequent first, at most 1000.",
    querystring: shapes.EventUsageQuery,
    response: { 200: shapes.EventUsageList },
    handler: async (request) => {
      const { scope } = callerOf(request);
      const { hours = 720, ...page } = request.query;
      const binding = [scope.tag, "event usage", hours];
      return pageOfWhole(await usage.events(scope, hours), page, { binding, nameOf: ({ event }) => event });
    },
  });
}
