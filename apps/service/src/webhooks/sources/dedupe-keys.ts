import { readPath, sha256 } from "../../lib/lib.ts";
import type { Steps } from "../../lib/lib.ts";
import { isAttribute, readKeyTemplate } from "./key-template.ts";
import { scalarOf, sliceOf, TEMPLATE_CHARS_PER_UNIT, textAtPaths } from "./path-reader.ts";
import type { Part, PathChoice } from "./path-reader.ts";
import { MAX_BODY_BYTES } from "./placeholders.ts";

/** The settings with which a source recognizes an event that it saw before. */
export interface KeyMapping {
  /** The path to a list whose elements are the events. All other paths begin at the element then. */
  readonly each: string | null;
  /** The header of the event type, in place of a path. */
  readonly event_type_header: string | null;
  /** The header of the sender's id of the event, in place of a path. */
  readonly idempotency_key_header: string | null;
  readonly idempotency_key_path: PathChoice;
  /** A text of several members that are the sender's id of the event together. */
  readonly idempotency_key_template: string | null;
  /** True if equal events without an id are several events. Only files of senders have it. */
  readonly has_optional_id?: boolean;
  readonly dedupe_by_body: boolean;
  /** The paths of members that differ between the tries of one event. */
  readonly dedupe_ignore: readonly string[];
}

/** A request as far as its sender proves it. */
export interface Proven {
  readonly body: Uint8Array;
  /** The hash of a proof that does not cover the body. It counts once. */
  readonly once?: Buffer | null;
  /** The hash of the proof of each element, where the proofs stand in the elements. */
  readonly onces?: readonly (Buffer | null)[] | undefined;
  /** Returns true if the sender signs this header. */
  readonly isSigned: (header: string) => boolean;
}

/** The hashes that identify duplicates of an event within its source: an event with any of them seen before is one. */
export interface DedupeKeys {
  /** The hash of a proof that does not cover the body. All elements of a request share it. */
  readonly once: Buffer | null;
  /** The hash of what proves the element alone. */
  readonly element: Buffer | null;
  /** The hash of the body, or of the element. */
  readonly body: Buffer | null;
  /** The hash of the sender's id of the event. */
  readonly id: Buffer | null;
}

/** The sender's id of an event. */
export interface EventKey {
  /** The id as receipts show it. */
  readonly shown: string;
  readonly hash: Buffer;
}

/** The maximum of paths that the comparison of bodies leaves out. */
export const MAX_IGNORED = 16;

/**
 * Returns the sender's id of the event. A header names the request: an element of a list has an id of its own in the body, or
 * its position in the request of that name.
 */
export function keyOf(
  mapping: KeyMapping,
  part: Part,
  header: (name: string | null) => string | null,
  position: number | null,
): EventKey | null {
  const { idempotency_key_path: path, idempotency_key_template: template } = mapping;
  const inHeader = header(mapping.idempotency_key_header);
  if (position === null && inHeader !== null) return { shown: inHeader, hash: sha256(`key\n${inHeader}`) };
  const text = textAtPaths(part, path, MAX_BODY_BYTES);
  if (text !== null) return { shown: text, hash: sha256(`key\n${text}`) };
  const composed = template === null ? null : composedKey(template, part, header);
  if (composed !== null || inHeader === null) return composed;
  return { shown: inHeader, hash: sha256(`element\n${position}\n${inHeader}`) };
}

/** Returns null if a member is missing. The hash is of the members apart, because `a-b` and `c` differ from `a` and `b-c`. */
function composedKey(text: string, part: Part, header: (name: string) => string | null): EventKey | null {
  part.budget.spend(text.length / TEMPLATE_CHARS_PER_UNIT);
  const members = (readKeyTemplate(text) ?? []).map((one) => {
    if (typeof one === "string") return one;
    return isAttribute(one) ? (header(one.header) ?? scalarOf(part, one.path)) : scalarOf(part, one);
  });
  const found = members.filter((one) => one !== null);
  if (found.length < members.length || found.length === 0) return null;
  return { shown: found.join(""), hash: sha256(`keys\n${JSON.stringify(found)}`) };
}

/**
 * Returns the deduplication keys. An event without the id that its source promised is identified by its proven. Accepted
 * as new each time, a sender's retries would create duplicates; refused, it would be lost. An id or type that the sender
 * does not sign can be changed by anyone who recorded the request, so that the content identifies it too.
 */
export function dedupeKeysOf(mapping: KeyMapping, part: Part, key: EventKey | null, proven: Proven): DedupeKeys {
  const isPromised =
    mapping.has_optional_id !== true && (hasIdInBody(mapping) || mapping.idempotency_key_header !== null);
  const byBody = hasOpenIdentity(mapping, proven) || (key === null && (isPromised || mapping.dedupe_by_body));
  return {
    once: proven.once ?? null,
    element: elementProof(part, proven),
    body: byBody ? hashOf(mapping, part, proven.body) : null,
    id: key?.hash ?? null,
  };
}

/** The last step to an element of a list is its position. */
function elementProof({ at }: Part, { onces = [] }: Proven): Buffer | null {
  return onces[Number(at.at(-1))] ?? null;
}

function hasIdInBody({ idempotency_key_path: path, idempotency_key_template: template }: KeyMapping): boolean {
  return path !== null || template !== null;
}

/** Returns true if the sender does not sign the header of the event's id, or that of its type where it signs no id. */
function hasOpenIdentity(mapping: KeyMapping, { isSigned }: Pick<Proven, "isSigned">): boolean {
  const { idempotency_key_header: header, event_type_header: type, each } = mapping;
  const attributes = (readKeyTemplate(mapping.idempotency_key_template ?? "") ?? []).filter((one) => isAttribute(one));
  if (attributes.some((one) => !isSigned(one.header))) return true;
  const isInBody = hasIdInBody(mapping) && (header === null || each !== null);
  const isIdSigned = isInBody || (header !== null && isSigned(header));
  return !isIdSigned && [header, type].some((name) => name !== null && !isSigned(name));
}

function hashOf({ dedupe_ignore: ignored }: KeyMapping, part: Part, body: Uint8Array): Buffer {
  if (ignored.length > 0) return sha256(`value\n${comparable(part, ignored)}`);
  const bytes = part.at.length === 0 ? body : Buffer.from(sliceOf(part));
  return sha256(Buffer.concat([Buffer.from("body\n"), bytes]));
}

/** A member on the way to what is left out. Without members, it is left out itself. */
type Route = Map<string | number, Route>;

/** The price of a member that is written, besides its text. */
const MEMBER_UNITS = 10;

/** Returns the text of a value without the members that are left out. What surrounds them is written in the order of names. */
function comparable(part: Part, ignored: readonly string[]): string {
  const route: Route = new Map();
  for (const path of ignored) addRoute(route, readPath(path)?.steps ?? []);
  return textWithout(part, [], part.value, route);
}

function addRoute(route: Route, steps: Steps): void {
  let at = route;
  for (const [index, step] of steps.entries()) {
    const next = at.get(step);
    // A path into what is left out as a whole adds nothing.
    if (next?.size === 0) return;
    const own: Route = next === undefined || index === steps.length - 1 ? new Map() : next;
    at.set(step, own);
    at = own;
  }
}

function textWithout(part: Part, at: Steps, value: unknown, route: Route): string {
  if (typeof value !== "object" || value === null) return sliceOf(part, at);
  const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  const written = (list === undefined ? namedMembers(value) : [...list.entries()]).flatMap(([name, one]) => {
    part.budget.spend(MEMBER_UNITS);
    const next = route.get(name) ?? (list === undefined ? undefined : route.get(Number(name) - list.length));
    if (next?.size === 0) return [];
    const text = next === undefined ? sliceOf(part, [...at, name]) : textWithout(part, [...at, name], one, next);
    return [list === undefined ? `${JSON.stringify(name)}:${text}` : text];
  });
  return list === undefined ? `{${written.join(",")}}` : `[${written.join(",")}]`;
}

function namedMembers(value: object): [string | number, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
