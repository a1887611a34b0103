import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useEffectEvent, useRef } from "react";
import { paths } from "../paths.ts";
import { showOverlay, useOverlay } from "./overlays.ts";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const KeyList = lazy(async () => ({ default: (await import("./key-list.tsx")).KeyList }));

/** `g` and then a letter. */
const GO: Readonly<Record<string, string>> = {
  h: paths.home,
  e: paths.endpoints,
  d: paths.deliveries,
  v: paths.events,
  s: paths.sources,
  r: paths.receipts,
  c: paths.contacts,
  a: paths.approvals,
  k: paths.keys,
};
const SECOND_KEY_MS = 1200;

/** The keys that work on every page, and what they open. */
export function Keys() {
  const overlay = useOverlay();
  const navigate = useNavigate();
  const goneAt = useRef(0);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      showOverlay("palette");
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isWriting(event.target) || overlay !== null) return;
    if (event.key === "?") showOverlay("keys");
    else if (event.key === "/") openPalette(event);
    else if (event.key === "g") goneAt.current = event.timeStamp;
    else if (event.timeStamp - goneAt.current < SECOND_KEY_MS) {
      const to = GO[event.key];
      goneAt.current = 0;
      if (to !== undefined) void navigate({ to });
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
  return (
    <Suspense fallback={null}>
      {overlay === "palette" ? <Palette onClose={() => showOverlay(null)} /> : null}
      {overlay === "keys" ? <KeyList onClose={() => showOverlay(null)} /> : null}
    </Suspense>
  );
}

function openPalette(event: KeyboardEvent): void {
  event.preventDefault();
  showOverlay("palette");
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      "input, textarea, select, [contenteditable='true'], [role='dialog'], [role='menu'], [role='listbox']",
    ) !== null
  );
}
