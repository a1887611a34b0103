import type { AccessChecks } from "../access/access.ts";
import type { Admitted } from "../accounts/accounts.ts";
import { ServiceError, wireId } from "../lib/lib.ts";
import type { Id, IdMaker } from "../lib/lib.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import { compare, digestOf } from "./comparison.ts";
import type { Comparison, ComparisonDeps, SentConfiguration } from "./comparison.ts";
import { assertMayWrite } from "./configuration-rights.ts";
import { exactObject } from "./kinds/documents.ts";
import { applicationView, changesView } from "./plan-view.ts";
import * as store from "./plans.store.ts";
import type { PlanRow } from "./plans.store.ts";
import { writesOf } from "./writing.ts";
import type { Write } from "./writing.ts";

export interface GivenText {
  /** JSON text. */
  readonly configuration: string;
  readonly prune: boolean;
}

export interface ApplicationDeps extends ComparisonDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly accessChecks: Pick<AccessChecks, "mayCall" | "operations" | "recordIn">;
}

/** A plan whose changes are still those that it was made of, and which the caller may make. */
export interface CheckedPlan {
  readonly row: PlanRow;
  readonly given: SentConfiguration;
  readonly comparison: Comparison;
  readonly writes: readonly Write[];
}

export function givenOf({ configuration, prune }: GivenText): SentConfiguration {
  return { configuration: exactObject(configuration), prune };
}

/** Throws 409 `plan_stale` if what the plan concerns was changed, and 403 if the caller may not make each change. */
export async function checkPlan(deps: ApplicationDeps, caller: Admitted, row: PlanRow): Promise<CheckedPlan> {
  const given = givenOf(row);
  const comparison = await current(deps, caller, given);
  if (!digestOf(comparison).equals(row.digest)) throw stale();
  const writes = writesOf(comparison);
  assertMayWrite(deps.accessChecks, caller, writes);
  return { row, given, comparison, writes };
}

/** Makes the changes of a plan in the caller's transaction, and returns the JSON text of the response. */
export async function carryOut(
  deps: ApplicationDeps,
  tx: Tx,
  caller: Admitted,
  { row, given, comparison, writes, proposalId = null }: CheckedPlan & { readonly proposalId?: Id | null },
): Promise<string> {
  for (const write of writes) await applyOne(deps, tx, caller, write);
  // Another change may have been committed between the comparison and the writes.
  const left = await compare(deps, caller, given);
  if (writesOf(left).length > 0) throw stale();
  const answer = JSON.stringify(applicationView(caller.scope, row, changesView(comparison, new Map())));
  await store.endPlan(tx, caller.scope, row.id, answer);
  const id = wireId("pln", caller.scope.tag, row.id);
  deps.accessChecks.recordIn(tx, {
    caller,
    subject: "configuration",
    action: "configuration.apply",
    parameters: { id, ...(proposalId === null ? {} : { proposal_id: proposalId }) },
    result: null,
    succeeded: true,
    tenant: null,
  });
  return answer;
}

/** Compares again. A configuration that was valid and has become invalid is stale: something that it names was changed. */
async function current(deps: ApplicationDeps, caller: Admitted, given: SentConfiguration): Promise<Comparison> {
  try {
    return await compare(deps, caller, given);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "validation_failed") throw stale(error);
    throw error;
  }
}

async function applyOne({ accessChecks }: ApplicationDeps, tx: Tx, caller: Admitted, write: Write): Promise<void> {
  const { kind, does, name, changed } = write;
  try {
    await write.run(caller);
  } catch (error) {
    if (error instanceof ServiceError && [404, 409, 422].includes(error.kind.status)) throw stale(error);
    throw error;
  }
  accessChecks.recordIn(tx, {
    caller,
    subject: kind.subject,
    action: kind.operations[does],
    parameters: { [kind.identity]: name, ...(changed.length === 0 ? {} : { changed }) },
    result: null,
    succeeded: true,
    tenant: null,
  });
}

function stale(cause?: ServiceError): ServiceError {
  const why = cause?.details.errors?.[0]?.message ?? cause?.details.detail;
  return new ServiceError("plan_stale", {
    detail: `The workspace was changed since the plan was made${why === undefined ? "" : `: ${why}`}. Make the plan again.`,
  });
}
