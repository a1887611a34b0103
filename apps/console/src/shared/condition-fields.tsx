import { Braces, Plus, X } from "lucide-react";
import type { ProblemAt } from "./faults.ts";
import { Button, IconButton, Select, TextField } from "../ui/ui.ts";
import { newLeaf, newNested } from "./conditions.ts";
import type { ConditionDraft, GroupMode, LeafDraft, RowDraft } from "./conditions.ts";
import type { Offer } from "./offers.ts";
import { TemplateField } from "./template-field.tsx";
import { readingOf } from "./values.ts";

const MODES: readonly { readonly value: GroupMode; readonly label: string }[] = [
  { value: "all", label: "All conditions are met" },
  { value: "any", label: "At least one condition is met" },
  { value: "not", label: "No condition is met" },
];
const OPS = [
  { value: "eq", label: "is" },
  { value: "ne", label: "is not" },
  { value: "gt", label: "is greater than" },
  { value: "gte", label: "is at least" },
  { value: "lt", label: "is less than" },
  { value: "lte", label: "is at most" },
  { value: "in", label: "is one of" },
  { value: "not_in", label: "is not one of" },
  { value: "contains", label: "contains" },
  { value: "starts_with", label: "starts with" },
  { value: "ends_with", label: "ends with" },
  { value: "exists", label: "exists" },
];
const TRUTHS = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** Returns an operator in the words of the form. */
export function opWords(op: string): string {
  return OPS.find(({ value }) => value === op)?.label ?? op;
}

export interface ConditionFieldsProps {
  readonly label: string;
  /** The meaning of a condition without rows. */
  readonly empty: string;
  readonly draft: ConditionDraft;
  readonly onChange: (draft: ConditionDraft) => void;
  readonly problems: ProblemAt;
  /** Values that a comparison can read. */
  readonly offers: readonly Offer[];
}

/** Edits one group of comparisons by fields, and groups within it as JSON. */
export function ConditionFields({ label, empty, draft, onChange, problems, offers }: ConditionFieldsProps) {
  const { mode, rows } = draft;
  const replace = (at: number, row: RowDraft): void => onChange({ mode, rows: rows.with(at, row) });
  return (
    <div role="group" aria-label={label} className="flex min-w-0 flex-col gap-3">
      <div className="max-w-60">
        <Select label={label} options={MODES} value={mode} onChange={(next) => onChange({ mode: next, rows })} />
      </div>
      {rows.length === 0 ? <p className="text-sm text-muted">{empty}</p> : null}
      {rows.map((row, at) => (
        <div
          key={row.key}
          role="group"
          aria-label={`${label}, ${at + 1}`}
          className="flex items-start gap-2 rounded-lg border border-line bg-sunken p-3"
        >
          <div className="min-w-0 flex-1">
            {row.kind === "leaf" ? (
              <LeafFields
                row={row}
                offers={offers}
                onChange={(next) => replace(at, next)}
                problems={(pointer) => problems(`/${mode}/${at}${pointer}`)}
              />
            ) : (
              <TextField
                label="Group as JSON"
                description='Such as {"any": [{"field": "data.plan", "op": "eq", "value": "gold"}]}. Groups can be nested up to five levels deep.'
                mono
                lines={5}
                value={row.json}
                onChange={(json) => replace(at, { ...row, json })}
                error={problems(`/${mode}/${at}`)}
              />
            )}
          </div>
          <IconButton
            size="sm"
            label={`Remove condition ${at + 1}`}
            onPress={() => onChange({ mode, rows: rows.toSpliced(at, 1) })}
          >
            <X aria-hidden size={15} />
          </IconButton>
        </div>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Plus aria-hidden size={14} />}
          onPress={() => onChange({ mode, rows: [...rows, newLeaf()] })}
        >
          Add condition
        </Button>
        <Button
          size="sm"
          variant="quiet"
          icon={<Braces aria-hidden size={14} />}
          onPress={() => onChange({ mode, rows: [...rows, newNested()] })}
        >
          Add group
        </Button>
      </div>
    </div>
  );
}

interface LeafFieldsProps {
  readonly row: LeafDraft;
  readonly onChange: (row: LeafDraft) => void;
  readonly problems: ProblemAt;
  readonly offers: readonly Offer[];
}

function LeafFields({ row, onChange, problems, offers }: LeafFieldsProps) {
  const asked = row.op === "exists" ? (row.value === "false" ? "false" : "true") : row.value;
  // A fault of the whole leaf appears at its first field.
  const fieldProblem = problems("/field") ?? ((problems("/op") ?? problems("/value")) ? undefined : problems(""));
  return (
    <div className="grid items-start gap-3 sm:grid-cols-[1fr_9rem_1fr]">
      <TemplateField
        label="Field"
        holds="path"
        offers={offers}
        placeholder="data.order.total"
        value={row.field}
        onChange={(field) => onChange({ ...row, field })}
        error={fieldProblem}
      />
      <Select
        label="Operator"
        options={OPS}
        value={row.op}
        onChange={(op) => onChange({ ...row, op, value: op === "exists" ? "true" : row.value })}
        error={problems("/op")}
      />
      {row.op === "exists" ? (
        <Select
          label="Value"
          options={TRUTHS}
          value={asked}
          onChange={(value) => onChange({ ...row, value })}
          error={problems("/value")}
        />
      ) : (
        <TextField
          label="Value"
          mono
          description={<bdi className="break-all">{readingOf(row.value)}</bdi>}
          value={row.value}
          onChange={(value) => onChange({ ...row, value })}
          error={problems("/value")}
        />
      )}
    </div>
  );
}
