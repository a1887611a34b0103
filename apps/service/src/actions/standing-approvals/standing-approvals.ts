import type { Db, Tx } from "../../platform/db/db.ts";
import { after, isTimeZone, paginate, parseTimestamp, ServiceError, toDate } from "../../lib/lib.ts";
import type { Clock, IdMaker, Instant, Page, Uuid, Violation } from "../../lib/lib.ts";
import { ownUuid, settingsOf } from "../../accounts/accounts.ts";
import type { Admitted, Caller, Scope } from "../../accounts/accounts.ts";
import { askerOf } from "../actor.ts";
import type { Actor } from "../actor.ts";
import type { Contract } from "../contracts/contract.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import { standingAtDecision } from "../proposals/proposals.store.ts";
import * as store from "./standing-approvals.store.ts";
import { standingView } from "./standing-approval-view.ts";
import type { StandingApprovalView } from "./standing-approval-view.ts";
import { sumFaults, whenFaults } from "./terms.ts";
import type { Agent } from "./terms.ts";
import type { WindowUnit } from "./windows.ts";

export interface StandingApprovalInput {
  readonly name: string;
  readonly action: string;
  readonly contract_version: number;
  readonly agents: readonly { readonly type: Agent["type"]; readonly id?: string }[];
  readonly when?: object;
  readonly budget: {
    readonly count: number;
    readonly per: WindowUnit;
    readonly sum?: { readonly parameter: string; readonly max: string };
  };
  readonly time_zone?: string;
  readonly expires_at: string;
}

export interface StandingApprovalQuery {
  readonly state?: "active" | "ended";
  readonly action?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Approvals that an owner gives in advance, for calls of AI clients and programs, with a budget (contract, section 11). */
export interface StandingApprovals {
  /**
   * Throws 403 unless an owner is signed in, 404 `action_unknown`, 409 `contract_changed` for any version but the current one,
   * and 422 with all faults.
   */
  create(caller: Admitted, input: StandingApprovalInput): Promise<StandingApprovalView>;
  list(scope: Scope, query: StandingApprovalQuery): Promise<Page<StandingApprovalView>>;
  get(scope: Scope, id: string): Promise<StandingApprovalView>;
  /** Ends it for the next call. Ending it again changes nothing. */
  end(caller: Admitted, id: string): Promise<StandingApprovalView>;
}

export interface StandingApprovalDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
}

export const MAX_DAYS = 90;
const DAY_MS = 86_400_000;
/** All active ones of an action are read by each of its calls. */
const MAX_ACTIVE = 100;

export function createStandingApprovals(deps: StandingApprovalDeps): StandingApprovals {
  const { db, clock } = deps;
  return {
    create: async (caller, input) => await create(deps, caller, input),
    async list(scope, { limit, cursor, ...filter }) {
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
    get: async (scope, id) => standingView(scope, await found(db, scope, id), clock.now()),
    async end(caller, id) {
      const { scope } = caller;
      const row = await found(db, scope, id);
      const now = clock.now();
      const by = JSON.stringify(actorOf(caller));
      return await db.transaction(async (tx) => {
        const ended = await store.moveStandingEnded(
          tx,
          { ...scope, id: row.id },
          { now: toDate(now), reason: "ended", by },
        );
        return standingView(scope, ended ?? (await found({ query: tx.query }, scope, id)), now);
      });
    },
  };
}

async function found({ query }: Pick<Db, "query">, scope: Scope, id: string): Promise<store.StandingRow> {
  const row = await store.findStanding(query, { ...scope, id: ownUuid(scope, "sap", id) });
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

function actorOf(caller: Admitted): Actor {
  return askerOf(caller, { ip: caller.ip, display: caller.key.display }).actor;
}

async function create(
  deps: StandingApprovalDeps,
  caller: Admitted,
  input: StandingApprovalInput,
): Promise<StandingApprovalView> {
  const { scope } = caller;
  const memberId = signedInMember(caller);
  const now = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    const { role, settings } = await standingAtDecision(tx, scope.workspaceId, memberId);
    if (role !== "owner") throw new ServiceError("role_not_allowed", { detail: "Only owners can approve in advance." });
    const contract = await contractOf(tx, scope, input);
    const { agents, faults } = await readAgents(tx, scope, input, now);
    const expiresAt = parseTimestamp(input.expires_at, "/expires_at") ?? now;
    const zone = input.time_zone ?? settingsOf(settings).time_zone;
    assertNone([
      ...contractFaults(contract, agents),
      ...faults,
      ...(input.when === undefined ? [] : whenFaults(contract.params, JSON.stringify(input.when))),
      ...(input.budget.sum === undefined ? [] : sumFaults(contract.params, input.budget.sum)),
      ...timeFaults({ expiresAt, zone, now }),
    ]);
    await assertFewEnough(tx, scope, now);
    const row = await store.insertStanding(tx, {
      bucket: scope.bucket,
      tag: scope.tag,
      id: deps.ids.uuid(),
      workspace_id: scope.workspaceId,
      name: input.name,
      action: contract.key,
      contract_version: contract.version,
      agents: JSON.stringify(agents),
      conditions: input.when === undefined ? null : JSON.stringify(input.when),
      per: input.budget.per,
      time_zone: zone,
      max_count: input.budget.count,
      sum_parameter: input.budget.sum?.parameter ?? null,
      max_sum: input.budget.sum?.max ?? null,
      expires_at: toDate(expiresAt),
      writer_member_id: memberId,
      created_by: JSON.stringify(actorOf(caller)),
    });
    return standingView(scope, row, now);
  });
}

/** No key may do this: whoever finds a key of an owner could approve in advance what the key itself then asks for. */
function signedInMember({ key }: Caller): Uuid {
  if (key.session !== undefined && key.memberId !== null) return key.memberId;
  throw new ServiceError("surface_not_allowed", {
    detail: "An owner writes standing approvals in a console session. No API key can.",
  });
}

/** Returns the current contract. What the owner has reviewed is one version of it. */
async function contractOf(
  tx: Tx,
  scope: Scope,
  { action, contract_version }: StandingApprovalInput,
): Promise<Contract> {
  const [contract] = await currentContracts(tx, [{ ...scope, key: action }]);
  if (contract === undefined) throw new ServiceError("action_unknown");
  if (contract.version === contract_version) return contract;
  throw new ServiceError("contract_changed", {
    detail: `The current version of ${action} is ${contract.version}, not ${contract_version}. Review it, and send its number.`,
  });
}

function contractFaults(
  { destructive, approval, requiresConfirmation }: Contract,
  agents: readonly Agent[],
): Violation[] {
  const fault = (code: string, message: string): Violation => ({ pointer: "/action", code, message });
  const proposes = requiresConfirmation || agents.some(({ type }) => type === "assistant");
  return [
    ...(destructive ? [fault("destructive", "is destructive: a person must approve each call")] : []),
    ...(approval.required > 1
      ? [fault("approvals", `requires ${approval.required} people, and this counts as one`)]
      : []),
    ...(approval.approverRoles.includes("owner") ? [] : [fault("approver_roles", "cannot be approved by owners")]),
    ...(proposes ? [] : [fault("unused", "runs without an approval")]),
  ];
}

async function readAgents(
  tx: Tx,
  scope: Scope,
  { agents }: StandingApprovalInput,
  now: Instant,
): Promise<{ readonly agents: Agent[]; readonly faults: Violation[] }> {
  const asked = agents.map(({ type, id }) => ({ type, isNamed: id !== undefined, id: uuidOfAgent(scope, type, id) }));
  const idsOf = (wanted: Agent["type"]): Uuid[] =>
    asked.flatMap(({ type, id }) => (type === wanted && id !== undefined ? [id] : []));
  const keys = await store.keysOf(tx.query, scope, { ids: idsOf("key"), now: toDate(now) });
  const members = await store.membersOf(tx.query, scope.workspaceId, idsOf("member"));
  const read = asked.map(({ type, isNamed, id }): Agent | string => {
    if (type === "assistant") return isNamed ? "must not be set: a workspace has one assistant" : { type };
    if (type === "member") {
      const member = members.find((one) => one.id === id);
      return member === undefined
        ? "is not a member of this workspace"
        : { type, id: member.id, person: member.person_id };
    }
    const key = keys.find((one) => one.id === id);
    if (key === undefined) return "is not a key of this workspace and environment, or was revoked";
    if (key.actor_type === "user") return "acts as a person, who approves proposals in person";
    return { type, id: key.id, lineage: key.lineage_id };
  });
  return {
    agents: read.filter((one) => typeof one !== "string"),
    faults: read.flatMap((one, at) =>
      typeof one === "string" ? [{ pointer: `/agents/${at}/id`, code: "agent", message: one }] : [],
    ),
  };
}

/** Undefined for a text that is no id of the kind. An id of another workspace or environment is refused at once. */
function uuidOfAgent(scope: Scope, type: Agent["type"], id: string | undefined): Uuid | undefined {
  if (type === "assistant" || id === undefined) return undefined;
  try {
    return ownUuid(scope, type === "key" ? "key" : "mem", id);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}

interface Times {
  readonly expiresAt: Instant;
  readonly zone: string;
  readonly now: Instant;
}

function timeFaults({ expiresAt, zone, now }: Times): Violation[] {
  const isWithin = expiresAt > now && expiresAt <= after(now, MAX_DAYS * DAY_MS);
  const message = `must be in the future, at most ${MAX_DAYS} days ahead`;
  return [
    ...(isWithin ? [] : [{ pointer: "/expires_at", code: "range", message }]),
    ...(isTimeZone(zone)
      ? []
      : [{ pointer: "/time_zone", code: "time_zone", message: "must be an IANA time zone, such as Europe/Berlin" }]),
  ];
}

function assertNone(errors: readonly Violation[]): void {
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

async function assertFewEnough(tx: Tx, scope: Scope, now: Instant): Promise<void> {
  if ((await store.countActive(tx.query, scope, toDate(now))) < MAX_ACTIVE) return;
  throw new ServiceError("conflict", {
    detail: `A workspace has at most ${MAX_ACTIVE} active standing approvals in each environment. End one first.`,
  });
}
