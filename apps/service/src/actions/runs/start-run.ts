import type { AuditEntry, Redactor, Target } from "../../audit/audit.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { EventDraft } from "../../events/events.ts";
import { firstOfEachKey } from "../../access/access.ts";
import type { StoredAnswer } from "../../access/access.ts";
import { parseJson } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import type { ActionRequest, RequestContext } from "../requests/action-request.ts";
import type { Reply } from "../requests/stored-response.ts";
import { keepCall, targetOf } from "../requests/ai-history.ts";
import type { KeptCall } from "../requests/ai-history.ts";
import type { ShownFacts } from "../proposals/proposal-row.ts";
import { insertProposals } from "../proposals/proposals.store.ts";
import type { ProposalInsert } from "../proposals/proposals.store.ts";
import { insertRuns } from "./runs.store.ts";
import type { RunInsert } from "./runs.store.ts";

/** The records that one call writes when it begins, all or none. */
export interface StartedRun {
  readonly proposal?: ProposalInsert;
  readonly run?: RunInsert;
  readonly entries: readonly AuditEntry[];
  /** The call of an AI, under the id of the proposal or the run. */
  readonly aiCall?: KeptCall;
  readonly events: readonly EventDraft[];
  /** The answer, if it does not depend on the end of the call. */
  readonly answer: StoredAnswer | null;
}

/** One call that is about to begin. */
export interface RecordedCall {
  readonly scope: Scope;
  readonly asked: ActionRequest;
  readonly request: RequestContext;
  readonly reply: Reply;
  /** The id under which the work is recorded: that of the run, or that of a proposal that waits. */
  readonly work: Uuid;
}

/**
 * Begins a call: writes the records that `write` returns. It runs inside the batch, which provides the redactor. Null: the
 * key of this call already existed, and nothing was written.
 */
export type Begin = (call: RecordedCall, write: (redactor: Redactor) => StartedRun) => Promise<StartedRun | null>;

const MAX_AT_ONCE = 200;

/**
 * Begins all calls that arrived during the previous transaction in one transaction: claims, proposals, runs, audit entries
 * and events.
 */
export function createBegin(deps: ActionDeps): Begin {
  const batcher = createShardBatcher<RunStart, StartedRun | null>(deps.db, {
    bucketOf: ({ scope }) => scope.bucket,
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    run: async (starts) => await beginAll(deps, starts),
  });
  return async ({ scope, request, work }, write) => await batcher.add({ scope, ref: request.ref, work, write });
}

interface RunStart extends Pick<RecordedCall, "scope" | "work"> {
  readonly ref: RequestContext["ref"];
  readonly write: Parameters<Begin>[1];
}

async function beginAll(deps: ActionDeps, starts: readonly RunStart[]): Promise<(StartedRun | null)[]> {
  const firsts = firstOfEachKey(starts);
  const redactors = await redactorsOf(deps.audit, firsts);
  const calls = firsts.map((start) => ({ ...start, start, written: start.write(redactors(start.scope)) }));
  const claims = calls.map(({ ref, work, written }) => ({ ref, work, answer: written.answer }));
  const begun = await deps.db.transaction(async (tx) => {
    const fresh = await deps.idempotency.claim(tx, claims);
    const rest = calls.filter((_call, at) => fresh.has(at));
    await writeAll(deps, tx, rest);
    return new Map(rest.map(({ start, written }) => [start, written]));
  });
  return starts.map((start) => begun.get(start) ?? null);
}

/** Writes the first records of calls, in the caller's transaction. */
export async function writeAll(
  deps: ActionDeps,
  tx: Tx,
  calls: readonly { readonly scope: Scope; readonly written: StartedRun }[],
): Promise<void> {
  const all = calls.map(({ written }) => written);
  const proposals = all.flatMap(({ proposal }) => proposal ?? []);
  await insertProposals(tx, proposals);
  const runs = all.flatMap(({ run }) => run ?? []);
  await insertRuns(tx, runs);
  for (const { scope, written } of calls) {
    for (const entry of written.entries) deps.audit.record(tx, scope, entry);
    if (written.aiCall !== undefined) keepCall(deps.audit, tx, written.aiCall);
  }
  const events = all.flatMap((one) => one.events);
  await deps.events.fireWithin(tx, events);
}

/** Returns the call of a request for the AI history. */
export function aiCallOf(
  { asker, contract, prompt }: ActionRequest,
  id: Uuid,
  {
    shown,
    request,
    isProposal,
    target = targetOf(contract),
  }: {
    readonly shown: ShownFacts;
    readonly request: RequestContext;
    readonly isProposal: boolean;
    readonly target?: Target;
  },
): KeptCall {
  const parameters: unknown = parseJson(shown.parameters);
  const { requestId } = request;
  return { id, isProposal, call: { asker, action: contract.key, target, parameters, prompt, requestId } };
}

/** Returns the current redactor of each workspace. */
export async function redactorsOf(
  audit: ActionDeps["audit"],
  calls: readonly { readonly scope: Scope }[],
): Promise<(scope: Scope) => Redactor> {
  const scopes = new Map(calls.map(({ scope }) => [scope.workspaceId, scope]));
  const pairs = [...scopes.values()].map(async (scope) => [scope.workspaceId, await audit.redactorOf(scope)] as const);
  const redactors = new Map(await Promise.all(pairs));
  return (scope) => {
    const redactor = redactors.get(scope.workspaceId);
    if (redactor === undefined) throw new Error("nothing redacts for a workspace");
    return redactor;
  };
}
