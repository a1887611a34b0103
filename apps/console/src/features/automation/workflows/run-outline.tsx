import { useQuery } from "@tanstack/react-query";
import { CircleDashed } from "lucide-react";
import { useMemo } from "react";
import { readExact } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths, pathOfId } from "../../../paths.ts";
import { Card, CodeBlock, cx, Disclosure, EmptyState, IdLink, labelOf, Link, RelativeTime } from "../../../ui/ui.ts";
import { ReplayCall } from "../http-calls/replay-call.tsx";
import { WorkflowRunLight } from "../run-lights.tsx";
import { OutlineList } from "./outline-list.tsx";
import { listWith, nodesOf, outlineOf, rawSteps } from "./outline.ts";
import type { OutlineNode, OutlineRow } from "./outline.ts";
import { RunChildren } from "./run-children.tsx";
import { STEP_ICONS, stepLabel } from "./steps.ts";

const MOST_CHARS = 20_000;
/** Ids of objects, such as `call_…`. */
const ID = /^[a-z]+_[0-9a-z]{20,}$/;

/** Shows the way of a run through the outline of its workflow, with the state and output of each step. */
export function RunOutline({ run, isOpen }: { readonly run: wire.WorkflowRunWithSteps; readonly isOpen: boolean }) {
  const rows = useRows(run);
  const reached = new Map(run.steps.map((step) => [step.id, step]));
  const lines = rows ?? run.steps.map(rowOf);
  return (
    <Card
      title="Steps"
      description={
        rows === undefined
          ? "The steps that the run reached. The other steps of this version are not available."
          : "The way of the run through the workflow."
      }
    >
      {lines.length === 0 ? (
        <EmptyState title="No steps yet">The first step starts in a moment.</EmptyState>
      ) : (
        <OutlineList
          label="Steps"
          rows={lines}
          step={(node) => (
            <>
              <StepLine node={node} step={reached.get(node.id)} isOpen={isOpen} />
              <RunChildren run={run} step={node.id} />
            </>
          )}
        />
      )}
    </Card>
  );
}

/** Returns the lines of the version that the run has; undefined if that version was replaced or deleted. */
function useRows(run: wire.WorkflowRunWithSteps): readonly OutlineRow[] | undefined {
  const { workflow_id: id, workflow_version: version } = run;
  const { data } = useQuery({ ...readExact("workflows.get", { path: { id } }), retry: false });
  const first = run.steps[0]?.id ?? run.step ?? "";
  return useMemo(
    () => (data?.version === version ? outlineOf(nodesOf(listWith(rawSteps(data.steps), first))) : undefined),
    [data, version, first],
  );
}

function rowOf({ id, type }: wire.WorkflowRunStep, at: number): OutlineRow {
  return { kind: "step", key: id, level: 0, node: { at, id, type, ways: [], inner: [] } };
}

interface StepLineProps {
  readonly node: OutlineNode;
  /** Undefined if the run did not reach the step. */
  readonly step: wire.WorkflowRunStep | undefined;
  readonly isOpen: boolean;
}

function StepLine({ node, step, isOpen }: StepLineProps) {
  const Icon = STEP_ICONS[node.type] ?? CircleDashed;
  return (
    <div
      role="group"
      aria-label={`Step ${node.id}`}
      className={cx("flex min-w-0 flex-col gap-1.5 rounded-md px-2 py-1.5", step !== undefined && "bg-sunken")}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Icon aria-hidden size={15} className="shrink-0 text-muted" />
        <code className="min-w-0 font-medium break-all">{node.id}</code>
        <span className="text-xs text-muted">{stepLabel(node.type)}</span>
        <WorkflowRunLight state={step?.state ?? (isOpen ? "ahead" : "skipped")} />
        {step === undefined ? null : <RelativeTime at={step.ended_at ?? step.started_at} />}
      </div>
      {step === undefined ? null : <StepResult step={step} />}
    </div>
  );
}

function StepResult({ step }: { readonly step: wire.WorkflowRunStep }) {
  const { error, output, state } = step;
  const ids = Object.entries(output ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && ID.test(entry[1]),
  );
  const call = ids.find(([name]) => name === "http_call_id")?.[1];
  const proposal = ids.find(([name]) => name === "proposal_id")?.[1];
  return (
    <>
      {error === null ? null : <p className="text-sm break-words text-bad">{error}</p>}
      {state === "waiting" && proposal !== undefined ? (
        <p>
          <Link to={paths.approval(proposal)} look="primary">
            Open approval
          </Link>
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        {ids.map(([name, id]) => {
          const page = pathOfId(id);
          return page === null ? null : (
            <span key={name}>
              {labelOf(name.replace(/_id$/, ""))} <IdLink to={page} id={id} />
            </span>
          );
        })}
        {call === undefined ? null : <ReplayCall id={call} isOpen={state === "waiting"} size="sm" />}
      </div>
      {output === null ? null : <Output id={step.id} output={output} />}
    </>
  );
}

function Output({ id, output }: { readonly id: string; readonly output: object }) {
  const text = JSON.stringify(output, null, 2);
  const isLong = text.length > MOST_CHARS;
  return (
    <Disclosure title="Output">
      <CodeBlock label={`Output of ${id}`} text={isLong ? text.slice(0, MOST_CHARS) : text} maxHeight="16rem" />
      {isLong ? <p className="text-xs text-muted">The first {MOST_CHARS} characters are shown.</p> : null}
    </Disclosure>
  );
}
