interface Penalty {
  readonly stops: number;
  readonly until: number;
}

const FIRST_MS = 15_000;
const LONGEST_MS = 3_600_000;
/** Stops before the first penalty. A very busy machine may stop an innocent script. */
const FORGIVEN = 1;
const MOST = 10_000;

/** Remembers whose scripts were stopped. Theirs wait apart from those of others for a time, which doubles with each stop. */
export function createPenalties(now: () => number) {
  const penalties = new Map<string, Penalty>();
  return {
    stopped(group: string): void {
      const known = penalties.get(group);
      const isRecent = known !== undefined && known.until + LONGEST_MS > now();
      const stops = isRecent ? known.stops + 1 : 1;
      const ms = stops <= FORGIVEN ? 0 : Math.min(FIRST_MS * 2 ** (stops - FORGIVEN - 1), LONGEST_MS);
      penalties.delete(group);
      penalties.set(group, { stops, until: now() + ms });
      const [oldest] = penalties.keys();
      if (penalties.size > MOST && oldest !== undefined) penalties.delete(oldest);
    },
    applies: (group: string): boolean => (penalties.get(group)?.until ?? 0) > now(),
  };
}
