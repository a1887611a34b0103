/** Lets each key hold a few of a shared resource at a time; further takers wait in the order in which they came. */
export interface Turns {
  /** Resolves, when it is this taker's turn, with what ends the turn. Rejects with what `late` makes after the patience. */
  take(key: string): Promise<() => void>;
}

export interface TurnsOptions {
  /** How many turns of one key there are at a time. */
  readonly most: number;
  readonly patienceMs: number;
  late(): Error;
}

interface Line {
  held: number;
  /** Each begins the turn of a taker who still waits. */
  readonly waiting: Set<() => void>;
}

export function createTurns({ most, patienceMs, late }: TurnsOptions): Turns {
  const lines = new Map<string, Line>();

  function end(key: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      // The turn goes on to the next taker: as many are held as before.
      next();
      return;
    }
    line.held -= 1;
    if (line.held === 0) lines.delete(key);
  }

  async function inLine(line: Line): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        line.waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        line.waiting.delete(begin);
        reject(late());
      }, patienceMs);
      line.waiting.add(begin);
    });
  }

  return {
    async take(key) {
      const line = lines.get(key) ?? { held: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.held < most) line.held += 1;
      else await inLine(line);
      let ended = false;
      return () => {
        if (!ended) end(key, line);
        ended = true;
      };
    },
  };
}
