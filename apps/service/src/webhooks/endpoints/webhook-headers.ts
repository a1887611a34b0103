import { isRecord, parseJson, pointerOf, REDACTED, resultOf, ServiceError, withValues } from "../../lib/lib.ts";
import type { Sealer, t, Violation } from "../../lib/lib.ts";
import { hideAll, joinHeaders, meantHeaders, revealHeaders, shownHeaders } from "../requests/header-values.ts";
import type { HeaderValues } from "../requests/header-values.ts";
import type * as shapes from "./endpoint-secrets.schemas.ts";

/** A webhook that a rule or a workflow sends, as its JSON text describes it. */
export interface Webhook {
  /** Identifies the webhook in its document: a position, or a step's id. */
  readonly key: string;
  /** Its place in the document. */
  readonly at: readonly (string | number)[];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A list of actions or steps in which the values of headers are `[redacted]`, with those values encrypted. */
export interface SealedDocument {
  readonly text: string;
  readonly sealed: Buffer | null;
}

/** Describes how one kind of document is read and sealed. */
export interface DocumentKind {
  /** The type of an item that sends a webhook. */
  readonly type: string;
  /** The member that identifies an item; if undefined, its position does. */
  readonly key?: string;
  /** Returns the lists of items inside an item, with their places in it. Omitted if items contain no others. */
  readonly inner?: (
    item: unknown,
  ) => readonly { readonly place: readonly (string | number)[]; readonly items: readonly unknown[] }[];
  /** The JSON Pointer of the list, in the bodies that callers send. */
  readonly pointer: string;
}

/** A webhook with its header values, for an owner who asks to see them. */
export type RevealedWebhook = t.Static<typeof shapes.RevealedWebhooks>["webhooks"][number];

type Values = ReadonlyMap<string, HeaderValues>;

const NONE: HeaderValues = new Map();

/** Returns the webhooks that have headers. */
export function webhooksIn(kind: DocumentKind, text: string): Webhook[] {
  // A name may be spelled with escapes.
  if (!text.includes("headers") && !text.includes("\\u")) return [];
  const items = parseJson(text);
  return webhooksOf(kind, Array.isArray(items) ? items : [], []);
}

function webhooksOf(kind: DocumentKind, items: readonly unknown[], place: Webhook["at"]): Webhook[] {
  return items.flatMap((item, index): Webhook[] => {
    const at = [...place, index];
    const inner = kind.inner?.(item) ?? [];
    const nested = inner.flatMap((list) => webhooksOf(kind, list.items, [...at, ...list.place]));
    if (!isRecord(item) || item["type"] !== kind.type || !isRecord(item["headers"])) return nested;
    const key = String(kind.key === undefined ? index : item[kind.key]);
    const own = { key, at, url: String(item["url"]), headers: item["headers"] as Record<string, string> };
    return [own, ...nested];
  });
}

/** Returns the text with `[redacted]` in place of each value. */
export function shownDocument(kind: DocumentKind, text: string): string {
  return withValues(
    text,
    webhooksIn(kind, text).map(({ at, headers }) => ({ path: [...at, "headers"], value: shownHeaders(headers) })),
  );
}

/**
 * Seals the values of a caller's document. A value that is `[redacted]` means the value that `before` keeps for the
 * same header of the same webhook: see `keptFor`. Throws 422 if none is kept. `isSame` is true if no value changed.
 */
export function sealDocument(
  { sealer, kind, place, before }: { sealer: Sealer; kind: DocumentKind; place: string; before?: SealedBefore },
  text: string,
): SealedDocument & { readonly isSame: boolean } {
  const kept = before === undefined ? [] : keptWebhooks(sealer, kind, before);
  const violations: Violation[] = [];
  const values = new Map<string, HeaderValues>();
  const given = webhooksIn(kind, text);
  for (const webhook of given) {
    const meant = meantHeaders(webhook.headers, keptFor(kind, { webhook, given, kept }), webhook.at);
    violations.push(...meant.violations.map((one) => ({ ...one, pointer: kind.pointer + one.pointer })));
    values.set(webhook.key, meant.values);
  }
  if (violations.length > 0) throw new ServiceError("validation_failed", { errors: violations });
  const was = headerValuesText(new Map(kept.map(({ webhook, values: own }) => [webhook.key, own])));
  const plain = headerValuesText(values);
  return { ...sealed(sealer, place, { kind, text, values }), isSame: plain === was };
}

export interface SealedBefore extends SealedDocument {
  readonly place: string;
}

/** Returns the values of one webhook; undefined if they cannot be opened. */
export function openWebhook(...args: Parameters<typeof valuesOf>): HeaderValues | undefined {
  const values = resultOf(() => valuesOf(...args));
  return values instanceof Error ? undefined : values;
}

/** Throws if the values cannot be opened. */
function valuesOf(
  sealer: Sealer,
  place: string,
  { key, headers }: Pick<Webhook, "key" | "headers">,
  document: Buffer | null,
): HeaderValues {
  const shown = Object.entries(headers);
  if (!shown.some(([, value]) => value === REDACTED)) return hideAll(shown);
  if (document === null) throw new Error("the values of headers are missing");
  return joinHeaders(shown, readValues(sealer.open(document, place).reveal()).get(key) ?? NONE);
}

/** Throws 409 `conflict` if the values cannot be opened. */
export function revealDocument(
  sealer: Sealer,
  kind: DocumentKind,
  { place, text, sealed: bytes }: SealedBefore,
): RevealedWebhook[] {
  return webhooksIn(kind, text).map((webhook) => ({
    path: kind.pointer + pointerOf(webhook.at),
    url: webhook.url,
    headers: revealHeaders(openOrRefuse(() => valuesOf(sealer, place, webhook, bytes))),
  }));
}

/** Throws an error with a text for the caller if the values cannot be opened. */
export function openOrRefuse(open: () => HeaderValues): HeaderValues {
  const values = resultOf(open);
  if (!(values instanceof Error)) return values;
  throw new ServiceError("conflict", {
    detail: "The values cannot be decrypted with this installation's master key. Send them again.",
    internal: values.message,
  });
}

/**
 * Seals the values of a document that an earlier version wrote in plain text; undefined if there are none, or one
 * cannot be opened.
 */
export function sealPlainDocument(
  sealer: Sealer,
  kind: DocumentKind,
  before: SealedBefore,
): SealedDocument | undefined {
  const webhooks = webhooksIn(kind, before.text);
  if (!webhooks.some(({ headers }) => Object.values(headers).some((value) => value !== REDACTED))) return undefined;
  const values = resultOf(
    () => new Map(webhooks.map((one) => [one.key, valuesOf(sealer, before.place, one, before.sealed)])),
  );
  return values instanceof Error ? undefined : sealed(sealer, before.place, { kind, text: before.text, values });
}

/** Returns all values, for redaction. Values that cannot be opened cannot be shown either, so they are skipped. */
export function documentValues(sealer: Sealer, place: string, bytes: Buffer): HeaderValues[] {
  const values = resultOf(() => readValues(sealer.open(bytes, place).reveal()));
  return values instanceof Error ? [] : [...values.values()];
}

interface KeptWebhook {
  readonly webhook: Webhook;
  readonly values: HeaderValues;
}

/**
 * Returns the webhooks with their kept values. A value that cannot be opened is not kept, so the caller must send it.
 */
function keptWebhooks(sealer: Sealer, kind: DocumentKind, { place, text, sealed: bytes }: SealedBefore): KeptWebhook[] {
  return webhooksIn(kind, text).map((webhook) => ({
    webhook,
    values: openWebhook(sealer, place, webhook, bytes) ?? NONE,
  }));
}

interface HeaderChange {
  readonly webhook: Webhook;
  /** All webhooks of the new document. */
  readonly given: readonly Webhook[];
  readonly kept: readonly KeptWebhook[];
}

/**
 * Returns the values of the same webhook in the document before, only of one with the same URL, so that each value goes
 * only to the receiver it was written for. If several have that URL, the one with the same key counts. Without keys it
 * is the one of the same rank, if their number has not changed. A webhook that was the only one with its URL is found
 * with any key.
 */
function keptFor(kind: DocumentKind, { webhook, given, kept }: HeaderChange): HeaderValues {
  const before = kept.filter((one) => one.webhook.url === webhook.url);
  if (before.length === 1) return before[0]?.values ?? NONE;
  if (kind.key !== undefined) return before.find((one) => one.webhook.key === webhook.key)?.values ?? NONE;
  const now = given.filter(({ url }) => url === webhook.url);
  return (now.length === before.length ? before[now.indexOf(webhook)]?.values : undefined) ?? NONE;
}

function sealed(
  sealer: Sealer,
  place: string,
  { kind, text, values }: { readonly kind: DocumentKind; readonly text: string; readonly values: Values },
): SealedDocument {
  const plain = headerValuesText(values);
  return { text: shownDocument(kind, text), sealed: plain === "{}" ? null : sealer.seal(plain, place) };
}

function headerValuesText(values: Values): string {
  const named = [...values].filter(([, own]) => own.size > 0);
  return JSON.stringify(Object.fromEntries(named.map(([key, own]) => [key, revealHeaders(own)])));
}

function readValues(text: string): Values {
  const read = Object.entries(parseJson(text) as Record<string, Record<string, string>>);
  return new Map(read.map(([key, own]) => [key, hideAll(Object.entries(own))]));
}
