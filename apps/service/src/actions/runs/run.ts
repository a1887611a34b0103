import type { Redactor } from "../../audit/audit.ts";
import { ServiceError, toRfc3339 } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ActionCaller } from "../callers/actor.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import type { ActionRequest, RequestContext, RunInput } from "../requests/action-request.ts";
import { aiCallOf } from "./start-run.ts";
import type { Begin, RecordedCall, StartedRun } from "./start-run.ts";
import type { BeginStanding } from "./standing-run.ts";
import { candidatesFor, wouldUseStanding } from "../standing-approvals/use.ts";
import type { OverBudget } from "../standing-approvals/use.ts";
import { keepingAiRefusal } from "../requests/ai-history.ts";
import { answerOf, replyOf } from "../requests/stored-response.ts";
import type { SentAnswer } from "../../access/access.ts";
import { evaluateConfirmation } from "../proposals/confirmation.ts";
import type { Verdict } from "../proposals/confirmation.ts";
import type { Surface } from "../callers/surface.ts";
import { entryOf } from "../requests/entries.ts";
import type { Executor } from "./execute.ts";
import { unknownAction, withName } from "../contracts/lookup.ts";
import type { LookupResult, Lookup } from "../contracts/lookup.ts";
import { proposed } from "../proposals/proposal-events.ts";
import { checkParameters } from "../contracts/parameters.ts";
import type { Parameters } from "../contracts/parameters.ts";
import { assertNotBlocked, assertPermitted } from "../contracts/authorization.ts";
import { readRun, runRow } from "./run-row.ts";
import { proposalRow, readProposal, shownOf } from "../proposals/proposal-row.ts";
import type { ShownFacts } from "../proposals/proposal-row.ts";
import { proposalText } from "../proposals/proposal-view.ts";
import { runText } from "./run-view.ts";

export interface RunDeps extends ActionDeps {
  readonly lookup: Lookup;
  readonly begin: Begin;
  readonly beginStanding: BeginStanding;
  readonly executor: Executor;
}

/** The limit of concurrent calls. Above it callers must retry, because each call holds memory and a connection. */
const MAX_IN_FLIGHT = 2000;

/**
 * Runs or proposes an action (contract, section 7, the table). The call, its key and its records are committed before
 * the backend is called, and the end of the call is a second commit. A repeated request gets the first answer, or 409
 * during the call. Throws 404 `action_unknown`, 403 and 422, which write only the records of the refusal.
 */
export async function run(
  deps: RunDeps,
  asker: ActionCaller,
  input: RunInput,
  request: RequestContext,
): Promise<SentAnswer> {
  const [before, looked] = await Promise.all([deps.idempotency.seen(request.ref), look(deps, asker, input)]);
  if (before !== undefined) return { ...before, replayed: true };
  const { requestId } = request;
  const call = { asker: withName(asker, looked.display), input, requestId, contract: looked.contract };
  const { asked, verdict } = await keepingAiRefusal(
    deps,
    call,
    async () => await prepare(deps, { asker, input, looked, requestId }),
  );
  if (deps.executor.inFlight() >= MAX_IN_FLIGHT)
    throw new ServiceError("service_unavailable", {
      headers: { "Retry-After": "1" },
      internal: "too many action runs",
    });
  return verdict.kind === "propose"
    ? await propose(deps, asked, verdict, request)
    : await execute(deps, asked, verdict, request);
}

/** Returns the expected outcome of a call as JSON text. It writes only refusals, and calls nothing. */
export async function dryRun(
  deps: RunDeps,
  asker: ActionCaller,
  input: RunInput,
  request: RequestContext,
): Promise<string> {
  const [, looked] = await Promise.all([deps.idempotency.seen(request.ref), look(deps, asker, input)]);
  const { asked, verdict } = await prepare(deps, { asker, input, looked, requestId: request.requestId });
  const shown = shownOf(asked, await deps.audit.redactorOf(asker.scope));
  const { contract } = asked;
  const waits = verdict.kind === "propose" && !(await wouldUseStanding(deps, asked));
  return JSON.stringify({
    object: "run",
    status: "dry_run",
    action: contract.key,
    contract_version: contract.version,
    outcome: waits ? "pending_confirmation" : "executed",
    ...(waits ? conditionsOf(verdict) : {}),
    simulated: asker.scope.environment === "sandbox" && contract.sandbox_endpoint === null,
    preview: shown.preview,
  });
}

/**
 * Prepares a call of an automation, which no request waits for and which begins in the automation's own transaction.
 */
export async function prepareUnattended(deps: RunDeps, call: Omit<Preparing, "looked">): Promise<Prepared> {
  return await prepare(deps, { ...call, looked: await look(deps, call.asker, call.input) });
}

export interface Prepared {
  readonly asked: ActionRequest;
  readonly verdict: Verdict;
}

async function look({ lookup }: RunDeps, asker: ActionCaller, { action }: RunInput): Promise<LookupResult> {
  return await lookup.ask({ scope: asker.scope, key: action, keyId: asker.keyId, memberId: asker.memberId });
}

interface Preparing {
  readonly asker: ActionCaller;
  readonly input: RunInput;
  readonly looked: LookupResult;
  readonly requestId: string | null;
}

/** Checks the current contract, rights and parameters, in this order. */
async function prepare(deps: RunDeps, { asker, input, looked, requestId }: Preparing): Promise<Prepared> {
  const { contract, settings, display } = looked;
  if (contract === undefined) {
    assertNotBlocked(input.action, asker.rights);
    throw await unknownAction(deps.db, asker, input.action);
  }
  const named = withName(asker, display);
  const surface = input.surface ?? asker.surface;
  await auditedRefusal(deps, { asker: named, contract, prompt: input.prompt, requestId }, () =>
    assertPermitted(contract, asker.rights, surfacesOf(asker, surface)),
  );
  const errors = checkParameters(contract, input.parameters);
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  const { confirmed } = input;
  return {
    asked: {
      asker: named,
      contract,
      surface,
      prompt: input.prompt,
      parameters: (input.parameters ?? {}) as Parameters,
      waiter: null,
      workflow: null,
    },
    verdict: evaluateConfirmation(
      contract,
      { confirmed, surface },
      { isAi: asker.isAi, inlineAllowed: settings.inline_confirmation },
    ),
  };
}

/**
 * Runs as an access check, before the call counts towards a limit. Throws 403, with an audit entry, if the contract
 * refuses the caller. The AI history counts the refusal, as those of all access checks. A surface that the body narrows the call to is checked later, with the parameters.
 */
export async function assertMayCall(
  deps: RunDeps,
  asker: ActionCaller,
  { action, requestId }: { readonly action: string; readonly requestId: string },
): Promise<void> {
  const { scope, keyId, memberId } = asker;
  const { contract, display } = await deps.lookup.ask({ scope, key: action, keyId, memberId });
  if (contract === undefined) return assertNotBlocked(action, asker.rights);
  const named = withName(asker, display);
  await auditedRefusal(deps, { asker: named, contract, prompt: null, requestId }, () =>
    assertPermitted(contract, asker.rights, [asker.surface]),
  );
}

/** A body can only narrow the surface: the claimed surface is checked in addition to that of the call. */
function surfacesOf(asker: ActionCaller, surface: Surface): Surface[] {
  return asker.surface === surface ? [surface] : [asker.surface, surface];
}

/** Refusals are always audited, regardless of the contract's `audit`. */
async function auditedRefusal(
  deps: RunDeps,
  request: Pick<ActionRequest, "asker" | "contract" | "prompt"> & { readonly requestId: string | null },
  check: () => void,
): Promise<void> {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code } = error;
    await deps.db.transaction(async (tx) => {
      const { asker, contract, prompt, requestId } = request;
      const about = { actor: asker.actor, errorCode: code, prompt, requestId };
      deps.audit.record(tx, asker.scope, entryOf("run", contract, "refused", about));
      await Promise.resolve();
    });
    throw error;
  }
}

type Proposing = Extract<Verdict, { kind: "propose" }>;

async function propose(
  deps: RunDeps,
  asked: ActionRequest,
  verdict: Proposing,
  request: RequestContext,
): Promise<SentAnswer> {
  const call = callOf(deps, asked, request);
  const write = (redactor: Redactor, overBudget?: OverBudget): StartedRun =>
    proposing(deps, { ...call, verdict, overBudget }, redactor);
  const candidates = await candidatesFor(deps, asked);
  const written =
    candidates.length === 0
      ? await deps.begin(call, write)
      : await deps.beginStanding({ ...call, candidates, propose: write });
  return await carryOut(deps, call, written);
}

function callOf({ ids }: RunDeps, asked: ActionRequest, request: RequestContext): RecordedCall {
  return { scope: asked.asker.scope, asked, request, reply: replyOf("run", request), work: ids.uuid() };
}

interface ProposingCall extends RecordedCall {
  readonly verdict: Proposing;
  readonly overBudget: OverBudget | undefined;
}

/** Returns the records of a proposal that waits for people. */
function proposing(deps: RunDeps, call: ProposingCall, redactor: Redactor): StartedRun {
  const { scope, asked, request, work: id } = call;
  const shown = withReason(shownOf(asked, redactor), call.overBudget);
  const row = proposalRow(asked, { id, state: "proposed", shown, now: deps.clock.now(), sealer: deps.sealer });
  const text = pendingText(call, proposalText({ ...deps, scope }, readProposal(row)));
  return {
    proposal: row,
    entries: proposalEntries(asked, id, call.verdict, request),
    aiCall: aiCallOf(asked, id, { shown, request, isProposal: true }),
    events: [proposed(scope, readProposal(row), deps.baseUrl)],
    answer: answerOf(call.reply, 202, text),
  };
}

/** Tells the people who decide why a call that is covered in advance still waits for them. */
function withReason(shown: ShownFacts, overBudget: OverBudget | undefined): ShownFacts {
  if (overBudget === undefined) return shown;
  const { preview } = shown;
  return { ...shown, preview: { ...preview, summary: `${preview.summary} ${overBudget.detail}` } };
}

function pendingText({ asked, verdict, overBudget }: ProposingCall, proposal: string): string {
  const head = JSON.stringify({
    status: "pending_confirmation",
    action: asked.contract.key,
    ...conditionsOf(verdict),
    ...(overBudget === undefined ? {} : { over_budget: overBudget }),
  });
  return `${head.slice(0, -1)},"proposal":${proposal}}`;
}

/** Returns the reason why a confirmation in the call was not enough. */
function conditionsOf(verdict: Verdict): object {
  if (verdict.kind !== "propose") return {};
  return {
    ...(verdict.approvalRequired ? { code: "approval_required" } : {}),
    ...(verdict.refusedConfirmation ? { confirmation: { accepted: false, reason: "actor_is_ai" } } : {}),
  };
}

function proposalEntries(
  asked: ActionRequest,
  proposalId: Uuid,
  verdict: Proposing,
  request: RequestContext,
): StartedRun["entries"] {
  const { asker, contract, parameters, prompt } = asked;
  const about = { actor: asker.actor, proposalId, prompt, parameters, requestId: request.requestId };
  const proposedEntry = entryOf("proposal", contract, "proposed", about);
  if (!verdict.refusedConfirmation) return [proposedEntry];
  return [proposedEntry, entryOf("proposal", contract, "refused", { ...about, errorCode: "actor_is_ai" })];
}

async function execute(
  deps: RunDeps,
  asked: ActionRequest,
  verdict: Exclude<Verdict, Proposing>,
  request: RequestContext,
): Promise<SentAnswer> {
  const call = callOf(deps, asked, request);
  const isInline = verdict.kind === "inline";
  const written = await deps.begin(call, (redactor) => beginning(deps, call, { isInline, redactor }));
  return await carryOut(deps, call, written);
}

/** Returns the run and, if the call confirms itself, its proposal and approval. */
function beginning(
  deps: RunDeps,
  { asked, request, reply, work: id }: RecordedCall,
  { isInline, redactor }: { readonly isInline: boolean; readonly redactor: Redactor },
): StartedRun {
  const { asker, contract } = asked;
  const isAsync = contract.delivery === "async";
  const now = deps.clock.now();
  const shown = shownOf(asked, redactor);
  const proposalId = isInline ? deps.ids.uuid() : null;
  const row = runRow(asked, {
    id,
    proposalId,
    approver: proposalId === null ? null : asker.actor,
    shown,
    now,
    sealer: deps.sealer,
    leaseId: deps.executor.leaseId,
    answers: isAsync ? null : { request, reply },
    requestId: request.requestId,
  });
  const answer = isAsync ? answerOf(reply, 202, runText({ scope: asker.scope, now }, readRun(row))) : null;
  const aiCall = aiCallOf(asked, id, { shown, request, isProposal: false });
  if (proposalId === null) return { run: row, entries: [], aiCall, events: [], answer };
  const approvals = [{ by: asker.actor, at: toRfc3339(now), comment: null, kind: "inline" }];
  const proposal = {
    id: proposalId,
    state: "executing",
    shown,
    now,
    sealer: deps.sealer,
    runId: id,
    approvals,
  } as const;
  const about = { actor: asker.actor, approver: asker.actor, proposalId, runId: id, prompt: asked.prompt };
  return {
    proposal: proposalRow(asked, proposal),
    run: row,
    entries: [
      entryOf("proposal", contract, "approved", {
        ...about,
        parameters: asked.parameters,
        requestId: request.requestId,
      }),
    ],
    events: [],
    answer,
  };
}

/**
 * Returns the answer of work that has begun, after the call of its run if the answer depends on it. `written` is null if
 * another request with the same key has begun the work.
 */
export async function carryOut(
  deps: RunDeps,
  { scope, asked, request, reply }: RecordedCall,
  written: StartedRun | null,
): Promise<SentAnswer> {
  let answer = written?.answer ?? null;
  if (written?.run !== undefined) {
    const proposal = written.proposal === undefined ? null : readProposal(written.proposal);
    const { contract, parameters } = asked;
    const execution = { scope, kind: "execute", run: readRun(written.run), contract, parameters, proposal } as const;
    if (answer === null) answer = await deps.executor.execute({ ...execution, reply });
    else deps.executor.begin({ ...execution, reply: null });
  }
  return answer === null ? await deps.idempotency.first(request.ref) : { ...answer, replayed: false };
}
