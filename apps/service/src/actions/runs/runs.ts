import type { StepPort } from "../../automation/automation.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import type { ContractGuard, Idempotency } from "../../access/access.ts";
import type { Clock, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Log, Signals } from "../../platform/telemetry/telemetry.ts";
import type { Scope, StepUps } from "../../accounts/accounts.ts";
import { createActionWorker } from "./actions.worker.ts";
import { askerOf } from "../callers/actor.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { approve, personApproving } from "../proposals/approve.ts";
import type { ApproveInput } from "../proposals/approve.ts";
import type { Request, RunInput } from "../requests/action-request.ts";
import { createStandingBeginner } from "./standing-run.ts";
import { createBeginner } from "./start-run.ts";
import { keepingRefusals } from "../proposals/decide-proposal.ts";
import { createApprovedStart } from "./start-approved.ts";
import { edit } from "../proposals/edit.ts";
import { cancel, reject } from "../proposals/close-proposal.ts";
import type { Decider } from "../proposals/close-proposal.ts";
import { createExecutor } from "./execute.ts";
import type { ExecuteDeps } from "./execute.ts";
import { createLookup } from "./lookup.ts";
import { createActionInsight } from "../proposals/console-feed.ts";
import type { ActionInsight } from "../proposals/console-feed.ts";
import { follow } from "./followed.ts";
import type { FollowedProposal, Follower } from "./followed.ts";
import { countOpen } from "../proposals/proposals.store.ts";
import { blockFor, refusalFor } from "../contracts/authorization.ts";
import { listProposalsText, listRunsText, readProposalText, readRunText } from "./queries.ts";
import type { ProposalQuery, RunQuery } from "./queries.ts";
import { createRuleAction } from "./rule-port.ts";
import { dryRun, assertMayCall, run } from "./run.ts";
import type { RunAnswer } from "../requests/stored-response.ts";
import { createSettler } from "./finish-run.ts";
import type { TellAwaited } from "../requests/awaited.ts";
import { keysOfTool } from "../contracts/registry.store.ts";
import { isToolName } from "../contracts/tool-name.ts";
import { createActionSteps } from "./step-ports.ts";
import { createStandingApprovals } from "../standing-approvals/standing-approvals.ts";
import type { StandingApprovals } from "../standing-approvals/standing-approvals.ts";
import { createStandingWorker } from "../standing-approvals/standing-approvals.worker.ts";
import { undo } from "./undo.ts";

interface ResultContext {
  readonly id: string;
  readonly request: Request;
}

/** The requests, decisions, runs and undos of actions. Answers are the bytes to send; texts are JSON. */
export interface ActionRuns {
  /** Runs or proposes an action for any caller on any surface, with the caller's current rights. */
  run(asker: ActionCaller, input: RunInput, request: Request): Promise<RunAnswer>;
  dryRun(asker: ActionCaller, input: RunInput, request: Request): Promise<string>;
  approve(decider: Decider, request: ResultContext & { readonly input: ApproveInput }): Promise<RunAnswer>;
  reject(decider: Decider, request: ResultContext & { readonly reason: string | undefined }): Promise<RunAnswer>;
  cancel(decider: Decider, request: ResultContext): Promise<RunAnswer>;
  edit(decider: Decider, request: ResultContext & { readonly parameters: unknown }): Promise<RunAnswer>;
  undo(decider: Decider, request: ResultContext): Promise<RunAnswer>;
  /** Returns the key of the contract with this tool name, or the name itself if there is none. */
  keyOfTool(scope: Scope, name: string): Promise<string>;
  /** The access check of calls that name a contract. */
  readonly guard: ContractGuard;
  list(scope: Scope, query: RunQuery): Promise<string>;
  get(scope: Scope, id: string): Promise<string>;
  proposals(scope: Scope, query: ProposalQuery): Promise<string>;
  proposal(scope: Scope, id: string): Promise<string>;
  /** Returns the state of a proposal that the caller made, or of its edit. Undefined for all others. */
  follow(follower: Follower, id: string): Promise<FollowedProposal | undefined>;
  /** Returns false if the calls of an action run at once. */
  mayWait(scope: Scope, action: string): Promise<boolean>;
  /** The `run_action` of rules, and the `action` and `wait_approval` steps of workflows. */
  readonly steps: readonly StepPort[];
  readonly standing: StandingApprovals;
  /** Ends the proposals whose time limit has passed, as the worker does regularly. */
  sweep(): Promise<number>;
  /** Ends the standing approvals that can no longer approve anything, as the worker does regularly. */
  sweepStanding(): Promise<number>;
  openProposals(): Promise<number>;
  readonly insight: ActionInsight;
  inFlight(): number;
  start(): void;
  /** Waits for the running calls to end. */
  stop(): Promise<void>;
}

export interface ActionRunsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly signals: Signals;
  readonly audit: Audit;
  readonly events: Pick<Events, "fireWithin">;
  readonly idempotency: Idempotency;
  readonly baseUrl: string;
  readonly stepUps: Pick<StepUps, "take">;
  readonly backend: ExecuteDeps["backend"];
  /** Runs in the transaction that ends an action or approval that another module waits for. */
  readonly awaited: TellAwaited;
  /** Called after failures were written that may open an issue. */
  readonly reported: () => void;
  /** False in a process that only accepts requests. */
  readonly works: boolean;
}

/** The time that running calls have to end during a shutdown. It leaves time for the steps that follow. */
const STOP_MS = 25_000;

export function createActionRuns(given: ActionRunsDeps): ActionRuns {
  const settler = createSettler(given);
  const executor = createExecutor({ ...given, settler, leaseId: given.ids.uuid() });
  const deps = {
    ...given,
    startRun: createApprovedStart({ ...given, executor }),
    lookup: createLookup(given.db),
    beginner: createBeginner(given),
    standing: createStandingBeginner({ ...given, executor }),
    executor,
  };
  const worker = createActionWorker({ ...deps, settler });
  const standingWorker = createStandingWorker(given);
  const named = async (decider: Decider): Promise<Decider> => ({
    ...decider,
    asker: await deps.lookup.named(decider.asker),
  });
  /** Returns the first answer of a repeated request before any other check. 404 and 409 are answers too. */
  const once = async (request: Request, decide: () => Promise<RunAnswer>): Promise<RunAnswer> => {
    const before = await given.idempotency.replay(request.ref);
    return before === undefined ? await keepingRefusals(deps, request, decide) : { ...before, replayed: true };
  };
  return {
    keyOfTool: async (scope, name) => await keyOfTool(given.db, scope, name),
    run: async (asker, input, request) =>
      await keepingRefusals(deps, request, async () => await run(deps, asker, input, request)),
    dryRun: async (asker, input, request) => await dryRun(deps, asker, input, request),
    approve: async (decider, of) =>
      await once(of.request, async () => {
        const { asker, isPerson } = await named(decider);
        return await approve(deps, personApproving(asker, isPerson), of);
      }),
    reject: async (decider, of) => await once(of.request, async () => await reject(deps, await named(decider), of)),
    cancel: async (decider, of) => await once(of.request, async () => await cancel(deps, await named(decider), of)),
    edit: async (decider, of) => await once(of.request, async () => await edit(deps, await named(decider), of)),
    guard: {
      async refuse(caller, { key, surface }) {
        const { ip, requestId } = caller;
        const asker = askerOf(caller, { ip, display: null });
        const from = surface === undefined ? asker : { ...asker, surface };
        const action = surface === "mcp" ? await keyOfTool(given.db, caller.scope, key) : key;
        await assertMayCall(deps, from, { action, requestId });
      },
      async refusal(caller, action) {
        const { contract } = await deps.lookup.ask({ scope: caller.scope, key: action, keyId: null, memberId: null });
        if (contract === undefined) return blockFor(action, caller.key) ?? undefined;
        return refusalFor(contract, caller.key, caller.key.session === undefined ? "api" : "console");
      },
    },
    undo: async (decider, of) => await once(of.request, async () => await undo(deps, await named(decider), of)),
    list: async (scope, query) => await listRunsText(deps, scope, query),
    get: async (scope, id) => await readRunText(deps, scope, id),
    proposals: async (scope, query) => await listProposalsText(deps, scope, query),
    proposal: async (scope, id) => await readProposalText(deps, scope, id),
    follow: async (follower, id) => await follow(given, follower, id),
    async mayWait(scope, key) {
      const { contract } = await deps.lookup.ask({ scope, key, keyId: null, memberId: null });
      // Calls of an unknown action are refused.
      return contract === undefined || contract.requiresConfirmation;
    },
    insight: createActionInsight(given),
    steps: [createRuleAction(deps), ...createActionSteps({ ...deps, wake: worker.wake })],
    standing: createStandingApprovals(given),
    sweep: async () => await worker.sweep(),
    sweepStanding: async () => await standingWorker.sweep(),
    openProposals: async () => await countOpen(deps.db),
    inFlight: () => deps.executor.inFlight(),
    start: () => {
      if (!given.works) return;
      worker.start();
      standingWorker.start();
    },
    async stop() {
      await Promise.all([worker.stop(), standingWorker.stop()]);
      await deps.executor.idle(STOP_MS);
    },
  };
}

async function keyOfTool({ query }: Db, scope: Scope, name: string): Promise<string> {
  return isToolName(name) ? ((await keysOfTool(query, scope, name, scope.environment))[0] ?? name) : name;
}
