import type { Db, Tx } from "../platform/db/db.ts";
import { isPassing as isPassingFault, retryAfterMs, wireId } from "../lib/lib.ts";
import type { Loop, Uuid } from "../lib/lib.ts";
import type { Tasks } from "../platform/tasks/tasks.ts";
import type { Log } from "../platform/telemetry/telemetry.ts";
import { scopeOf } from "../accounts/accounts.ts";
import type { Author, Scope } from "../accounts/accounts.ts";
import type { Channel, Channels } from "../webhooks/webhooks.ts";
import { DEFAULT_RETRIES, readCall } from "./call.ts";
import { settleCall } from "./http-calls.store.ts";
import type { CallRow, TryEnd } from "./http-calls.store.ts";
import { failedTry, sendCall } from "./send.ts";
import type { Outgoing, SendDeps, Try } from "./send.ts";

export interface CallWorkerDeps extends SendDeps {
  readonly db: Db;
  readonly tasks: Tasks;
  readonly log: Log;
  /** Lets the step of a workflow continue that waits for the call. */
  resume(
    tx: Tx,
    place: { readonly scope: Scope; readonly runId: Uuid; readonly stepId: string },
    end:
      | { readonly kind: "done"; readonly output: string }
      | { readonly kind: "failed"; readonly output: string; readonly error: string },
  ): Promise<unknown>;
  /** Returns the secrets that sign the calls of a rule or workflow; null if they cannot be decrypted. */
  signing: Channels["signing"];
}

/** The delays before the second and further tries. */
const LADDER_MS = [1000, 5000, 30_000, 120_000, 600_000];
const MAX_DELAY_MS = 600_000;

/** Sends due calls. */
export function createCallWorker(deps: CallWorkerDeps): Loop {
  return deps.tasks.define<CallRow>({
    kind: "HTTP calls",
    table: "http_call",
    // A slow API does not stop the calls of other workspaces.
    concurrency: { ofNode: 64, ofTenant: 16 },
    run: async (row) => await deps.db.at(row.bucket, async () => await makeTry(deps, row)),
  });
}

async function makeTry(deps: CallWorkerDeps, row: CallRow): Promise<void> {
  const { retries } = readCall(row.request);
  const most = (retries ?? DEFAULT_RETRIES) + 1;
  const scope = scopeOf(row.workspace_id, row.tag);
  // A process that was lost in the last try may have sent the request.
  const tried =
    row.attempts > most
      ? undefined
      : await sendOrFault(deps, row, {
          scope,
          text: row.request,
          id: wireId("call", row.tag, row.id),
          by: authorOf(row),
          signing: async () => await deps.signing(ownerOf(row)),
        });
  const end = tried === undefined ? LOST : endOf(deps, row, tried, most);
  await deps.db.transaction(async (tx) => {
    const isOurs = await settleCall(tx, row, end);
    if (isOurs && end.state !== "waiting") await endStep(deps, tx, row, end);
  });
}

/** Returns the author of the rule or workflow; null for a call that a node of the version before stored. */
function authorOf({ author_kind: kind, author_id: id }: CallRow): Author | null {
  return kind === null || id === null ? null : { kind: kind as Author["kind"], id };
}

/** A try that our own code could not finish is recorded as well, so that nothing waits for the end of its lease. */
async function sendOrFault(deps: CallWorkerDeps, row: CallRow, outgoing: Outgoing): Promise<Try> {
  try {
    return await sendCall(deps, outgoing);
  } catch (error) {
    if (isPassingFault(error)) throw error;
    deps.log.error({ err: error, http_call_id: wireId("call", row.tag, row.id) }, "an HTTP call failed in the service");
    return failedTry("internal", "The service could not make the call, or could not read the response.", true);
  }
}

/** Lets the workflow continue that waits for the call, if one does. */
export async function endStep(
  { resume }: Pick<CallWorkerDeps, "resume">,
  tx: Tx,
  row: CallRow,
  end: TryEnd,
): Promise<void> {
  if (row.owner_kind !== "workflow" || row.replay_of !== null) return;
  const place = { scope: scopeOf(row.workspace_id, row.tag), runId: row.run_id, stepId: row.step };
  const output = outputOf(row, end);
  const error = end.error ?? "The HTTP call failed.";
  await resume(tx, place, end.state === "succeeded" ? { kind: "done", output } : { kind: "failed", error, output });
}

/** Returns the rule or workflow whose secret signs the call. */
export function ownerOf({ workspace_id: workspaceId, owner_kind: owner, owner_id: id }: CallRow): Channel {
  return { workspaceId, id, owner: owner === "rule" ? "rule" : "workflow" };
}

/** The end of a call whose log was deleted with the tenant of its event. */
export const CANCELLED = endedBy(null, "The tenant of the event was deleted.");
const LOST = endedBy("lost", "The process that sent the request was lost in the last try, so its result is unknown.");

function endedBy(errorClass: string | null, error: string): TryEnd {
  return { state: "failed", status: null, response: null, errorClass, error, durationMs: 0, delayMs: 0 };
}

function endOf({ clock }: CallWorkerDeps, row: CallRow, tried: Try, most: number): TryEnd {
  const { isDone, isPassing, status, response, errorClass, error, durationMs, retryAfter } = tried;
  const isAgain = !isDone && isPassing && row.attempts < most;
  const state = isAgain ? "waiting" : isDone ? "succeeded" : "failed";
  const step = LADDER_MS[row.attempts - 1] ?? MAX_DELAY_MS;
  const delayMs = Math.max(step, Math.min(retryAfterMs(retryAfter, clock.now()) ?? 0, MAX_DELAY_MS));
  return { state, status, response, errorClass, error, durationMs, delayMs };
}

/** Returns the output of a workflow's step: the response, with the id of the call. */
function outputOf(row: CallRow, { response }: TryEnd): string {
  const id = JSON.stringify(wireId("call", row.tag, row.id));
  const answer = response ?? '{"status":null,"headers":{},"body":null,"text":null,"truncated":false}';
  return `{"http_call_id":${id},${answer.slice(1)}`;
}
