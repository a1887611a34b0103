import type { Redactor } from "../../audit/audit.ts";
import type { Tx } from "../../platform/db/db.ts";
import { ServiceError, toDate, toRfc3339 } from "../../lib/lib.ts";
import type { Instant, Uuid } from "../../lib/lib.ts";
import { assertMayReject } from "./approve.ts";
import { sealedParameters } from "../requests/action-request.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import {
  answeredWith,
  contractOfProposal,
  decideOnce,
  checkDecidable,
  conflictResult,
  readOwnProposal,
  outcomeOf,
} from "./decide-proposal.ts";
import type { Decision, DecideDeps } from "./decide-proposal.ts";
import { isProposer } from "./close-proposal.ts";
import type { Decider, Target } from "./close-proposal.ts";
import { keepOutcome } from "../requests/ai-history.ts";
import { entryOf } from "../requests/entries.ts";
import { proposed } from "./proposal-events.ts";
import { checkParameters } from "../contracts/parameters.ts";
import type { Parameters } from "../contracts/parameters.ts";
import { assertNotBlocked } from "../contracts/authorization.ts";
import { paramsHash } from "./proposal.ts";
import { insertProposals, moveEnded } from "./proposals.store.ts";
import type { ProposalInsert, ProposalRow } from "./proposals.store.ts";
import { contractColumns, readProposal, shownOf, UNDECIDED } from "./proposal-row.ts";
import type { SentAnswer } from "../../access/access.ts";
import { proposalText } from "./proposal-view.ts";

interface Edit extends Target {
  readonly parameters: unknown;
}

/**
 * Creates a proposal with other parameters, under the current contract, and supersedes the old one. The requester and
 * approvers can edit. An approver who edits then counts as a requester, so that second-person approval excludes both.
 */
export async function edit(deps: DecideDeps, decider: Decider, change: Edit): Promise<SentAnswer> {
  const { scope } = decider.asker;
  const row = await readOwnProposal(deps, scope, change.id);
  const redactor = await deps.audit.redactorOf(scope);
  const editing = { ...change, decider, row, redactor };
  return await decideOnce(deps, change.request, async (tx, work) => await decide(deps, tx, { ...editing, work }));
}

interface Editing extends Edit {
  readonly decider: Decider;
  readonly row: ProposalRow;
  readonly redactor: Redactor;
  readonly work: Uuid;
}

async function decide(deps: DecideDeps, tx: Tx, editing: Editing): Promise<Decision> {
  const { row, decider } = editing;
  const { scope, actor, rights } = decider.asker;
  if (!isProposer(row, decider.asker)) await assertMayReject(tx, row, decider.asker, decider.isPerson);
  const hindered = await checkDecidable(deps, tx, scope, row.id);
  if (hindered !== undefined) return hindered;
  const contract = await contractOf(tx, editing);
  assertNotBlocked(contract.key, rights);
  const errors = checkParameters(contract, editing.parameters);
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  const now = deps.clock.now();
  const next = nextOf(deps, editing, { contract, now });
  const decision = JSON.stringify({ by: actor, at: toRfc3339(now), reason: null });
  const end = { state: "superseded", decision, now: toDate(now), supersededBy: next.id } as const;
  if ((await moveEnded(tx, { ...scope, id: row.id }, end)) === undefined)
    return await conflictResult(deps, tx, scope, row.id);
  await insertProposals(tx, [next]);
  const about = { actor, requestId: editing.request.requestId };
  deps.audit.record(
    tx,
    scope,
    entryOf("proposal", contractOfProposal(row), "superseded", { ...about, proposalId: row.id }),
  );
  deps.audit.record(
    tx,
    scope,
    entryOf("proposal", contract, "proposed", { ...about, proposalId: next.id, parameters: editing.parameters }),
  );
  keepOutcome(deps.audit, tx, outcomeOf(scope, row, { status: "superseded", next: next.id }));
  const replacement = readProposal(next);
  await deps.events.fireWithin(tx, [proposed(scope, replacement, deps.baseUrl)]);
  return answeredWith(editing.request, proposalText({ scope, baseUrl: deps.baseUrl }, replacement));
}

async function contractOf(tx: Tx, { row, decider }: Editing): Promise<CurrentContract> {
  if (row.contract_version === 0)
    throw new ServiceError("conflict", {
      detail: "This is a workflow's approval step. It has no parameters to edit.",
    });
  const [contract] = await currentContracts(tx, [{ ...decider.asker.scope, key: row.action }]);
  if (contract === undefined) throw new ServiceError("contract_changed", { detail: "The contract was deleted." });
  return contract;
}

function nextOf(
  { sealer }: DecideDeps,
  editing: Editing,
  { contract, now }: { readonly contract: CurrentContract; readonly now: Instant },
): ProposalInsert {
  const { row, decider, work: id } = editing;
  const { asker } = decider;
  const parameters = (editing.parameters ?? {}) as Parameters;
  const shown = shownOf({ asker, contract, parameters, prompt: null }, editing.redactor);
  return {
    ...row,
    id,
    ...contractColumns(contract, now),
    involved: [...new Set([...row.involved, ...asker.people])],
    parameters_sealed: sealedParameters(sealer, id, parameters),
    parameters_redacted: shown.parameters,
    params_hash: paramsHash({ action: contract.key, version: contract.version, parameters }),
    preview: JSON.stringify(shown.preview),
    ...UNDECIDED,
    supersedes: row.id,
    edited_by: JSON.stringify(asker.actor),
  };
}
