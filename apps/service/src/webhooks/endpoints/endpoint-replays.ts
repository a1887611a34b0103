import { parseTimestamp, ServiceError, uuidFloor, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { existingEndpoint } from "./endpoint.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import { ofCaller } from "../deliveries/delivery-filter.ts";
import { countMatching } from "../deliveries/replays.store.ts";
import type { Matching } from "../deliveries/replays.store.ts";

export interface ReplayFailed {
  readonly since: string;
  readonly until: string;
  readonly dry_run?: boolean;
  readonly retransform?: boolean;
}

export interface EndpointReplays {
  /** Counts the failed deliveries of the endpoint in the range. */
  countFailed(scope: Scope, id: string, range: ReplayFailed): Promise<number>;
  /** Replays them in the background, and returns their number at once. */
  replayFailed(scope: Scope, id: string, range: ReplayFailed): Promise<{ count: number; job_id: string }>;
}

const EVERY = 2_000_000_000;

export function createEndpointReplays(deps: EndpointsDeps): EndpointReplays {
  const { db } = deps;

  async function failed(
    scope: Scope,
    id: string,
    range: ReplayFailed,
  ): Promise<{ matching: Matching; active: boolean }> {
    const { id: endpointId, active } = await existingEndpoint(deps, scope, id);
    const { bucket, tag } = scope;
    const [from, to] = [bound(range.since, "/since"), bound(range.until, "/until")];
    const filter = ofCaller(scope, { state: "failed" as const, endpointId, from, to });
    return { matching: { bucket, tag, ids: null, filter }, active };
  }

  return {
    async countFailed(scope, id, range) {
      return await countMatching(db.query, (await failed(scope, id, range)).matching, EVERY);
    },
    async replayFailed(scope, id, range) {
      const { matching, active } = await failed(scope, id, range);
      if (!active)
        throw new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then replay." });
      const total = await countMatching(db.query, matching, EVERY);
      const isAnew = range.retransform === true;
      const job = await deps.startReplay({ scope, filter: matching.filter, ids: null, total, isAnew });
      return { count: total, job_id: wireId("job", scope.tag, job.id) };
    },
  };
}

function bound(text: string, pointer: string): Uuid {
  const at = parseTimestamp(text, pointer);
  if (at !== undefined) return uuidFloor(at);
  throw new ServiceError("validation_failed", { errors: [{ pointer, code: "required", message: "is required" }] });
}
