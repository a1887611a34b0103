import { CornerDownRight } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "../../../ui/ui.ts";
import type { OutlineNode, OutlineRow, Way } from "./outline.ts";
import { stepLabel } from "./steps.ts";

export interface OutlineListProps {
  readonly label: string;
  readonly rows: readonly OutlineRow[];
  /** The line of a step. */
  readonly step: (node: OutlineNode) => ReactNode;
  /** An action at the beginning of a branch. */
  readonly branchAction?: (node: OutlineNode, way: Way) => ReactNode;
}

const INDENT_REM = 1.1;
const MOST_LEVELS = 6;

/** Draws an outline of steps: branches are indented below the step that has them. */
export function OutlineList({ label, rows, step, branchAction }: OutlineListProps) {
  return (
    <ol aria-label={label} className="flex min-w-0 flex-col gap-0.5">
      {rows.map((row) => (
        <li
          key={row.key}
          className="min-w-0"
          style={{ paddingInlineStart: `${Math.min(row.level, MOST_LEVELS) * INDENT_REM}rem` }}
        >
          {row.kind === "step" ? (
            step(row.node)
          ) : (
            <div
              className={cx(
                "flex min-h-7 items-center gap-1.5 px-2 text-xs text-muted",
                row.kind === "unreached" && "mt-2 border-t border-line pt-2",
              )}
            >
              {row.kind === "unreached" || row.kind === "inner" ? null : (
                <CornerDownRight aria-hidden size={12} className="shrink-0" />
              )}
              <span className="min-w-0 break-words">{wordsOf(row)}</span>
              {row.kind === "branch" ? branchAction?.(row.node, row.way) : null}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function wordsOf(row: Exclude<OutlineRow, { kind: "step" }>): ReactNode {
  switch (row.kind) {
    case "list":
      return <span className="font-medium">{row.label}:</span>;
    case "inner":
      return (
        <>
          <code className="text-ink">{row.id}</code> {stepLabel(row.type)}
        </>
      );
    case "end":
      return "End";
    case "unreached":
      return "No way leads to these steps";
    case "jump":
      return <Continues to={row.to} />;
    default:
      return (
        <>
          <span className="font-medium">{row.way.label}</span>
          {row.isFollowed ? ":" : <>: {row.way.to === null ? "end" : <Continues to={row.way.to} />}</>}
        </>
      );
  }
}

function Continues({ to }: { readonly to: string }) {
  return (
    <>
      continues with <code className="break-all">{to}</code>
    </>
  );
}
