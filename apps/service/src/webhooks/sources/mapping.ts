import { normalizeEmail } from "../../contacts/contacts.ts";
import {
  decimalText,
  locate,
  readDecimal,
  readPath,
  sha256,
  shifted,
  TooExpensiveError,
  WorkBudget,
} from "../../lib/lib.ts";
import type { Decimal, Path, ScannedJson } from "../../lib/lib.ts";
import { isRead } from "./body.ts";
import type { ReadBody } from "./body.ts";
import { minorPlaces, readCurrency } from "./currency.ts";
import { scoreOf } from "./score.ts";
import { fillSummary, readSummaryTemplate } from "./summary-template.ts";
import type { Score } from "./score.ts";
import type { Header } from "./placeholders.ts";

/** The paths and settings with which a source reads its payloads (contract, section 6). Valid when saved. */
export interface Mapping {
  /** An event needs the address of a contact, has one if it can be read, or never has one. */
  readonly contact: ContactMode;
  /** The header of the event type, in place of a path. */
  readonly event_type_header: string | null;
  /** The header of the sender's id of the event, in place of a path. */
  readonly idempotency_key_header: string | null;
  readonly contact_email_path: string | null;
  readonly event_type_path: string | null;
  readonly idempotency_key_path: string | null;
  readonly contact_name_path: string | null;
  readonly value_path: string | null;
  /** The unit of amounts: `major` such as euros, or `minor` such as cents. */
  readonly value_unit: "major" | "minor";
  readonly currency_path: string | null;
  readonly summary_path: string | null;
  readonly summary_template: string | null;
  readonly dedupe_by_body: boolean;
  readonly score: Score;
}

export const CONTACT_MODES = ["required", "if_present", "none"] as const;
export type ContactMode = (typeof CONTACT_MODES)[number];

/** A request as a mapping reads it. */
export interface Content {
  readonly body: Uint8Array;
  readonly read: ReadBody;
  readonly header: Header;
  /** The tenant of the source. */
  readonly tenant: string | null;
  /** The hash of a proof that does not cover the body. It counts once. */
  readonly once?: Buffer | null;
  /** Returns true if the sender signs this header. */
  readonly isSigned: (header: string) => boolean;
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
  /** The body as JSON text. */
  readonly payload: string;
  readonly dedupe: DedupeKeys;
}

/** The hashes that identify duplicates of an event within its source: a request with any of them seen before is one. */
export interface DedupeKeys {
  /** The hashes of the signed content: the body, or its proof. */
  readonly proofs: readonly Buffer[];
  /** The hash of the sender's id of the event. */
  readonly id: Buffer | null;
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
  | "contact_email_unset"
  | "contact_email_missing"
  | "contact_email_invalid"
  | "event_type_missing"
  | "too_expensive";

const MAX_BODY = 1_048_576;
/** One more than the maximum length of an address, so that a longer address is invalid. */
const MAX_EMAIL_SHOWN = 255;
const MAX_NAME = 200;
const MAX_TYPE = 200;
const MAX_SUMMARY = 1000;
/** The characters of a value that a summary can begin with. */
const MAX_SOURCE = 4 * MAX_SUMMARY;
const MAX_KEY_SHOWN = 512;
/** The event type of a source that does not set a path for it. */
const PLAIN_TYPE = "event";

/** Maps a request by a source's mapping. Pure, because preview, intake and reprocessing use it. */
export function mapContent(mapping: Mapping, content: Content): Mapped | Unmapped {
  const { read } = content;
  if (!isRead(read)) return { kind: "unmapped", code: "not_json", reason: read.reason, extracted: NOTHING };
  try {
    return mapScanned(mapping, content, read);
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    const reason = "The paths of the mapping lead too deep into the body";
    return { kind: "unmapped", code: "too_expensive", reason, extracted: NOTHING };
  }
}

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

function mapScanned(mapping: Mapping, content: Content, scanned: ScannedJson): Mapped | Unmapped {
  const { header, tenant } = content;
  const read = reader(scanned);
  const eventType = eventTypeOf(mapping, read, header);
  const key = headerText(header, mapping.idempotency_key_header) ?? read.text(mapping.idempotency_key_path, MAX_BODY);
  const money = moneyOf(mapping, read);
  const address = addressOf(mapping, read);
  const extracted: Extracted = {
    contact_email: address.email,
    contact_name: read.text(mapping.contact_name_path, MAX_NAME),
    event_type: eventType,
    idempotency_key: cut(key, MAX_KEY_SHOWN),
    value: money.value === null ? null : decimalText(money.value),
    currency: money.currency,
    summary: summaryOf(mapping, read, tenant) ?? eventType,
    score_delta: scoreOf(mapping.score, eventType ?? PLAIN_TYPE, money.value),
    warnings: [...address.warnings, ...money.warnings],
  };
  const fault = sizeFault(scanned.text) ?? faultOf(mapping, extracted);
  if (fault !== undefined) return { kind: "unmapped", extracted, ...fault };
  return {
    kind: "mapped",
    extracted: extracted as Complete,
    payload: scanned.text,
    dedupe: dedupeKeysOf(mapping, key, content),
  };
}

/** Returns the event type. A header takes precedence over the body, because a sender that uses one names the type in it. */
function eventTypeOf(mapping: Mapping, read: Reader, header: Header): string | null {
  const { event_type_header: name, event_type_path: path } = mapping;
  const found = headerText(header, name) ?? read.text(path, MAX_TYPE);
  return found === null && name === null && path === null ? PLAIN_TYPE : cut(found, MAX_TYPE);
}

function headerText(header: Header, name: string | null): string | null {
  const text = name === null ? undefined : header(name.toLowerCase());
  const trimmed = text === undefined ? "" : clean(text).trim();
  return trimmed === "" ? null : trimmed;
}

interface Address {
  readonly email: string | null;
  readonly warnings: readonly Warning[];
}

/** Returns the address of the contact. One that is not required and not valid is left out, and warned of. */
function addressOf({ contact, contact_email_path: path }: Mapping, read: Reader): Address {
  const email = contact === "none" ? null : read.text(path, MAX_EMAIL_SHOWN);
  if (email === null || contact === "required" || isAddress(email)) return { email, warnings: [] };
  return { email: null, warnings: [{ field: "contact_email", message: NOT_AN_ADDRESS }] };
}

const NOT_AN_ADDRESS = "contact_email_path matched a value that is not an e-mail address";

function isAddress(email: string): boolean {
  // Rejects the replacement character, which stands for NUL and lone surrogates. In an address it would pass as a letter.
  return normalizeEmail(email) !== undefined && !email.includes("\uFFFD");
}

function faultOf(mapping: Mapping, found: Extracted): Pick<Unmapped, "code" | "reason"> | undefined {
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
  return payload.length * 3 <= MAX_BODY || Buffer.byteLength(payload) <= MAX_BODY
    ? undefined
    : { code: "data_too_large", reason: "The body is larger than 1 MiB as JSON" };
}

/**
 * Returns the deduplication keys. An event without the id that its source promised is identified by its bytes. Accepted
 * as new each time, a sender's retries would create duplicates; refused, it would be lost. An id or type that the sender
 * does not sign can be changed by anyone who recorded the request, so that the bytes identify it too.
 */
function dedupeKeysOf(mapping: Mapping, key: string | null, { body, once, isSigned }: Content): DedupeKeys {
  const { idempotency_key_path: path, idempotency_key_header: header } = mapping;
  const isPromised = path !== null || header !== null;
  const byBody = hasOpenIdentity(mapping, isSigned) || (key === null && (isPromised || mapping.dedupe_by_body));
  const proofs = byBody ? [sha256(Buffer.concat([Buffer.from("body\n"), body]))] : [];
  if (once !== undefined && once !== null) proofs.push(once);
  return { proofs, id: key === null ? null : sha256(`key\n${key}`) };
}

/** Returns true if the sender does not sign the header of the event's id, or that of its type where it signs no id. */
function hasOpenIdentity(mapping: Mapping, isSigned: Content["isSigned"]): boolean {
  const { idempotency_key_path: path, idempotency_key_header: header, event_type_header: type } = mapping;
  const isIdSigned = header === null ? path !== null : isSigned(header);
  return !isIdSigned && [header, type].some((name) => name !== null && !isSigned(name));
}

interface Money {
  /** The value in major units. */
  readonly value: Decimal | null;
  readonly currency: string | null;
  readonly warnings: readonly Warning[];
}

function moneyOf(mapping: Mapping, read: Reader): Money {
  const currency = readCurrency(read.text(mapping.currency_path, MAX_NAME) ?? "") ?? null;
  const source = read.text(mapping.value_path, MAX_NAME);
  if (source === null) return { value: null, currency, warnings: [] };
  const value = readDecimal(source);
  if (value === undefined) {
    const message = "value_path matched a value that is not a number of at most 40 digits";
    return { value: null, currency, warnings: [{ field: "value", message }] };
  }
  const major = mapping.value_unit === "minor" ? shifted(value, minorPlaces(currency)) : value;
  return { value: major, currency, warnings: [] };
}

function summaryOf(mapping: Mapping, read: Reader, tenant: string | null): string | null {
  if (mapping.summary_template === null) return read.text(mapping.summary_path, MAX_SUMMARY);
  const template = readSummaryTemplate(mapping.summary_template) ?? [];
  const summary = fillSummary(template, (path) => read.source(path), tenant).trim();
  return summary === "" ? null : cut(summary, MAX_SUMMARY);
}

interface Reader {
  /**
   * Returns a text, or a number as spelled, without the space around it. Returns null for anything else and if the path
   * finds nothing.
   */
  text(path: string | null, maxLength: number): string | null;
  /** Returns the value as text; empty for null and if the path finds nothing. */
  source(path: Path): string;
}

function reader(scanned: ScannedJson): Reader {
  const budget = new WorkBudget();
  return {
    text(pathText, maxLength) {
      const path = pathText === null ? undefined : readPath(pathText);
      const found = path === undefined ? undefined : locate(scanned.value, path.steps);
      const text = typeof found?.value === "number" ? scanned.slice(found.at, budget) : found?.value;
      const trimmed = typeof text === "string" ? clean(text).trim() : "";
      return trimmed === "" ? null : cut(trimmed, maxLength);
    },
    source({ steps }) {
      const found = locate(scanned.value, steps);
      if (found === undefined || found.value === null) return "";
      const text = typeof found.value === "string" ? found.value : (scanned.slice(found.at, budget) ?? "");
      // A template can name a long value many times.
      return clean(text.slice(0, MAX_SOURCE));
    },
  };
}

/** Replaces characters that PostgreSQL cannot store as text. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

function cut<Text extends string | null>(text: Text, maxLength: number): Text | string {
  if (text === null || text.length <= maxLength) return text;
  return `${text
    .slice(0, maxLength - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…`;
}
