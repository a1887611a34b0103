import { decimalText, fromDate, parseJson, readDecimal, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Id, Instant, Uuid } from "../../lib/lib.ts";
import { memberWireId, scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Actor } from "../callers/actor.ts";
import { moment } from "../wire/view-fields.ts";
import type { Agent, Terms } from "./terms.ts";
import type { EndReason, StandingRow } from "./standing-approvals.store.ts";
import { windowOf } from "./windows.ts";
import type { WindowUnit } from "./windows.ts";

export function standingWireId({ tag }: Pick<Scope, "tag">, id: Uuid): Id {
  return wireId("sap", tag, id);
}

/** Returns the standing approval as the author of an approval, in proposals, runs, events and the audit log. */
export function standingActor(scope: Scope, { id, name }: Pick<StandingRow, "id" | "name">): Actor {
  return { type: "standing_approval", id: standingWireId(scope, id), display: name, key_id: null, ip: null };
}

export function termsOf(row: Pick<StandingRow, "agents" | "conditions" | "sum_parameter">): Terms {
  return { agents: parseJson(row.agents) as Agent[], when: row.conditions, sumParameter: row.sum_parameter };
}

export function standingView(scope: Scope, row: StandingRow, now: Instant) {
  const { agents, when } = termsOf(row);
  const isPast = fromDate(row.expires_at) <= now;
  return {
    id: standingWireId(scope, row.id),
    object: "standing_approval" as const,
    name: row.name,
    state: row.ended_at !== null || isPast ? ("ended" as const) : ("active" as const),
    action: row.action,
    contract_version: row.contract_version,
    agents: agents.map((agent) => agentView(scope, agent)),
    when: when === null ? null : (parseJson(when) as object),
    budget: { count: row.max_count, per: row.per as WindowUnit, sum: sumOf(row) },
    used: usedOf(row, now),
    time_zone: row.time_zone,
    uses: row.uses,
    last_used_at: moment(row.last_used_at),
    created_by: parseJson(row.created_by) as Actor,
    expires_at: toRfc3339(fromDate(row.expires_at)),
    ended_at: moment(row.ended_at ?? (isPast ? row.expires_at : null)),
    ended_by: row.ended_by === null ? null : (parseJson(row.ended_by) as Actor),
    end_reason: (row.end_reason as EndReason | null) ?? (isPast ? "expired" : null),
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
  };
}

function agentView(scope: Scope, agent: Agent) {
  return {
    type: agent.type,
    id: agent.type === "key" ? wireId("key", scope.tag, agent.id) : memberWireId(scope, agent.id),
  };
}

function sumOf({ sum_parameter: parameter, max_sum: max }: StandingRow) {
  return parameter === null || max === null ? null : { parameter, max: plain(max) };
}

/** The counts of the current window. The row has those of the last use. */
function usedOf(row: StandingRow, now: Instant) {
  const { start, end } = windowOf(now, row.per as WindowUnit, row.time_zone);
  const isCurrent = row.window_start !== null && fromDate(row.window_start) >= start;
  const sum = isCurrent ? plain(row.used_sum) : "0";
  return {
    count: isCurrent ? row.used_count : 0,
    sum: row.sum_parameter === null ? null : sum,
    window_start: toRfc3339(start),
    window_end: toRfc3339(end),
  };
}

/** Returns a decimal of the database without its trailing zeros. A sum can have more digits than a single number may. */
function plain(numeric: string): string {
  const read = readDecimal(numeric);
  return read === undefined ? numeric : decimalText(read);
}
