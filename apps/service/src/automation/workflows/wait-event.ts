import {
  eventSources,
  factsOf,
  filled,
  holds,
  readCondition,
  requiredText,
  isEventName,
  patternsOf,
} from "../../events/events.ts";
import type { Condition, Facts, Fill } from "../../events/events.ts";
import type { FoundContact } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { fromDate, instant, scanJson, TooExpensiveError, toRfc3339, uuidFloor, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { WorkflowsDeps } from "./deps.ts";
import { AWAITED_ROOTS } from "./facts.ts";
import { scopeOfRun } from "./runs.store.ts";
import type { RunRow } from "./runs.store.ts";
import type { Step } from "./step.ts";
import type { At, StepResult } from "./step-result.ts";
import { takesTenant, tenantAfter } from "./wait-tenant.ts";
import type { Waiter } from "./wait-tenant.ts";
import { checkWait, deleteWait, insertWait, UNJUDGED } from "./waits.store.ts";
import type { WaitRow } from "./waits.store.ts";

type WaitStep = Extract<Step, { type: "wait_event" }>;

/** An event that a run waited for. */
export interface AwaitedEvent {
  readonly id: Uuid;
  readonly name: string;
  /** JSON text. */
  readonly data: string;
  readonly tenant: string | null;
}

const MAX_CONDITION = 16_384;
/** The maximum length of a path or a text by which an event finds waiting runs. A longer one has no place in an index. */
const MAX_KEY = 200;
/** The seconds until the next check, by the number of checks that were made. After the last one, the wait is checked at its end. */
const PAUSES = [0, 2, 30] as const;
/** The prices of a character of a condition and of the event's data, which are read for it. */
const [CONDITION_UNITS, JSON_UNITS] = [1, 0.5];
/** How far the clocks of two nodes may differ, for events that were planned before the wait was committed. */
const SKEW_MS = 250;

/** Begins to wait. The run becomes due for its checks: see `continueWait`. */
export async function beginWait(
  { ids }: WorkflowsDeps,
  tx: Tx,
  { run, facts }: At,
  step: WaitStep,
): Promise<StepResult> {
  const read = step.match === null ? { text: null, condition: undefined } : conditionOf(step.match, facts);
  if (typeof read === "string") return { kind: "failed", error: read, output: null, next: undefined };
  const key = read.condition === undefined ? undefined : requiredText(read.condition);
  const isKey = key !== undefined && isKeyText(key.field.text) && isKeyText(key.text);
  const expiresAt = await insertWait(tx.query, {
    bucket: run.bucket,
    tag: run.tag,
    run_id: run.id,
    position: run.position,
    event: step.event,
    condition: read.text,
    key_path: isKey ? key.field.text : "",
    key_value: isKey ? key.text : "",
    began: ids.uuid(),
    shared: step.isShared,
    seconds: step.seconds,
  });
  const output = JSON.stringify({ event: step.event, expires_at: toRfc3339(fromDate(expiresAt)) });
  return { kind: "delay", output, seconds: PAUSES[0] };
}

/** Returns whether a text can be stored as a key. PostgreSQL has no texts with NUL. */
export function isKeyText(text: string): boolean {
  return text.length > 0 && text.length <= MAX_KEY && text.isWellFormed() && !text.includes("\0");
}

/** Returns the condition with the run's values, or the reason why it cannot be used. */
function conditionOf(match: Fill, facts: Facts): { readonly text: string; readonly condition: Condition } | string {
  // Null would match every event without the value, of any customer.
  const missing = match.paths.find((path) => (facts.at(path)?.value ?? null) === null);
  if (missing !== undefined) return `The match needs a value for ${missing.text}.`;
  const text = filled(match, facts);
  if (text.length > MAX_CONDITION) return `The match has more than ${MAX_CONDITION} characters with its values.`;
  const { condition, faults } = readAwaited(text);
  const [fault] = faults;
  return fault === undefined
    ? { text, condition }
    : `The match is invalid with its values: ${fault.pointer} ${fault.message}.`;
}

function readAwaited(text: string): ReturnType<typeof readCondition> {
  return readCondition({ scan: scanJson(Buffer.from(text)), place: [], roots: AWAITED_ROOTS });
}

/**
 * Returns whether an event meets the condition of a wait. `facts` are those of the event, whose budget pays for it. An event for which
 * the condition is too expensive does not meet it, so that no sender can end the waits of others. `unread`: the characters of the event's
 * data, if this is its first reader.
 */
export function meets(
  { condition }: { readonly condition: string | null },
  facts: Facts,
  unread = 0,
): boolean | "too_expensive" {
  if (condition === null) return true;
  try {
    facts.budget.spend(condition.length * CONDITION_UNITS + unread * JSON_UNITS);
    return holds(readAwaited(condition).condition, facts);
  } catch (error) {
    if (error instanceof TooExpensiveError) return "too_expensive";
    throw error;
  }
}

export function awaitedFacts({ name, data, tenant }: Omit<AwaitedEvent, "id">): Facts {
  return factsOf(eventSources(name, data, tenant));
}

/**
 * Checks a wait when its run is due. An event that was accepted while the step began may have been planned before its transaction
 * could see the wait, so the few ids of that time are looked up until such an event must have been committed. At its end, the wait has
 * timed out.
 */
export async function continueWait(deps: WorkflowsDeps, tx: Tx, at: At, step: WaitStep): Promise<StepResult> {
  const { run } = at;
  const scope = scopeOfRun(run);
  const wait = await checkWait(tx.query, run, uuidFloor(instant(deps.clock.now() + SKEW_MS)));
  if (wait === undefined || wait.position !== run.position) return timedOut(step);
  const events = await eventsOf(deps, tx, scope, { wait, waiter: { run, isShared: step.isShared } });
  const { event, isUnjudged } = await firstMeeting(
    deps,
    wait,
    events.filter(({ id }) => id !== run.event_id),
  );
  if (event !== undefined) {
    await deleteWait(tx.query, run);
    const contact = await deps.contacts.reacting.find(scope, event.data, tx.query);
    const tenant = tenantAfter({ run }, event.tenant);
    return { kind: "done", output: awaitedOutput(run, event, contact), next: step.next, tenant };
  }
  if (wait.left <= 0) {
    await deleteWait(tx.query, run);
    return timedOut(step);
  }
  const pause = PAUSES[wait.checks] ?? wait.left;
  const seconds = Math.min(pause, wait.left);
  return { kind: "delay", output: at.begun ?? "{}", seconds, ...(isUnjudged && { note: UNJUDGED }) };
}

/** Returns the first event that meets a wait, and whether one before it was too expensive to judge. */
async function firstMeeting(
  { shares }: WorkflowsDeps,
  wait: WaitRow,
  events: readonly AwaitedEvent[],
): Promise<{ readonly event?: AwaitedEvent; readonly isUnjudged: boolean }> {
  let isUnjudged = false;
  for (const event of events) {
    const facts = awaitedFacts(event);
    facts.budget = shares.budgetOf(wait.tag);
    const isMet = meets(wait, facts, event.data.length);
    if (isMet === true) return { event, isUnjudged };
    isUnjudged ||= isMet === "too_expensive";
    if (shares.isDue()) await shares.pause();
  }
  return { isUnjudged };
}

/** Returns the events of the wait's name or pattern, and of its tenant, that may have been planned before the wait was visible. */
async function eventsOf(
  { events }: WorkflowsDeps,
  tx: Tx,
  scope: Scope,
  { wait: { event: pattern, began: after, armed: to }, waiter }: { readonly wait: WaitRow; readonly waiter: Waiter },
): Promise<readonly AwaitedEvent[]> {
  if (to === null) return [];
  const name = isEventName(pattern) ? pattern : null;
  // The events of others must not fill the page that is read.
  const tenant = waiter.isShared ? undefined : waiter.run.tenant;
  const found = await events.acceptedBetween(tx, scope, { name, after, to, tenant });
  return found.filter((one) => patternsOf(one.name).includes(pattern) && takesTenant(waiter, one.tenant));
}

function timedOut({ event, seconds, onTimeout }: WaitStep): StepResult {
  const output = JSON.stringify({ id: null, type: event, timed_out: true });
  if (onTimeout !== undefined) return { kind: "done", output, next: onTimeout };
  return {
    kind: "failed",
    error: `No matching ${event} event arrived within ${seconds} seconds.`,
    output,
    next: undefined,
  };
}

/** Returns the output of the step as JSON text: `{id, type, data, contact?}`. Another person's contact is only named, as it is not erased with the run. */
export function awaitedOutput(
  run: RunRow,
  { id, name, data }: Omit<AwaitedEvent, "tenant">,
  contact: FoundContact | undefined,
): string {
  const head = JSON.stringify({ id: wireId("evt", run.tag, id), type: name });
  const shown = contact?.id === run.contact_id ? contact?.view : contact && { id: wireId("con", run.tag, contact.id) };
  const tail = shown === undefined ? "" : `,"contact":${JSON.stringify(shown)}`;
  return `${head.slice(0, -1)},"data":${data}${tail}}`;
}
