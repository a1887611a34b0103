import {
  factsOf,
  filled,
  FillError,
  sourceOfScalar,
  sourceOfText,
  fillText,
  withinBudget,
} from "../../events/events.ts";
import type { Facts } from "../../events/events.ts";
import { sentHeaderFaults } from "./transform.ts";
import type { TemplateTransform, TransformMethod } from "./transform.ts";

/** The input of a transformation. `data` is JSON text of an object. */
export interface TransformInput {
  readonly event: string;
  readonly data: string;
  /** The id of the event. */
  readonly id: string;
  /** The time of the event, RFC 3339. */
  readonly timestamp: string;
  readonly tenant: string | null;
  readonly attempt: 1;
}

/** A request as a transformation made it. */
export interface TransformedRequest {
  readonly method: TransformMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a transformation. `filtered`: nothing will be sent. `failed`: the message says why. */
export type Transformed = (
  | { readonly kind: "request"; readonly request: TransformedRequest }
  | { readonly kind: "filtered" }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** True for a script that took too long. */
      readonly stopped?: boolean;
    }
) & { readonly log: readonly string[] };

const MAX_LINES = 20;

/** Returns what a transformation reads as JSON text. The text of `data` is inserted unchanged. */
export function inputText({ data, ...head }: TransformInput): string {
  return `${JSON.stringify(head).slice(0, -1)},"data":${data}}`;
}

function missingIn({ paths }: TemplateTransform, facts: Facts): string[] {
  const missing = withinBudget(() => paths.filter((path) => facts.at(path) === undefined).map(({ text }) => text));
  return [...new Set(missing)].slice(0, MAX_LINES).map((path) => `There is no value at ${path}.`);
}

/** Fills in a template. A path without a value gives null, or no text within a text, and a line of the log. */
export function fillTransform(transform: TemplateTransform, input: TransformInput): Transformed {
  const facts = factsOf({
    data: sourceOfText(input.data),
    event: sourceOfScalar(input.event),
    id: sourceOfScalar(input.id),
    timestamp: sourceOfScalar(input.timestamp),
    tenant: sourceOfScalar(input.tenant),
    attempt: sourceOfScalar(input.attempt),
  });
  let log: readonly string[] = [];
  try {
    log = missingIn(transform, facts);
    const headers = Object.fromEntries(transform.headers.map(([name, value]) => [name, fillText(value, facts)]));
    const [fault] = sentHeaderFaults(headers);
    if (fault !== undefined) return { kind: "failed", message: `${fault.pointer} ${fault.message}.`, log };
    return {
      kind: "request",
      request: { method: transform.method, headers, body: filled(transform.body, facts) },
      log,
    };
  } catch (error) {
    if (error instanceof FillError) return { kind: "failed", message: `The body ${error.message}.`, log };
    throw error;
  }
}
