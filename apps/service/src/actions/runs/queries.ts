import type { Db } from "../../platform/db/db.ts";
import { decodeCursor, floorOf, pageOf, ServiceError } from "../../lib/lib.ts";
import type { Page } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/workspaces/workspaces.ts";
import type { Scope } from "../../accounts/workspaces/workspaces.ts";
import { findProposal, listProposals } from "../proposals/proposals.store.ts";
import { findRun, listRuns } from "./runs.store.ts";
import { proposalText, runText } from "../views.ts";

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
}

export interface ReadDeps {
  readonly db: Db;
  readonly baseUrl: string;
}

/** JSON text of one page. */
export async function listRunsText({ db }: ReadDeps, scope: Scope, query: RunQuery): Promise<string> {
  const { limit = 20, cursor, ...filters } = query;
  const binding = [scope.tag, "runs", filters];
  const { action, surface, status } = filters;
  const filter = { action, surface, status, ...rangeOf(filters), before: decodeCursor(cursor, binding) };
  const rows = await listRuns(db.query, scope, filter, limit + 1);
  return pageText(pageOf(rows, limit, binding, (row) => runText(scope, row)));
}

export async function listProposalsText(
  { db, baseUrl }: ReadDeps,
  scope: Scope,
  query: ProposalQuery,
): Promise<string> {
  const { limit = 20, cursor, ...filters } = query;
  const binding = [scope.tag, "proposals", filters];
  const { action, surface, state } = filters;
  const filter = { action, surface, state, ...rangeOf(filters), before: decodeCursor(cursor, binding) };
  const rows = await listProposals(db.query, scope, filter, limit + 1);
  return pageText(pageOf(rows, limit, binding, (row) => proposalText({ scope, baseUrl }, row)));
}

export async function readRunText({ db }: ReadDeps, scope: Scope, id: string): Promise<string> {
  const run = await findRun(db.query, { ...scope, id: ownUuid(scope, "run", id) });
  if (run === undefined) throw new ServiceError("not_found");
  return runText(scope, run);
}

export async function readProposalText({ db, baseUrl }: ReadDeps, scope: Scope, id: string): Promise<string> {
  const row = await findProposal(db.query, { ...scope, id: ownUuid(scope, "prop", id) });
  if (row === undefined) throw new ServiceError("not_found");
  return proposalText({ scope, baseUrl }, row);
}

function rangeOf({ created_after: from, created_before: to }: ListQuery) {
  return { from: floorOf(from, "created_after"), to: floorOf(to, "created_before") };
}

function pageText({ data, has_more, next_cursor }: Page<string>): string {
  const rest = JSON.stringify({ has_more, next_cursor });
  return `{"object":"list","data":[${data.join(",")}],${rest.slice(1)}`;
}
