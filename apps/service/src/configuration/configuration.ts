import type { AccessChecks } from "../access/access.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Admitted } from "../accounts/accounts.ts";
import { ServiceError, sha256 } from "../lib/lib.ts";
import type { IdMaker } from "../lib/lib.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import { compare, digestOf, readKinds } from "./comparison.ts";
import type { Comparison, ComparisonDeps, SentConfiguration } from "./comparison.ts";
import { exactObject } from "./kinds/documents.ts";
import { applicationView, changesView, planView } from "./plan-view.ts";
import * as store from "./plans.store.ts";
import type { PlanRow } from "./plans.store.ts";
import { assertMayWrite } from "./configuration-rights.ts";
import { shownDocument } from "./shown.ts";
import { tryOut } from "./configuration-trial.ts";
import { writesOf } from "./writing.ts";
import type { Write } from "./writing.ts";

/** The configuration of a workspace as one file (contract, section 16). Results are JSON text, so that numbers keep their digits. */
export type Configuration = ReturnType<typeof createConfiguration>;

export interface GivenText {
  /** JSON text. */
  readonly configuration: string;
  readonly prune: boolean;
}

export interface ConfigurationDeps extends ComparisonDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly accessChecks: Pick<AccessChecks, "mayCall" | "operations" | "recordIn">;
}

export function createConfiguration(deps: ConfigurationDeps) {
  const { db, accessChecks } = deps;
  return {
    /** Returns the configuration, and the digest of its bytes. Leaves out what the caller may not read. */
    async read(caller: Admitted): Promise<{ readonly text: string; readonly etag: string }> {
      const kinds = deps.kinds.filter(({ operations }) => accessChecks.mayCall(caller.key, operations.read));
      const { held } = await readKinds({ kinds: deps.kinds }, caller);
      const sections = kinds.map((kind) => {
        const shown = (held.get(kind) ?? []).toSorted(byName).map(({ document }) => shownDocument(kind, document));
        return [kind.section, kind.section === "settings" ? (shown[0] ?? {}) : shown] as const;
      });
      const text = JSON.stringify({ version: 1, ...Object.fromEntries(sections) }, undefined, 2);
      return { text, etag: `"${sha256(text).toString("hex")}"` };
    },
    /** Compares the workspace with a configuration. Changes nothing. */
    async drift(caller: Admitted, given: GivenText): Promise<string> {
      return JSON.stringify({
        object: "configuration_drift",
        ...changesView(await compare(deps, caller, givenOf(given))),
      });
    },
    /** Tries the changes out, and keeps them as a plan for an hour. Throws 422, 403 or 409 with all places that are refused. */
    async plan(caller: Admitted, given: GivenText): Promise<string> {
      const { scope } = caller;
      const wanted = givenOf(given);
      const comparison = await compare(deps, caller, wanted);
      const digest = digestOf(comparison);
      assertMayWrite(accessChecks, caller, writesOf(comparison));
      await tryOut(deps, caller, wanted, comparison);
      const row = await store.insertPlan(db.query, {
        bucket: scope.bucket,
        tag: scope.tag,
        id: deps.ids.uuid(),
        workspace_id: scope.workspaceId,
        configuration: given.configuration,
        prune: given.prune,
        digest,
      });
      return JSON.stringify(planView(scope, row, comparison));
    },
    /**
     * Makes the changes of a plan in one transaction. Repeated, it returns the first response and does nothing. Throws 409 `plan_stale`
     * if what it concerns was changed since.
     */
    async apply(caller: Admitted, id: string): Promise<string> {
      const uuid = ownUuid(caller.scope, "pln", id);
      return await db.transaction(async (tx) => {
        const row = await store.holdPlan(tx, caller.scope, uuid);
        if (row === undefined)
          throw new ServiceError("not_found", { detail: "No plan has this id, or it has expired." });
        return row.answer ?? (await apply(deps, tx, caller, row));
      });
    },
  };
}

function givenOf({ configuration, prune }: GivenText): SentConfiguration {
  return { configuration: exactObject(configuration), prune };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

async function apply(deps: ConfigurationDeps, tx: Tx, caller: Admitted, row: PlanRow): Promise<string> {
  const given = givenOf(row);
  const comparison = await current(deps, caller, given);
  if (!digestOf(comparison).equals(row.digest)) throw stale();
  const writes = writesOf(comparison);
  assertMayWrite(deps.accessChecks, caller, writes);
  for (const write of writes) await applyOne(deps, tx, caller, write);
  // Another change may have been committed between the comparison and the writes.
  const left = await compare(deps, caller, given);
  if (writesOf(left).length > 0) throw stale();
  const answer = JSON.stringify(applicationView(caller.scope, row, comparison));
  await store.endPlan(tx, caller.scope, row.id, answer);
  return answer;
}

/** Compares again. A configuration that was valid and has become invalid is stale: something that it names was changed. */
async function current(deps: ConfigurationDeps, caller: Admitted, given: SentConfiguration): Promise<Comparison> {
  try {
    return await compare(deps, caller, given);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "validation_failed") throw stale(error);
    throw error;
  }
}

async function applyOne({ accessChecks }: ConfigurationDeps, tx: Tx, caller: Admitted, write: Write): Promise<void> {
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
