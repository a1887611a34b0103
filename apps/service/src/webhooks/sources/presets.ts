import type { Mapping } from "./mapping.ts";
import { NO_SCORE } from "./score.ts";
import type { SignatureScheme } from "./named-schemes.ts";

export const PRESETS = ["payment_processor", "scheduling_tool", "automation_relay", "custom"] as const;
export type PresetKey = (typeof PRESETS)[number];

/** The initial values of a new source. Each field can be overridden. */
export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly signature_scheme: SignatureScheme;
  readonly mapping: Mapping;
}

/** A mapping that reads nothing. */
export const EMPTY: Mapping = {
  each: null,
  contact: "if_present",
  event_type_header: null,
  event_type_default: null,
  idempotency_key_header: null,
  idempotency_key_template: null,
  contact_email_path: null,
  event_type_path: null,
  idempotency_key_path: null,
  contact_name_path: null,
  value_path: null,
  value_unit: "major",
  currency_path: null,
  summary_path: null,
  summary_template: null,
  dedupe_by_body: false,
  dedupe_ignore: [],
  score: NO_SCORE,
};

export const presets: Readonly<Record<PresetKey, Preset>> = {
  payment_processor: {
    name: "Payment processor",
    description: "Stripe's events about payment intents. Send the endpoint's signing secret (whsec_…) as `secret`.",
    signature_scheme: "stripe",
    mapping: {
      ...EMPTY,
      contact: "required",
      contact_email_path: "$.data.object.receipt_email",
      event_type_path: "$.type",
      idempotency_key_path: "$.id",
      contact_name_path: "$.data.object.shipping.name",
      value_path: "$.data.object.amount",
      value_unit: "minor",
      currency_path: "$.data.object.currency",
      summary_template: "${$.type} (${$.data.object.id})",
    },
  },
  scheduling_tool: {
    name: "Scheduling tool",
    description:
      "Calendly's events about invitees. They have no id of their own, so duplicates are recognised by their bytes. " +
      "Send the subscription's signing_key as `secret`.",
    signature_scheme: "calendly",
    mapping: {
      ...EMPTY,
      contact: "required",
      contact_email_path: "$.payload.email",
      event_type_path: "$.event",
      contact_name_path: "$.payload.name",
      value_path: "$.payload.payment.amount",
      currency_path: "$.payload.payment.currency",
      summary_template: "${$.event}: ${$.payload.scheduled_event.name}",
      dedupe_by_body: true,
    },
  },
  automation_relay: {
    name: "Automation relay",
    description:
      "A relay such as Zapier, Make or n8n that sends {id, event, email, name, value, summary} and signs the body.",
    signature_scheme: "service",
    mapping: {
      ...EMPTY,
      contact: "required",
      contact_email_path: "$.email",
      event_type_path: "$.event",
      idempotency_key_path: "$.id",
      contact_name_path: "$.name",
      value_path: "$.value",
      summary_path: "$.summary",
    },
  },
  custom: {
    name: "Custom",
    description: "A source without a mapping. Send a first event, then choose the paths from its receipt.",
    signature_scheme: "service",
    mapping: EMPTY,
  },
};
