/**
 * Limits how many holders of one key use a shared resource at a time. Others wait: those of one owner in order of arrival, and the owners
 * take turns, so that the many calls of one tenant do not keep the few of another from their turn.
 */
export type Turns = ReturnType<typeof createTurns>;

export interface TurnsOptions {
  /** The number of concurrent turns of one key. A number that varies applies when a turn begins. */
  readonly most: number | (() => number);
  readonly patienceMs: number;
  late(): Error;
}

interface Line {
  held: number;
  /** Functions that each begin the turn of a waiting caller, by owner, in the order of the owners' next turns. */
  readonly waiting: Map<string, Set<() => void>>;
}

export function createTurns({ most, patienceMs, late }: TurnsOptions) {
  const lines = new Map<string, Line>();
  const mostNow = typeof most === "number" ? () => most : most;

  function end(key: string, line: Line): void {
    line.held -= 1;
    while (line.held < mostNow() && beginNext(line)) line.held += 1;
    if (line.held === 0) lines.delete(key);
  }

  /** Returns false if no caller waits. */
  function beginNext({ waiting }: Line): boolean {
    const [next] = waiting;
    if (next === undefined) return false;
    const [owner, [begin]] = next;
    begin?.();
    const rest = waiting.get(owner);
    waiting.delete(owner);
    if (rest !== undefined) waiting.set(owner, rest);
    return true;
  }

  async function inLine({ waiting }: Line, owner: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const own = waiting.get(owner) ?? new Set();
      const leave = (): void => {
        clearTimeout(timer);
        own.delete(begin);
        if (own.size === 0) waiting.delete(owner);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        reject(late());
      }, patienceMs);
      waiting.set(owner, own.add(begin));
    });
  }

  return {
    /**
     * Resolves with a function that ends the turn, once the caller's turn begins. Rejects with the error of `late` after
     * `patienceMs`. `owner`: who shares the key with others, such as a tenant; undefined for the only one.
     */
    async take(key: string, owner?: string | null): Promise<() => void> {
      const line = lines.get(key) ?? { held: 0, waiting: new Map<string, Set<() => void>>() };
      lines.set(key, line);
      if (line.held < mostNow()) line.held += 1;
      else await inLine(line, owner ?? "");
      let ended = false;
      return () => {
        if (!ended) end(key, line);
        ended = true;
      };
    },
  };
}

/** The owner of work: those of a workspace share its turns, and its tenants take them one after the other. */
interface TurnOwner {
  readonly workspaceId: string;
  readonly tenant?: string | null;
}

/** Does work in a turn of its workspace. `leave` ends the turn after the work, later than at once if it wants. */
export async function inTurn<Result>(
  turns: Turns,
  { workspaceId, tenant }: TurnOwner,
  work: () => Result,
  leave: (end: () => void) => void = (end) => end(),
): Promise<Awaited<Result>> {
  const end = await turns.take(workspaceId, tenant);
  try {
    return await work();
  } finally {
    leave(end);
  }
}

/** Takes a turn that lasts until the response is over, or for `mostMs`. A caller may have gone while it waited. */
export async function holdTurn(
  turns: Turns,
  key: string,
  response: { readonly destroyed: boolean; once(event: "close", end: () => void): unknown },
  mostMs?: number,
): Promise<void> {
  const end = await turns.take(key);
  if (response.destroyed) {
    end();
    return;
  }
  const timer = mostMs === undefined ? undefined : setTimeout(end, mostMs).unref();
  response.once("close", () => {
    clearTimeout(timer);
    end();
  });
}
