import type { Db } from "../../platform/db/db.ts";
import { minUuidAt, paginate, ServiceError } from "../../lib/lib.ts";
import type { Clock, Page } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { findProposal, listProposals } from "../proposals/proposals.store.ts";
import { findRun, listRuns } from "./runs.store.ts";
import { proposalText } from "../proposals/proposal-view.ts";
import { runText } from "./run-view.ts";

interface ListQuery {
  readonly action?: string;
  readonly surface?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface RunQuery extends ListQuery {
  readonly status?: string;
}

export interface ProposalQuery extends ListQuery {
  readonly state?: string;
  readonly standing_approval_id?: string;
}

export interface ReadDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly baseUrl: string;
}

/** Returns the JSON text of one page. */
export async function listRunsText({ db, clock }: ReadDeps, scope: Scope, query: RunQuery): Promise<string> {
  const { limit, cursor, ...filters } = query;
  const { action, surface, status } = filters;
  const filter = { action, surface, status, ...rangeOf(filters) };
  return pageText(
    await paginate(
      { limit, cursor },
      {
        binding: [scope.tag, "runs", filters],
        read: async (before, count) => await listRuns(db.query, scope, { ...filter, before }, count),
        view: (row) => runText({ scope, now: clock.now() }, row),
      },
    ),
  );
}

export async function listProposalsText(
  { db, baseUrl }: ReadDeps,
  scope: Scope,
  query: ProposalQuery,
): Promise<string> {
  const { limit, cursor, ...filters } = query;
  const { action, surface, state, standing_approval_id: standing } = filters;
  const standingApprovalId = standing === undefined ? undefined : ownUuid(scope, "sap", standing);
  const filter = { action, surface, state, standingApprovalId, ...rangeOf(filters) };
  return pageText(
    await paginate(
      { limit, cursor },
      {
        binding: [scope.tag, "proposals", filters],
        read: async (before, count) => await listProposals(db.query, scope, { ...filter, before }, count),
        view: (row) => proposalText({ scope, baseUrl }, row),
      },
    ),
  );
}

export async function readRunText({ db, clock }: ReadDeps, scope: Scope, id: string): Promise<string> {
  const run = await findRun(db.query, { ...scope, id: ownUuid(scope, "run", id) });
  if (run === undefined) throw new ServiceError("not_found");
  return runText({ scope, now: clock.now() }, run);
}

export async function readProposalText({ db, baseUrl }: ReadDeps, scope: Scope, id: string): Promise<string> {
  const row = await findProposal(db.query, { ...scope, id: ownUuid(scope, "prop", id) });
  if (row === undefined) throw new ServiceError("not_found");
  return proposalText({ scope, baseUrl }, row);
}

function rangeOf({ created_after: from, created_before: to }: ListQuery) {
  return { from: minUuidAt(from, "created_after"), to: minUuidAt(to, "created_before") };
}

function pageText({ data, has_more, next_cursor }: Page<string>): string {
  const rest = JSON.stringify({ has_more, next_cursor });
  return `{"object":"list","data":[${data.join(",")}],${rest.slice(1)}`;
}
