import { minUuidAt, pageText, paginate, ServiceError } from "../../lib/lib.ts";
import type { Id, Uuid } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { createLookup, keyOfTool } from "../contracts/lookup.ts";
import type { Decider, Target } from "../proposals/close-proposal.ts";
import { answerOnce, keepingRefusals } from "../proposals/decide-proposal.ts";
import type { DecideDeps } from "../proposals/decide-proposal.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import type { RequestContext, RunInput } from "../requests/action-request.ts";
import { createExecutor } from "./execute.ts";
import type { ExecuteDeps } from "./execute.ts";
import { createSettle } from "./finish-run.ts";
import type { Settle } from "./finish-run.ts";
import { follow } from "./followed.ts";
import type { Follower } from "./followed.ts";
import { proposeConfiguration, waitingProposal } from "./propose-configuration.ts";
import type { ProposedConfiguration, WaitingProposal } from "./propose-configuration.ts";
import { proposeOperation } from "./propose-operation.ts";
import type { ProposedOperation } from "./propose-operation.ts";
import { dryRun, run } from "./run.ts";
import type { RunDeps } from "./run.ts";
import { runText } from "./run-view.ts";
import type { RunListQuery } from "./runs.schemas.ts";
import { findRun, listRuns } from "./runs.store.ts";
import { createBeginStanding } from "./standing-run.ts";
import { startApproved } from "./start-approved.ts";
import { createBegin } from "./start-run.ts";
import { undo } from "./undo.ts";

/** The parts that requests, decisions and workers share: they begin, make and end the same calls. */
export interface RunsDeps extends RunDeps, DecideDeps {
  readonly settle: Settle;
}

export function createRunsDeps(given: ActionDeps & Pick<ExecuteDeps, "backend">): RunsDeps {
  const settle = createSettle(given);
  const executor = createExecutor({ ...given, settle }, given.ids.uuid());
  return {
    ...given,
    settle,
    executor,
    lookup: createLookup(given.db),
    begin: createBegin(given),
    beginStanding: createBeginStanding({ ...given, executor }),
    startRun: async (tx, approved) => await startApproved({ ...given, executor }, tx, approved),
  };
}

export type Runs = ReturnType<typeof createRuns>;

/** Creates the runs and undos of actions. Answers are the bytes to send; texts are JSON. */
export function createRuns(deps: RunsDeps) {
  const { db, clock } = deps;
  return {
    /** Runs or proposes an action for any caller on any surface, with the caller's current rights. */
    run: async (asker: ActionCaller, input: RunInput, request: RequestContext) =>
      await keepingRefusals(deps, request, async () => await run(deps, asker, input, request)),
    /** Creates the proposal of an operator tool's write. */
    proposeOperation: async (asker: ActionCaller, operation: ProposedOperation, request: RequestContext) =>
      await proposeOperation(deps, asker, operation, request),
    /** Creates the proposal that a plan of the configuration is applied, in the caller's transaction. */
    proposeConfiguration: async (
      tx: Tx,
      asker: ActionCaller,
      plan: ProposedConfiguration & { readonly requestId: Id },
    ): Promise<WaitingProposal> => await proposeConfiguration(deps, tx, asker, plan),
    /** Returns the JSON text of a proposal that waits for people, or whose run has begun; undefined for all others. */
    waiting: async (tx: Tx, scope: Scope, id: Uuid): Promise<string | undefined> =>
      await waitingProposal(deps, tx, scope, id),
    dryRun: async (asker: ActionCaller, input: RunInput, request: RequestContext) =>
      await dryRun(deps, asker, input, request),
    undo: async (decider: Decider, target: Target) =>
      await answerOnce(deps, target.request, async () => {
        const asker = await deps.lookup.named(decider.asker);
        return await undo(deps, { ...decider, asker }, target);
      }),
    async list(scope: Scope, { limit, cursor, ...filters }: RunListQuery): Promise<string> {
      const { action, surface, status, created_after: after, created_before: before } = filters;
      const range = { from: minUuidAt(after, "created_after"), to: minUuidAt(before, "created_before") };
      const page = await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "runs", filters],
          read: async (last, count) =>
            await listRuns(db.query, scope, { action, surface, status, ...range, before: last }, count),
          view: (row) => runText({ scope, now: clock.now() }, row),
        },
      );
      return pageText(page);
    },
    async get(scope: Scope, id: string): Promise<string> {
      const row = await findRun(db.query, { ...scope, id: ownUuid(scope, "run", id) });
      if (row === undefined) throw new ServiceError("not_found");
      return runText({ scope, now: clock.now() }, row);
    },
    /** Returns the state of a proposal that the caller made, or of its edit. Undefined for all others. */
    follow: async (follower: Follower, id: string) => await follow(deps, follower, id),
    /** Returns false if the calls of an action run at once. */
    async mayWait(scope: Scope, key: string): Promise<boolean> {
      const { contract } = await deps.lookup.ask({ scope, key, keyId: null, memberId: null });
      // Calls of an unknown action are refused.
      return contract === undefined || contract.requires_confirmation;
    },
    /** Returns the key of the contract with this tool name, or the name itself if there is none. */
    keyOfTool: async (scope: Scope, name: string) => await keyOfTool(db, scope, name),
  };
}
