import { Radio, RefreshCw, WifiOff } from "lucide-react";
import { useLiveState } from "../api/api.ts";
import type { LiveState } from "../api/api.ts";
import { cx } from "../ui/ui.ts";

const WORDS = {
  live: { word: "Connected", hint: "Changes appear immediately", icon: Radio, look: "text-good" },
  connecting: { word: "Connecting", hint: "Opening the event stream", icon: Radio, look: "text-faint" },
  reconnecting: {
    word: "Reconnecting",
    hint: "The event stream was interrupted. No changes are lost when it reconnects.",
    icon: RefreshCw,
    look: "text-warn animate-[pulse-dot_1.2s_ease-in-out_infinite]",
  },
  polling: {
    word: "Polling",
    hint: "The event stream is unavailable. The page is refreshed every few seconds.",
    icon: WifiOff,
    look: "text-warn",
  },
} as const satisfies Readonly<Record<LiveState, object>>;

/** Shows whether the screen is kept up to date. */
export function LiveLight() {
  const { word, hint, icon: Icon, look } = WORDS[useLiveState()];
  return (
    <span role="status" title={hint} className="inline-flex items-center gap-1.5 px-1.5 text-xs text-muted">
      <Icon aria-hidden size={14} className={cx("shrink-0", look)} />
      <span className="max-md:sr-only">{word}</span>
    </span>
  );
}
