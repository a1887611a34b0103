import type { wire } from "../../api/api.ts";
import { conditionOf, draftOfCondition, isObject, pretty, readObject } from "../../shared/shared.ts";
import type { ConditionDraft, Fault } from "../../shared/shared.ts";

/** A filter as it is being written: by fields, or as JSON. */
export interface FilterDraft {
  readonly takes: "all" | "some";
  readonly mode: "fields" | "json";
  readonly fields: ConditionDraft;
  readonly json: string;
}

export function draftOfFilter(filter: wire.WebhookEndpoint["filter"]): FilterDraft {
  return {
    takes: filter === null ? "all" : "some",
    mode: "fields",
    fields: draftOfCondition(filter === null ? null : { ...filter }),
    json: pretty(filter ?? { all: [] }),
  };
}

/** Returns the filter as the API accepts it, and the faults that prevent sending it. */
export function filterOf({ takes, mode, fields, json }: FilterDraft): {
  readonly filter: wire.Condition | null;
  readonly faults: readonly Fault[];
} {
  if (takes === "all") return { filter: null, faults: [] };
  if (mode === "fields") {
    const { condition, faults } = conditionOf(fields);
    return { filter: condition, faults: faults.map((one) => ({ ...one, pointer: `/filter${one.pointer}` })) };
  }
  const written = readObject(json);
  return {
    filter: written ?? {},
    faults: isObject(written) ? [] : [{ pointer: "/filter", message: "Enter a valid JSON object." }],
  };
}

/** Returns the draft in the other form. JSON that is not valid stays as it is. */
export function inMode(draft: FilterDraft, mode: FilterDraft["mode"]): FilterDraft {
  const { filter, faults } = filterOf({ ...draft, takes: "some" });
  if (faults.length > 0) return draft;
  return mode === "json"
    ? { ...draft, mode, json: pretty(filter) }
    : { ...draft, mode, fields: draftOfCondition(filter) };
}
