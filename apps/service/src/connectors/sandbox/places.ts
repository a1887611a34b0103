/** A lane that may hold a place for a child. */
export interface Occupant {
  /** The time since which it is idle; undefined if it is not. Larger is later. */
  readonly idleSince: number | undefined;
  /** True if it is about to release its place. */
  readonly leaving: boolean;
  /** True if it has worked long enough to be asked to make room. */
  readonly settled: boolean;
  leave(): void;
}

/** A limited number of places for children. */
export type Places = ReturnType<typeof createPlaces>;

export function createPlaces(max: number) {
  const active = new Set<Occupant>();
  const waiting: { readonly occupant: Occupant; readonly grant: () => void }[] = [];
  const leaving = () => active.values().reduce((count, one) => (one.leaving ? count + 1 : count), 0);
  const missing = () => waiting.length - leaving();
  const idlers = () => [...active].filter((one) => one.idleSince !== undefined && !one.leaving);

  function makeRoom(): void {
    if (waiting.length === 0) return;
    const idle = idlers();
    idle.sort((left, right) => (left.idleSince ?? 0) - (right.idleSince ?? 0));
    for (const one of idle.slice(0, Math.max(0, missing()))) one.leave();
  }

  return {
    take: async (occupant: Occupant): Promise<void> => {
      if (active.size < max) {
        active.add(occupant);
        return;
      }
      await new Promise<void>((grant) => {
        waiting.push({ occupant, grant });
        makeRoom();
      });
    },
    give: (occupant: Occupant): void => {
      if (!active.delete(occupant)) return;
      const next = waiting.shift();
      if (next === undefined) return;
      active.add(next.occupant);
      next.grant();
    },
    /** Asks idle lanes to leave, as many as others wait. Called regularly. */
    makeRoom,
    /**
     * Returns true if this busy lane should end after its calls, because others wait and no other lane has worked longer.
     */
    yields: (occupant: Occupant): boolean => {
      if (waiting.length === 0 || !occupant.settled) return false;
      const count = missing() - idlers().length;
      // The set keeps the order in which lanes got their place.
      return (
        [...active].filter((one) => one.settled && one.idleSince === undefined && !one.leaving).indexOf(occupant) <
        count
      );
    },
  };
}
