import { filled, FillError, fillText, isSystem } from "../../events/events.ts";
import type { Facts, Event, EventDraft } from "../../events/events.ts";
import type { FoundContact, HeldContacts } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { openWebhook } from "../../webhooks/webhooks.ts";
import { parseJson, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { portOf } from "../definitions/step-port.ts";
import { fillHttpCall } from "../../http-calls/http-calls.ts";
import { isProvided } from "./actions.ts";
import type { Action, ProvidedAction } from "./actions.ts";
import { callOf, shownMembers } from "./calls.ts";
import type { ActionOutcome, PendingCall } from "./calls.ts";
import type { RulesDeps } from "./deps.ts";
import { ruleWireId } from "./rule.ts";
import type { Rule } from "./rule.ts";
import { rulePlace } from "./rule-headers.ts";

/** One rule and one event that it runs for. */
export interface Job {
  readonly rule: Rule;
  readonly runId: Uuid;
  readonly event: Event;
  readonly facts: Facts;
  readonly contact: FoundContact | undefined;
  /** Contacts that the transaction has locked, with this rule's contact if the rule acts on it. The caller writes their changes. */
  readonly held: HeldContacts;
}

/** The system event that `notify` fires. Only endpoints that name it receive it. */
export const NOTIFICATION = "notification.created";
/** The event of a webhook's delivery that has its own body. */
const WEBHOOK_EVENT = "rule.webhook";

/** The results of actions in the run's transaction, the calls that remain for other modules, and the events still to fire. See `fireAll`. */
export interface Performed {
  readonly outcomes: ActionOutcome[];
  readonly calls: PendingCall[];
  /** Events with the positions of their actions. */
  readonly fires: { readonly at: number; readonly draft: EventDraft }[];
}

/** One action of a run. */
interface Task extends Job, Pick<Performed, "calls" | "fires"> {
  /** Position in `then`. */
  readonly at: number;
}

type Of<Type extends Action["type"]> = Extract<Action, { type: Type }>;

/** Runs the actions that belong to the run's transaction, in order. A failed action does not stop the others. */
export async function perform(deps: RulesDeps, tx: Tx, job: Job): Promise<Performed> {
  const performed: Performed = { outcomes: [], calls: [], fires: [] };
  for (const [at, action] of job.rule.program.actions.entries())
    performed.outcomes.push(await performOne(deps, tx, { ...job, ...performed, at }, action));
  return performed;
}

async function performOne(deps: RulesDeps, tx: Tx, task: Task, action: Action): Promise<ActionOutcome> {
  const { type } = action;
  try {
    if (isProvided(action)) return await delegate(deps, tx, task, action);
    if (action.type === "fire_event") return fire(task, action);
    if (action.type === "notify") return await notify(deps, tx, task, action);
    if (action.type === "post_webhook") return await post(deps, tx, task, action);
    return onContact(deps, task, action);
  } catch (error) {
    if (error instanceof FillError) return failed({ type }, error.code, `The data to send ${error.message}.`);
    throw error;
  }
}

/** Fires the events of several runs in one statement, and adds their ids to the outcomes. */
export async function fireAll(
  { events }: Pick<RulesDeps, "events">,
  tx: Tx,
  runs: readonly Performed[],
): Promise<void> {
  const fires = runs.flatMap((run) => run.fires.map((one) => ({ ...one, outcomes: run.outcomes })));
  const fired = await events.fireWithin(
    tx,
    fires.map(({ draft }) => draft),
  );
  fires.forEach(({ at, outcomes }, index) => {
    const outcome = outcomes[at];
    if (outcome !== undefined) outcomes[at] = { ...outcome, event_id: fired[index]?.id };
  });
}

function fire({ event, facts, at, fires }: Task, action: Of<"fire_event">): ActionOutcome {
  // Rules that were saved before this check existed may contain such an event.
  if (isSystem(action.event))
    return failed(action, "event_reserved", `${action.event} is a system event, which only the service can fire.`);
  fires.push({ at, draft: draftOf(event, action.event, filled(action.data, facts)) });
  return { type: action.type, status: "done", event: action.event };
}

/** Adds the event that the rule runs for to the chain, which shows later that the rule has already fired. */
function draftOf({ scope, id, tenant, chain }: Event, name: string, data: string): EventDraft {
  return { scope, name, data, tenant, chain: [...chain, id] };
}

/** Tells the chosen members, and fires the event with their number. */
async function notify(
  { notifications }: RulesDeps,
  tx: Tx,
  { rule, event, facts, contact, at, fires }: Task,
  action: Of<"notify">,
): Promise<ActionOutcome> {
  const { scope } = event;
  const [to, message] = [filled(action.to, facts), filled(action.message, facts)];
  const recipients = (parseJson(to) as unknown[]).filter((one) => typeof one === "string");
  const { reached, email } = await notifications.notify(tx, scope, {
    to: recipients,
    message: String(parseJson(message)),
    ruleId: rule.head.id,
    ruleName: rule.head.name,
    eventId: event.id,
    tenant: event.tenant,
    contactId: contact?.id ?? null,
  });
  const head = JSON.stringify({
    rule_id: ruleWireId(scope, rule.head.id),
    rule_name: rule.head.name,
    event_id: wireId("evt", scope.tag, event.id),
    contact_id: contact === undefined ? null : wireId("con", scope.tag, contact.id),
    reached,
    email,
  });
  const data = `${head.slice(0, -1)},"to":${to},"message":${message}}`;
  fires.push({ at, draft: { ...draftOf(event, NOTIFICATION, data), isInternal: true } });
  const reach = { event: NOTIFICATION, reached, email };
  if (reached > 0) return { type: action.type, status: "done", ...reach };
  return { ...failed(action, "nobody_reached", "None of the recipients is a member of the workspace."), ...reach };
}

function onContact(
  deps: RulesDeps,
  { rule, event, contact, facts, held }: Task,
  action: Of<"adjust_score" | "add_tag">,
): ActionOutcome {
  if (contact === undefined) return failed(action, "no_contact", "The event has no contact.");
  const { scope } = event;
  const contactId = wireId("con", scope.tag, contact.id);
  const gone = failed(action, "no_contact", "The contact no longer exists.");
  if (action.type === "adjust_score") {
    const isDone = held.adjustScore(scope, contact.id, {
      activityId: deps.ids.uuid(),
      by: action.by,
      eventType: "rule.adjust_score",
      summary: `Rule: ${rule.head.name}`,
      occurredAt: deps.clock.now(),
    });
    return isDone ? { type: action.type, status: "done", contact_id: contactId, by: action.by } : gone;
  }
  const tag = fillText(action.tag, facts).trim();
  if (tag === "") return failed(action, "tag_empty", "The tag is empty after it was filled in.");
  const became = held.addTag(scope, contact.id, tag);
  if (became === "gone") return gone;
  if (became === "full")
    return failed(action, "too_many_tags", "The contact already has 100 tags, which is the maximum.");
  return { type: action.type, status: "done", contact_id: contactId, tag, was_there: became === "there" };
}

/** Runs the action in another module: now, or after the run is committed, as a stored call. */
async function delegate(
  { ports }: RulesDeps,
  tx: Tx,
  { rule, runId, event, facts, contact, at, calls }: Task,
  action: ProvidedAction,
): Promise<ActionOutcome> {
  const { type } = action;
  if (type === "http" && isSimulated(rule, event)) return { type, status: "simulated" };
  const port = portOf(ports(), type);
  const input = inputOf(action, facts);
  if (port === undefined || !("begin" in port)) {
    calls.push({ type, body: input, at, attempts: 0 });
    return { type, status: "pending", attempts: 0 };
  }
  const end = await port.begin(tx, callOf(event, rule.head, { runId, at, input, contactId: contact?.id ?? null }));
  return { ...shownMembers(end), type, status: end.kind === "failed" ? "failed" : "done" };
}

/** Returns the JSON text that the other module receives. */
export function inputOf(action: ProvidedAction, facts: Facts): string {
  return action.type === "http" ? fillHttpCall(action.call, facts) : filled(action.arguments, facts);
}

/** A rule with a live author sends nothing from the sandbox. */
function isSimulated({ head }: Rule, { scope }: Event): boolean {
  return scope.environment === "sandbox" && head.author_environment === "live";
}

/** Sends the webhook. A rule with a live author sends nothing from the sandbox; one written in the sandbox does. */
async function post(
  { ownedDeliveries, sealer }: RulesDeps,
  tx: Tx,
  { rule, runId, event, facts, at }: Task,
  action: Of<"post_webhook">,
): Promise<ActionOutcome> {
  const { scope, id, name, tenant, chain } = event;
  const { type, url, body } = action;
  if (isSimulated(rule, event)) return { type, status: "simulated" };
  const own = body === null ? undefined : { name: WEBHOOK_EVENT, data: filled(body, facts) };
  const { headersSealed } = rule.program;
  const webhook = { key: String(at), headers: action.headers };
  const headers = openWebhook(sealer, rulePlace(rule.head.id), webhook, headersSealed);
  if (headers === undefined)
    return failed(
      action,
      "headers_unreadable",
      "The current master key cannot decrypt the values of the webhook's headers.",
    );
  const deliveryId = await ownedDeliveries.post(
    tx,
    scope,
    { id: rule.head.id, owner: "rule" },
    {
      url,
      headers,
      description: rule.head.name,
      event:
        own === undefined
          ? { id, name }
          : { ...own, subject: wireId("rrun", scope.tag, runId), tenant, chain: [...chain, id] },
    },
  );
  return { type, status: "done", delivery_id: wireId("dlv", scope.tag, deliveryId) };
}

function failed({ type }: Pick<Action, "type">, code: string, reason: string): ActionOutcome {
  return { type, status: "failed", reason_code: code, reason };
}
