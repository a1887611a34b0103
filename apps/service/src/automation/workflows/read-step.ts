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
import { readHttpCall } from "../http-calls/template.ts";
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
export type Place = readonly (string | number)[];

export function conditionAt({ source: scan, faults }: Reader, place: Place, roots: readonly string[]): Condition {
  const { condition, faults: found } = readCondition({ scan, place, roots });
  faults.push(...found);
  return condition;
}

function fillAt({ source: scan, faults, roots }: Reader, place: Place, inParts = false): Fill {
  const { fill, faults: found } = compileFill({ scan, place, roots }, inParts);
  faults.push(...found);
  return fill;
}

interface RawStep {
  readonly place: Place;
  readonly at: number;
  readonly step: unknown;
  /** The ids of all steps of the list, in order. */
  readonly ids: readonly unknown[];
}

/** Reads a list of steps. Leaves out, and adds faults for, those that cannot be read. */
export function readSteps(reader: Reader, place: Place, raw: readonly unknown[]): Step[] {
  const ids = raw.map((step) => (isRecord(step) ? step["id"] : undefined));
  return raw.flatMap((step, at) => {
    const read = readStep(reader, { place: [...place, at], at, step, ids });
    return read === undefined ? [] : [read];
  });
}

/** Returns undefined, and adds faults, if the step cannot be read. */
function readStep(reader: Reader, { place, at, step, ids }: RawStep): Step | undefined {
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
  if (reader.ids.has(id))
    return addFault(reader, [...place, "id"], "duplicate", `must be unique: another step has this id`);
  reader.ids.add(id);
  const type = STEP_TYPES.find((known) => known === step["type"]);
  if (type === undefined)
    return addFault(reader, [...place, "type"], "step_type", `must be one of ${STEP_TYPES.join(", ")}`);
  if (!hasItsMembers(reader, place, step, type)) return undefined;
  const follows = (name: string, absent: string | null): string | null => {
    const target = step[name] === undefined ? absent : step[name];
    if (target === null || ids.includes(target)) return target as string | null;
    const message = reader.isInner
      ? "must be the id of a step of the same list, or null to end the list"
      : "must be the id of a step, or null to end the run";
    addFault(reader, [...place, name], "step_unknown", message);
    return null;
  };
  const following = ids[at + 1];
  const absent = typeof following === "string" ? following : null;
  const base = { id, place, next: nextOf({ reader, place, step, follows }, absent) };
  return readOfType({ reader, place, step, follows }, type, base);
}

interface Typed {
  readonly reader: Reader;
  readonly place: Place;
  readonly step: Raw;
  follows(name: string, absent: string | null): string | null;
}

/** Returns the way after a success: `on_approved` is another name for `next`, which says what was decided. */
function nextOf({ reader, place, step, follows }: Typed, absent: string | null): string | null {
  if (step["on_approved"] === undefined) return follows("next", absent);
  if (step["next"] !== undefined)
    addFault(reader, [...place, "next"], "conflict", "must be omitted, because on_approved names the next step");
  return follows("on_approved", null);
}

/** Returns the way that a member names. Undefined without the member. */
function wayAt({ step, follows }: Typed, name: string): string | null | undefined {
  return step[name] === undefined ? undefined : follows(name, null);
}

type Base = Pick<Step, "id" | "place" | "next">;

const READERS: Readonly<
  Record<Exclude<Step["type"], ProvidedStepType>, (typed: Typed, base: Base) => Step | undefined>
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

function readOfType(typed: Typed, type: Step["type"], base: Base): Step | undefined {
  const { reader, place } = typed;
  if (type !== "http" && type !== "action" && type !== "wait_approval") return READERS[type](typed, base);
  if (!reader.canDo(type)) {
    return addFault(
      reader,
      [...place, "type"],
      "step_unavailable",
      `is a type of step that this installation does not support yet: omit the step`,
    );
  }
  return type === "http" ? readHttp(typed, base) : readDecided(typed, type, base);
}

function readConditionStep({ reader, place, follows }: Typed, base: Base): Step {
  const when = conditionAt(reader, [...place, "when"], reader.roots);
  return { ...base, type: "condition", when, ifSo: follows("then", null), ifNot: follows("else", null) };
}

function readHttp(typed: Typed, base: Base): Step {
  const { reader, place } = typed;
  const { call, faults } = readHttpCall({ scan: reader.source, place, roots: reader.roots });
  reader.faults.push(...faults);
  return {
    ...base,
    type: "http",
    call,
    rawInput: rawInputOf(typed, "http"),
    onFailure: wayAt(typed, "on_failure"),
  };
}

function readDecided(typed: Typed, type: "action" | "wait_approval", base: Base): Step {
  return {
    ...base,
    type,
    ...inputOf(typed, type),
    onRejected: wayAt(typed, "on_rejected"),
    onExpired: wayAt(typed, "on_expired"),
    onFailure: wayAt(typed, "on_failure"),
  };
}

/** The members of which each value stays apart, so that people can see which one is missing. */
const SHOWN: ReadonlySet<string> = new Set(APPROVAL_TEXTS);

function inputNames({ step }: Typed, type: ProvidedStepType): string[] {
  const { required, optional } = MEMBERS[type];
  return [...required, ...optional].filter((name) => !WAYS.has(name) && step[name] !== undefined);
}

function rawInputOf(typed: Typed, type: ProvidedStepType): string {
  const { reader, place } = typed;
  const texts = inputNames(typed, type).map(
    (name) => `${JSON.stringify(name)}:${reader.source.slice([...place, name]) ?? "null"}`,
  );
  return `{${texts.join(",")}}`;
}

function inputOf(typed: Typed, type: ProvidedStepType): { input: Fill; rawInput: string } {
  const { reader, place } = typed;
  const names = inputNames(typed, type);
  return {
    input: fillOfMembers(names.map((name) => [name, fillAt(reader, [...place, name], SHOWN.has(name))] as const)),
    rawInput: rawInputOf(typed, type),
  };
}

function readWebhook(typed: Typed, base: Base): Step | undefined {
  const { reader, place, step } = typed;
  const { url, headers = {}, body } = step;
  if (typeof url !== "string") return addFault(reader, [...place, "url"], "type", "must be a URL");
  if (!isRecord(headers) || !Object.values(headers).every((value) => typeof value === "string")) {
    return addFault(reader, [...place, "headers"], "type", "must be an object of strings");
  }
  return {
    ...base,
    type: "webhook",
    url,
    headers: headers as Record<string, string>,
    body: objectAt(reader, [...place, "body"], body),
    onFailure: wayAt(typed, "on_failure"),
  };
}

function readDelay({ reader, place, step }: Typed, base: Base): Step | undefined {
  const seconds = secondsAt(reader, [...place, "seconds"], step["seconds"]);
  return seconds === undefined ? undefined : { ...base, type: "delay", seconds };
}

function secondsAt(reader: Reader, place: Place, seconds: unknown): number | undefined {
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_DELAY_SECONDS)
    return seconds;
  return addFault(reader, place, "range", `must be a whole number from 1 to ${MAX_DELAY_SECONDS}`);
}

function readSet({ reader, place, step }: Typed, base: Base): Step | undefined {
  const values = objectAt(reader, [...place, "values"], step["values"]);
  return values === null ? undefined : { ...base, type: "set", values };
}

function readWaitEvent(typed: Typed, base: Base): Step | undefined {
  const { reader, place, step } = typed;
  const { event, match, tenants = "own" } = step;
  if (typeof event !== "string" || !isEventPattern(event))
    return addFault(reader, [...place, "event"], "event_name", EVENT_PATTERN_FAULT);
  const seconds = secondsAt(reader, [...place, "timeout_seconds"], step["timeout_seconds"]);
  if (seconds === undefined) return undefined;
  if (tenants !== "own" && tenants !== "shared")
    return addFault(reader, [...place, "tenants"], "enum", "must be own or shared");
  return {
    ...base,
    type: "wait_event",
    event,
    isShared: tenants === "shared",
    match: match === undefined || match === null ? null : matchAt(reader, [...place, "match"]),
    seconds,
    onTimeout: wayAt(typed, "on_timeout"),
  };
}

function readParallel(typed: Typed, base: Base): Step | undefined {
  const { reader, place, step } = typed;
  const { branches } = step;
  if (isNested(typed)) return undefined;
  if (!Array.isArray(branches) || branches.length === 0 || branches.length > MAX_BRANCHES)
    return addFault(reader, [...place, "branches"], "range", `must be a list of 1 to ${MAX_BRANCHES} lists of steps`);
  return {
    ...base,
    type: "parallel",
    branches: branches.map((list: unknown, at) => innerAt(reader, [...place, "branches", at], list)),
    onFailure: wayAt(typed, "on_failure"),
  };
}

function readForEach(typed: Typed, base: Base): Step | undefined {
  const { reader, place, step } = typed;
  if (isNested(typed)) return undefined;
  const max = wholeAt(typed, "max", { most: MAX_ITEMS, absent: MAX_ITEMS });
  const { on_item_failure: onItemFailure = "fail", collect = true } = step;
  const known = ITEM_FAILURES.find((one) => one === onItemFailure);
  if (known === undefined)
    addFault(reader, [...place, "on_item_failure"], "enum", `must be one of ${ITEM_FAILURES.join(", ")}`);
  if (typeof collect !== "boolean") addFault(reader, [...place, "collect"], "type", "must be true or false");
  return {
    ...base,
    type: "for_each",
    list: itemsAt(typed, max),
    steps: innerAt({ ...reader, roots: ITEM_ROOTS }, [...place, "steps"], step["steps"]),
    max,
    concurrency: wholeAt(typed, "concurrency", { most: MAX_CONCURRENCY, absent: 1 }),
    onItemFailure: known ?? "fail",
    collects: collect !== false,
    onFailure: wayAt(typed, "on_failure"),
  };
}

/** Returns true, and adds a fault, for a step with inner steps that is itself inside another step. */
function isNested({ reader, place, step }: Typed): boolean {
  if (reader.isInner)
    addFault(
      reader,
      [...place, "type"],
      "step_nested",
      `must not be ${String(step["type"])} inside another parallel or for_each step: fire an event that starts another workflow`,
    );
  return reader.isInner;
}

function innerAt(reader: Reader, place: Place, list: unknown): Step[] {
  if (Array.isArray(list) && list.length > 0 && list.length <= MAX_INNER_STEPS)
    return readSteps({ ...reader, isInner: true }, place, list);
  addFault(reader, place, "range", `must be a list of 1 to ${MAX_INNER_STEPS} steps`);
  return [];
}

function wholeAt(
  { reader, place, step }: Typed,
  name: string,
  { most, absent }: { readonly most: number; readonly absent: number },
): number {
  const { [name]: value = absent } = step;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most) return value;
  addFault(reader, [...place, name], "range", `must be a whole number from 1 to ${most}`);
  return absent;
}

/** Compiles the list of a loop: a list as it was written, or a text that is only one token. */
function itemsAt({ reader, place, step }: Typed, max: number): Fill {
  const { in: given } = step;
  const at = [...place, "in"];
  const fill = fillAt(reader, at);
  const isOne = typeof given === "string" && isToken(fill);
  if (Array.isArray(given) && given.length > max)
    addFault(reader, at, "too_many", `must have at most ${max} items; it has ${given.length}`);
  else if (!Array.isArray(given) && !isOne)
    addFault(reader, at, "type", "must be a list, or only one ${…} token whose value is a list");
  return fill;
}

/** Returns whether the whole text is one token, whose value keeps its type. */
function isToken({ pieces: [piece] }: Fill): boolean {
  return typeof piece === "object" && "steps" in piece;
}

/** Checks the condition as far as it is known before its templates are filled in. */
function matchAt(reader: Reader, place: Place): Fill {
  const isOpen = (value: unknown): boolean => typeof value === "string" && value.includes("${");
  reader.faults.push(...readCondition({ scan: reader.source, place, roots: AWAITED_ROOTS, isOpen }).faults);
  return fillAt(reader, place);
}

function readFireEvent({ reader, place, step }: Typed, base: Base): Step | undefined {
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

export function addFault({ faults }: Reader, place: Place, code: string, message: string): undefined {
  faults.push({ pointer: pointerOf(place), code, message });
  return undefined;
}
