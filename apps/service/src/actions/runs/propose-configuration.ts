import { fromDate } from "../../lib/lib.ts";
import type { Id, Instant, Uuid } from "../../lib/lib.ts";
import type { Role, Scope } from "../../accounts/accounts.ts";
import type { Redactor } from "../../audit/audit.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { CONFIGURATION_CONTRACT } from "../contracts/configuration-contract.ts";
import { proposed } from "../proposals/proposal-events.ts";
import { visible } from "../proposals/preview.ts";
import { proposalRow, readProposal, shownOf } from "../proposals/proposal-row.ts";
import type { ShownFacts } from "../proposals/proposal-row.ts";
import { proposalText } from "../proposals/proposal-view.ts";
import { findProposal } from "../proposals/proposals.store.ts";
import type { ActionRequest } from "../requests/action-request.ts";
import { entryOf } from "../requests/entries.ts";
import type { RunDeps } from "./run.ts";
import { writeAll } from "./start-run.ts";

/** A plan of the configuration whose application people must approve. */
export interface ProposedConfiguration {
  readonly planId: Id;
  /** Hex: the digest of the changes, and of the objects that they concern. Exactly this is applied. */
  readonly digest: string;
  /** The key or the member with whose rights it is applied. They are checked again then. */
  readonly requesterId: Id;
  /** The roles that may make all of the changes by hand. */
  readonly approverRoles: readonly Role[];
  /** The number of objects that change. */
  readonly count: number;
  readonly summary: string;
  /** The counts by kind, and a line for each object that changes. */
  readonly lines: readonly { readonly name: string; readonly value: string }[];
}

export interface WaitingProposal {
  readonly id: Uuid;
  /** The JSON text of the proposal. */
  readonly text: string;
  readonly expiresAt: Instant;
}

const MAX_VALUE = 500;

/** Creates a proposal whose approval applies the plan, in the caller's transaction. The asker has its name. */
export async function proposeConfiguration(
  deps: RunDeps,
  tx: Tx,
  asker: ActionCaller,
  plan: ProposedConfiguration & { readonly requestId: Id },
): Promise<WaitingProposal> {
  const { scope } = asker;
  const asked = actionRequest(asker, plan);
  const shown = shownPlan(asked, plan, await deps.audit.redactorOf(scope));
  const id = deps.ids.uuid();
  const row = proposalRow(asked, { id, state: "proposed", shown, now: deps.clock.now(), sealer: deps.sealer });
  const { contract, parameters } = asked;
  const about = { actor: asked.asker.actor, proposalId: id, parameters, requestId: plan.requestId };
  const written = {
    proposal: row,
    entries: [entryOf("proposal", contract, "proposed", about)],
    events: [proposed(scope, readProposal(row), deps.baseUrl)],
    answer: null,
  };
  await writeAll(deps, tx, [{ scope, written }]);
  const text = proposalText({ ...deps, scope }, readProposal(row));
  return { id, text, expiresAt: fromDate(row.expires_at) };
}

/** Returns the JSON text of a proposal that waits for people, or whose run has begun; undefined for all others. */
export async function waitingProposal(deps: RunDeps, tx: Tx, scope: Scope, id: Uuid): Promise<string | undefined> {
  const row = await findProposal(tx.query, { ...scope, id });
  if (row === undefined) return undefined;
  const waits = row.state === "proposed" && fromDate(row.expires_at) > deps.clock.now();
  return waits || row.state === "executing" ? proposalText({ ...deps, scope }, row) : undefined;
}

function actionRequest(
  asker: ActionCaller,
  { planId, digest, requesterId, approverRoles }: ProposedConfiguration,
): ActionRequest {
  const { approval } = CONFIGURATION_CONTRACT;
  return {
    asker,
    contract: {
      ...CONFIGURATION_CONTRACT,
      approval: { ...approval, approver_roles: [...approverRoles] as typeof approval.approver_roles },
    },
    parameters: { plan_id: planId, digest, requester_id: requesterId },
    surface: asker.surface,
    prompt: null,
    waiter: null,
    workflow: null,
  };
}

function shownPlan(
  asked: ActionRequest,
  { summary, count, lines }: ProposedConfiguration,
  redactor: Redactor,
): ShownFacts {
  const shown = shownOf(asked, redactor);
  const fields = lines.map(({ name, value }) => ({
    name,
    description: "",
    value: visible(redactor.text(value), MAX_VALUE),
    masked: false,
  }));
  return { ...shown, preview: { ...shown.preview, summary, fields, target_host: null, count } };
}
