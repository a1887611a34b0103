import { endpointTimes } from "./endpoint-times.ts";
import { factsOf } from "./facts.ts";
import type { Facts } from "./facts.ts";
import type { HistoryRecord } from "./history.ts";
import { approvals } from "./predicates/approvals.ts";
import { bodies, once } from "./predicates/bodies.ts";
import { delivered } from "./predicates/delivered.ts";
import { duplicates, duplicatesIn } from "./predicates/duplicates.ts";
import { lanes } from "./predicates/lanes.ts";
import { cancelled, neverAfter, revoked } from "./predicates/never-after.ts";
import type { Predicate } from "./predicates/predicate.ts";
import { pulls } from "./predicates/pulls.ts";
import { alive, audit, clear, usage } from "./predicates/records.ts";
import { signatures } from "./predicates/signatures.ts";
import { tenants } from "./predicates/tenants.ts";

export const PREDICATES: readonly Predicate[] = [
  delivered,
  neverAfter,
  revoked,
  cancelled,
  signatures,
  bodies,
  once,
  duplicates,
  lanes,
  pulls,
  approvals,
  audit,
  usage,
  tenants,
  alive,
  clear,
];

export interface Verdict {
  /** The contradictions of a promise, by the name of its predicate. */
  readonly broken: readonly string[];
  readonly counts: Counts;
}

export interface Counts {
  readonly calls: number;
  /** Events that were answered 202. */
  readonly events: number;
  readonly hits: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly operations: Readonly<Record<string, number>>;
  readonly unknown: number;
  /** Broken promises of delivery. */
  readonly lost: number;
  readonly duplicates: number;
  /** The longest time without an accepted event while clients tried. */
  readonly longestStallMs: number;
}

const MOST_SHOWN = 8;

/** Judges a history by all predicates. `originMs`: the wall clock at its begin. */
export function judge(records: readonly HistoryRecord[], originMs: number): Verdict {
  const facts = factsOf(records, originMs);
  const endpoints = endpointTimes(facts);
  const found = PREDICATES.map(({ name, broken }) => ({ name, faults: broken(facts, endpoints) }));
  return {
    broken: found.flatMap(({ name, faults }) => shown(name, faults)),
    counts: countsOf(facts, found.find(({ name }) => name === delivered.name)?.faults.length ?? 0),
  };
}

function shown(name: string, faults: readonly string[]): string[] {
  const rest = faults.length - MOST_SHOWN;
  const lines = faults.slice(0, MOST_SHOWN).map((fault) => `${name}: ${fault}`);
  return rest > 0 ? [...lines, `${name}: and ${rest} more`] : lines;
}

function countsOf(facts: Facts, lost: number): Counts {
  const fires = facts.of("fire").filter(({ outcome }) => outcome === "done");
  const ends = fires.map(({ endMs }) => endMs).toSorted((a, b) => a - b);
  return {
    calls: facts.calls.length,
    events: facts.events.filter(({ id }) => id !== undefined).length,
    hits: facts.hits.length + facts.backend.length,
    faults: countBy(facts.faults.map(({ kind }) => kind)),
    operations: countBy(facts.effects.map(({ operation }) => operation.op)),
    unknown: facts.effects.filter(({ outcome }) => outcome === "unknown").length,
    lost,
    duplicates: duplicatesIn(facts),
    longestStallMs: Math.max(0, ...ends.slice(1).map((endMs, at) => endMs - (ends[at] ?? endMs))),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
