import { callerOf, operators, readers, route } from "../accounts/accounts.ts";
import type { App } from "../accounts/accounts.ts";
import * as shapes from "./issues.schemas.ts";
import type { Issues } from "./issues.ts";

export function issueRoutes(
  app: App,
  issues: Pick<Issues, "list" | "get" | "change" | "countReplay" | "replay">,
): void {
  route(app, "GET /v1/issues", {
    config: { operation: "issues.list", tenants: true, callers: readers, errors: ["not_found"] },
    operationId: "listIssues",
    summary: "List issues",
    description:
      "An issue groups the failures of one object: an endpoint, source, connector or action. It is opened by the third failure within ten minutes, unless five successes in a row come between, and resolved by five successes in a row. Newest first.",
    querystring: shapes.IssueQuery,
    response: { 200: shapes.IssueList },
    handler: async (request) => await issues.list(callerOf(request).scope, request.query),
  });

  route(app, "GET /v1/issues/:id", {
    config: { operation: "issues.get", tenants: true, callers: readers },
    operationId: "getIssue",
    summary: "Show an issue",
    description: "Adds the failures by hour, the tenants whose events failed, and the last failures.",
    params: shapes.IssueParams,
    response: { 200: shapes.IssueDetail },
    handler: async (request) => {
      const { series, tenants, ...issue } = await issues.get(callerOf(request).scope, request.params.id);
      return { ...issue, series: [...series], tenants: [...tenants] };
    },
  });

  changeRoutes(app, issues);
}

function changeRoutes(app: App, issues: Pick<Issues, "change" | "countReplay" | "replay">): void {
  route(app, "PATCH /v1/issues/:id", {
    config: { operation: "issues.update", callers: operators, audit: "issue", errors: ["conflict"] },
    operationId: "updateIssue",
    summary: "Update an issue",
    description:
      "Sets the state, the owner, or the time until which the issue is ignored. An issue that was resolved by hand stays so, and new failures open another one.",
    params: shapes.IssueParams,
    body: shapes.IssueChangeBody,
    response: { 200: shapes.IssueView },
    handler: async (request) => await issues.change(callerOf(request).scope, request.params.id, request.body),
  });

  route(app, "POST /v1/issues/:id/replay", {
    config: {
      operation: "issues.replay",
      tenants: true,
      callers: operators,
      does: ["deliveries.replay", "webhook_endpoints.replay_failed", "replays.create"],
      errors: ["conflict"],
    },
    operationId: "replayIssue",
    summary: "Replay the deliveries of an issue",
    description:
      "Replays the deliveries that failed since the issue began, and makes retries that wait now. Only for the kinds `delivery` and `transform`, whose transformations are run again. With `dry_run`, the deliveries are only counted.",
    params: shapes.IssueParams,
    body: shapes.IssueReplayBody,
    response: { 200: shapes.IssueReplayCount, 202: shapes.IssueReplayJob },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      if (request.body?.dry_run === true) return await issues.countReplay(scope, request.params.id);
      reply.code(202);
      return await issues.replay(scope, request.params.id);
    },
  });
}
