import type { wire } from "../../api/api.ts";

/** The paths of a source's mapping. */
export const PATHS = [
  { name: "contact_email_path", label: "Contact e-mail", hint: "Required to add an activity to a timeline." },
  { name: "event_type_path", label: "Event type", hint: "Default: “event”." },
  { name: "idempotency_key_path", label: "Sender's event ID", hint: "Events with the same ID are counted once." },
  { name: "contact_name_path", label: "Contact name", hint: "" },
  { name: "value_path", label: "Value", hint: "An amount or another number." },
  { name: "currency_path", label: "Currency", hint: "Defines how many minor units make one major unit." },
  { name: "summary_path", label: "Summary", hint: "A complete sentence for the timeline." },
] as const;

export type PathName = (typeof PATHS)[number]["name"];

/** Texts of the form; "" stands for no path. */
export type Mapping = Readonly<Record<PathName | "summary_template", string>> & {
  readonly value_unit: string;
};

export function mappingOf(source: wire.InboundEndpoint): Mapping {
  const paths = Object.fromEntries(PATHS.map(({ name }) => [name, source[name] ?? ""])) as Record<PathName, string>;
  return { ...paths, summary_template: source.summary_template ?? "", value_unit: source.value_unit };
}

/** Returns the mapping as the API accepts it, with null for an empty path. */
export function bodyOf(mapping: Mapping): wire.InboundTrialMapping {
  return {
    ...Object.fromEntries(PATHS.map(({ name }) => [name, mapping[name] === "" ? null : mapping[name]])),
    summary_template: mapping.summary_template === "" ? null : mapping.summary_template,
    value_unit: mapping.value_unit,
  };
}
