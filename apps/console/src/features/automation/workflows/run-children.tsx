import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { Link } from "../../../ui/ui.ts";
import { WorkflowRunLight } from "../run-lights.tsx";

/** Lists the branches or items that a step of a run has started, each with its own run. */
export function RunChildren({ run, step }: { readonly run: wire.WorkflowRunWithSteps; readonly step: string }) {
  const children = run.children.filter((child) => child.parent_step === step);
  if (children.length === 0) return null;
  return (
    <ol aria-label={`Runs of ${step}`} className="flex flex-col gap-1 py-1 pl-8 text-sm">
      {children.map((child) => (
        <li key={child.id} className="flex flex-wrap items-center gap-x-3">
          <Link to={paths.workflowRun(child.id)}>{`${child.index + 1}`}</Link>
          <WorkflowRunLight state={child.state} />
          {child.error === null ? null : <span className="min-w-0 break-words text-bad">{child.error}</span>}
        </li>
      ))}
    </ol>
  );
}
