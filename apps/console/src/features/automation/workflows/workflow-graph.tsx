import type { wire } from "../../../api/api.ts";
import { Card } from "../../../ui/ui.ts";
import { nodesOf, rawSteps } from "./outline.ts";
import type { OutlineNode, Way } from "./outline.ts";
import { stepLabel } from "./steps.ts";
import { startOf } from "./trigger.ts";

const BOX = { width: 200, height: 46, gap: 44, left: 130 };
const PITCH = BOX.height + BOX.gap;
const WIDTH = 480;
const TOP = 8;
const MOST_CHARS = 24;

/** The saved steps as a picture, and the same in words below it. */
export function WorkflowGraph({ workflow }: { readonly workflow: wire.Workflow }) {
  const nodes = nodesOf(rawSteps(workflow.steps));
  return (
    <Card title="Graph" description="Shows the saved workflow. To change it, open Definition.">
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Picture nodes={nodes} event={startOf(workflow)} />
        <ol aria-label="Steps as text" className="flex list-decimal flex-col gap-2 pl-5 text-sm">
          {nodes.map((node) => (
            <li key={node.id} className="break-words">
              <code>{node.id}</code> ({stepLabel(node.type)}): {node.ways.map(wayWords).join("; ")}
            </li>
          ))}
        </ol>
      </div>
    </Card>
  );
}

function wayWords({ to, label }: Way): string {
  const place = to === null ? "the end" : `to ${to}`;
  return label === "" ? place : `${label.toLowerCase()}, ${place}`;
}

function Picture({ nodes, event }: { readonly nodes: readonly OutlineNode[]; readonly event: string }) {
  const rows = new Map<string | null, number>(nodes.map(({ id }, at) => [id, at + 1]));
  rows.set(null, nodes.length + 1);
  const height = TOP * 2 + PITCH * (nodes.length + 2) - BOX.gap;
  const ways = nodes.flatMap((node, at) =>
    node.ways.map((way, index) => ({ way, index, from: at + 1, to: rows.get(way.to) ?? nodes.length + 1 })),
  );
  return (
    <svg
      role="img"
      aria-label={`${nodes.length} ${nodes.length === 1 ? "step" : "steps"} after ${event}, listed as text next to the graph`}
      viewBox={`0 0 ${WIDTH} ${height}`}
      style={{ maxWidth: WIDTH }}
      className="h-auto w-full text-ink"
    >
      <Arrow from={0} to={1} label="" lane={0} />
      {ways.map(({ way, index, from, to }) => (
        <Arrow key={`${from} ${index}`} from={from} to={to} label={way.label.toLowerCase()} lane={from + index} />
      ))}
      <Box row={0} title={event} detail="Trigger" />
      {nodes.map((node, at) => (
        <Box key={node.id} row={at + 1} title={node.id} detail={stepLabel(node.type)} />
      ))}
      <Box row={nodes.length + 1} title="End" detail="" />
    </svg>
  );
}

function Box({ row, title, detail }: { readonly row: number; readonly title: string; readonly detail: string }) {
  const y = TOP + row * PITCH;
  const shown = title.length > MOST_CHARS ? `${title.slice(0, MOST_CHARS)}…` : title;
  const middle = BOX.left + BOX.width / 2;
  return (
    <g>
      <rect
        x={BOX.left}
        y={y}
        width={BOX.width}
        height={BOX.height}
        rx={8}
        className="fill-surface stroke-line-strong"
      />
      <text x={middle} y={y + (detail === "" ? 28 : 20)} textAnchor="middle" className="fill-ink text-xs font-medium">
        {shown}
      </text>
      {detail === "" ? null : (
        <text x={middle} y={y + 36} textAnchor="middle" className="fill-muted text-xs">
          {detail}
        </text>
      )}
    </g>
  );
}

interface ArrowProps {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** Keeps arrows that go round apart. */
  readonly lane: number;
}

/** Straight down to the next one; round the side to any other. */
function Arrow({ from, to, label, lane }: ArrowProps) {
  const middle = BOX.left + BOX.width / 2;
  const right = BOX.left + BOX.width;
  const [start, end] = [TOP + from * PITCH, TOP + to * PITCH];
  const isNext = to === from + 1;
  const [y1, y2] = [start + BOX.height / 2, end + BOX.height / 2 - 6];
  const bend = right + 44 + (lane % 4) * 22;
  const path = isNext
    ? `M ${middle} ${start + BOX.height} V ${end - 5}`
    : `M ${right} ${y1} C ${bend} ${y1}, ${bend} ${y2}, ${right + 5} ${y2}`;
  const head = isNext
    ? `M ${middle - 4} ${end - 7} L ${middle} ${end} L ${middle + 4} ${end - 7} Z`
    : `M ${right + 7} ${y2 - 4} L ${right} ${y2} L ${right + 7} ${y2 + 4} Z`;
  return (
    <g>
      <path d={path} fill="none" className="stroke-faint" strokeWidth={1.5} />
      <path d={head} className="fill-faint" />
      {label === "" ? null : (
        <text
          x={isNext ? middle + 8 : right + 10}
          y={isNext ? start + BOX.height + 24 : y1 - 8}
          className="fill-muted text-xs"
        >
          {label}
        </text>
      )}
    </g>
  );
}
