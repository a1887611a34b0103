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

/**
 * Returns true if an endpoint with this filter receives the event. `*` selects all events except system events, which
 * are selected by name only.
 */
export function filterTakes(filter: readonly string[], name: string): boolean {
  return filter.includes(name) || (filter.includes("*") && !systemNames.has(name));
}
