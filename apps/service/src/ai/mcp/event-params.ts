import type { FastifyRequest } from "fastify";
import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { filterFaults } from "../../webhooks/webhooks.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { callerOf } from "../../accounts/accounts.ts";
import type { EventSelection } from "./event-feed.ts";
import { paramsOf } from "./message.ts";

const MOST_PATTERNS = 100;
const ALL = ["*"];

/** Returns the events that a message selects. Throws 422 with pointers into the params, and 403 `tenant_mismatch`. */
export function selectionOf(request: FastifyRequest): EventSelection {
  const { events = ALL, tenant = null } = paramsOf(request.body);
  const filter = filterText(request);
  const errors = [
    ...patternFaults(events),
    ...(filter === null ? [] : filterFaults(filter)),
    ...(tenant === null || isTenant(tenant)
      ? []
      : [fault("/tenant", "format", "must be 1 to 128 visible ASCII characters")]),
  ];
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  const own = callerOf(request).scope.tenant ?? null;
  if (own !== null && tenant !== null && tenant !== own)
    throw new ServiceError("tenant_mismatch", { detail: "The request names another tenant than that of the key." });
  return { patterns: events as readonly string[], filter, tenant: own ?? (tenant as string | null) };
}

/** Returns an integer of the params. Throws 422 for any other value. */
export function integerOf(
  request: FastifyRequest,
  name: string,
  range: { readonly most: number; readonly usual: number },
) {
  const value = paramsOf(request.body)[name] ?? range.usual;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= range.most) return value;
  throw new ServiceError("validation_failed", {
    errors: [fault(`/${name}`, "range", `must be an integer from 1 to ${range.most}`)],
  });
}

/** Returns a cursor of the params. Undefined, also for null: from now. */
export function eventCursorOf(request: FastifyRequest): string | undefined {
  const cursor = paramsOf(request.body)["cursor"] ?? undefined;
  if (cursor === undefined || typeof cursor === "string") return cursor;
  throw new ServiceError("validation_failed", { errors: [fault("/cursor", "type", "must be string or null")] });
}

export function fault(pointer: string, code: string, message: string): Violation {
  return { pointer, code, message };
}

/** The text as the client wrote it, so that numbers keep their digits. */
function filterText({ body, scanned }: FastifyRequest): string | null {
  const filter = paramsOf(body)["filter"] ?? null;
  return filter === null ? null : (scanned?.slice(["params", "filter"]) ?? null);
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

function isTenant(value: unknown): boolean {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value);
}
