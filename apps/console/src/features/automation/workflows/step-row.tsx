import { CircleDashed, CircleX } from "lucide-react";
import type { KeyboardEvent } from "react";
import { cx } from "../../../ui/ui.ts";
import type { OutlineNode } from "./outline.ts";
import { STEP_ICONS, stepLabel } from "./steps.ts";

export interface StepRowProps {
  readonly id: string;
  readonly node: OutlineNode;
  readonly isSelected: boolean;
  readonly hasProblem: boolean;
  readonly onSelect: () => void;
  readonly onKey: (event: KeyboardEvent<HTMLButtonElement>) => void;
}

/** The line of a step in the editor's outline. */
export function StepRow({ id, node, isSelected, hasProblem, onSelect, onKey }: StepRowProps) {
  const Icon = STEP_ICONS[node.type] ?? CircleDashed;
  return (
    <button
      id={id}
      type="button"
      data-step-row=""
      aria-current={isSelected ? "step" : undefined}
      onClick={onSelect}
      onKeyDown={onKey}
      className={cx(
        "flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover focus-visible:outline-2 focus-visible:outline-accent",
        isSelected && "bg-selected font-medium",
      )}
    >
      <Icon aria-hidden size={15} className="shrink-0 text-muted" />
      <code className="min-w-0 flex-1 break-all">{node.id === "" ? "(no ID)" : node.id}</code>
      <span className="shrink-0 text-xs text-muted">{stepLabel(node.type)}</span>
      {hasProblem ? <CircleX role="img" aria-label="Has problems" size={14} className="shrink-0 text-bad" /> : null}
    </button>
  );
}
