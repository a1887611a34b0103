import type { Event } from "../../events/events.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ReactionDeps } from "./deps.ts";
import type { Rule } from "./rule.ts";
import { listeningRules, ruleTexts } from "./rules.store.ts";
import type { RuleHead } from "./rules.store.ts";

/** Returns the rules that currently subscribe to each event. Reads the texts only of rules that were not compiled before. */
export async function rulesOf({ db, programs }: ReactionDeps, events: readonly Event[]): Promise<Rule[][]> {
  const listening = events.map(({ scope, name }) => ({
    ...scope,
    event: name,
    isSandbox: scope.environment === "sandbox",
  }));
  // Events with the same name in one workspace have the same rules.
  const distinct = new Map(listening.map((one) => [`${one.tag} ${one.event}`, one]));
  const answers = await listeningRules(db, [...distinct.values()]);
  const heads = new Map([...distinct.keys()].map((key, at) => [key, answers[at] ?? []]));
  const ready = await compiled({ db, programs }, [...heads.values()].flat());
  return listening.map((one) =>
    (heads.get(`${one.tag} ${one.event}`) ?? []).flatMap((head) => ready.get(head.id) ?? []),
  );
}

async function compiled(
  { db, programs }: Pick<ReactionDeps, "db" | "programs">,
  heads: readonly RuleHead[],
): Promise<ReadonlyMap<Uuid, Rule>> {
  const rules = new Map<Uuid, Rule>();
  const unknown = new Map<Uuid, RuleHead>();
  for (const head of heads) {
    const program = programs.kept(head);
    if (program === undefined) unknown.set(head.id, head);
    else rules.set(head.id, { head, program });
  }
  for (const [workspaceId, of] of Map.groupBy(unknown.values(), (head) => head.workspace_id)) {
    const [{ bucket } = { bucket: 0 }] = of;
    const texts = await ruleTexts(
      db,
      { bucket, workspaceId },
      of.map(({ id }) => id),
    );
    for (const text of texts) {
      const head = unknown.get(text.id);
      // If the rule was changed between the two reads, its current version runs.
      if (head !== undefined)
        rules.set(text.id, { head: { ...head, version: text.version }, program: programs.of(text) });
    }
  }
  return rules;
}
