import {
  EVENT_PATTERN_FAULT,
  isEventPattern,
  SCHEDULE_DUE,
  ALWAYS,
  EVENT_ROOTS,
  looksAtContact,
} from "../../events/events.ts";
import type { Condition } from "../../events/events.ts";
import { isRecord, locate, rememberByText, scanJson } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { ProvidedStepType } from "../definitions/step-port.ts";
import { readSchedule } from "../schedules/schedules.ts";
import type { Schedule } from "../schedules/schedules.ts";
import { STEP_ROOTS } from "./facts.ts";
import { stepsOf } from "./nested.ts";
import { addFault, conditionAt, readSteps } from "./read-step.ts";
import type { Raw, Reader } from "./read-step.ts";
import { pathsIn, successors } from "./step.ts";
import type { Step } from "./step.ts";

export type { Step } from "./step.ts";

/** A stored definition: JSON texts as they were written. */
export interface DefinitionText {
  readonly trigger: string;
  readonly steps: string;
}

export interface Definition extends Trigger {
  readonly first: string | null;
  step(id: string): Step | undefined;
}

interface Trigger {
  /** The event that starts the workflow. With a schedule, it is `schedule.due`. */
  readonly event: string;
  readonly schedule: Schedule | null;
  readonly when: Condition;
}

export const MAX_STEPS = 50;
/** The maximum number of steps together with those inside them. */
const MAX_ALL_STEPS = 200;
const MAX_CHARS = 64 * 1024;

/**
 * Reads a definition that a caller wants to save. A definition with faults must not be used. `steps` has all steps, also those inside
 * others.
 */
export function readDefinition(text: DefinitionText, canDo: (type: ProvidedStepType) => boolean): ReadDefinition {
  return readWhole(wholeText(text), canDo);
}

interface ReadDefinition {
  readonly definition: Definition;
  readonly steps: readonly Step[];
  readonly faults: readonly Violation[];
}

function wholeText({ trigger, steps }: DefinitionText): string {
  return `{"trigger":${trigger},"steps":${steps}}`;
}

function readWhole(text: string, canDo: (type: ProvidedStepType) => boolean): ReadDefinition {
  const faults: Violation[] = [];
  const source = scanJson(Buffer.from(text));
  const reader: Reader = { source, faults, canDo, ids: new Set(), roots: STEP_ROOTS, isInner: false };
  if (text.length - wholeText({ trigger: "", steps: "" }).length > MAX_CHARS) {
    addFault(reader, ["steps"], "too_large", `must have at most ${MAX_CHARS} characters together with the trigger`);
  }
  const trigger = readTrigger(reader);
  const given = locate(source.value, ["steps"])?.value;
  const list = readSteps(reader, ["steps"], Array.isArray(given) ? given : []);
  const steps = stepsOf(list);
  if (steps.length > MAX_ALL_STEPS)
    addFault(reader, ["steps"], "too_many", `must have at most ${MAX_ALL_STEPS} steps, with those inside other steps`);
  if (faults.length === 0) assertNoCycles(reader, steps);
  const byId = new Map(steps.map((step) => [step.id, step]));
  return {
    definition: { ...trigger, first: list[0]?.id ?? null, step: (id) => byId.get(id) },
    steps,
    faults,
  };
}

/** Reads a stored definition, which was validated when it was saved. */
export function savedDefinition(text: DefinitionText): Definition {
  return remembered(wholeText(text));
}

/** The maximum size of the texts of all remembered definitions, in UTF-16 units. */
const MAX_KEPT_UNITS = 4 * 1024 * 1024;

/** Each of the many runs of a workflow needs its definition. */
const remembered = rememberByText((text) => readWhole(text, () => true).definition, { units: MAX_KEPT_UNITS });

/** Returns whether a step, or the trigger's condition, reads the contact. */
export function needsContact(step: Step | { readonly type: "trigger"; readonly when: Condition }): boolean {
  return looksAtContact(pathsIn(step));
}

function readTrigger(reader: Reader): Trigger {
  const trigger = locate(reader.source.value, ["trigger"])?.value as Raw;
  const { event, schedule, when } = trigger;
  const isGiven = when !== undefined && when !== null;
  return {
    ...(isRecord(schedule) ? scheduledBy(reader, event, schedule) : { event: eventOf(reader, event), schedule: null }),
    when: isGiven ? conditionAt(reader, ["trigger", "when"], EVENT_ROOTS) : ALWAYS,
  };
}

function eventOf(reader: Reader, event: unknown): string {
  const name = typeof event === "string" ? event : "";
  if (!isEventPattern(name))
    addFault(reader, ["trigger", "event"], "event_name", `${EVENT_PATTERN_FAULT}, or use \`schedule\``);
  return name;
}

function scheduledBy(reader: Reader, event: unknown, given: Raw): Pick<Trigger, "event" | "schedule"> {
  if (event !== undefined)
    addFault(reader, ["trigger", "event"], "exclusive", "must be omitted: the trigger has a schedule");
  const { schedule, faults } = readSchedule(given as unknown as Parameters<typeof readSchedule>[0]);
  reader.faults.push(...faults.map((fault) => ({ ...fault, pointer: `/trigger/schedule${fault.pointer}` })));
  return { event: SCHEDULE_DUE, schedule };
}

/** Adds a fault for each cycle. A run passes each step at most once, so that every run ends. */
function assertNoCycles(reader: Reader, steps: readonly Step[]): void {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (id: string | null): void => {
    const step = id === null ? undefined : byId.get(id);
    if (step === undefined || done.has(step.id)) return;
    open.add(step.id);
    for (const next of successors(step)) {
      if (next !== null && open.has(next))
        addFault(reader, step.place, "cycle", `leads back to ${next}; steps must not repeat`);
      else visit(next);
    }
    open.delete(step.id);
    done.add(step.id);
  };
  for (const step of steps) visit(step.id);
}
