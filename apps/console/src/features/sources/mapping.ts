import type { wire } from "../../api/api.ts";

/** The paths of a source's mapping. Each field takes several, of which the first that finds a value counts. */
export const PATHS = [
  { name: "contact_email_path", label: "Contact e-mail", hint: "Adds an activity to the contact's timeline." },
  { name: "event_type_path", label: "Event type", hint: "Default: “event”." },
  { name: "idempotency_key_path", label: "Sender's event ID", hint: "Events with the same ID are counted once." },
  { name: "contact_name_path", label: "Contact name", hint: "" },
  { name: "value_path", label: "Value", hint: "An amount or another number." },
  { name: "currency_path", label: "Currency", hint: "Defines how many minor units make one major unit." },
  { name: "summary_path", label: "Summary", hint: "A complete sentence for the timeline." },
] as const;

/** Fields that are a text, after the paths. */
export const TEXTS = [
  {
    name: "summary_template",
    label: "Summary template",
    hint: "Text with ${$.a.b} in place of values. Replaces the summary above.",
  },
  {
    name: "idempotency_key_template",
    label: "Event ID template",
    hint: "Several values that are the sender's event ID together, such as ${$.subscription}-${$.event}. Replaces the ID above.",
  },
  {
    name: "event_type_default",
    label: "Default type",
    hint: "The event type of requests in which none is found. Without it, they are unmapped.",
  },
  {
    name: "event_type_header",
    label: "Type header",
    hint: "Contains the event type, such as X-GitHub-Event. It takes precedence over the path.",
  },
  {
    name: "idempotency_key_header",
    label: "ID header",
    hint: "Contains the sender's event ID. It takes precedence over the path.",
  },
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
type TextName = "each" | "dedupe_ignore" | (typeof TEXTS)[number]["name"];

/** Texts of the form; "" stands for none. Several paths are separated by commas. */
export type Mapping = Readonly<Record<PathName | TextName, string>> & {
  readonly value_unit: string;
  readonly contact: string;
};

export function mappingOf(source: wire.InboundEndpoint): Mapping {
  const paths = Object.fromEntries(PATHS.map(({ name }) => [name, pathsText(source[name])])) as Record<
    PathName,
    string
  >;
  const texts = Object.fromEntries(TEXTS.map(({ name }) => [name, source[name] ?? ""])) as Record<TextName, string>;
  return {
    ...paths,
    ...texts,
    each: source.each ?? "",
    dedupe_ignore: pathsText(source.dedupe_ignore),
    value_unit: source.value_unit,
    contact: source.contact,
  };
}

/** Returns the mapping as the API accepts it, with null for an empty text. */
export function bodyOf(mapping: Mapping): wire.InboundTrialMapping {
  return {
    each: emptyAsNull(mapping.each),
    ...Object.fromEntries(PATHS.map(({ name }) => [name, choiceOf(mapping[name])])),
    ...Object.fromEntries(TEXTS.map(({ name }) => [name, emptyAsNull(mapping[name])])),
    dedupe_ignore: pathsIn(mapping.dedupe_ignore),
    value_unit: mapping.value_unit,
    contact: mapping.contact,
  };
}

function pathsText(choice: string | readonly string[] | null): string {
  return typeof choice === "string" ? choice : (choice ?? []).join(", ");
}

function choiceOf(text: string): string | string[] | null {
  const paths = pathsIn(text);
  return paths.length > 1 ? paths : (paths[0] ?? null);
}

/** Returns the paths of a field. A comma in the quotation marks of a name is part of it. */
export function pathsIn(text: string): string[] {
  const paths = [""];
  let quote = "";
  let isEscaped = false;
  for (const char of text) {
    if (quote === "" && (char === "," || char === "\n")) paths.push("");
    else paths.push(`${paths.pop() ?? ""}${char}`);
    if (!isEscaped) quote = quoteAfter(char, quote);
    isEscaped = char === "\\" && !isEscaped;
  }
  return paths.map((path) => path.trim()).filter((path) => path !== "");
}

function quoteAfter(char: string, quote: string): string {
  if (char !== "'" && char !== '"') return quote;
  if (quote === "") return char;
  return char === quote ? "" : quote;
}

function emptyAsNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}

/** Returns a path of the whole body as a mapping has it: `$` is an element of the list then. */
export function inElement(path: string, each: string): string {
  if (each === "" || !path.startsWith(`${each}[`)) return path;
  const rest = /^\[\d+\](?<rest>.*)$/.exec(path.slice(each.length))?.groups?.["rest"];
  return rest === undefined ? path : `$${rest}`;
}

/** Returns a path of a mapping in the whole body, for the first element of a list. */
export function inBody(path: string, each: string): string {
  return each === "" ? path : `${each}[0]${path.slice(1)}`;
}

/** Returns the headers of a receipt that the reading of its body and its mapping need. A preview accepts fewer headers than a receipt has. */
export function mappedHeaders(
  headers: Readonly<Record<string, string>>,
  mapping: Pick<wire.InboundTrialMapping, "event_type_header" | "idempotency_key_header">,
): Record<string, string> {
  const { event_type_header: type, idempotency_key_header: id } = mapping;
  const named = new Set(["content-type", "content-encoding", type?.toLowerCase(), id?.toLowerCase()]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => named.has(name) || name.startsWith("ce-")));
}
