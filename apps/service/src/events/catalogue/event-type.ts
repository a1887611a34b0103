import type { Json } from "../../lib/lib.ts";

export const DOMAINS = ["commerce", "billing", "support", "crm", "security", "analytics"] as const;
export type Domain = (typeof DOMAINS)[number];

/** The part of JSON Schema that OpenAPI 3.0.3 shares with AJV: `nullable` instead of type lists, no `const`, inclusive bounds. */
export interface JsonSchema {
  readonly type: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly description?: string;
  readonly nullable?: boolean;
  readonly format?: "date" | "date-time" | "email" | "uri";
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/**
 * An event that the service knows by name. The schema describes the usual form; `data` that differs from it is not
 * refused.
 */
export interface EventType {
  readonly name: string;
  /** The domain. `system` marks events that the service fires about itself, which belong to none of the six domains. */
  readonly domain: Domain | "system";
  readonly title: string;
  /** One or two sentences that say when the event is fired. */
  readonly description: string;
  /** The schema of `data`. */
  readonly schema: JsonSchema;
  /** An example of `data` that conforms to the schema. */
  readonly example: { readonly [name: string]: Json };
}

interface TypeDraft extends Pick<EventType, "name" | "description" | "example"> {
  /** Default: the words of the name. */
  readonly title?: string;
  readonly data: Readonly<Record<string, JsonSchema>>;
  /** Default: the first member of `data`, which the event is about. */
  readonly required?: readonly string[];
}

export function eventsOf(domain: EventType["domain"], drafts: readonly TypeDraft[]): readonly EventType[] {
  return drafts.map(
    ({ name, title = titleOf(name), description, data, required = Object.keys(data).slice(0, 1), example }) => ({
      name,
      domain,
      title,
      description,
      schema: { type: "object", properties: data, required, additionalProperties: true },
      example,
    }),
  );
}

function titleOf(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll(/[._]/g, " ");
}
