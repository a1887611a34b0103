import type { wire } from "../../api/api.ts";
import { isObject, pretty, readObject, readValue } from "../../shared/shared.ts";
import type { Fault } from "../../shared/shared.ts";

export type TransformKind = "none" | "template" | "script";

/** A transformation as it is being written. The texts of both kinds are kept while the kind changes. */
export interface TransformDraft {
  readonly kind: TransformKind;
  /** JSON: the members of a template, without its kind and cases. */
  readonly template: string;
  readonly source: string;
  /** JSON: the list of cases. */
  readonly cases: string;
}

const TEMPLATE = { body: { text: "${$.event}", data: "${$.data}" } };
const SOURCE = `export function transform({ event, data }) {
  return { body: { text: event, data } };
}
`;

export function draftOfTransform(transform: wire.WebhookEndpoint["transform"]): TransformDraft {
  if (transform === null) return { kind: "none", template: pretty(TEMPLATE), source: SOURCE, cases: "[]" };
  const { kind, cases, source, ...template } = transform;
  const isScript = kind === "script";
  return {
    kind: isScript ? "script" : "template",
    template: pretty(isScript ? TEMPLATE : template),
    source: source ?? SOURCE,
    cases: pretty(cases ?? []),
  };
}

/** Returns the transformation as the API accepts it, and the faults that prevent sending it. */
export function transformOf({ kind, template, source, cases }: TransformDraft): {
  readonly transform: wire.Transform | null;
  readonly faults: readonly Fault[];
} {
  if (kind === "none") return { transform: null, faults: [] };
  const list = readValue(cases);
  const own = kind === "script" ? { source } : readObject(template);
  const faults = [
    ...(isObject(own) ? [] : [{ pointer: "/transform", message: "Enter a valid JSON object." }]),
    ...(Array.isArray(list) ? [] : [{ pointer: "/transform/cases", message: "Enter a valid JSON list." }]),
  ];
  const kept = Array.isArray(list) && list.length > 0 ? { cases: list as wire.TransformCase[] } : {};
  return { transform: { kind, ...own, ...kept }, faults };
}
