import { MODES } from "./conditions.ts";
import type { GroupMode } from "./conditions.ts";
import { opWords } from "./condition-fields.tsx";
import { isObject } from "./values.ts";

interface ConditionTextProps {
  readonly condition: object;
  /** The meaning of a condition that asks nothing. */
  readonly empty: string;
}

const HEADS = {
  all: "All of these are met:",
  any: "At least one of these is met:",
  not: "None of these is met:",
} as const;

/** Shows a condition in the words of its form, with its groups as nested lists. */
export function ConditionText({ condition, empty }: ConditionTextProps) {
  const { mode, nodes } = groupOf(condition);
  if (mode === "all" && nodes.length === 0) return <p className="text-muted">{empty}</p>;
  return <Node node={condition} />;
}

function Node({ node }: { readonly node: unknown }) {
  const { mode, nodes } = groupOf(node);
  if (mode === undefined) return <Comparison node={node} />;
  const [only] = nodes;
  // A group of one comparison says no more than the comparison.
  if (nodes.length === 1 && mode !== "not") return <Node node={only} />;
  if (nodes.length === 0) return <p>{mode === "any" ? "Never met." : "Always met."}</p>;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-muted">{HEADS[mode]}</p>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {nodes.map((one, at) => (
          <li key={at} className="min-w-0">
            <Node node={one} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Comparison({ node }: { readonly node: unknown }) {
  const { field, op, value } = isObject(node) ? node : {};
  if (typeof field !== "string" || typeof op !== "string") return <Code text={JSON.stringify(node)} />;
  if (op === "exists")
    return (
      <p>
        <Code text={field} /> {value === false ? "does not exist" : "exists"}
      </p>
    );
  return (
    <p>
      <Code text={field} /> {opWords(op)} <Code text={valueOf(value)} />
    </p>
  );
}

function Code({ text }: { readonly text: string }) {
  return (
    <code className="break-all">
      <bdi>{text}</bdi>
    </code>
  );
}

/** A text is in quotes: "50" never equals the number 50. */
function valueOf(value: unknown): string {
  return Array.isArray(value) ? value.map((one) => JSON.stringify(one)).join(", ") : JSON.stringify(value ?? null);
}

function groupOf(node: unknown): { readonly mode: GroupMode | undefined; readonly nodes: readonly unknown[] } {
  const group = isObject(node) ? node : {};
  const mode = MODES.find((one) => Array.isArray(group[one]));
  return { mode, nodes: mode === undefined ? [] : (group[mode] as readonly unknown[]) };
}
