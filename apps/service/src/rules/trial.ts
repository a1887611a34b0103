import { scanJson, wireId } from "../kernel/kernel.ts";
import type { Contacts } from "../contacts/contacts.ts";
import { filterTakes } from "../events/events.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { evaluate } from "./condition.ts";
import { factsOf } from "./facts.ts";
import { compile, hintsOf, ruleWireId } from "./rule.ts";
import type { RuleRow } from "./rules.store.ts";

/** An event that is tried, or one that was: `data` is JSON text of an object. */
export interface TrialEvent {
  readonly event: string;
  readonly data: string;
}

/** What a rule would make of an event, as JSON text. Reads the contact as it is now; changes nothing. */
export async function trialText(
  contacts: Pick<Contacts, "reacting">,
  scope: Scope,
  row: RuleRow,
  { event, data }: TrialEvent,
): Promise<string> {
  const scan = scanJson(Buffer.from(data));
  const contact = await contacts.reacting.find(scope, hintsOf(scope, scan.value));
  const program = compile(row);
  const { truth, leaves } = evaluate(program.condition, factsOf(event, scan, contact?.view));
  const isHeard = row.enabled && filterTakes(row.events, event);
  const head = {
    object: "rule_test",
    rule_id: ruleWireId(scope, row.id),
    event,
    contact_id: contact === undefined ? null : wireId("con", scope.tag, contact.id),
    listens: isHeard,
    matched: truth,
    would_run: isHeard && truth,
    actions: program.actions.map(({ type }) => ({ type })),
  };
  return `${JSON.stringify(head).slice(0, -1)},"leaves":${leaves}}`;
}
