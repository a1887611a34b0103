import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { EndpointRow } from "./endpoints.store.ts";

type Subscribed = Pick<EndpointRow, "events" | "tenant">;

/**
 * Returns the entries that are stored for the events that an endpoint subscribes to. The entries of a tenant end with it, so that the
 * index leads from an event of the tenant to its endpoints, and from no other event. Neither part has a space.
 */
export function entriesOf({ events, tenant }: Subscribed): string[] {
  return tenant === null ? events : events.map((pattern) => `${pattern} ${tenant}`);
}

/** Returns the events that an endpoint subscribes to, as its caller wrote them. */
export function subscriptionsOf({ events, tenant }: Subscribed): string[] {
  return tenant === null ? events : events.map((entry) => entry.split(" ", 1)[0] ?? entry);
}

/** Throws 422 if a change names another tenant: its log belongs to the tenant that was named first. */
export function assertSameTenant(held: { readonly tenant: string | null }, tenant: string | null | undefined): void {
  if (tenant === undefined || tenant === held.tenant) return;
  const message = "cannot be changed: delete this one, and create another for the other tenant";
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/tenant", code: "immutable", message }] });
}

/** Returns the violations of names that are neither event types nor patterns. */
export function patternFaults(events: readonly string[]): Violation[] {
  return events.flatMap((name, at) =>
    isEventPattern(name) ? [] : [{ pointer: `/events/${at}`, code: "event_name", message: EVENT_PATTERN_FAULT }],
  );
}
