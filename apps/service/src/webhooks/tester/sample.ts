import { findEventType } from "../../events/events.ts";

/** Returns JSON text for an event: the example of the catalog, or recognizable data for a custom event. */
export function sampleData(event: string): string {
  const type = findEventType(event);
  return JSON.stringify(type === undefined ? { message: "A test event." } : type.example);
}
