import type { Uuid } from "../lib/lib.ts";

/** Facts by name. An undefined fact is not part of an update. */
type Facts = Readonly<Record<string, string | null>>;
/** The time of the latest value of each fact (`stampOf`). */
export type Stamps = Readonly<Record<string, string>>;

export interface Folded<Known extends Facts> {
  readonly facts: Known;
  readonly stamps: Stamps;
}

/**
 * Applies an update to known facts. The latest value of each fact wins, so that neither the order of updates nor their
 * repetition changes the result.
 */
export function fold<Known extends Facts>(
  known: Folded<Known>,
  news: { readonly [Name in keyof Known]?: string | null | undefined },
  stamp: Uuid,
): Folded<Known> {
  const fresh = Object.entries(news).filter(
    ([name, value]) => value !== undefined && stamp >= (known.stamps[name] ?? ""),
  );
  return {
    facts: { ...known.facts, ...Object.fromEntries(fresh) },
    stamps: { ...known.stamps, ...Object.fromEntries(fresh.map(([name]) => [name, stamp])) },
  };
}

/** The stages that events imply without naming one. */
const IMPLIED_STAGES: ReadonlySet<string> = new Set(["lead", "trial", "customer", "churned"]);

export interface StageFacts {
  readonly told_stage: string | null;
  readonly implied_stage: string | null;
}

/**
 * Returns the stage that is shown. An event replaces only a stage that events know, so that a workspace's own stages
 * are kept.
 */
export function stageOf(facts: StageFacts, stamps: Stamps): string | null {
  const { told_stage: told, implied_stage: implied } = facts;
  if (told !== null && !IMPLIED_STAGES.has(told)) return told;
  return (stamps["implied_stage"] ?? "") > (stamps["told_stage"] ?? "") ? implied : told;
}

/** Applies a caller's change, which wins over every earlier value, even one with a later stamp. */
export function mergeFacts<Known extends Facts>(
  known: Folded<Known>,
  news: { readonly [Name in keyof Known]?: string | null | undefined },
  stamp: Uuid,
): Folded<Known> {
  const latest = Object.keys(news).reduce<Uuid>((at, name) => maxOf(at, known.stamps[name]), stamp);
  return fold(known, news, latest);
}

function maxOf(stamp: Uuid, other: string | undefined): Uuid {
  return other !== undefined && other > stamp ? (other as Uuid) : stamp;
}
