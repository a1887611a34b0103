import type { Audit, AuditEntry, Redactor } from "../../audit/audit.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Events, EventDraft } from "../../events/events.ts";
import { firstOfEachKey } from "../../access/access.ts";
import type { Idempotency, IdempotencyRef, StoredAnswer } from "../../access/access.ts";
import { parseJson } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { ActionRequest, Request } from "../requests/action-request.ts";
import type { Reply } from "../requests/stored-response.ts";
import { keepCall } from "../requests/ai-history.ts";
import type { KeptCall } from "../requests/ai-history.ts";
import type { Shown } from "../proposals/proposal-row.ts";
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
  readonly asked: ActionRequest;
  readonly request: Request;
  readonly reply: Reply;
  /** The id under which the work is recorded: that of the run, or that of a proposal that waits. */
  readonly work: Uuid;
}

type Write = (redactor: Redactor) => StartedRun;

export interface BeginDeps {
  readonly db: Db;
  readonly audit: Pick<Audit, "record" | "redactorOf" | "history">;
  readonly events: Pick<Events, "fireWithin">;
  readonly idempotency: Pick<Idempotency, "claim">;
}

export interface Beginner {
  /**
   * Writes the records that `write` returns. It runs inside the batch, which provides the redactor. Null: the key of this
   * call already existed, and nothing was written.
   */
  begin(call: RecordedCall, write: Write): Promise<StartedRun | null>;
}

const MAX_AT_ONCE = 200;

interface RunStart {
  readonly scope: Scope;
  readonly ref: IdempotencyRef;
  readonly work: Uuid;
  readonly write: Write;
}

/**
 * Begins all calls that arrived during the previous transaction in one transaction: claims, proposals, runs, audit entries
 * and events.
 */
export function createBeginner(deps: BeginDeps): Beginner {
  const batcher = createShardBatcher<RunStart, StartedRun | null>(deps.db, {
    bucketOf: ({ scope }) => scope.bucket,
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    run: async (items) => await beginAll(deps, items),
  });
  return {
    begin: async ({ asked, request, work }, write) =>
      await batcher.add({ scope: asked.asker.scope, ref: request.ref, work, write }),
  };
}

async function beginAll(deps: BeginDeps, items: readonly RunStart[]): Promise<(StartedRun | null)[]> {
  const firsts = firstOfEachKey(items);
  const redactors = await redactorsOf(
    deps.audit,
    firsts.map(({ scope }) => scope),
  );
  const made = firsts.map((item) => ({ item, written: item.write(redactors(item.scope)) }));
  const begun = await deps.db.transaction(async (tx) => {
    const fresh = await deps.idempotency.claim(
      tx,
      made.map(({ item, written }) => ({ ref: item.ref, work: item.work, answer: written.answer })),
    );
    const rest = made.filter((_one, at) => fresh.has(at));
    await writeAll(
      deps,
      tx,
      rest.map(({ item, written }) => ({ scope: item.scope, written })),
    );
    return new Map(rest.map(({ item, written }) => [item, written]));
  });
  return items.map((item) => begun.get(item) ?? null);
}

/** Writes the first records of calls, in the caller's transaction. */
export async function writeAll(
  deps: Pick<BeginDeps, "audit" | "events">,
  tx: Tx,
  all: readonly { readonly scope: Scope; readonly written: StartedRun }[],
): Promise<void> {
  await insertProposals(
    tx,
    all.flatMap(({ written }) => written.proposal ?? []),
  );
  await insertRuns(
    tx,
    all.flatMap(({ written }) => written.run ?? []),
  );
  for (const { scope, written } of all) {
    for (const entry of written.entries) deps.audit.record(tx, scope, entry);
    if (written.aiCall !== undefined) keepCall(deps.audit, tx, written.aiCall);
  }
  await deps.events.fireWithin(
    tx,
    all.flatMap(({ written }) => written.events),
  );
}

/** Returns the call of a request for the AI history. */
export function aiCallOf(
  { asker, contract, prompt }: ActionRequest,
  id: Uuid,
  { shown, request, isProposal }: { readonly shown: Shown; readonly request: Request; readonly isProposal: boolean },
): KeptCall {
  const parameters: unknown = parseJson(shown.parameters);
  return { id, isProposal, call: { asker, action: contract.key, parameters, prompt, requestId: request.requestId } };
}

/** Returns the current redactor of each workspace. */
export async function redactorsOf(
  audit: Pick<Audit, "redactorOf">,
  scopes: readonly Scope[],
): Promise<(scope: Scope) => Redactor> {
  const wanted = new Map(scopes.map((scope) => [scope.workspaceId, scope]));
  const pairs = [...wanted.values()].map(async (scope) => [scope.workspaceId, await audit.redactorOf(scope)] as const);
  const redactors = new Map(await Promise.all(pairs));
  return (scope) => {
    const redactor = redactors.get(scope.workspaceId);
    if (redactor === undefined) throw new Error("nothing redacts for a workspace");
    return redactor;
  };
}
