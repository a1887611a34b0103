import { CircleAlert, CircleCheck, CircleDashed, CircleX, Info } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

/** The meaning of a state for the user. Color, shape and word say the same. */
export type Tone = "good" | "warn" | "bad" | "info" | "neutral";

const SOFT: Readonly<Record<Tone, string>> = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  neutral: "bg-sunken text-muted",
};
const INK: Readonly<Record<Tone, string>> = {
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
  info: "text-info",
  neutral: "text-muted",
};
const ICONS = { good: CircleCheck, warn: CircleAlert, bad: CircleX, info: Info, neutral: CircleDashed };

/** A word on a soft ground: a role, a mode, a count. */
export function Badge({ tone = "neutral", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={cx("inline-flex h-5 items-center rounded-full px-2 text-xs font-medium whitespace-nowrap", SOFT[tone])}
    >
      {children}
    </span>
  );
}

/** A state, by icon and word. */
export function StatusLight({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <span
      className={cx("inline-flex items-center gap-1.5 align-bottom text-sm font-medium whitespace-nowrap", INK[tone])}
    >
      <Icon aria-hidden size={14} />
      {children}
    </span>
  );
}
