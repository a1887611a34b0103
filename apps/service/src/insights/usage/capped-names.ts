import type { Tag } from "../../lib/lib.ts";

/** Returns the name under which something is counted in an hour: its own, or that of all others. */
type CappedName = (tag: Tag, name: string, hour: number) => string;

/** Counts the first `most` names of each hour and environment under their own names, because callers choose them. */
export function createCappedNames(most: number, others: string): CappedName {
  let ofHour = { hour: 0, names: new Map<Tag, Set<string>>() };
  return (tag, name, hour) => {
    if (ofHour.hour !== hour) ofHour = { hour, names: new Map() };
    const names = ofHour.names.get(tag) ?? new Set<string>();
    ofHour.names.set(tag, names);
    if (names.size < most) names.add(name);
    return names.has(name) ? name : others;
  };
}
