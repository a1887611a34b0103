import type { Db, Tx } from "../../platform/db/db.ts";
import { paginate, ServiceError, toDate } from "../../lib/lib.ts";
import type { Instant, Uuid } from "../../lib/lib.ts";
import { holdCredential, ownUuid, settingsOf } from "../../accounts/accounts.ts";
import type { Admitted, Caller, Scope, SessionInfo } from "../../accounts/accounts.ts";
import { askerOf } from "../callers/actor.ts";
import type { Actor } from "../callers/actor.ts";
import type { ActionDeps } from "../requests/action-deps.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import { standingSubject, checkedInput } from "./standing-input.ts";
import { assertSteppedUp } from "../contracts/high-risk.ts";
import { standingAtDecision } from "../proposals/proposals.store.ts";
import * as store from "./standing-approvals.store.ts";
import type { StandingApprovalInput, StandingApprovalQuery } from "./standing-approvals.schemas.ts";
import { standingView } from "./standing-approval-view.ts";

/** All active ones of an action are read by each of its calls. */
const MAX_ACTIVE = 100;

export type StandingApprovals = ReturnType<typeof createStandingApprovals>;

/** Creates the approvals that an owner gives in advance, for calls of AI clients and programs, with a budget (contract, section 11). */
export function createStandingApprovals(deps: ActionDeps) {
  const { db, clock } = deps;
  return {
    /**
     * Throws 403 unless an owner is signed in, 404 `action_unknown`, 409 `contract_changed` for any version but the current
     * one, and 422 with all faults.
     */
    create: async (caller: Admitted, input: StandingApprovalInput) => await create(deps, caller, input),
    async list(scope: Scope, { limit, cursor, ...filter }: StandingApprovalQuery) {
      const now = clock.now();
      return await paginate(
        { limit, cursor },
        {
          binding: [scope.tag, "standing approvals", filter],
          read: async (before, count) =>
            await store.listStanding(db.query, scope, { ...filter, before, now: toDate(now) }, count),
          view: (row) => standingView(scope, row, now),
        },
      );
    },
    get: async (scope: Scope, id: string) => standingView(scope, await foundStanding(db, scope, id), clock.now()),
    /** Ends it for the next call. Ending it again changes nothing. */
    async end(caller: Admitted, id: string) {
      const { scope } = caller;
      const row = await foundStanding(db, scope, id);
      const now = clock.now();
      const end = { now: toDate(now), reason: "ended", by: JSON.stringify(actorOf(caller)) } as const;
      return await db.transaction(async (tx) => {
        const ended = await store.moveStandingEnded(tx, { ...scope, id: row.id }, end);
        return standingView(scope, ended ?? (await foundStanding({ query: tx.query }, scope, id)), now);
      });
    },
  };
}

async function foundStanding({ query }: Pick<Db, "query">, scope: Scope, id: string): Promise<store.StandingRow> {
  const row = await store.findStanding(query, { ...scope, id: ownUuid(scope, "sap", id) });
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

function actorOf(caller: Admitted): Actor {
  return askerOf(caller, { ip: caller.ip, display: caller.key.display }).actor;
}

async function create(deps: ActionDeps, caller: Admitted, input: StandingApprovalInput) {
  const { scope } = caller;
  const { memberId, session } = signedInMember(caller);
  const now = deps.clock.now();
  const stepUp = await deps.stepUps.take({ scope, session }, standingSubject(scope, input));
  return await deps.db.transaction(async (tx) => {
    // Before any row lock, to prevent deadlocks.
    await store.lockCreation(tx, scope);
    await holdCredential(tx, caller.key);
    const { role, settings } = await standingAtDecision(tx, scope.workspaceId, memberId);
    if (role !== "owner") throw new ServiceError("role_not_allowed", { detail: "Only owners can approve in advance." });
    const checked = await checkedInput(tx, scope, input, { now, zone: settingsOf(settings).time_zone });
    const [contract] = await currentContracts(tx, [{ ...scope, key: input.action }]);
    const where = `${deps.baseUrl}/standing-approvals/new`;
    await assertSteppedUp(tx, { scope, risk: contract?.risk, stepUp, where });
    await assertFewEnough(tx, scope, now);
    const row = await store.insertStanding(tx, {
      ...checked,
      bucket: scope.bucket,
      tag: scope.tag,
      id: deps.ids.uuid(),
      workspace_id: scope.workspaceId,
      writer_member_id: memberId,
      created_by: JSON.stringify(actorOf(caller)),
    });
    return standingView(scope, row, now);
  });
}

/** No key may do this: a finder of an owner's key could approve in advance what the key itself then asks for. */
function signedInMember({ key: { session, memberId } }: Caller): { memberId: Uuid; session: SessionInfo } {
  if (session !== undefined && memberId !== null) return { memberId, session };
  throw new ServiceError("surface_not_allowed", {
    detail: "An owner writes standing approvals in a console session. No API key can.",
  });
}

async function assertFewEnough(tx: Tx, scope: Scope, now: Instant): Promise<void> {
  if ((await store.countActive(tx.query, scope, toDate(now))) < MAX_ACTIVE) return;
  throw new ServiceError("conflict", {
    detail: `A workspace has at most ${MAX_ACTIVE} active standing approvals in each environment. End one first.`,
  });
}
