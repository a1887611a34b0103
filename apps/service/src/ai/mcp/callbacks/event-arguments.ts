import type { DescribedType } from "../../../events/events.ts";
import { filterFaults, shortest } from "../../../webhooks/webhooks.ts";
import { isRecord, pointerOf, TENANT_ADVICE, TENANT_PATTERN } from "../../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../../lib/lib.ts";
import { fault } from "../mcp-fault.ts";
import { invalid } from "./refusals.ts";
import { dataArguments } from "./type-schemas.ts";
import type { DataArgument } from "./type-schemas.ts";

/** The arguments of a message, with the text of their values, so that no digit is lost. */
export interface WrittenArguments {
  readonly values: Readonly<Record<string, unknown>>;
  readonly scanned: ScannedJson;
  /** The path of the arguments in the message. */
  readonly path: readonly string[];
}

const MOST_TEXT = 256;
const TENANT = new RegExp(TENANT_PATTERN);

/** Returns the arguments of a message: in this dialect null is as an absent member, and none as an empty object. */
export function writtenArguments(
  given: unknown,
  scanned: ScannedJson | null,
  path: readonly string[],
): WrittenArguments {
  if (scanned === null) throw new Error("a message with params has no text");
  if (given !== undefined && !isRecord(given)) throw invalid([fault("/arguments", "type", "must be an object")]);
  const values = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  return { values, scanned, path };
}

/**
 * Returns the canonical JSON text of arguments (RFC 8785), except that numbers keep all their digits: two arguments with the same text
 * select the same events.
 */
export function canonicalArguments({ values, scanned, path }: WrittenArguments): string {
  const text = (value: unknown, at: readonly (string | number)[]): string => {
    if (typeof value === "number") return shortest(scanned.slice(at) ?? String(value));
    if (Array.isArray(value)) return `[${value.map((one, index) => text(one, [...at, index])).join(",")}]`;
    if (!isRecord(value)) return JSON.stringify(value);
    const names = Object.keys(value).toSorted();
    return `{${names.map((name) => `${JSON.stringify(name)}:${text(value[name], [...at, name])}`).join(",")}}`;
  };
  return text(values, path);
}

/** Returns the text of the condition that arguments stand for; null for none. Throws 422 for what the type of event does not know. */
export function conditionOf(type: DescribedType, written: WrittenArguments): string | null {
  const known = dataArguments(type);
  const parts = Object.entries(written.values).map(([name, value]) => partOf(name, value, { known, written }));
  const faults = parts.flatMap((part) => ("faults" in part ? part.faults : []));
  if (faults.length > 0) throw invalid(faults);
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []));
  if (texts.length === 0) return null;
  const whole = `{"all":[${texts.join(",")}]}`;
  const together = filterFaults(whole, "mcp");
  if (together.length > 0) throw invalid(together.map((one) => ({ ...one, pointer: "/arguments" })));
  return whole;
}

type Part = { readonly text: string } | { readonly faults: readonly Violation[] };

interface Reading {
  readonly known: ReadonlyMap<string, DataArgument>;
  readonly written: WrittenArguments;
}

function partOf(name: string, value: unknown, { known, written }: Reading): Part {
  const pointer = `/arguments${pointerOf([name])}`;
  const text = written.scanned.slice([...written.path, name]) ?? "null";
  if (name === "filter") return filterPart(text);
  if (name === "tenant")
    return isText(value) && TENANT.test(value)
      ? { text: equals("tenant", text) }
      : { faults: [fault(pointer, "format", TENANT_ADVICE)] };
  if (name === "subject")
    return isText(value)
      ? { text: equals("subject", text) }
      : { faults: [fault(pointer, "type", `must be a text of at most ${MOST_TEXT} characters`)] };
  const argument = known.get(name);
  if (argument === undefined) return { faults: [fault(pointer, "unknown", "is not an argument of this event type")] };
  if (!argument.types.some((type) => isOf(type, value)))
    return { faults: [fault(pointer, "type", `must be ${argument.types.join(" or ")}`)] };
  const steps = argument.steps.map((step) => `[${JSON.stringify(step)}]`).join("");
  return { text: equals(`$.data${steps}`, text) };
}

function filterPart(text: string): Part {
  const faults = filterFaults(text).map((one) => ({ ...one, pointer: `/arguments${one.pointer}` }));
  return faults.length === 0 ? { text } : { faults };
}

function equals(field: string, value: string): string {
  return `{"field":${JSON.stringify(field)},"op":"eq","value":${value}}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MOST_TEXT && value.isWellFormed();
}

function isOf(type: DataArgument["types"][number], value: unknown): boolean {
  if (type === "string") return typeof value === "string" && value.isWellFormed();
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}
