import { authorOf } from "../accounts/accounts.ts";
import type { Caller } from "../accounts/accounts.ts";
import type { Secrets } from "../actions/actions.ts";
import { isRecord, pointerOf, REDACTED, sha256 } from "../lib/lib.ts";
import type { Violation } from "../lib/lib.ts";
import { recordOf, replaced } from "./kinds/documents.ts";
import type { Document } from "./kinds/documents.ts";
import { fault } from "./file.ts";
import type { SentObject } from "./file.ts";
import type { Held, Kind } from "./kinds/kind.ts";

type DocumentPath = readonly (string | number)[];

/** Members whose content is the caller's data, which can look like a reference to a secret. */
const DATA: ReadonlySet<string | number> = new Set([
  "body",
  "cases",
  "data",
  "event_types",
  "form",
  "input",
  "metadata",
  "parameters",
  "params",
  "query",
  "transform",
  "values",
  "when",
]);
const REFERENCES = ["secret_ref", "key_secret_ref"];

interface SecretReferences {
  /** The names of secrets that the service reads when it uses them, with their places. */
  readonly named: readonly { readonly name: string; readonly place: DocumentPath }[];
  /** Header values that are taken from a secret now, with the URL that gets them. */
  readonly headers: readonly { readonly name: string; readonly place: DocumentPath; readonly url: unknown }[];
  readonly faults: readonly Violation[];
}

/** Finds the references to secrets in a document. */
function secretsIn({ document, place }: Pick<SentObject, "document" | "place">): SecretReferences {
  const named: SecretReferences["named"][number][] = [];
  const headers: SecretReferences["headers"][number][] = [];
  const faults: Violation[] = [];
  const visit = (value: unknown, at: DocumentPath): void => {
    if (Array.isArray(value)) value.forEach((one, index) => visit(one, [...at, index]));
    if (isRecord(value)) for (const [name, one] of Object.entries(value)) member([name, one], at, value);
  };
  const member = ([name, value]: [string, unknown], at: DocumentPath, parent: Document): void => {
    const own = [...at, name];
    if (REFERENCES.includes(name) && typeof value === "string") named.push({ name: value, place: own });
    else if (name === "headers" && isRecord(value)) {
      // Headers of HTTP calls contain templates, and take credentials from `auth`.
      if (parent["type"] !== "http") for (const one of Object.entries(value)) header(one, own, parent);
    } else if (!DATA.has(name)) visit(value, own);
  };
  const header = ([name, value]: [string, unknown], at: DocumentPath, { url }: Document): void => {
    const { secret_ref: secret, ...more } = recordOf(value);
    const to = [...place, ...at, name];
    if (typeof secret === "string" && Object.keys(more).length === 0)
      headers.push({ name: secret, place: [...at, name], url });
    else if (value !== REDACTED)
      faults.push(fault(to, "secret_ref", `must be {"secret_ref": …}, or "${REDACTED}" for the value that it has`));
  };
  visit(document, []);
  return { named, headers, faults };
}

/** The values of secrets that a plan writes into headers. They are never shown or stored. */
export interface HeaderValues {
  /** Keyed by the name of the secret, which each URL that gets it may use. */
  readonly values: Map<string, string>;
}

export interface SecretsDeps {
  readonly secrets: Pick<Secrets, "isSet" | "valueFor">;
}

/** Returns the faults of references to secrets, and notes the values that headers get. */
export async function secretFaults(
  { secrets }: SecretsDeps,
  { key, scope }: Caller,
  wanted: SentObject,
  { values }: HeaderValues,
): Promise<Violation[]> {
  const { named, headers, faults } = secretsIn(wanted);
  const found: Violation[] = [...faults];
  for (const { name, place } of named)
    if (!(await secrets.isSet(scope, name))) found.push(unknown([...wanted.place, ...place]));
  for (const { name, place, url } of headers) {
    const urls = typeof url === "string" ? [url] : [];
    const value = await secrets.valueFor(scope, name, { urls, by: authorOf(key) });
    if (value === null) found.push(unknown([...wanted.place, ...place]));
    else if ("refused" in value) found.push(fault([...wanted.place, ...place], "secret_refused", value.refused));
    else values.set(name, value.reveal());
  }
  return found;
}

function unknown(place: DocumentPath): Violation {
  return fault(place, "secret_unknown", "must be the name of a secret: store it with PUT /v1/secrets/{name}");
}

/**
 * Replaces references in headers by `[redacted]` where the object has the secret's value already, so that only real changes are left.
 */
export async function settledHeaders(
  kind: Kind,
  caller: Caller,
  { document, held }: { readonly document: Document; readonly held: Held },
  { values }: HeaderValues,
): Promise<Document> {
  const { headers } = secretsIn({ document, place: [] });
  if (headers.length === 0 || kind.headersOf === undefined) return document;
  const known = await kind.headersOf(caller, held);
  const same = new Set(
    headers
      .filter(({ name, place }) => known.get(pointerOf(place)) === values.get(name))
      .map(({ place }) => pointerOf(place)),
  );
  return replaced(document, (_value, place) => (same.has(pointerOf(place)) ? REDACTED : undefined)) as Document;
}

/** Puts the values of secrets into the headers, for the front door that writes them. */
export function withHeaderValues(document: Document, { values }: HeaderValues): Document {
  const { headers } = secretsIn({ document, place: [] });
  if (headers.length === 0) return document;
  const found = new Map(headers.map(({ name, place }) => [pointerOf(place), values.get(name)]));
  return replaced(document, (_value, place) => found.get(pointerOf(place))) as Document;
}

/** Returns the digests of the secrets that a document takes headers from. */
export function secretDigests(document: Document, { values }: HeaderValues): string[] {
  return secretsIn({ document, place: [] }).headers.map(({ name }) => sha256(values.get(name) ?? "").toString("hex"));
}
