import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";

/** A fault with its begin and its length. Times are milliseconds since the first call. */
export interface PlannedFault {
  readonly kind: FaultKind;
  readonly startMs: number;
  readonly lengthMs: number;
  /** The target. Faults on one target come one after another. */
  readonly target: string;
  /** How strong it is, in the unit of its kind: see KINDS. */
  readonly strength: number;
  /** The place in the code, of a failpoint. */
  readonly place?: string;
}

export type FaultKind = keyof typeof KINDS;

interface Kind {
  readonly weight: number;
  readonly lengthMs: readonly [least: number, most: number];
  readonly targets: readonly [string, ...string[]];
  /** Empty: it has no strength. */
  readonly strengths: readonly number[];
  /** Leaves leases behind that end by themselves, after a minute: comes only in the first half of a short run. */
  readonly isEarly?: boolean;
}

const NODES = ["node-0", "node-1"] as const;
const WAYS = ["way-0", "way-1"] as const;
const RECEIVERS = ["receiver-0", "receiver-1", "receiver-2"] as const;
const DATABASE = ["database"] as const;

/** The gaps in the code where a failpoint can delay, throw or kill (planted/failpoints.ts). */
export const PLACES = ["after_commit", "before_send", "after_response", "before_result", "lease_lost"] as const;
/** Strengths of failpoints: what happens there. */
export const ACTIONS = ["delay", "throw", "kill"] as const;

const KINDS = {
  "node-killed": { weight: 4, lengthMs: [200, 4000], targets: NODES, strengths: [], isEarly: true },
  "node-stopped": { weight: 2, lengthMs: [200, 3000], targets: NODES, strengths: [] },
  "node-paused": { weight: 4, lengthMs: [500, 8000], targets: NODES, strengths: [] },
  "node-paused-long": { weight: 2, lengthMs: [20_000, 40_000], targets: NODES, strengths: [], isEarly: true },
  /** The strength is the number of sessions that are ended at a time. */
  "sessions-ended": { weight: 4, lengthMs: [1000, 8000], targets: ["sessions"], strengths: [1, 2, 5] },
  "database-killed": { weight: 2, lengthMs: [200, 4000], targets: DATABASE, strengths: [] },
  "database-stopped": { weight: 1, lengthMs: [200, 4000], targets: DATABASE, strengths: [] },
  "way-held": { weight: 3, lengthMs: [1000, 25_000], targets: WAYS, strengths: [], isEarly: true },
  "way-cut": { weight: 3, lengthMs: [200, 5000], targets: WAYS, strengths: [] },
  /** The strength is the delay of each piece of data in milliseconds, in both directions. */
  "way-slow": { weight: 3, lengthMs: [2000, 12_000], targets: WAYS, strengths: [5, 40, 150] },
  /** The strength is the delay of each commit in microseconds. */
  "commits-slow": { weight: 2, lengthMs: [2000, 12_000], targets: ["commits"], strengths: [20_000, 100_000] },
  "snapshot-held": { weight: 1, lengthMs: [5000, 30_000], targets: ["snapshot"], strengths: [] },
  "slot-idle": { weight: 1, lengthMs: [5000, 30_000], targets: ["slot"], strengths: [] },
  /** The strength is the status. */
  "receiver-refuses": { weight: 4, lengthMs: [500, 8000], targets: RECEIVERS, strengths: [500, 503, 429] },
  "receiver-hangs": { weight: 2, lengthMs: [500, 10_000], targets: RECEIVERS, strengths: [] },
  "receiver-resets": { weight: 2, lengthMs: [500, 8000], targets: RECEIVERS, strengths: [] },
  /** The strength is the time before the response in milliseconds. */
  "receiver-slow": { weight: 2, lengthMs: [2000, 12_000], targets: RECEIVERS, strengths: [500, 3000] },
  "receiver-gone": { weight: 2, lengthMs: [500, 8000], targets: RECEIVERS, strengths: [] },
  /** The strength is the index of an action. */
  failpoint: { weight: 4, lengthMs: [500, 6000], targets: NODES, strengths: [0, 1, 2], isEarly: true },
} as const satisfies Readonly<Record<string, Kind>>;

/** Faults begin after this time. */
const WARM_UP_MS = 2000;
const FAULTS_A_MINUTE = 16;

/** Returns the faults of a seed, in order of their begins. The same arguments always have the same result. All faults end before the last minute does. */
export function scheduleOf(seed: number, minutes: number): PlannedFault[] {
  const random = createRandom(seed).fork("schedule");
  const endMs = minutes * 60_000;
  const tries = Math.ceil(minutes * FAULTS_A_MINUTE);
  const planned: PlannedFault[] = [];
  for (let at = 0; at < tries; at += 1) {
    const fault = faultOf(random, endMs);
    if (!planned.some((other) => clash(other, fault))) planned.push(fault);
  }
  return planned.toSorted((a, b) => a.startMs - b.startMs);
}

function faultOf(random: Random, endMs: number): PlannedFault {
  const { kind, of } = random.weighted(WEIGHTED);
  const lastMs = of.isEarly === true ? Math.max(WARM_UP_MS, endMs / 2) : endMs;
  const startMs = random.between(WARM_UP_MS, Math.max(WARM_UP_MS, lastMs - 1000));
  const lengthMs = Math.min(random.between(...of.lengthMs), Math.max(100, endMs - startMs));
  const base = { kind, startMs, lengthMs, target: random.pick(of.targets), strength: random.any(of.strengths) ?? 0 };
  return kind === "failpoint" ? { ...base, place: random.pick(PLACES) } : base;
}

const [first, ...rest] = Object.entries(KINDS as Readonly<Record<string, Kind>>).map(([kind, of]) => ({
  kind: kind as FaultKind,
  of,
  weight: of.weight,
}));
const WEIGHTED = [first as NonNullable<typeof first>, ...rest] as const;

function clash(one: PlannedFault, other: PlannedFault): boolean {
  if (one.target !== other.target) return false;
  return one.startMs < other.startMs + other.lengthMs && other.startMs < one.startMs + one.lengthMs;
}

/** One line of the schedule, for people. */
export function lineOf({ kind, startMs, lengthMs, target, strength, place }: PlannedFault): string {
  const what = [kind, target, ...(place === undefined ? [] : [place, ACTIONS[strength] ?? ""])];
  const more = place === undefined && strength > 0 ? ` (${strength})` : "";
  return `${seconds(startMs)} to ${seconds(startMs + lengthMs)}  ${what.join(" ")}${more}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
