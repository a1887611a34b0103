import { ownUuid } from "../accounts/accounts.ts";
import type { Admitted } from "../accounts/accounts.ts";
import { ServiceError, sha256 } from "../lib/lib.ts";
import { carryOut, checkPlan, givenOf } from "./application.ts";
import type { GivenText } from "./application.ts";
import { createApprovedRun, mustWait, requestApproval } from "./approval.ts";
import type { ApprovalDeps } from "./approval.ts";
import { compare, digestOf, readKinds } from "./comparison.ts";
import { assertMayWrite } from "./configuration-rights.ts";
import { tryOut } from "./configuration-trial.ts";
import { pendingOf } from "./pending.ts";
import { changesView, planView } from "./plan-view.ts";
import * as store from "./plans.store.ts";
import { shownDocument } from "./shown.ts";
import { writesOf } from "./writing.ts";

/** The configuration of a workspace as one file (contract, section 16). Results are JSON text, so that numbers keep their digits. */
export type Configuration = ReturnType<typeof createConfiguration>;

/** The JSON text of a response. */
interface Applied {
  readonly status: 200 | 202;
  readonly text: string;
}

export function createConfiguration(deps: ApprovalDeps) {
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
      const comparison = await compare(deps, caller, givenOf(given));
      const changes = changesView(comparison, await pendingOf(caller, comparison));
      return JSON.stringify({ object: "configuration_drift", ...changes });
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
      return JSON.stringify(planView(scope, row, changesView(comparison, await pendingOf(caller, comparison))));
    },
    /**
     * Makes the changes of a plan in one transaction (200), or returns the proposal that waits for people (202). Repeated, it returns the
     * first response and does nothing. Throws 409 `plan_stale` if what it concerns was changed since.
     */
    async apply(caller: Admitted, id: string): Promise<Applied> {
      const uuid = ownUuid(caller.scope, "pln", id);
      return await db.transaction(async (tx) => {
        const row = await store.holdPlan(tx, caller.scope, uuid);
        if (row === undefined)
          throw new ServiceError("not_found", { detail: "No plan has this id, or it has expired." });
        if (row.answer !== null) return { status: 200, text: row.answer };
        const checked = await checkPlan(deps, caller, row);
        if (await mustWait(deps, tx, caller.scope, checked))
          return { status: 202, text: await requestApproval(deps, tx, caller, checked) };
        return { status: 200, text: await carryOut(deps, tx, caller, checked) };
      });
    },
    /** Applies an approved plan, with the rights that its requester has by then. */
    runApproved: createApprovedRun(deps),
  };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
