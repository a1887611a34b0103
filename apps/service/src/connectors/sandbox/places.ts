/** Who may have a child. */
export interface Occupant {
  /** Since when it has nothing to do, if it had nothing for a while. Larger is later. */
  readonly idleSince: number | undefined;
  /** It is about to give its place back. */
  readonly leaving: boolean;
  /** It has worked for a while, so that it can be asked to make room. */
  readonly settled: boolean;
  leave(): void;
}

/** A bounded number of places for children. */
export interface Places {
  take(occupant: Occupant): Promise<void>;
  give(occupant: Occupant): void;
  /** Asks those who are idle to leave, as far as others wait; to be called now and then. */
  makeRoom(): void;
  /** Whether this one, which has work, should end when its calls have: others wait, and nobody has worked longer. */
  yields(occupant: Occupant): boolean;
}

export function createPlaces(max: number): Places {
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
    take: async (occupant) => {
      if (active.size < max) {
        active.add(occupant);
        return;
      }
      await new Promise<void>((grant) => {
        waiting.push({ occupant, grant });
        makeRoom();
      });
    },
    give: (occupant) => {
      if (!active.delete(occupant)) return;
      const next = waiting.shift();
      if (next === undefined) return;
      active.add(next.occupant);
      next.grant();
    },
    makeRoom,
    yields: (occupant) => {
      if (waiting.length === 0 || !occupant.settled) return false;
      const count = missing() - idlers().length;
      // The set is in the order in which they came.
      return (
        [...active].filter((one) => one.settled && one.idleSince === undefined && !one.leaving).indexOf(occupant) <
        count
      );
    },
  };
}
