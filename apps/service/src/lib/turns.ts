/** Limits how many holders of one key use a shared resource at a time. Others wait in order of arrival. */
export interface Turns {
  /**
   * Resolves with a function that ends the turn, once the caller's turn begins. Rejects with the error of `late` after
   * `patienceMs`.
   */
  take(key: string): Promise<() => void>;
}

export interface TurnsOptions {
  /** The number of concurrent turns of one key. */
  readonly most: number;
  readonly patienceMs: number;
  late(): Error;
}

interface Line {
  held: number;
  /** Functions that each begin the turn of a waiting caller. */
  readonly waiting: Set<() => void>;
}

export function createTurns({ most, patienceMs, late }: TurnsOptions): Turns {
  const lines = new Map<string, Line>();

  function end(key: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      // Passes the turn to the next caller, so the number of held turns stays the same.
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
