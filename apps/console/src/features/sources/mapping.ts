import type { wire } from "../../api/api.ts";

/** The paths of a source's mapping. */
export const PATHS = [
  { name: "contact_email_path", label: "Contact e-mail", hint: "Finds or creates the contact." },
  { name: "event_type_path", label: "Event type", hint: "Default: “event”." },
  { name: "idempotency_key_path", label: "Sender's event ID", hint: "Events with the same ID are counted once." },
  { name: "contact_name_path", label: "Contact name", hint: "" },
  { name: "value_path", label: "Value", hint: "An amount or another number." },
  { name: "currency_path", label: "Currency", hint: "Defines how many minor units make one major unit." },
  { name: "summary_path", label: "Summary", hint: "A complete sentence for the timeline." },
] as const;

export type PathName = (typeof PATHS)[number]["name"];

/** Headers that can name a value in place of a path. */
export const HEADERS = [
  {
    name: "event_type_header",
    label: "Type header",
    hint: "A header with the event type. It takes precedence over the path.",
  },
  {
    name: "idempotency_key_header",
    label: "ID header",
    hint: "A header with the sender's event ID. It takes precedence over the path.",
  },
] as const;

export const CONTACT_MODES = [
  {
    value: "if_present",
    label: "If present",
    detail: "A request with an e-mail address becomes an activity of its contact. Every request fires an event.",
  },
  { value: "required", label: "Required", detail: "A request without an e-mail address fires no event." },
  { value: "none", label: "None", detail: "Requests fire events and have no contacts." },
] as const;

type ContactMode = (typeof CONTACT_MODES)[number]["value"];

/** Texts of the form; "" stands for no path and no header. */
export type Mapping = Readonly<Record<PathName | (typeof HEADERS)[number]["name"] | "summary_template", string>> & {
  readonly value_unit: string;
  readonly contact: ContactMode;
};

export function mappingOf(source: wire.InboundEndpoint): Mapping {
  const paths = Object.fromEntries(PATHS.map(({ name }) => [name, source[name] ?? ""])) as Record<PathName, string>;
  return {
    ...paths,
    event_type_header: source.event_type_header ?? "",
    idempotency_key_header: source.idempotency_key_header ?? "",
    summary_template: source.summary_template ?? "",
    value_unit: source.value_unit,
    contact: CONTACT_MODES.find(({ value }) => value === source.contact)?.value ?? "if_present",
  };
}

/** Returns the mapping as the API accepts it, with null for an empty path or header. */
export function bodyOf(mapping: Mapping): wire.InboundTrialMapping {
  const named = [...PATHS, ...HEADERS].map(({ name }) => [name, mapping[name] === "" ? null : mapping[name]] as const);
  return {
    ...Object.fromEntries(named),
    summary_template: mapping.summary_template === "" ? null : mapping.summary_template,
    value_unit: mapping.value_unit,
    contact: mapping.contact,
  };
}
