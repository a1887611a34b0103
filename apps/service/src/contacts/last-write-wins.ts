import type { Uuid } from "../lib/lib.ts";

/** Facts by name; a fact that is undefined is not part of the news. */
type Facts = Readonly<Record<string, string | null>>;
/** When each fact was last told (`stampOf`). */
export type Stamps = Readonly<Record<string, string>>;

export interface Folded<Known extends Facts> {
  readonly facts: Known;
  readonly stamps: Stamps;
}

/**
 * Puts news on what is known: of each fact, what was true last stands. So the order in which news is folded changes nothing, nor
 * does folding it twice.
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

/** The stage that is shown. Whoever works with stages of their own keeps them: an event only replaces one that events know. */
export function stageOf(facts: StageFacts, stamps: Stamps): string | null {
  const { told_stage: told, implied_stage: implied } = facts;
  if (told !== null && !IMPLIED_STAGES.has(told)) return told;
  return (stamps["implied_stage"] ?? "") > (stamps["told_stage"] ?? "") ? implied : told;
}

/** What a caller says now: it stands, whatever was told before. */
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
