import type { Io } from "./io.ts";

/** How far long work is, on one line that is drawn over: for a terminal's messages, and nothing elsewhere. */
export interface Bar {
  /** `total` 0: nobody knows how much there is. */
  at(label: string, done: number, total: number): void;
  /** Takes the line away. Twice is once. */
  end(): void;
}

const WIDTH = 30;
const REDRAW_MS = 80;
const ERASE = "\r\u001B[K";

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

/** No colors: a bar is one without. */
function lineOf(label: string, done: number, total: number): string {
  if (total <= 0) return `${label}${done > 0 ? `  ${done.toLocaleString("en")}` : " …"}`;
  // A total may be an estimate: nothing is more than all.
  const part = Math.min(1, done / total);
  const filled = Math.round(part * WIDTH);
  const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
  return `${bar} ${String(Math.floor(part * 100)).padStart(3)} %  ${done.toLocaleString("en")}  ${label.slice(0, 30)}`;
}
