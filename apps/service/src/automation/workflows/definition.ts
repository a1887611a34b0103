import { firingFault, isEventName, SCHEDULE_DUE } from "../../events/events.ts";
import {
  ALWAYS,
  compileFill,
  EVENT_ROOTS,
  fillOfMembers,
  looksAtContact,
  readCondition,
} from "../expressions/conditions.ts";
import type { Condition, Fill } from "../expressions/conditions.ts";
import { isRecord, locate, pointerOf, scanJson } from "../../lib/lib.ts";
import type { Path, ScannedJson, Violation } from "../../lib/lib.ts";
import { HTTP_MEMBERS, readHttpCall } from "../http-calls/template.ts";
import type { HttpTemplate } from "../http-calls/template.ts";
import { readSchedule } from "../schedules/schedules.ts";
import type { Schedule } from "../schedules/schedules.ts";
import { STEP_ROOTS } from "./facts.ts";

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

/** A compiled step. `next` and the other targets are a step's id, or null for the end. */
export type Step = {
  readonly id: string;
  readonly place: readonly (string | number)[];
  readonly next: string | null;
} & (
  | {
      readonly type: "condition";
      readonly when: Condition;
      readonly ifSo: string | null;
      readonly ifNot: string | null;
    }
  | {
      readonly type: "webhook";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Null: the trigger's data is sent. */
      readonly body: Fill | null;
      /** Undefined: a failure of the step fails the run. */
      readonly onFailure: string | null | undefined;
    }
  | { readonly type: "delay"; readonly seconds: number }
  | { readonly type: "fire_event"; readonly event: string; readonly data: Fill | null }
  | {
      readonly type: "http";
      readonly call: HttpTemplate;
      /** The call as it was written, as JSON text. */
      readonly rawInput: string;
      /** Undefined: a failure of the step fails the run. */
      readonly onFailure: string | null | undefined;
    }
  | {
      readonly type: Exclude<PluggedType, "http">;
      /** The input that the step's module receives. */
      readonly input: Fill;
      /** The same input as it was written, as JSON text. */
      readonly rawInput: string;
    }
);

export const PLUGGED_TYPES = ["action", "wait_approval", "http"] as const;
/** Types of steps that other modules provide. See `StepPort`. */
export type PluggedType = (typeof PLUGGED_TYPES)[number];
const STEP_TYPES = ["condition", "webhook", "delay", "fire_event", ...PLUGGED_TYPES] as const;

export const MAX_STEPS = 50;
const MAX_CHARS = 64 * 1024;
const MAX_DELAY_SECONDS = 366 * 86_400;
const STEP_ID = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The members of each type of step, besides `id` and `type`. */
const MEMBERS: Readonly<
  Record<Step["type"], { readonly required: readonly string[]; readonly optional: readonly string[] }>
> = {
  condition: { required: ["when", "then"], optional: ["else"] },
  webhook: { required: ["url"], optional: ["headers", "body", "next", "on_failure"] },
  delay: { required: ["seconds"], optional: ["next"] },
  fire_event: { required: ["event"], optional: ["data", "next"] },
  action: { required: ["action"], optional: ["parameters", "next"] },
  wait_approval: { required: ["approver_roles"], optional: ["expires_in_seconds", "next"] },
  http: { required: HTTP_MEMBERS.required, optional: [...HTTP_MEMBERS.optional, "next", "on_failure"] },
};

/** Reads a definition that a caller wants to save. A definition with faults must not be used. */
export function readDefinition(
  text: DefinitionText,
  canDo: (type: PluggedType) => boolean,
): { readonly definition: Definition; readonly steps: readonly Step[]; readonly faults: readonly Violation[] } {
  const faults: Violation[] = [];
  const source = scanJson(Buffer.from(`{"trigger":${text.trigger},"steps":${text.steps}}`));
  const reader: Reader = { source, faults, canDo };
  if (text.trigger.length + text.steps.length > MAX_CHARS) {
    addFault(reader, ["steps"], "too_large", `must have at most ${MAX_CHARS} characters together with the trigger`);
  }
  const trigger = readTrigger(reader);
  const given = locate(source.value, ["steps"])?.value;
  const raw: readonly unknown[] = Array.isArray(given) ? given : [];
  const ids = raw.map((step) => (isRecord(step) ? step["id"] : undefined));
  const steps = raw.flatMap((step, at) => {
    const read = readStep(reader, { at, step, ids });
    return read === undefined ? [] : [read];
  });
  if (faults.length === 0) assertNoCycles(reader, steps);
  const byId = new Map(steps.map((step) => [step.id, step]));
  return {
    definition: { ...trigger, first: steps[0]?.id ?? null, step: (id) => byId.get(id) },
    steps,
    faults,
  };
}

/** Reads a stored definition, which was validated when it was saved. */
export function savedDefinition(text: DefinitionText): Definition {
  return readDefinition(text, () => true).definition;
}

/** Returns whether a step, or the trigger's condition, reads the contact. */
export function needsContact(step: Step | { readonly type: "trigger"; readonly when: Condition }): boolean {
  return looksAtContact(pathsIn(step));
}

function pathsIn(step: Step | { readonly type: "trigger"; readonly when: Condition }): readonly Path[] {
  switch (step.type) {
    case "trigger":
    case "condition":
      return step.when.leaves.map((leaf) => leaf.field);
    case "http":
      return step.call.paths;
    case "delay":
      return [];
    default:
      return filledIn(step)?.paths ?? [];
  }
}

/** Returns the template of a step that has one. Null: the trigger's data is used. */
function filledIn(step: Extract<Step, { type: "webhook" | "fire_event" | "action" | "wait_approval" }>): Fill | null {
  if (step.type === "webhook") return step.body;
  return step.type === "fire_event" ? step.data : step.input;
}

/** Returns all steps that may follow a step directly. */
export function successors(step: Step): readonly (string | null)[] {
  if (step.type === "condition") return [step.ifSo, step.ifNot];
  const canFail = step.type === "webhook" || step.type === "http";
  return canFail && step.onFailure !== undefined ? [step.next, step.onFailure] : [step.next];
}

interface Reader {
  readonly source: ScannedJson;
  readonly faults: Violation[];
  readonly canDo: (type: PluggedType) => boolean;
}

type Raw = Readonly<Record<string, unknown>>;
type Place = readonly (string | number)[];

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
  if (!isEventName(name))
    addFault(
      reader,
      ["trigger", "event"],
      "event_name",
      "must be an event name such as order.created, or use `schedule`",
    );
  return name;
}

function scheduledBy(reader: Reader, event: unknown, given: Raw): Pick<Trigger, "event" | "schedule"> {
  if (event !== undefined)
    addFault(reader, ["trigger", "event"], "exclusive", "must be omitted: the trigger has a schedule");
  const { schedule, faults } = readSchedule(given as unknown as Parameters<typeof readSchedule>[0]);
  reader.faults.push(...faults.map((fault) => ({ ...fault, pointer: `/trigger/schedule${fault.pointer}` })));
  return { event: SCHEDULE_DUE, schedule };
}

function conditionAt({ source: scan, faults }: Reader, place: Place, roots: readonly string[]): Condition {
  const { condition, faults: found } = readCondition({ scan, place, roots });
  faults.push(...found);
  return condition;
}

function fillAt({ source: scan, faults }: Reader, place: Place): Fill {
  const { fill, faults: found } = compileFill({ scan, place, roots: STEP_ROOTS });
  faults.push(...found);
  return fill;
}

interface RawStep {
  readonly at: number;
  readonly step: unknown;
  /** The ids of all steps, in order. */
  readonly ids: readonly unknown[];
}

function readStep(reader: Reader, { at, step, ids }: RawStep): Step | undefined {
  const place = ["steps", at];
  if (!isRecord(step)) return addFault(reader, place, "type", "must be an object");
  const { id } = step;
  if (typeof id !== "string" || !STEP_ID.test(id)) {
    return addFault(
      reader,
      [...place, "id"],
      "step_id",
      "must begin with a letter, contain only letters, digits, _ and -, and have at most 64 characters",
    );
  }
  if (ids.indexOf(id) < at)
    return addFault(reader, [...place, "id"], "duplicate", `must be unique: another step has this id`);
  const type = STEP_TYPES.find((known) => known === step["type"]);
  if (type === undefined)
    return addFault(reader, [...place, "type"], "step_type", `must be one of ${STEP_TYPES.join(", ")}`);
  if (!hasItsMembers(reader, place, step, type)) return undefined;
  const follows = (name: string, absent: string | null): string | null => {
    const target = step[name] === undefined ? absent : step[name];
    if (target === null || ids.includes(target)) return target as string | null;
    addFault(reader, [...place, name], "step_unknown", "must be the id of a step, or null to end the run");
    return null;
  };
  const following = ids[at + 1];
  const base = { id, place, next: follows("next", typeof following === "string" ? following : null) };
  return readOfType({ reader, place, step, follows }, type, base);
}

interface Typed {
  readonly reader: Reader;
  readonly place: Place;
  readonly step: Raw;
  follows(name: string, absent: string | null): string | null;
}

function readOfType(typed: Typed, type: Step["type"], base: Pick<Step, "id" | "place" | "next">): Step | undefined {
  const { reader, place, follows } = typed;
  switch (type) {
    case "condition": {
      const when = conditionAt(reader, [...place, "when"], STEP_ROOTS);
      return { ...base, type, when, ifSo: follows("then", null), ifNot: follows("else", null) };
    }
    case "webhook":
      return readWebhook(typed, base);
    case "delay":
      return readDelay(typed, base);
    case "fire_event":
      return readFireEvent(typed, base);
    default:
      if (!reader.canDo(type)) {
        return addFault(
          reader,
          [...place, "type"],
          "step_unavailable",
          `is a type of step that this installation does not support yet: omit the step`,
        );
      }
      return type === "http" ? readHttp(typed, base) : { ...base, type, ...inputOf(typed, type) };
  }
}

function readHttp(typed: Typed, base: Pick<Step, "id" | "place" | "next">): Step {
  const { reader, place, step, follows } = typed;
  const { call, faults } = readHttpCall({ scan: reader.source, place, roots: STEP_ROOTS });
  reader.faults.push(...faults);
  const onFailure = step["on_failure"] === undefined ? undefined : follows("on_failure", null);
  return { ...base, type: "http", call, rawInput: rawInputOf(typed, "http"), onFailure };
}

/** The members that lead to another step. They are not part of the input. */
const WAYS: ReadonlySet<string> = new Set(["next", "on_failure"]);

function inputNames({ step }: Typed, type: PluggedType): string[] {
  const { required, optional } = MEMBERS[type];
  return [...required, ...optional].filter((name) => !WAYS.has(name) && step[name] !== undefined);
}

function rawInputOf(typed: Typed, type: PluggedType): string {
  const { reader, place } = typed;
  const texts = inputNames(typed, type).map(
    (name) => `${JSON.stringify(name)}:${reader.source.slice([...place, name]) ?? "null"}`,
  );
  return `{${texts.join(",")}}`;
}

function inputOf(typed: Typed, type: PluggedType): { input: Fill; rawInput: string } {
  const { reader, place } = typed;
  const names = inputNames(typed, type);
  return {
    input: fillOfMembers(names.map((name) => [name, fillAt(reader, [...place, name])] as const)),
    rawInput: rawInputOf(typed, type),
  };
}

function readWebhook(
  { reader, place, step, follows }: Typed,
  base: Pick<Step, "id" | "place" | "next">,
): Step | undefined {
  const { url, headers = {}, body } = step;
  if (typeof url !== "string") return addFault(reader, [...place, "url"], "type", "must be a URL");
  if (!isRecord(headers) || !Object.values(headers).every((value) => typeof value === "string")) {
    return addFault(reader, [...place, "headers"], "type", "must be an object of strings");
  }
  const onFailure = step["on_failure"] === undefined ? undefined : follows("on_failure", null);
  return {
    ...base,
    type: "webhook",
    url,
    headers: headers as Record<string, string>,
    body: objectAt(reader, [...place, "body"], body),
    onFailure,
  };
}

function readDelay({ reader, place, step }: Typed, base: Pick<Step, "id" | "place" | "next">): Step | undefined {
  const { seconds } = step;
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 1 || seconds > MAX_DELAY_SECONDS) {
    return addFault(reader, [...place, "seconds"], "range", `must be a whole number from 1 to ${MAX_DELAY_SECONDS}`);
  }
  return { ...base, type: "delay", seconds };
}

function readFireEvent({ reader, place, step }: Typed, base: Pick<Step, "id" | "place" | "next">): Step | undefined {
  const { event, data } = step;
  const fault = firingFault(event, "must be an event name such as order.created");
  if (fault !== undefined) return addFault(reader, [...place, "event"], fault.code, fault.message);
  return { ...base, type: "fire_event", event: String(event), data: objectAt(reader, [...place, "data"], data) };
}

function objectAt(reader: Reader, place: Place, value: unknown): Fill | null {
  if (value === undefined) return null;
  if (!isRecord(value)) addFault(reader, place, "type", "must be an object");
  return fillAt(reader, place);
}

function hasItsMembers(reader: Reader, place: Place, step: Raw, type: Step["type"]): boolean {
  const { required, optional } = MEMBERS[type];
  const known = new Set(["id", "type", ...required, ...optional]);
  const strange = Object.keys(step).filter((name) => !known.has(name));
  const missing = required.filter((name) => step[name] === undefined);
  for (const name of strange) addFault(reader, [...place, name], "unknown_member", `is not a member of a ${type} step`);
  for (const name of missing) addFault(reader, [...place, name], "required", `is required for a ${type} step`);
  return strange.length + missing.length === 0;
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

function addFault({ faults }: Reader, place: Place, code: string, message: string): undefined {
  faults.push({ pointer: pointerOf(place), code, message });
  return undefined;
}
