import { ofTenant } from "../platform/db/db.ts";
import type { Uuid } from "../lib/lib.ts";
import type { IssueObjects, Replayable } from "../issues/issues.ts";
import { labelOf } from "./endpoints/endpoint-mail.ts";
import type { EndpointReplays, ReplayedIssue } from "./deliveries/endpoint-replays.ts";

/** The endpoints whose deliveries and transformations have issues. */
export function issueEndpoints(replays: Pick<EndpointReplays, "countOfIssue" | "replayIssue">): IssueObjects {
  return {
    kinds: ["delivery", "transform"],
    async names(query, place, objects) {
      const rows = await query
        .selectFrom("endpoint")
        .select(["id", "description", "url"])
        .$call(ofTenant(place))
        .where("id", "in", objects as readonly Uuid[])
        .where("deleted_at", "is", null)
        .execute();
      return new Map(rows.map((row) => [row.id, labelOf(row)]));
    },
    replays: {
      count: async (scope, issue) => await replays.countOfIssue(scope, ofEndpoint(issue)),
      start: async (scope, issue) => await replays.replayIssue(scope, ofEndpoint(issue)),
    },
  };
}

function ofEndpoint({ kind, object, since }: Replayable): ReplayedIssue {
  return { endpointId: object as Uuid, since, isOfTransform: kind === "transform" };
}

/** The sources whose requests have issues. */
export const ISSUE_SOURCES: IssueObjects = {
  kinds: ["source"],
  async names(query, place, objects) {
    const rows = await query
      .selectFrom("inbound_source")
      .select(["id", "name"])
      .$call(ofTenant(place))
      .where("id", "in", objects as readonly Uuid[])
      .where("deleted_at", "is", null)
      .execute();
    return new Map(rows.map((row) => [row.id, row.name]));
  },
};
