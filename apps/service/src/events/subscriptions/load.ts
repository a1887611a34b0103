import type { Tag } from "../../lib/lib.ts";
import type { Event } from "../event/event.ts";

/** The maximum number of events that one node reacts to at a time. Others wait in the database. */
export const MAX_EVENTS = 2000;
/** The maximum for one workspace. */
const MAX_OF_WORKSPACE = 1000;
/** The maximum size of the data of all these events, in UTF-16 units. */
const MAX_UNITS = 32 * 1024 * 1024;

export type Weighed = Pick<Event, "scope" | "data">;

export type Load = ReturnType<typeof createLoad>;

/** Counts the events that a node is processing. */
export function createLoad() {
  const ofWorkspace = new Map<Tag, number>();
  let events = 0;
  let units = 0;
  const room = (): number => (units >= MAX_UNITS ? 0 : MAX_EVENTS - events);
  function count({ scope, data }: Weighed, by: 1 | -1): void {
    events += by;
    units += by * data.length;
    const left = (ofWorkspace.get(scope.tag) ?? 0) + by;
    if (left === 0) ofWorkspace.delete(scope.tag);
    else ofWorkspace.set(scope.tag, left);
  }
  return {
    get events() {
      return events;
    },
    /** Returns the number of further events that the node may accept. */
    room,
    add: (event: Weighed): void => count(event, 1),
    remove: (event: Weighed): void => count(event, -1),
    /**
     * Returns a function that decides for each event of one batch in turn whether the node may accept it. One busy
     * workspace leaves room for others.
     */
    admission(): (event: Weighed) => boolean {
      const promised = new Map<Tag, number>();
      let total = 0;
      return ({ scope }) => {
        const own = promised.get(scope.tag) ?? 0;
        if (room() <= total || (ofWorkspace.get(scope.tag) ?? 0) + own >= MAX_OF_WORKSPACE) return false;
        promised.set(scope.tag, own + 1);
        total += 1;
        return true;
      };
    },
  };
}
