import type { Io } from "./io.ts";

/** Shows the progress of long work on one line that is redrawn. It appears only on a terminal, among the messages. */
export interface Bar {
  /** Shows a step. A `total` of 0 means that the amount is unknown. */
  at(label: string, done: number, total: number): void;
  /** Removes the line. A second call has no effect. */
  end(): void;
}

const WIDTH = 30;
const REDRAW_MS = 80;
const ERASE = "\r\u001B[K";

/** Does the work with a bar, which is removed at its end. */
export async function withBar<Result>(io: Io, work: (bar: Bar) => Promise<Result>): Promise<Result> {
  const bar = createBar(io);
  try {
    return await work(bar);
  } finally {
    bar.end();
  }
}

export function createBar(io: Io): Bar {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    at(label, done, total) {
      const now = performance.now();
      if (!io.showsProgress || (isDrawn && now - drawnAt < REDRAW_MS && done < total)) return;
      [drawnAt, isDrawn] = [now, true];
      io.err(`${ERASE}${lineOf(label, done, total)}`);
    },
    end() {
      if (isDrawn) io.err(ERASE);
      isDrawn = false;
    },
  };
}

/** Returns the line without colors. */
function lineOf(label: string, done: number, total: number): string {
  if (total <= 0) return `${label}${done > 0 ? `  ${done.toLocaleString("en")}` : " …"}`;
  // A total may be an estimate: the bar ends at 100 %.
  const part = Math.min(1, done / total);
  const filled = Math.round(part * WIDTH);
  const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
  return `${bar} ${String(Math.floor(part * 100)).padStart(3)} %  ${done.toLocaleString("en")}  ${label.slice(0, 30)}`;
}
