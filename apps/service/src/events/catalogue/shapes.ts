import type { JsonSchema } from "./event-type.ts";
import type { Json } from "../../lib/lib.ts";

export function text(description: string): JsonSchema {
  return { type: "string", description };
}

export function choice(description: string, values: readonly string[]): JsonSchema {
  return { type: "string", description, enum: values };
}

export function email(description: string): JsonSchema {
  return { type: "string", format: "email", description };
}

export function url(description: string): JsonSchema {
  return { type: "string", format: "uri", description };
}

/** Describes a time in RFC 3339 with a zone. */
export function time(description: string): JsonSchema {
  return { type: "string", format: "date-time", description };
}

/** Describes a date in the form `YYYY-MM-DD`. */
export function day(description: string): JsonSchema {
  return { type: "string", format: "date", description };
}

export function count(description: string): JsonSchema {
  return { type: "integer", minimum: 0, description };
}

/** Describes money as a whole number of the currency's smallest unit, so that rules can compare it without rounding. */
export function money(description: string): JsonSchema {
  return { type: "integer", description: `${description}, in the currency's smallest unit (cents for EUR)` };
}

export function measure(description: string): JsonSchema {
  return { type: "number", description };
}

export function flag(description: string): JsonSchema {
  return { type: "boolean", description };
}

export function list(description: string, items: JsonSchema): JsonSchema {
  return { type: "array", description, items };
}

export function object(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  // OpenAPI 3.0.3 refuses an empty list of required names.
  const demanded = required.length > 0 ? { required } : {};
  return { type: "object", description, properties, ...demanded, additionalProperties: true };
}

/** Describes an object of the customer's own platform, which `external_id` identifies there. */
export function entity(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object(description, { external_id: text("Id in your system"), ...properties }, ["external_id"]);
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, nullable: true };
}

export const currency: JsonSchema = { type: "string", pattern: "^[A-Z]{3}$", description: "ISO 4217 currency code" };

/** Customers are projected from this shape wherever it appears as `data.customer` (contract, section 6). */
export const customer: JsonSchema = entity("The customer concerned", {
  email: email("E-mail address, which identifies the contact"),
  name: text("Full name"),
  lifecycle_stage: text("Lifecycle stage, such as lead, trial, customer or churned"),
});

/** Tickets are projected from this shape wherever it appears as `data.ticket`, together with `data.customer`. */
export const ticket: JsonSchema = entity("The ticket as it is after the event", {
  subject: text("Subject line"),
  status: text("Status, such as open, pending, on_hold, resolved or closed"),
  priority: text("Priority, such as low, normal, high or urgent"),
  assignee: orNull(text("Email address or name of the assignee, or null")),
});

export const actor: JsonSchema = object("The caller", {
  type: choice("Kind of caller", ["user", "service", "ai"]),
  id: text("Id of the member or key"),
  display: text("Display name"),
});

export const ada = {
  external_id: "cus_4711",
  email: "ada.moreau@example.com",
  name: "Ada Moreau",
} as const satisfies Json;

export const printer = {
  external_id: "TCK-2041",
  subject: "Label printer stopped after the update",
  status: "open",
  priority: "high",
  assignee: null,
} as const satisfies Json;

/** The ids of the service's own objects in examples, all of one live workspace. */
export const EXAMPLE_IDS = {
  evt: "evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
  dlv: "dlv_7k2m9qaw01m7w4rx14e06t8399tk5zr5ty",
  ep: "ep_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h",
  src: "src_7k2m9qaw01m7w4wmm8e7dskprg5d66hytz",
  rcp: "rcp_7k2m9qaw01m7w4ygdte76bvk76nbvm9jsy",
  prop: "prop_7k2m9qaw01m7w50c7ce6dbk6jgjwe9dhmc",
  run: "run_7k2m9qaw01m7w5280ye7dabpnvwb98wx1b",
  aud: "aud_7k2m9qaw01m7w543tgebfbxqhdzh954jz6",
  key: "key_7k2m9qaw01m7w55zm2e64rk2bm23253456",
  wf: "wf_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
  mem: "mem_7k2m9qaw01m7w57vdme87sc3xyc8pvq75s",
  rule: "rule_7k2m9qaw01m7w57vdme87sc3xyc8pvq75s",
  iss: "iss_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h",
  con: "con_7k2m9qaw01m7w4ygdte76bvk76nbvm9jsy",
} as const;
