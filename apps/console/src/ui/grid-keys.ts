import { useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";

export interface GridSelection {
  readonly selected: ReadonlySet<string>;
  toggle(key: string): void;
  set(keys: ReadonlySet<string>): void;
}

/** Returns the selected rows of a grid by their keys. */
export function useGridSelection(): GridSelection {
  const [selected, set] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      selected,
      set,
      toggle: (key) => {
        const next = new Set(selected);
        if (!next.delete(key)) next.add(key);
        set(next);
      },
    }),
    [selected],
  );
}

interface RowKeys {
  readonly count: number;
  readonly keyAt: (index: number) => string | undefined;
  readonly selection?: GridSelection;
}

/** Returns a function that finds the next row for a key and selects rows on the way. Its result is undefined for a key that the grid does not use. */
export function useNextRow({ count, keyAt, selection }: RowKeys) {
  const anchor = useRef<number | null>(null);
  return (event: KeyboardEvent, active: number, page: number): number | undefined => {
    if (selection !== undefined && selects(event.key, keyAt(active), selection)) {
      anchor.current = active;
      return active;
    }
    const step = stepOf(event.key, { active, count, page: Math.max(1, page) });
    if (step === undefined || isCommand(event)) return undefined;
    const next = Math.min(count - 1, Math.max(0, step));
    anchor.current = event.shiftKey ? (anchor.current ?? active) : null;
    if (selection !== undefined && anchor.current !== null) {
      selection.set(new Set([...selection.selected, ...keysBetween(anchor.current, next, keyAt)]));
    }
    return next;
  };
}

function isCommand({ metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  return metaKey || ctrlKey || altKey;
}

/** Toggles the row for Space, and clears the selection for Escape. */
function selects(key: string, row: string | undefined, selection: GridSelection): boolean {
  if (key === " " && row !== undefined) selection.toggle(row);
  else if (key === "Escape" && selection.selected.size > 0) selection.set(new Set());
  else return key === " ";
  return true;
}

function stepOf(
  key: string,
  at: { readonly active: number; readonly count: number; readonly page: number },
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at.active + 1,
    ArrowUp: at.active - 1,
    PageDown: at.active + at.page,
    PageUp: at.active - at.page,
    Home: 0,
    End: at.count - 1,
  };
  return steps[key];
}

function keysBetween(from: number, to: number, keyAt: (index: number) => string | undefined): string[] {
  const [low, high] = from < to ? [from, to] : [to, from];
  return Array.from({ length: high - low + 1 }, (_, step) => keyAt(low + step)).filter((key) => key !== undefined);
}
