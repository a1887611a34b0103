import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { filterFaults } from "../../webhooks/webhooks.ts";
import { ServiceError, TENANT_ADVICE, TENANT_PATTERN } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { EventSelection } from "./event-feed.ts";
import type { Exchange } from "./exchange.ts";
import { fault } from "./mcp-fault.ts";
import { paramsOf } from "./mcp-message.ts";

const MOST_PATTERNS = 100;
const MOST_TENANT = 128;
const TENANT = new RegExp(TENANT_PATTERN);
const ALL = ["*"];

type EventsMessage = Pick<Exchange, "message" | "scanned" | "caller">;

/** Returns the events that a message selects. Throws 422 with pointers into the params, and 403 `tenant_mismatch`. */
export function selectionOf(asked: EventsMessage): EventSelection {
  const { events: patterns = ALL } = paramsOf(asked.message);
  const filter = filterText(asked);
  const errors = [...patternFaults(patterns), ...(filter === null ? [] : filterFaults(filter))];
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  return { patterns: patterns as readonly string[], filter, tenant: tenantOf(asked) };
}

/** Returns the tenant of the key, or that of the message. */
function tenantOf({ message, caller }: EventsMessage): string | null {
  const { tenant = null } = paramsOf(message);
  if (tenant !== null && !isTenant(tenant))
    throw new ServiceError("validation_failed", {
      errors: [fault("/tenant", "format", `${TENANT_ADVICE}, at most ${MOST_TENANT}`)],
    });
  return tenantIn(caller.scope, tenant);
}

function tenantIn({ tenant: own }: Scope, asked: string | null): string | null {
  if ((own ?? null) === null) return asked;
  if (asked === null || asked === own) return own ?? null;
  throw new ServiceError("tenant_mismatch", { detail: "The request names another tenant than that of the key." });
}

/** Returns an integer of the params. Throws 422 for any other value. */
export function integerOf(
  message: unknown,
  name: string,
  range: { readonly most: number; readonly usual: number },
): number {
  const value = paramsOf(message)[name] ?? range.usual;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= range.most) return value;
  throw new ServiceError("validation_failed", {
    errors: [fault(`/${name}`, "range", `must be an integer from 1 to ${range.most}`)],
  });
}

/** Returns a cursor of the params. Undefined, also for null: from now. */
export function eventCursorOf(message: unknown): string | undefined {
  const cursor = paramsOf(message)["cursor"] ?? undefined;
  if (cursor === undefined || typeof cursor === "string") return cursor;
  throw new ServiceError("validation_failed", { errors: [fault("/cursor", "type", "must be string or null")] });
}

/** The text as the client wrote it, so that numbers keep their digits. */
function filterText({ message, scanned }: EventsMessage): string | null {
  const filter = paramsOf(message)["filter"] ?? null;
  if (filter === null) return null;
  const text = scanned?.slice(["params", "filter"]);
  if (text === undefined) throw new Error("a message has a filter without a text");
  return text;
}

function patternFaults(patterns: unknown): Violation[] {
  if (!Array.isArray(patterns) || patterns.length === 0 || patterns.length > MOST_PATTERNS)
    return [fault("/events", "type", `must be a list of 1 to ${MOST_PATTERNS} names or patterns of events`)];
  return patterns.flatMap((pattern: unknown, at) =>
    typeof pattern === "string" && isEventPattern(pattern)
      ? []
      : [fault(`/events/${at}`, "event_name", EVENT_PATTERN_FAULT)],
  );
}

function isTenant(value: unknown): value is string {
  return typeof value === "string" && value.length <= MOST_TENANT && TENANT.test(value);
}
