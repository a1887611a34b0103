import type { wire } from "../api/api.ts";
import { StatusLight, Table } from "../ui/ui.ts";
import { opWords } from "./condition-fields.tsx";
import { short } from "./values.ts";

/** Each comparison of a condition: what it asked, what was there, and what came of it. */
export function LeafTable({ leaves }: { readonly leaves: readonly wire.RuleLeaf[] }) {
  if (leaves.length === 0) return <p className="text-sm text-muted">No conditions. Every event matches.</p>;
  return (
    <Table
      label="Conditions"
      rows={leaves}
      keyOf={(leaf) => leaf.path}
      columns={[
        {
          header: "Condition",
          cell: (leaf) => (
            <span className="flex min-w-0 flex-col">
              <code className="break-all">{leaf.field}</code>
              <code className="text-xs text-muted">{leaf.path === "" ? "/" : leaf.path}</code>
            </span>
          ),
        },
        { header: "Operator", from: "sm", cell: (leaf) => opWords(leaf.op) },
        { header: "Expected", cell: (leaf) => <JsonValue value={leaf.expected} /> },
        {
          header: "Actual",
          cell: (leaf) =>
            leaf.found ? <JsonValue value={leaf.actual} /> : <span className="text-muted">Missing</span>,
        },
        {
          header: "Outcome",
          cell: (leaf) =>
            leaf.truth ? <StatusLight tone="good">Met</StatusLight> : <StatusLight tone="bad">Not met</StatusLight>,
        },
      ]}
    />
  );
}

function JsonValue({ value }: { readonly value: unknown }) {
  return (
    <code className="break-all">
      <bdi>{short(JSON.stringify(value ?? null))}</bdi>
    </code>
  );
}
