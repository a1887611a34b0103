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

/** An event that the service knows by name. The schema tells what is customary; `data` is not refused for differing from it. */
export interface EventType {
  readonly name: string;
  /** `system` for what the service fires about itself, which is not one of the six domains. */
  readonly domain: Domain | "system";
  readonly title: string;
  /** One or two sentences: when it is fired. */
  readonly description: string;
  /** Of `data`. */
  readonly schema: JsonSchema;
  /** A `data` that the schema takes. */
  readonly example: { readonly [name: string]: Json };
}

export interface EventDraft {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly data: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly example: { readonly [name: string]: Json };
}

export function eventsOf(domain: EventType["domain"], drafts: readonly EventDraft[]): readonly EventType[] {
  return drafts.map(({ name, title, description, data, required, example }) => ({
    name,
    domain,
    title,
    description,
    schema: { type: "object", properties: data, required, additionalProperties: true },
    example,
  }));
}
