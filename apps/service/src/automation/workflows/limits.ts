import type { Scope } from "../../accounts/accounts.ts";
import type { WorkflowsDeps } from "./deps.ts";
import type { Hindrance } from "./runs.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

/**
 * The maximum number of runs per minute that reactions cause in a workspace and environment: runs for events that rules, workflows or
 * connectors fired, and the items of loops. An event that multiplies itself through workflows ends here.
 */
export const MAX_DESCENDANTS = 12_000;

/** Counts a run toward the limits. Returns the reason why it may not start. */
export async function limitRun(
  deps: WorkflowsDeps,
  { bucket, tag, environment }: Scope,
  { id, max_runs_per_minute: perMinute }: Pick<WorkflowRow, "id" | "max_runs_per_minute">,
  chain: readonly unknown[],
): Promise<Hindrance | undefined> {
  const subject = `workflow:${id}:${environment}`;
  const { granted } = await deps.rates.take({ bucket, subject, operation: "workflows.run", perMinute });
  if (!granted) {
    deps.signals.runsLimited(tag, "workflow", 1);
    return limited(`The workflow can start at most ${perMinute} runs per minute (max_runs_per_minute).`);
  }
  if (chain.length === 0) return undefined;
  return (await mayDescend(deps, { bucket, tag }, 1)) ? undefined : limited(TOO_MANY_DESCENDANTS);
}

/** Counts runs that a reaction causes toward the limit of the workspace. Returns false if they may not start. */
export async function mayDescend(
  { rates, signals }: WorkflowsDeps,
  { bucket, tag }: Pick<Scope, "bucket" | "tag">,
  count: number,
): Promise<boolean> {
  const ask = {
    bucket,
    subject: `workflow_descendants:${tag}`,
    operation: "workflows.run",
    perMinute: MAX_DESCENDANTS,
  };
  const tokens = await Promise.all(Array.from({ length: count }, async () => await rates.take(ask)));
  const isGranted = tokens.every(({ granted }) => granted);
  if (!isGranted) signals.runsLimited(tag, "workspace", count);
  return isGranted;
}

export const TOO_MANY_DESCENDANTS = `Reactions can cause at most ${MAX_DESCENDANTS} workflow runs per minute in a workspace, with the items of loops (rate_limited).`;

function limited(error: string): Hindrance {
  return { state: "limited", error };
}
