import { findEventType } from "../../events/events.ts";

const EVENT = "order.created";

/** Returns the event of a test that names none: the first that the endpoint subscribes to by name. */
export function sampleEvent(filter: readonly string[]): string {
  return filter.find((name) => name !== "*") ?? EVENT;
}

/** Returns JSON text for an event: the example of the catalog, or recognizable data for a custom event. */
export function sampleData(event: string): string {
  const type = findEventType(event);
  return JSON.stringify(type === undefined ? { message: "A test from Junction." } : type.example);
}
