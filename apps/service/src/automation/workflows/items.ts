import { filled } from "../../events/events.ts";
import type { Facts } from "../../events/events.ts";
import { scanJson } from "../../lib/lib.ts";
import type { Step } from "./step.ts";

export type ForEachStep = Extract<Step, { type: "for_each" }>;

/** Returns the items of a loop as JSON texts, or the reason why it has none. Throws FillError. */
export function itemsOf({ list, max }: ForEachStep, facts: Facts): readonly string[] | { readonly error: string } {
  const [piece] = list.pieces;
  const path = typeof piece === "object" && "steps" in piece ? piece.text : undefined;
  const text = filled(list, facts);
  const scan = scanJson(Buffer.from(text));
  const value: unknown = scan.value;
  if (Array.isArray(value)) {
    if (value.length > max) return { error: `The list has ${value.length} items; at most ${max} are allowed.` };
    return value.map((_item, at) => scan.slice([at]) ?? "null");
  }
  const isMissing = list.paths.some((one) => facts.at(one) === undefined);
  return {
    error: isMissing
      ? `The list is missing: ${String(path)} has no value.`
      : `The value of ${String(path)} must be a list; it is ${kindOf(value)}.`,
  };
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
