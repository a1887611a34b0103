import type { EndpointState, SentEvent } from "./history.ts";
import type { Effect, EffectOf, Facts } from "./facts.ts";

/** An endpoint through a history. */
export interface EndpointTimes {
  readonly id: string;
  readonly path: string;
  readonly kind: "webhook" | "pull";
  readonly isOrdered: boolean;
  readonly created: EffectOf<"create">;
  /** Undefined if no client tried to delete it, or its tenant. */
  readonly deleted: Effect | undefined;
  /** The states that it may have had between these, those in which it does not exist as null. */
  possible(fromMs: number, toMs: number): (EndpointState | null)[];
  /** Tells if an event that was fired between these matched it. */
  matched(sent: SentEvent, fromMs: number, toMs: number): "yes" | "no" | "maybe";
}

/** Returns the endpoints whose ids are known. */
export function endpointTimes(facts: Facts): EndpointTimes[] {
  const removals = facts.effects.filter(({ outcome }) => outcome !== "refused");
  return facts.of("create").flatMap((created) => (created.outcome === "done" ? [timesOf(created, removals)] : []));
}

function timesOf(created: EffectOf<"create">, effects: readonly Effect[]): EndpointTimes {
  const id = String(created.body["id"]);
  const { path, kind, isOrdered, state } = created.operation;
  const changes = effects.filter((effect) => isChange(effect, id, state.tenant));
  const deleted = changes.find(({ operation: { op } }) => op === "delete" || op === "delete-tenant");
  const possible = (fromMs: number, toMs: number): (EndpointState | null)[] => {
    const begun = changes.filter(({ startMs }) => startMs <= toMs);
    const sure = begun.filter(({ endMs }) => endMs < fromMs).toSorted((a, b) => a.startMs - b.startMs);
    const open = begun.filter(({ endMs }) => endMs >= fromMs).toSorted((a, b) => a.startMs - b.startMs);
    const before = sure.reduce<(EndpointState | null)[]>(
      (states, change) => states.flatMap((one) => after(one, change)),
      [state],
    );
    const known = created.endMs < fromMs ? before : [null, ...before];
    // Each of the others has happened, or not yet.
    return open.reduce<(EndpointState | null)[]>(
      (states, change) => [...states, ...states.flatMap((one) => after(one, change))],
      known,
    );
  };
  return {
    id,
    path,
    kind,
    isOrdered,
    created,
    deleted,
    possible,
    matched(sent, fromMs, toMs) {
      const matches = possible(fromMs, toMs).map((one) => isMatched(one, sent));
      if (matches.every(Boolean)) return "yes";
      return matches.some(Boolean) ? "maybe" : "no";
    },
  };
}

function isChange({ operation }: Effect, id: string, tenant: string | null): boolean {
  if (operation.op === "delete-tenant") return operation.tenant === tenant;
  const isOfEndpoint = operation.op === "change" || operation.op === "toggle" || operation.op === "delete";
  return isOfEndpoint && operation.endpoint === id;
}

/** The states that one can have after a change. */
function after(state: EndpointState | null, { operation, outcome, body }: Effect): (EndpointState | null)[] {
  if (state === null || operation.op === "delete" || operation.op === "delete-tenant") return [null];
  if (operation.op === "change") return [{ ...state, ...operation.change }];
  if (outcome === "done") return [{ ...state, active: body["active"] === true }];
  return [
    { ...state, active: true },
    { ...state, active: false },
  ];
}

function isMatched(state: EndpointState | null, { event, tenant, f }: SentEvent): boolean {
  if (state === null || !state.active) return false;
  if (state.tenant !== null && state.tenant !== tenant) return false;
  return state.events.some((one) => one === "nemesis.*" || one === event) && f >= (state.least ?? 0);
}
