import { ArrowDown, ArrowUp, Braces, Plus, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { below } from "../../shared/shared.ts";
import type { ProblemAt } from "../../shared/shared.ts";
import { Button, IconButton, Select, toast } from "../../ui/ui.ts";
import type { Choices } from "./choices.ts";
import { ItemFields } from "./item-fields.tsx";
import { newItem, switched } from "./items.ts";
import type { ItemDraft, ItemKind } from "./items.ts";

export interface ItemListProps {
  /** "Actions" */
  readonly label: string;
  /** "Action" */
  readonly one: string;
  readonly kinds: readonly ItemKind[];
  readonly items: readonly ItemDraft[];
  readonly onChange: (items: readonly ItemDraft[]) => void;
  /** Problems at pointers from the list on. */
  readonly problems: ProblemAt;
  readonly choices: Choices;
  /** Returns the first values of a new item. */
  readonly begin?: () => Readonly<Record<string, string>>;
}

/** Edits actions or steps in order, each by its form or as JSON. Buttons move them up and down and keep the focus. */
export function ItemList({ label, one, kinds, items, onChange, problems, choices, begin }: ItemListProps) {
  const moved = useMoved();
  const move = (at: number, by: -1 | 1): void => {
    const item = items[at];
    if (item === undefined) return;
    onChange(items.toSpliced(at, 1).toSpliced(at + by, 0, item));
    moved.tell(item.key, by, `${one} moved to position ${at + by + 1} of ${items.length}.`);
  };
  const add = (): void => {
    const kind = kinds[0];
    if (kind !== undefined) onChange([...items, newItem(kind, begin?.() ?? {})]);
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ol aria-label={label} className="flex flex-col gap-3">
        {items.map((item, at) => (
          <li key={item.key} className="rounded-lg border border-line bg-sunken">
            <ItemHead
              item={item}
              at={at}
              count={items.length}
              one={one}
              kinds={kinds}
              onMove={(by) => move(at, by)}
              onRemove={() => onChange(items.toSpliced(at, 1))}
              onChange={(next) => onChange(items.with(at, next))}
            />
            <div className="p-3">
              <ItemFields
                item={item}
                label={`${one} ${at + 1}`}
                kinds={kinds}
                onChange={(next) => onChange(items.with(at, next))}
                problems={below(problems, `/${at}`)}
                choices={choices}
              />
            </div>
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {moved.said}
      </p>
      <div>
        <Button size="sm" icon={<Plus aria-hidden size={14} />} onPress={add}>
          Add {one.toLowerCase()}
        </Button>
      </div>
    </div>
  );
}

interface ItemHeadProps {
  readonly item: ItemDraft;
  readonly at: number;
  readonly count: number;
  readonly one: string;
  readonly kinds: readonly ItemKind[];
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
  readonly onChange: (item: ItemDraft) => void;
}

function ItemHead({ item, at, count, one, kinds, onMove, onRemove, onChange }: ItemHeadProps) {
  const toggle = (): void => {
    const next = switched(item, kinds);
    if (next === undefined) toast("The form can't show all fields of this JSON. Edit the JSON instead.");
    else onChange(next);
  };
  return (
    <div className="flex flex-wrap items-center gap-1 border-b border-line px-3 py-2">
      <span className="mr-1 text-sm font-medium text-muted tabular">{at + 1}</span>
      <div className="min-w-36 flex-1">
        <Select
          label={`Type of ${one.toLowerCase()} ${at + 1}`}
          hideLabel
          isDisabled={item.isJson}
          options={kinds.map(({ type, label }) => ({ value: type, label }))}
          value={item.type}
          onChange={(type) => onChange({ ...item, type })}
        />
      </div>
      <IconButton
        id={`${item.key}-up`}
        size="sm"
        label={`Move ${one.toLowerCase()} ${at + 1} up`}
        isDisabled={at === 0}
        onPress={() => onMove(-1)}
      >
        <ArrowUp aria-hidden size={15} />
      </IconButton>
      <IconButton
        id={`${item.key}-down`}
        size="sm"
        label={`Move ${one.toLowerCase()} ${at + 1} down`}
        isDisabled={at === count - 1}
        onPress={() => onMove(1)}
      >
        <ArrowDown aria-hidden size={15} />
      </IconButton>
      <IconButton size="sm" label={`${one} ${at + 1} ${item.isJson ? "as a form" : "as JSON"}`} onPress={toggle}>
        <Braces aria-hidden size={15} />
      </IconButton>
      <IconButton size="sm" label={`Remove ${one.toLowerCase()} ${at + 1}`} onPress={onRemove}>
        <Trash2 aria-hidden size={15} />
      </IconButton>
    </div>
  );
}

/** Keeps the focus on the pressed button after a move, or on the opposite button at the end of the list. */
function useMoved(): { readonly said: string; tell(key: string, by: -1 | 1, words: string): void } {
  const [said, setSaid] = useState("");
  const wanted = useRef<readonly string[]>([]);
  useEffect(() => {
    const ids = wanted.current;
    if (ids.length === 0) return;
    wanted.current = [];
    const buttons = ids.map((id) => document.querySelector<HTMLButtonElement>(`#${id}`));
    buttons.find((button) => button !== null && !button.disabled)?.focus();
  });
  return {
    said,
    tell(key, by, words) {
      wanted.current = by === -1 ? [`${key}-up`, `${key}-down`] : [`${key}-down`, `${key}-up`];
      setSaid(words);
    },
  };
}
