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
import { readHttpCall } from "../http-calls/template.ts";
import { AWAITED_ROOTS, STEP_ROOTS } from "./facts.ts";
import { APPROVAL_TEXTS, MEMBERS, STEP_TYPES, WAYS } from "./step.ts";
import type { PluggedType, Step } from "./step.ts";

/** The maximum length of a delay, and of a wait for an event. */
const MAX_DELAY_SECONDS = 366 * 86_400;
const STEP_ID = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A definition that is being read, with the faults found so far. */
export interface Reader {
  readonly source: ScannedJson;
  readonly faults: Violation[];
  readonly canDo: (type: PluggedType) => boolean;
}

export type Raw = Readonly<Record<string, unknown>>;
export type Place = readonly (string | number)[];

export function conditionAt({ source: scan, faults }: Reader, place: Place, roots: readonly string[]): Condition {
  const { condition, faults: found } = readCondition({ scan, place, roots });
  faults.push(...found);
  return condition;
}

function fillAt({ source: scan, faults }: Reader, place: Place, inParts = false): Fill {
  const { fill, faults: found } = compileFill({ scan, place, roots: STEP_ROOTS }, inParts);
  faults.push(...found);
  return fill;
}

interface RawStep {
  readonly at: number;
  readonly step: unknown;
  /** The ids of all steps, in order. */
  readonly ids: readonly unknown[];
}

/** Returns undefined, and adds faults, if the step cannot be read. */
export function readStep(reader: Reader, { at, step, ids }: RawStep): Step | undefined {
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
    case "set":
      return readSet(typed, base);
    case "wait_event":
      return readWaitEvent(typed, base);
    default:
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
}

function readHttp(typed: Typed, base: Pick<Step, "id" | "place" | "next">): Step {
  const { reader, place } = typed;
  const { call, faults } = readHttpCall({ scan: reader.source, place, roots: STEP_ROOTS });
  reader.faults.push(...faults);
  return {
    ...base,
    type: "http",
    call,
    rawInput: rawInputOf(typed, "http"),
    onFailure: wayAt(typed, "on_failure"),
  };
}

function readDecided(typed: Typed, type: "action" | "wait_approval", base: Pick<Step, "id" | "place" | "next">): Step {
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
    input: fillOfMembers(names.map((name) => [name, fillAt(reader, [...place, name], SHOWN.has(name))] as const)),
    rawInput: rawInputOf(typed, type),
  };
}

function readWebhook(typed: Typed, base: Pick<Step, "id" | "place" | "next">): Step | undefined {
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

function readDelay({ reader, place, step }: Typed, base: Pick<Step, "id" | "place" | "next">): Step | undefined {
  const seconds = secondsAt(reader, [...place, "seconds"], step["seconds"]);
  return seconds === undefined ? undefined : { ...base, type: "delay", seconds };
}

function secondsAt(reader: Reader, place: Place, seconds: unknown): number | undefined {
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_DELAY_SECONDS)
    return seconds;
  return addFault(reader, place, "range", `must be a whole number from 1 to ${MAX_DELAY_SECONDS}`);
}

function readSet({ reader, place, step }: Typed, base: Pick<Step, "id" | "place" | "next">): Step | undefined {
  const values = objectAt(reader, [...place, "values"], step["values"]);
  return values === null ? undefined : { ...base, type: "set", values };
}

function readWaitEvent(typed: Typed, base: Pick<Step, "id" | "place" | "next">): Step | undefined {
  const { reader, place, step } = typed;
  const { event, match } = step;
  if (typeof event !== "string" || !isEventPattern(event))
    return addFault(reader, [...place, "event"], "event_name", EVENT_PATTERN_FAULT);
  const seconds = secondsAt(reader, [...place, "timeout_seconds"], step["timeout_seconds"]);
  if (seconds === undefined) return undefined;
  return {
    ...base,
    type: "wait_event",
    event,
    match: match === undefined || match === null ? null : matchAt(reader, [...place, "match"]),
    seconds,
    onTimeout: wayAt(typed, "on_timeout"),
  };
}

/** Checks the condition as far as it is known before its templates are filled in. */
function matchAt(reader: Reader, place: Place): Fill {
  const isOpen = (value: unknown): boolean => typeof value === "string" && value.includes("${");
  reader.faults.push(...readCondition({ scan: reader.source, place, roots: AWAITED_ROOTS, isOpen }).faults);
  return fillAt(reader, place);
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

export function addFault({ faults }: Reader, place: Place, code: string, message: string): undefined {
  faults.push({ pointer: pointerOf(place), code, message });
  return undefined;
}
