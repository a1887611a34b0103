import { normalizeEmail } from "../../contacts/contacts.ts";
import { decimalText, isRecord, readDecimal, shifted } from "../../lib/lib.ts";
import type { Decimal } from "../../lib/lib.ts";
import { isRead } from "./body.ts";
import type { ReadBody } from "./body.ts";
import { minorPlaces, readCurrency } from "./currency.ts";
import { dedupeKeysOf, keyOf } from "./dedupe-keys.ts";
import type { DedupeKeys, KeyMapping, Proven } from "./dedupe-keys.ts";
import { MAX_BODY_BYTES } from "./placeholders.ts";
import type { Header } from "./placeholders.ts";
import { clean, cut, sliceOf, sourceOf, TEMPLATE_CHARS_PER_UNIT, textAtPaths } from "./path-reader.ts";
import type { Part, PathChoice } from "./path-reader.ts";
import { scoreOf } from "./score.ts";
import { fillSummary, readSummaryTemplate } from "./summary-template.ts";
import type { Score } from "./score.ts";

/** The members of a mapping that only files of senders have. */
interface SendersOwn {
  /** The paths of amounts of one type, which are read before `value_path`. */
  readonly value_path_by_type?: Readonly<Record<string, string>>;
  /** The paths of addresses of one type, in place of `contact_email_path`. */
  readonly contact_email_path_by_type?: Readonly<Record<string, string>>;
  /** The members whose name is the event's type where no path finds one. */
  readonly event_type_members?: readonly string[];
  /** The decimal places of amounts in the currencies that the sender does not count as others do. */
  readonly minor_places?: Readonly<Record<string, number>>;
  /** The field of a form that contains the whole event. */
  readonly form_field?: string;
}

/** The same by name, each with the path that replaces it. */
export const SENDERS_OWN = {
  value_path_by_type: "value_path",
  contact_email_path_by_type: "contact_email_path",
  event_type_members: "event_type_path",
  minor_places: "value_path",
  form_field: null,
  has_optional_id: "idempotency_key_path",
} as const satisfies Record<keyof SendersOwn | "has_optional_id", (typeof PATHS)[number] | null>;

/** The paths and settings with which a source reads its payloads (contract, sections 6 and 13). Valid when saved. */
export interface Mapping extends KeyMapping, SendersOwn {
  /** An event needs the address of a contact, has one if it can be read, or never has one. */
  readonly contact: ContactMode;
  readonly contact_email_path: PathChoice;
  readonly event_type_path: PathChoice;
  /** The event type where neither the header nor the path finds one. */
  readonly event_type_default: string | null;
  readonly contact_name_path: PathChoice;
  readonly value_path: PathChoice;
  /** The unit of amounts: `major` such as euros, or `minor` such as cents. */
  readonly value_unit: "major" | "minor";
  readonly currency_path: PathChoice;
  readonly summary_path: PathChoice;
  readonly summary_template: string | null;
  readonly score: Score;
}

/** The members of a mapping that are paths. */
export const PATHS = [
  "contact_email_path",
  "event_type_path",
  "idempotency_key_path",
  "contact_name_path",
  "value_path",
  "currency_path",
  "summary_path",
] as const;

export const CONTACT_MODES = ["required", "if_present", "none"] as const;
export type ContactMode = (typeof CONTACT_MODES)[number];

/** A request as a mapping reads it. */
export interface Content extends Proven {
  readonly read: ReadBody;
  readonly header: Header;
  /** The tenant of the source. */
  readonly tenant: string | null;
}

/** The values that were found in a payload, as receipts show them. */
export interface Extracted {
  readonly contact_email: string | null;
  readonly contact_name: string | null;
  readonly event_type: string | null;
  readonly idempotency_key: string | null;
  /** The exact value in major units. */
  readonly value: string | null;
  readonly currency: string | null;
  readonly summary: string | null;
  readonly score_delta: number;
  readonly warnings: readonly Warning[];
}

/** The values that an event needs. An activity also needs an address. */
export interface Complete extends Extracted {
  readonly event_type: string;
  readonly summary: string;
}

/** A fault of an optional value. The rest is processed anyway. */
export interface Warning {
  readonly field: string;
  readonly message: string;
}

export interface Mapped {
  readonly kind: "mapped";
  readonly extracted: Complete;
  /** The body, or the element of its list, as JSON text. */
  readonly payload: string;
  readonly dedupe: DedupeKeys;
}

export interface Unmapped {
  readonly kind: "unmapped";
  readonly extracted: Extracted;
  readonly code: UnmappedCode;
  readonly reason: string;
}

export type UnmappedCode =
  | "not_json"
  | "data_too_large"
  | "list_missing"
  | "list_too_long"
  | "contact_email_unset"
  | "contact_email_missing"
  | "contact_email_invalid"
  | "event_type_missing"
  | "too_expensive";

/** One more than the maximum length of an address, so that a longer address is invalid. */
const MAX_EMAIL_SHOWN = 255;
const MAX_NAME = 200;
const MAX_TYPE = 200;
const MAX_SUMMARY = 1000;
const MAX_KEY_SHOWN = 512;
/** The event type of a source that does not set a path for it. */
const PLAIN_TYPE = "event";

/** The values of a body that nothing was read from. */
export const NOTHING: Extracted = {
  contact_email: null,
  contact_name: null,
  event_type: null,
  idempotency_key: null,
  value: null,
  currency: null,
  summary: null,
  score_delta: 0,
  warnings: [],
};

/** Maps a part of a body. `position` is that of an element in its list; null for a whole body. */
export function mapPart(mapping: Mapping, content: Content, part: Part, position: number | null): Mapped | Unmapped {
  const { header, tenant } = content;
  const eventType = eventTypeOf(mapping, part, header);
  const key = keyOf(mapping, part, (name) => headerText(header, name), position);
  const money = moneyOf(mapping, part, eventType);
  const address = addressOf(mapping, part, eventType);
  const extracted: Extracted = {
    contact_email: address.email,
    contact_name: textAtPaths(part, mapping.contact_name_path, MAX_NAME) ?? address.name,
    event_type: eventType,
    idempotency_key: cut(key?.shown ?? null, MAX_KEY_SHOWN),
    value: money.value === null ? null : decimalText(money.value),
    currency: money.currency,
    summary: summaryOf(mapping, part, tenant) ?? eventType,
    score_delta: scoreOf(mapping.score, eventType ?? PLAIN_TYPE, money.value),
    warnings: [...warningsOf(content.read), ...address.warnings, ...money.warnings],
  };
  const payload = part.at.length === 0 ? part.json.text : sliceOf(part);
  const fault = sizeFault(payload) ?? mappingFault(mapping, extracted);
  if (fault !== undefined) return { kind: "unmapped", extracted, ...fault };
  return {
    kind: "mapped",
    extracted: extracted as Complete,
    payload,
    dedupe: dedupeKeysOf(mapping, part, key, content),
  };
}

function warningsOf(read: ReadBody): readonly Warning[] {
  return isRead(read) ? read.warnings : [];
}

/** Returns the event type. A header takes precedence over the body, because a sender that uses one names the type in it. */
function eventTypeOf(mapping: Mapping, part: Part, header: Header): string | null {
  const { event_type_header: name, event_type_path: path, event_type_default: usual } = mapping;
  const found = headerText(header, name) ?? textAtPaths(part, path, MAX_TYPE) ?? memberOf(mapping, part) ?? usual;
  return found === null && name === null && path === null ? PLAIN_TYPE : cut(found, MAX_TYPE);
}

/** Returns the first of the members that a payload can have in place of a type. */
function memberOf({ event_type_members: names = [] }: Mapping, { value }: Part): string | null {
  return (isRecord(value) ? names.find((name) => Object.hasOwn(value, name)) : undefined) ?? null;
}

function headerText(header: Header, name: string | null): string | null {
  const text = name === null ? undefined : header(name.toLowerCase());
  const trimmed = text === undefined ? "" : clean(text).trim();
  return trimmed === "" ? null : trimmed;
}

interface Address {
  readonly email: string | null;
  /** The name next to the address. */
  readonly name: string | null;
  readonly warnings: readonly Warning[];
}

/** Returns the address of the contact. One that is not required and not valid is left out, and warned of. */
function addressOf(mapping: Mapping, part: Part, eventType: string | null): Address {
  const { contact, contact_email_path: path, contact_email_path_by_type: special } = mapping;
  const found = contact === "none" ? null : textAtPaths(part, pathOfType(special, eventType) ?? path, MAX_MAILBOX);
  const [, name = "", inBrackets] = (found === null ? null : MAILBOX.exec(found)) ?? [];
  const email = inBrackets ?? cut(found, MAX_EMAIL_SHOWN);
  if (email === null || contact === "required" || isAddress(email))
    return { email, name: nameInMailbox(name), warnings: [] };
  return { email: null, name: null, warnings: [{ field: "contact_email", message: NOT_AN_ADDRESS }] };
}

/** An address with a name, as e-mails have it: `Ada Lovelace <ada@example.com>`. */
const MAILBOX = /^([^<>]{0,400})<([^<>\s]{3,254})>$/;
const MAX_MAILBOX = 700;

function nameInMailbox(text: string): string | null {
  const name = text
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .replaceAll(/\\(["\\])/g, "$1")
    .trim();
  return name === "" ? null : cut(name, MAX_NAME);
}

const NOT_AN_ADDRESS = "contact_email_path matched a value that is not an e-mail address";

function isAddress(email: string): boolean {
  // Rejects the replacement character, which stands for NUL and lone surrogates. In an address it would pass as a letter.
  return normalizeEmail(email) !== undefined && !email.includes("\uFFFD");
}

function mappingFault(mapping: Mapping, found: Extracted): Pick<Unmapped, "code" | "reason"> | undefined {
  if (mapping.contact === "required") {
    if (mapping.contact_email_path === null)
      return { code: "contact_email_unset", reason: "The source has no contact_email_path" };
    if (found.contact_email === null)
      return { code: "contact_email_missing", reason: "contact_email_path matched nothing" };
    if (!isAddress(found.contact_email)) return { code: "contact_email_invalid", reason: NOT_AN_ADDRESS };
  }
  if (found.event_type !== null) return undefined;
  const place = mapping.event_type_header ?? "event_type_path";
  return { code: "event_type_missing", reason: `${place} matched nothing` };
}

/** Reading a form, XML or text can make it longer, so that the limit of a request's body does not bound the data of its event. */
function sizeFault(payload: string): Pick<Unmapped, "code" | "reason"> | undefined {
  // A UTF-16 unit has at most three bytes.
  return payload.length * 3 <= MAX_BODY_BYTES || Buffer.byteLength(payload) <= MAX_BODY_BYTES
    ? undefined
    : { code: "data_too_large", reason: "The body is larger than 1 MiB as JSON" };
}

interface Money {
  /** The value in major units. */
  readonly value: Decimal | null;
  readonly currency: string | null;
  readonly warnings: readonly Warning[];
}

function moneyOf(mapping: Mapping, part: Part, eventType: string | null): Money {
  const currency = readCurrency(textAtPaths(part, mapping.currency_path, MAX_NAME) ?? "") ?? null;
  const source =
    textAtPaths(part, pathOfType(mapping.value_path_by_type, eventType), MAX_NAME) ??
    textAtPaths(part, mapping.value_path, MAX_NAME);
  if (source === null) return { value: null, currency, warnings: [] };
  const value = readDecimal(source);
  if (value === undefined) {
    const message = "value_path matched a value that is not a number of at most 40 digits";
    return { value: null, currency, warnings: [{ field: "value", message }] };
  }
  const places = mapping.minor_places?.[currency ?? ""] ?? minorPlaces(currency);
  const major = mapping.value_unit === "minor" ? shifted(value, places) : value;
  return { value: major, currency, warnings: [] };
}

function pathOfType(special: Readonly<Record<string, string>> | undefined, eventType: string | null): string | null {
  return special !== undefined && eventType !== null && Object.hasOwn(special, eventType)
    ? (special[eventType] ?? null)
    : null;
}

function summaryOf(mapping: Mapping, part: Part, tenant: string | null): string | null {
  if (mapping.summary_template === null) return textAtPaths(part, mapping.summary_path, MAX_SUMMARY);
  part.budget.spend(mapping.summary_template.length / TEMPLATE_CHARS_PER_UNIT);
  const template = readSummaryTemplate(mapping.summary_template) ?? [];
  const summary = fillSummary(template, (path) => sourceOf(part, path), tenant).trim();
  return summary === "" ? null : cut(summary, MAX_SUMMARY);
}
