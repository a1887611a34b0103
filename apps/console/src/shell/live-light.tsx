import { useLiveState } from "../api/api.ts";
import type { LiveState } from "../api/api.ts";
import { cx } from "../ui/ui.ts";

const WORDS: Readonly<Record<LiveState, { readonly word: string; readonly hint: string; readonly dot: string }>> = {
  live: { word: "Up to date", hint: "What happens is shown as it happens", dot: "bg-good" },
  connecting: { word: "Connecting", hint: "Opening the stream of news", dot: "bg-faint" },
  reconnecting: {
    word: "Reconnecting",
    hint: "The stream of news ended; nothing is lost when it is back",
    dot: "bg-warn animate-[pulse-dot_1.2s_ease-in-out_infinite]",
  },
  polling: {
    word: "Polling",
    hint: "There is no stream: what is shown is asked for again every few seconds",
    dot: "bg-warn",
  },
};

/** Whether what is on the screen keeps up with what happens. */
export function LiveLight() {
  const { word, hint, dot } = WORDS[useLiveState()];
  const isQuiet = word === "Up to date" || word === "Connecting";
  return (
    <span role="status" title={hint} className="inline-flex items-center gap-1.5 px-2 text-xs text-muted">
      <span aria-hidden className={cx("size-1.5 rounded-full", dot)} />
      <span className={isQuiet ? "max-sm:sr-only" : ""}>
        <span className="sr-only">News: </span>
        {word}
      </span>
    </span>
  );
}
