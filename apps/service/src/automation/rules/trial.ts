import { contactSource, evaluate, eventSources, factsOf, FillError, selectsEvent } from "../../events/events.ts";
import type { Facts } from "../../events/events.ts";
import { wireId } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { TrialEvent } from "../definitions/definition.ts";
import { portOf } from "../definitions/step-port.ts";
import type { StepPort } from "../definitions/step-port.ts";
import { isProvided } from "./actions.ts";
import type { Action } from "./actions.ts";
import type { RulesDeps } from "./deps.ts";
import { inputOf } from "./perform.ts";
import { compile, ruleWireId } from "./rule.ts";
import type { RuleRow } from "./rules.store.ts";

/** Returns the result that a rule would have for an event, as JSON text. Reads the current contact. Changes nothing. */
export async function trialText(
  { contacts, ports }: RulesDeps,
  scope: Scope,
  row: RuleRow,
  { event, data, tenant }: TrialEvent,
): Promise<string> {
  const contact = await contacts.reacting.find(scope, data);
  const program = compile(row);
  const facts = factsOf({ ...eventSources(event, data, tenant), contact: contactSource(contact) });
  const { truth, leaves } = evaluate(program.condition, facts);
  const isHeard = row.enabled && selectsEvent(row.events, event);
  const head = {
    object: "rule_test",
    rule_id: ruleWireId(scope, row.id),
    event,
    contact_id: contact === undefined ? null : wireId("con", scope.tag, contact.id),
    listens: isHeard,
    matched: truth,
    would_run: isHeard && truth,
  };
  const actions = await Promise.all(
    program.actions.map(async (action) => await foreseen(ports(), { scope, facts }, action)),
  );
  return `${JSON.stringify(head).slice(0, -1)},"actions":[${actions.join(",")}],"leaves":${leaves}}`;
}

/** Returns an action for a test. Actions of other modules are shown as they would be called, with the expected result. */
async function foreseen(
  ports: readonly StepPort[],
  { scope, facts }: { readonly scope: Scope; readonly facts: Facts },
  action: Action,
): Promise<string> {
  const { type } = action;
  if (!isProvided(action)) return JSON.stringify({ type });
  try {
    const text = inputOf(action, facts);
    const foresight = (await portOf(ports, type)?.foresee?.(scope, text)) ?? null;
    const head = action.type === "http" ? `{"type":"http",${text.slice(1, -1)}` : text.slice(0, -1);
    return `${head},"foresight":${JSON.stringify(foresight)}}`;
  } catch (error) {
    if (!(error instanceof FillError)) throw error;
    return JSON.stringify({ type, foresight: { reason_code: error.code, reason: error.message } });
  }
}
