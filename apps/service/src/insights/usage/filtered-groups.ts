import type { Tag, Uuid } from "../../lib/lib.ts";
import type { FilteredSignal } from "../../platform/telemetry/telemetry.ts";

/** One endpoint's share of a group. */
export interface FilteredCount {
  readonly tag: Tag;
  readonly endpointId: Uuid;
  readonly hour: number;
  readonly events: number;
}

interface Group extends Pick<FilteredSignal, "tag" | "endpointIds"> {
  readonly hour: number;
  events: number;
}

/** Maximum size of the texts of groups in UTF-16 units. Beyond it, the counts are passed on at once. */
const MAX_UNITS = 4 * 1024 * 1024;

/**
 * Counts the events that filters kept from endpoints, by groups of endpoints with the same filter, because there can be
 * thousands of endpoints for each event.
 */
export function createFilteredGroups(count: (one: FilteredCount) => void) {
  const groups = new Map<string, Group>();
  let units = 0;

  function flush(): void {
    for (const { tag, hour, events, endpointIds } of groups.values())
      for (const endpointId of endpointIds()) count({ tag, endpointId, hour, events });
    groups.clear();
    units = 0;
  }

  return {
    add({ tag, group, events, endpointIds }: FilteredSignal, hour: number): void {
      const name = `${tag} ${hour} ${group}`;
      const known = groups.get(name);
      if (known !== undefined) {
        known.events += events;
        return;
      }
      groups.set(name, { tag, hour, events, endpointIds });
      units += name.length;
      if (units > MAX_UNITS) flush();
    },
    /** Passes the counts of each endpoint on, and begins again. */
    flush,
  };
}
