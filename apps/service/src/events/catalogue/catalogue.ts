import { analyticsEvents } from "./analytics.ts";
import { billingEvents } from "./billing.ts";
import { commerceEvents } from "./commerce.ts";
import { crmEvents } from "./crm.ts";
import type { EventType } from "./event-type.ts";
import { securityEvents } from "./security.ts";
import { supportEvents } from "./support.ts";
import { systemEvents } from "./system.ts";

export { DOMAINS } from "./event-type.ts";
export type { Domain, EventType, JsonSchema } from "./event-type.ts";

/** The 52 events of the six domains. */
export const canonicalEventTypes: readonly EventType[] = [
  ...commerceEvents,
  ...billingEvents,
  ...supportEvents,
  ...crmEvents,
  ...securityEvents,
  ...analyticsEvents,
];

/** The events that the service fires about itself. They are not among the 52. */
export const systemEventTypes: readonly EventType[] = systemEvents;

export const eventTypes: readonly EventType[] = [...canonicalEventTypes, ...systemEventTypes];

/**
 * Accepts the names of the contract, section 5, without a trailing or doubled dot. The length has its own limit: the
 * pattern has no look-ahead, so that RE2 accepts it too.
 */
export const EVENT_NAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_:-]*(\\.[A-Za-z0-9_:-]+)*$";
export const EVENT_NAME_MAX_LENGTH = 128;

const byName = new Map(eventTypes.map((type) => [type.name, type]));
const systemNames = new Set(systemEventTypes.map((type) => type.name));
const namePattern = new RegExp(EVENT_NAME_PATTERN);

export function findEventType(name: string): EventType | undefined {
  return byName.get(name);
}

/** Returns true if the name is one of the 52. */
export function isCanonical(name: string): boolean {
  return byName.has(name) && !systemNames.has(name);
}

export function isSystem(name: string): boolean {
  return systemNames.has(name);
}

/** Returns true if the name is well formed, whether it is canonical, custom or that of a system event. */
export function isEventName(name: string): boolean {
  return name.length <= EVENT_NAME_MAX_LENGTH && namePattern.test(name);
}

const WELL_FORMED =
  "must be letters, digits and _ . : - (at most 128), begin with a letter or digit, and have no doubled or trailing dot";

/**
 * Returns the reason why a caller, a rule, a workflow or a source cannot fire events of this name; undefined if they
 * can.
 */
export function firingFault(
  name: unknown,
  malformed = WELL_FORMED,
): { readonly code: string; readonly message: string } | undefined {
  if (typeof name !== "string" || !isEventName(name)) return { code: "event_name", message: malformed };
  if (!isSystem(name)) return undefined;
  return {
    code: "event_reserved",
    message: "is a system event, which only the service can fire: choose another name",
  };
}

const ALL = "*";
const BELOW = ".*";
export const EVENT_PATTERN_FAULT =
  'must be an event name such as order.created, a pattern such as order.* for all events below order, or "*"';

/**
 * Returns true if the text selects events (contract, section 10): a name, `prefix.*` for all events below a prefix at any
 * depth, or `*` for all events except system events.
 */
export function isEventPattern(text: string): boolean {
  return (
    text === ALL ||
    (text.length <= EVENT_NAME_MAX_LENGTH && isEventName(isPrefix(text) ? prefixOf(text).slice(0, -1) : text))
  );
}

/** Returns all patterns that select an event: its name first, then its prefixes from the longest, and `*` last. */
export function patternsOf(name: string): readonly string[] {
  const patterns = [name];
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1))
    patterns.push(name.slice(0, dot) + BELOW);
  return systemNames.has(name) ? patterns : [...patterns, ALL];
}

/** Returns the patterns that select an event as one text, separated by `|`, which no name contains. */
export function patternText(name: string): string {
  return patternsOf(name).join("|");
}

/** Returns true if one of the patterns selects the event. */
export function selectsEvent(patterns: readonly string[], name: string): boolean {
  return patternsOf(name).some((pattern) => patterns.includes(pattern));
}

/** Returns true if the patterns select every event that `inner` selects. */
export function coversEvents(patterns: readonly string[], inner: string): boolean {
  if (inner === ALL) return patterns.includes(ALL);
  if (!isPrefix(inner)) return selectsEvent(patterns, inner);
  const isOpen = ![...systemNames].some((name) => name.startsWith(prefixOf(inner)));
  return patterns.some(
    (outer) => (outer === ALL && isOpen) || (isPrefix(outer) && prefixOf(inner).startsWith(prefixOf(outer))),
  );
}

/** Returns the first event of the catalog that the patterns select; otherwise a possible one. */
export function exampleEvent(patterns: readonly string[]): string {
  const named = patterns.find((pattern) => pattern !== ALL && !isPrefix(pattern));
  if (named !== undefined) return named;
  const prefixes = patterns.filter(isPrefix).map(prefixOf);
  const known = eventTypes.find(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));
  const [first] = prefixes;
  return known?.name ?? (first === undefined ? "order.created" : `${first}example`);
}

function isPrefix(pattern: string): boolean {
  return pattern !== ALL && pattern.endsWith(BELOW);
}

/** Returns the prefix of a pattern with its dot. */
function prefixOf(pattern: string): string {
  return pattern.slice(0, -1);
}
