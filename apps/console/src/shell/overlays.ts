import { useSyncExternalStore } from "react";

/** The overlay that a key opens over the page. Only one is open at a time. */
export type Overlay = "palette" | "keys" | null;

let open: Overlay = null;
const listeners = new Set<() => void>();

export function showOverlay(next: Overlay): void {
  open = next;
  for (const listener of listeners) listener();
}

export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}
