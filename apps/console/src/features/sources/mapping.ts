import type { wire } from "../../api/api.ts";

/** The paths of a source's mapping. */
export const PATHS = [
  { name: "contact_email_path", label: "Contact e-mail", hint: "Adds an activity to the contact's timeline." },
  { name: "event_type_path", label: "Event type", hint: "Default: “event”." },
  { name: "idempotency_key_path", label: "Sender's event ID", hint: "Events with the same ID are counted once." },
  { name: "contact_name_path", label: "Contact name", hint: "" },
  { name: "value_path", label: "Value", hint: "An amount or another number." },
  { name: "currency_path", label: "Currency", hint: "Defines how many minor units make one major unit." },
  { name: "summary_path", label: "Summary", hint: "A complete sentence for the timeline." },
] as const;

/** Headers that take precedence over the paths of the same values. */
export const HEADERS = [
  { name: "event_type_header", label: "Type header", hint: "Contains the event type, such as X-GitHub-Event." },
  { name: "idempotency_key_header", label: "ID header", hint: "Contains the sender's event ID." },
] as const;

export const CONTACT_MODES = [
  {
    value: "if_present",
    label: "If the request has an address",
    detail: "Every request fires an event. A request with an e-mail address also adds an activity to the contact.",
  },
  {
    value: "required",
    label: "Required",
    detail: "A request without a valid e-mail address is stored as unmapped and fires no event.",
  },
  { value: "none", label: "No contacts", detail: "Requests only fire events. Addresses in them are ignored." },
] as const;

export type PathName = (typeof PATHS)[number]["name"];

export type HeaderName = (typeof HEADERS)[number]["name"];

/** Texts of the form; "" stands for no path and no header. */
export type Mapping = Readonly<Record<PathName | HeaderName | "summary_template", string>> & {
  readonly value_unit: string;
  readonly contact: string;
};

export function mappingOf(source: wire.InboundEndpoint): Mapping {
  const paths = Object.fromEntries(PATHS.map(({ name }) => [name, source[name] ?? ""])) as Record<PathName, string>;
  return {
    ...paths,
    event_type_header: source.event_type_header ?? "",
    idempotency_key_header: source.idempotency_key_header ?? "",
    summary_template: source.summary_template ?? "",
    value_unit: source.value_unit,
    contact: source.contact,
  };
}

/** Returns the mapping as the API accepts it, with null for an empty text. */
export function bodyOf(mapping: Mapping): wire.InboundTrialMapping {
  return {
    ...Object.fromEntries(
      [...PATHS, ...HEADERS].map(({ name }) => [name, mapping[name] === "" ? null : mapping[name]]),
    ),
    summary_template: mapping.summary_template === "" ? null : mapping.summary_template,
    value_unit: mapping.value_unit,
    contact: mapping.contact,
  };
}

/** Returns the headers of a receipt that its mapping can read. A preview accepts fewer headers than a receipt has. */
export function mappedHeaders(
  headers: Readonly<Record<string, string>>,
  mapping: Pick<wire.InboundTrialMapping, HeaderName>,
): Record<string, string> {
  const names = ["content-type", ...HEADERS.map(({ name }) => mapping[name]?.toLowerCase() ?? "")];
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(headers, name) ? [[name, headers[name] ?? ""]] : [])),
  );
}
