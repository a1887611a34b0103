import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../ui/ui.ts";

export interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly children: ReactNode;
}

export function Step({ number, title, isDone, isNext, children }: StepProps) {
  return (
    <li
      className={cx(
        "flex gap-4 rounded-xl border bg-surface p-4 shadow-card",
        isNext ? "border-accent" : "border-line",
      )}
    >
      <span
        className={cx(
          "flex size-7 shrink-0 items-center justify-center rounded-full text-sm font-semibold",
          isDone ? "bg-good-soft text-good" : "bg-sunken text-muted",
        )}
      >
        {isDone ? <Check aria-hidden size={15} /> : <span aria-hidden>{number}</span>}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <h2 className="font-semibold">
          <span className="sr-only">Step {number}: </span>
          {title}
          <span className="sr-only">{isDone ? ", done" : ", to do"}</span>
        </h2>
        {children}
      </div>
    </li>
  );
}
