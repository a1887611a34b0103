import { after, momentOf, ServiceError, uuidFloor } from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { countFailed, endpointStats } from "./deliveries.store.ts";
import type { EndpointStats, FailedSince } from "./deliveries.store.ts";
import { existingEndpoint } from "./endpoint.ts";
import type { EndpointsDeps } from "./endpoint.ts";

export interface ReplayFailed {
  readonly since: string;
  readonly until: string;
  readonly dry_run?: boolean;
}

export interface EndpointReplays {
  /** How many failed deliveries of a time lie there to be replayed. */
  countFailed(scope: Scope, id: string, range: ReplayFailed): Promise<number>;
  /** Replays them in the background; answers their count at once. */
  replayFailed(scope: Scope, id: string, range: ReplayFailed): Promise<{ count: number; job_id: string }>;
  /** The last 24 hours. */
  stats(scope: Scope, id: string): Promise<EndpointStats>;
}

const DAY_MS = 86_400_000;

export function createEndpointReplays(deps: EndpointsDeps): EndpointReplays {
  const { db, clock } = deps;

  async function failedRange(
    scope: Scope,
    id: string,
    range: ReplayFailed,
  ): Promise<FailedSince & { active: boolean }> {
    const { id: endpointId, active } = await existingEndpoint(deps, scope, id);
    const { bucket, tag } = scope;
    return { bucket, tag, endpointId, active, from: bound(range.since, "/since"), to: bound(range.until, "/until") };
  }

  return {
    countFailed: async (scope, id, range) => await countFailed(db.query, await failedRange(scope, id, range)),
    async replayFailed(scope, id, range) {
      const of = await failedRange(scope, id, range);
      if (!of.active)
        throw new ServiceError("conflict", { detail: "The endpoint is inactive. Activate it, then replay." });
      const total = await countFailed(db.query, of);
      return {
        count: total,
        job_id: await deps.startReplay({ scope, endpointId: of.endpointId, from: of.from, to: of.to, total }),
      };
    },
    async stats(scope, id) {
      const row = await existingEndpoint(deps, scope, id);
      return await endpointStats(db.query, scope, row.id, uuidFloor(after(clock.now(), -DAY_MS)));
    },
  };
}

function bound(text: string, pointer: string): Uuid {
  const at = momentOf(text, pointer);
  if (at !== undefined) return uuidFloor(at);
  throw new ServiceError("validation_failed", { errors: [{ pointer, code: "required", message: "is required" }] });
}
