import { foreignJson, JsonError, scanJson } from "../../lib/lib.ts";
import type { WorkBudget } from "../../lib/lib.ts";

/** The maximum depth of a payload. One level is left for the event that contains the payload. */
export const MAX_DEPTH = 63;
/** The maximum of fields of a form, and of elements and attributes of an XML document. */
export const MAX_PARTS = 10_000;

/** Thrown if a body cannot be read. The message is shown with the receipt. */
export class BodyError extends Error {}

/** JSON that was sent in a field. It keeps its text, and with it the digits of its numbers. */
class SentJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The null of JSON. */
export const NULL = new SentJson("null");

/** A value of a form or of XML: a text, members, or several values of one name. */
export type Value = string | SentJson | Members | Value[];

/** Members in the order in which they were sent. They have no prototype, so that no name is special. */
export interface Members {
  [name: string]: Value;
}

export function newMembers(): Members {
  return Object.create(null) as Members;
}

/** Adds a member. One that is repeated becomes an array. */
export function addMember(target: Members, name: string, value: Value): void {
  const before = target[name];
  if (before === undefined) target[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else target[name] = [before, value];
}

/** The fields of a form, and the character set that they were in. */
export interface Fields {
  readonly value: Members;
  readonly charset: string;
}

/** The character set that a form's header names, and the one of its source. */
export interface FieldsCharset {
  readonly named: string | undefined;
  readonly fallback: string | null;
}

/** A text that is not JSON costs an error with its stack. */
const FIELD_UNITS = 500;

/** Returns the JSON of a field named `payload`, in which Slack and GitHub send an event; the text of any other field. */
export function fieldValue(name: string, text: string, budget: WorkBudget): Value {
  return name === "payload" ? jsonField(text, budget) : text;
}

/** Returns the object or array of a field; any other text as it is. */
export function jsonField(text: string, budget: WorkBudget): Value {
  if (!/^\s*[[{]/.test(text)) return text;
  budget.spend(FIELD_UNITS + text.length / 10);
  try {
    scanJson(Buffer.from(text), MAX_DEPTH - 1, budget);
    return new SentJson(text);
  } catch (error) {
    if (error instanceof JsonError) return text;
    throw error;
  }
}

/** Reads the JSON of a field that says something about others. */
export function foreignField(body: Buffer): unknown {
  return body.length > MAX_FIELD_BYTES ? undefined : foreignJson(body);
}

const MAX_FIELD_BYTES = 16_384;

/** Returns the JSON text of a value. */
export function jsonOf(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof SentJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(",")}]`;
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`);
  return `{${members.join(",")}}`;
}
