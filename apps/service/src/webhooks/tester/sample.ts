import { findEventType } from "../../events/events.ts";

const EVENT = "order.created";

/** The event of a test that names none: the first that the endpoint takes by name. */
export function sampleEvent(filter: readonly string[]): string {
  return filter.find((name) => name !== "*") ?? EVENT;
}

/** JSON text for an event: the catalogue's example, or for a custom event something to recognise. */
export function sampleData(event: string): string {
  const type = findEventType(event);
  return JSON.stringify(type === undefined ? { message: "A test from Junction." } : type.example);
}
