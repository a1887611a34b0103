import { Braces, Plus } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { below } from "../../../shared/shared.ts";
import type { ProblemAt } from "../../../shared/shared.ts";
import { Button, deferred, IconButton, Menu } from "../../../ui/ui.ts";
import type { MenuAction } from "../../../ui/ui.ts";
import type { Choices } from "../choices.ts";
import { ItemFields } from "../item-fields.tsx";
import { ItemHead } from "../item-head.tsx";
import type { ItemDraft, ItemKind } from "../item-kind.ts";
import { valueOfItems } from "../items.ts";
import { added, addedToBranch, duplicated, idOf, moved, removed, replaced } from "./changes.ts";
import type { Changed } from "./changes.ts";
import { OutlineList } from "./outline-list.tsx";
import { nodesOf, outlineOf } from "./outline.ts";
import { useStepChoices } from "./step-choices.ts";
import { StepRow } from "./step-row.tsx";
import { STEPS } from "./steps.ts";

const StepsDialog = deferred(async () => (await import("./steps-dialog.tsx")).StepsDialog);

export interface StepEditorProps {
  readonly steps: readonly ItemDraft[];
  readonly onChange: (steps: readonly ItemDraft[]) => void;
  /** Problems at pointers from the list on. */
  readonly problems: ProblemAt;
  readonly choices: Choices;
}

/** Edits the steps of a workflow: an outline of all of them, and the form of the selected one. */
export function StepEditor({ steps, onChange, problems, choices }: StepEditorProps) {
  const editing = useEditing(steps, onChange);
  const [isJson, setJson] = useState(false);
  const nodes = useMemo(() => nodesOf(valueOfItems(steps, STEPS).values), [steps]);
  const rows = useMemo(() => outlineOf(nodes), [nodes]);
  const order = rows.flatMap((row) => (row.kind === "step" ? [row.node.at] : []));
  const { at, step } = editing;
  const stepChoices = useStepChoices(choices, nodes, at);
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[17rem_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-2">
        <OutlineList
          label="Steps"
          rows={rows}
          step={(node) => (
            <StepRow
              id={`row-${steps[node.at]?.key ?? ""}`}
              node={node}
              isSelected={node.at === at}
              hasProblem={problems(`/${node.at}`) !== undefined}
              onSelect={() => editing.select(node.at)}
              onKey={(event) => editing.key(event, node.at, order)}
            />
          )}
          branchAction={(node, way) => (
            <Menu
              label={`Add step to ${node.id}: ${way.label}`}
              trigger={
                <IconButton size="sm" label={`Add step to ${node.id}: ${way.label}`}>
                  <Plus aria-hidden size={13} />
                </IconButton>
              }
              actions={kindActions((kind) =>
                editing.apply(addedToBranch(steps, { ...way, at: node.at }, kind), "added"),
              )}
            />
          )}
        />
        <p role="status" className="sr-only">
          {editing.said}
        </p>
        <div className="flex flex-wrap gap-2">
          <Menu
            label="Types of steps"
            trigger={
              <Button size="sm" icon={<Plus aria-hidden size={14} />}>
                Add step
              </Button>
            }
            actions={kindActions((kind) => editing.apply(added(steps, at, kind), "added"))}
          />
          <Button size="sm" variant="quiet" icon={<Braces aria-hidden size={14} />} onPress={() => setJson(true)}>
            Steps as JSON
          </Button>
        </div>
        <p className="text-xs text-muted">
          Arrow keys select a step. Alt with an arrow key moves it, and Delete removes it.
        </p>
      </div>
      {step === undefined ? (
        <p className="text-sm text-muted">Add a step.</p>
      ) : (
        <div key={step.key} className="min-w-0 rounded-lg border border-line bg-sunken">
          <ItemHead
            item={step}
            at={at}
            count={steps.length}
            one="Step"
            kinds={STEPS}
            onMove={(by) => editing.move(by)}
            onRemove={() => editing.apply(removed(steps, at), "removed")}
            onDuplicate={() => editing.apply(duplicated(steps, at), "added")}
            onChange={(next) => onChange(replaced(steps, at, next))}
          />
          <div className="p-3">
            <ItemFields
              item={step}
              label={`Step ${at + 1}`}
              kinds={STEPS}
              onChange={(next) => onChange(replaced(steps, at, next))}
              problems={below(problems, `/${at}`)}
              choices={stepChoices}
            />
          </div>
        </div>
      )}
      {isJson ? <StepsDialog steps={steps} onChange={onChange} onClose={() => setJson(false)} /> : null}
    </div>
  );
}

function kindActions(onAdd: (kind: ItemKind) => void): readonly MenuAction[] {
  return STEPS.map((kind) => ({
    id: kind.type,
    label: kind.label,
    icon: <kind.icon aria-hidden size={15} className="text-muted" />,
    onAction: () => onAdd(kind),
  }));
}

interface Editing {
  /** Position of the selected step. */
  readonly at: number;
  readonly step: ItemDraft | undefined;
  /** Describes the last change for screen readers. */
  readonly said: string;
  select(at: number): void;
  /** Makes a change, selects its step, and focuses the step's line unless the pressed button remains. */
  apply(change: Changed, verb: string, focuses?: boolean): void;
  /** Moves the selected step. The pressed button keeps the focus while it works. */
  move(by: -1 | 1): void;
  key(event: KeyboardEvent<HTMLButtonElement>, at: number, order: readonly number[]): void;
}

function useEditing(steps: readonly ItemDraft[], onChange: (steps: readonly ItemDraft[]) => void): Editing {
  const [selected, setSelected] = useState<string>();
  const [said, setSaid] = useState("");
  const focus = useFocusRow();
  const found = steps.findIndex(({ key }) => key === selected);
  const at = Math.max(0, found);
  const apply = (change: Changed, verb: string, focuses = true): void => {
    const step = change.steps[change.at];
    if (change.steps === steps) return;
    onChange(change.steps);
    setSelected(step?.key);
    const place = verb === "removed" ? "" : ` at position ${change.at + 1} of ${change.steps.length}`;
    setSaid(`Step ${verb === "removed" ? idOf(steps[at]) : idOf(step)} ${verb}${place}.`);
    if (focuses) focus(step?.key);
  };
  const select = (to: number | undefined, focuses = false): void => {
    const step = to === undefined ? undefined : steps[to];
    if (step === undefined) return;
    setSelected(step.key);
    if (focuses) focus(step.key);
  };
  return {
    at,
    step: steps[at],
    said,
    select: (to) => select(to),
    apply,
    move(by) {
      const change = moved(steps, at, by);
      apply(change, "moved", change.at === 0 || change.at === steps.length - 1);
    },
    key(event, from, order) {
      const by = STEPS_OF_KEYS[event.key];
      const place = order.indexOf(from);
      if (by !== undefined && event.altKey) apply(moved(steps, from, by), "moved");
      else if (by !== undefined) select(order[place + by], true);
      else if (event.key === "Home") select(order[0], true);
      else if (event.key === "End") select(order.at(-1), true);
      else if (event.key === "Delete") apply(removed(steps, from), "removed");
      else return;
      event.preventDefault();
    },
  };
}

const STEPS_OF_KEYS: Readonly<Record<string, -1 | 1>> = { ArrowUp: -1, ArrowDown: 1 };

/** Focuses a step's line after the next render. */
function useFocusRow(): (key: string | undefined) => void {
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const row = document.querySelector<HTMLElement>(`#row-${wanted.current}`);
    if (row === null) return;
    wanted.current = undefined;
    // A menu that closes gives the focus back to its button first.
    requestAnimationFrame(() => row.focus());
  });
  return (key) => {
    wanted.current = key;
  };
}
