import { createStore } from "../api/api.ts";

/** The overlay that a key opens over the page. Only one is open at a time. */
export type Overlay = "palette" | "keys" | null;

export const { set: showOverlay, useValue: useOverlay } = createStore<Overlay>(null);
