import {
  EVENT_PATTERN_FAULT,
  firingFault,
  isEventPattern,
  compileFill,
  fillOfMembers,
  readCondition,
} from "../../events/events.ts";
import type { Condition, Fill } from "../../events/events.ts";
import { isRecord, pointerOf } from "../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../lib/lib.ts";
import type { ProvidedStepType } from "../definitions/step-port.ts";
import { readHttpCall } from "../../http-calls/http-calls.ts";
import { AWAITED_ROOTS, ITEM_ROOTS } from "./facts.ts";
import { APPROVAL_TEXTS, ITEM_FAILURES, MEMBERS, STEP_TYPES, WAYS } from "./step.ts";
import type { Step } from "./step.ts";

/** The maximum length of a delay, and of a wait for an event. */
const MAX_DELAY_SECONDS = 366 * 86_400;
/** The limits of the steps that contain others. */
export const MAX_BRANCHES = 10;
export const MAX_INNER_STEPS = 50;
export const MAX_ITEMS = 1000;
export const MAX_CONCURRENCY = 10;
const STEP_ID = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A definition that is being read, with the faults found so far. */
export interface Reader {
  readonly source: ScannedJson;
  readonly faults: Violation[];
  readonly canDo: (type: ProvidedStepType) => boolean;
  /** The ids of the steps that were read. */
  readonly ids: Set<string>;
  /** The names with which paths can begin. */
  readonly roots: readonly string[];
  /** True for the steps inside another step. */
  readonly isInner: boolean;
}

export type Raw = Readonly<Record<string, unknown>>;
export type StepPath = readonly (string | number)[];

export function conditionAt({ source: scan, faults }: Reader, place: StepPath, roots: readonly string[]): Condition {
  const { condition, faults: found } = readCondition({ scan, place, roots });
  faults.push(...found);
  return condition;
}

/** A step that is being read. */
interface StepReader {
  readonly reader: Reader;
  readonly place: StepPath;
  readonly step: Raw;
  /** Adds a fault at a member of the step. */
  fault(member: string, code: string, message: string): undefined;
  /** Returns the next step that a member names. `absent`: the one without the member. */
  follows(member: string, absent: string | null): string | null;
  /** Returns the way that a member names. Undefined without the member. */
  way(member: string): string | null | undefined;
  /** Compiles the templates of a member. `inParts`: see `compileFill`. */
  fill(member: string, inParts?: boolean): Fill;
}

/** Reads a list of steps. Leaves out, and adds faults for, those that cannot be read. */
export function readSteps(reader: Reader, place: StepPath, raw: readonly unknown[]): Step[] {
  const ids = raw.map((step) => (isRecord(step) ? step["id"] : undefined));
  return raw.flatMap((step, at) => {
    if (!isRecord(step)) {
      addFault(reader, [...place, at], "type", "must be an object");
      return [];
    }
    const following = ids[at + 1];
    const absent = typeof following === "string" ? following : null;
    return readStep(stepReader(reader, [...place, at], step, ids), absent) ?? [];
  });
}

/** `ids`: those of all steps of the list. */
function stepReader(reader: Reader, place: StepPath, step: Raw, ids: readonly unknown[]): StepReader {
  const self: StepReader = {
    reader,
    place,
    step,
    fault: (member, code, message) => addFault(reader, [...place, member], code, message),
    follows(member, absent) {
      const target = step[member] === undefined ? absent : step[member];
      if (target === null || ids.includes(target)) return target as string | null;
      const message = reader.isInner
        ? "must be the id of a step of the same list, or null to end the list"
        : "must be the id of a step, or null to end the run";
      self.fault(member, "step_unknown", message);
      return null;
    },
    way: (member) => (step[member] === undefined ? undefined : self.follows(member, null)),
    fill(member, inParts = false) {
      const { source: scan, roots } = reader;
      const { fill, faults } = compileFill({ scan, place: [...place, member], roots }, inParts);
      reader.faults.push(...faults);
      return fill;
    },
  };
  return self;
}

/** Returns undefined, and adds faults, if the step cannot be read. `absent`: the next step if the step names none. */
function readStep(one: StepReader, absent: string | null): Step | undefined {
  const { reader, place, step, fault } = one;
  const { id } = step;
  if (typeof id !== "string" || !STEP_ID.test(id))
    return fault(
      "id",
      "step_id",
      "must begin with a letter, contain only letters, digits, _ and -, and have at most 64 characters",
    );
  if (reader.ids.has(id)) return fault("id", "duplicate", `must be unique: another step has this id`);
  reader.ids.add(id);
  const type = STEP_TYPES.find((known) => known === step["type"]);
  if (type === undefined) return fault("type", "step_type", `must be one of ${STEP_TYPES.join(", ")}`);
  if (!hasItsMembers(one, type)) return undefined;
  return readOfType(one, type, { id, place, next: nextOf(one, absent) });
}

function hasItsMembers({ step, fault }: StepReader, type: Step["type"]): boolean {
  const { required, optional } = MEMBERS[type];
  const known = new Set(["id", "type", ...required, ...optional]);
  const strange = Object.keys(step).filter((name) => !known.has(name));
  const missing = required.filter((name) => step[name] === undefined);
  for (const name of strange) fault(name, "unknown_member", `is not a member of a ${type} step`);
  for (const name of missing) fault(name, "required", `is required for a ${type} step`);
  return strange.length + missing.length === 0;
}

/** Returns the way after a success: `on_approved` is another name for `next`, which says what was decided. */
function nextOf({ step, follows, fault }: StepReader, absent: string | null): string | null {
  if (step["on_approved"] === undefined) return follows("next", absent);
  if (step["next"] !== undefined) fault("next", "conflict", "must be omitted, because on_approved names the next step");
  return follows("on_approved", null);
}

type Base = Pick<Step, "id" | "place" | "next">;

const READERS: Readonly<
  Record<Exclude<Step["type"], ProvidedStepType>, (one: StepReader, base: Base) => Step | undefined>
> = {
  condition: readConditionStep,
  webhook: readWebhook,
  delay: readDelay,
  fire_event: readFireEvent,
  set: readSet,
  wait_event: readWaitEvent,
  parallel: readParallel,
  for_each: readForEach,
};

function readOfType(one: StepReader, type: Step["type"], base: Base): Step | undefined {
  if (type !== "http" && type !== "action" && type !== "wait_approval") return READERS[type](one, base);
  if (!one.reader.canDo(type))
    return one.fault(
      "type",
      "step_unavailable",
      `is a type of step that this installation does not support yet: omit the step`,
    );
  return type === "http" ? readHttp(one, base) : readDecided(one, type, base);
}

function readConditionStep({ reader, place, follows }: StepReader, base: Base): Step {
  const when = conditionAt(reader, [...place, "when"], reader.roots);
  return { ...base, type: "condition", when, ifSo: follows("then", null), ifNot: follows("else", null) };
}

function readHttp(one: StepReader, base: Base): Step {
  const { reader, place, way } = one;
  const { call, faults } = readHttpCall({ scan: reader.source, place, roots: reader.roots });
  reader.faults.push(...faults);
  return { ...base, type: "http", call, rawInput: rawInputOf(one, "http"), onFailure: way("on_failure") };
}

/** The members of which each value stays apart, so that people can see which one is missing. */
const SHOWN: ReadonlySet<string> = new Set(APPROVAL_TEXTS);

function readDecided(one: StepReader, type: "action" | "wait_approval", base: Base): Step {
  const { fill, way } = one;
  const names = inputNames(one, type);
  return {
    ...base,
    type,
    input: fillOfMembers(names.map((name) => [name, fill(name, SHOWN.has(name))] as const)),
    rawInput: rawInputOf(one, type),
    onRejected: way("on_rejected"),
    onExpired: way("on_expired"),
    onFailure: way("on_failure"),
  };
}

function inputNames({ step }: StepReader, type: ProvidedStepType): string[] {
  const { required, optional } = MEMBERS[type];
  return [...required, ...optional].filter((name) => !WAYS.has(name) && step[name] !== undefined);
}

function rawInputOf(one: StepReader, type: ProvidedStepType): string {
  const { reader, place } = one;
  const texts = inputNames(one, type).map(
    (name) => `${JSON.stringify(name)}:${reader.source.slice([...place, name]) ?? "null"}`,
  );
  return `{${texts.join(",")}}`;
}

function readWebhook(one: StepReader, base: Base): Step | undefined {
  const { step, fault, way } = one;
  const { url, headers = {} } = step;
  if (typeof url !== "string") return fault("url", "type", "must be a URL");
  if (!isRecord(headers) || !Object.values(headers).every((value) => typeof value === "string"))
    return fault("headers", "type", "must be an object of strings");
  const body = objectAt(one, "body");
  return {
    ...base,
    type: "webhook",
    url,
    headers: headers as Record<string, string>,
    body,
    onFailure: way("on_failure"),
  };
}

function readDelay(one: StepReader, base: Base): Step | undefined {
  const seconds = secondsAt(one, "seconds");
  return seconds === undefined ? undefined : { ...base, type: "delay", seconds };
}

function secondsAt({ step, fault }: StepReader, member: string): number | undefined {
  const { [member]: seconds } = step;
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_DELAY_SECONDS)
    return seconds;
  return fault(member, "range", `must be a whole number from 1 to ${MAX_DELAY_SECONDS}`);
}

function readSet(one: StepReader, base: Base): Step | undefined {
  const values = objectAt(one, "values");
  return values === null ? undefined : { ...base, type: "set", values };
}

function readWaitEvent(one: StepReader, base: Base): Step | undefined {
  const { step, fault, way } = one;
  const { event, match, tenants = "own" } = step;
  if (typeof event !== "string" || !isEventPattern(event)) return fault("event", "event_name", EVENT_PATTERN_FAULT);
  const seconds = secondsAt(one, "timeout_seconds");
  if (seconds === undefined) return undefined;
  if (tenants !== "own" && tenants !== "shared") return fault("tenants", "enum", "must be own or shared");
  return {
    ...base,
    type: "wait_event",
    event,
    isShared: tenants === "shared",
    match: match === undefined || match === null ? null : matchOf(one),
    seconds,
    onTimeout: way("on_timeout"),
  };
}

/** Checks the condition as far as it is known before its templates are filled in. */
function matchOf({ reader, place, fill }: StepReader): Fill {
  const isOpen = (value: unknown): boolean => typeof value === "string" && value.includes("${");
  const match = { scan: reader.source, place: [...place, "match"], roots: AWAITED_ROOTS, isOpen };
  reader.faults.push(...readCondition(match).faults);
  return fill("match");
}

function readParallel(one: StepReader, base: Base): Step | undefined {
  const { reader, place, step, fault, way } = one;
  const { branches } = step;
  if (isNested(one)) return undefined;
  if (!Array.isArray(branches) || branches.length === 0 || branches.length > MAX_BRANCHES)
    return fault("branches", "range", `must be a list of 1 to ${MAX_BRANCHES} lists of steps`);
  return {
    ...base,
    type: "parallel",
    branches: branches.map((list: unknown, at) => innerAt(reader, [...place, "branches", at], list)),
    onFailure: way("on_failure"),
  };
}

function readForEach(one: StepReader, base: Base): Step | undefined {
  const { reader, place, step, fault, way } = one;
  if (isNested(one)) return undefined;
  const max = wholeAt(one, "max", { most: MAX_ITEMS, absent: MAX_ITEMS });
  const { on_item_failure: onItemFailure = "fail", collect = true } = step;
  const known = ITEM_FAILURES.find((failure) => failure === onItemFailure);
  if (known === undefined) fault("on_item_failure", "enum", `must be one of ${ITEM_FAILURES.join(", ")}`);
  if (typeof collect !== "boolean") fault("collect", "type", "must be true or false");
  return {
    ...base,
    type: "for_each",
    list: itemsAt(one, max),
    steps: innerAt({ ...reader, roots: ITEM_ROOTS }, [...place, "steps"], step["steps"]),
    max,
    concurrency: wholeAt(one, "concurrency", { most: MAX_CONCURRENCY, absent: 1 }),
    onItemFailure: known ?? "fail",
    collects: collect !== false,
    onFailure: way("on_failure"),
  };
}

/** Returns true, and adds a fault, for a step with inner steps that is itself inside another step. */
function isNested({ reader, step, fault }: StepReader): boolean {
  const advice = "fire an event that starts another workflow";
  if (reader.isInner)
    fault(
      "type",
      "step_nested",
      `must not be ${String(step["type"])} inside another parallel or for_each step: ${advice}`,
    );
  return reader.isInner;
}

function innerAt(reader: Reader, place: StepPath, list: unknown): Step[] {
  if (Array.isArray(list) && list.length > 0 && list.length <= MAX_INNER_STEPS)
    return readSteps({ ...reader, isInner: true }, place, list);
  addFault(reader, place, "range", `must be a list of 1 to ${MAX_INNER_STEPS} steps`);
  return [];
}

function wholeAt(
  { step, fault }: StepReader,
  member: string,
  { most, absent }: { readonly most: number; readonly absent: number },
): number {
  const { [member]: value = absent } = step;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most) return value;
  fault(member, "range", `must be a whole number from 1 to ${most}`);
  return absent;
}

/** Compiles the list of a loop: a list as it was written, or a text that is only one token. */
function itemsAt({ step, fault, fill }: StepReader, max: number): Fill {
  const { in: given } = step;
  const items = fill("in");
  const isOne = typeof given === "string" && isToken(items);
  if (Array.isArray(given) && given.length > max)
    fault("in", "too_many", `must have at most ${max} items; it has ${given.length}`);
  else if (!Array.isArray(given) && !isOne)
    fault("in", "type", "must be a list, or only one ${…} token whose value is a list");
  return items;
}

/** Returns whether the whole text is one token, whose value keeps its type. */
function isToken({ pieces: [piece] }: Fill): boolean {
  return typeof piece === "object" && "steps" in piece;
}

function readFireEvent(one: StepReader, base: Base): Step | undefined {
  const { event } = one.step;
  const fault = firingFault(event, "must be an event name such as order.created");
  if (fault !== undefined) return one.fault("event", fault.code, fault.message);
  return { ...base, type: "fire_event", event: String(event), data: objectAt(one, "data") };
}

/** Compiles a member that must be an object. Null without it. */
function objectAt({ step, fault, fill }: StepReader, member: string): Fill | null {
  const { [member]: value } = step;
  if (value === undefined) return null;
  if (!isRecord(value)) fault(member, "type", "must be an object");
  return fill(member);
}

export function addFault({ faults }: Reader, place: StepPath, code: string, message: string): undefined {
  faults.push({ pointer: pointerOf(place), code, message });
  return undefined;
}
