import { Plus } from "lucide-react";
import { below } from "../../shared/shared.ts";
import type { ProblemAt } from "../../shared/shared.ts";
import { Button } from "../../ui/ui.ts";
import type { Choices } from "./choices.ts";
import { ItemFields } from "./item-fields.tsx";
import { ItemHead } from "./item-head.tsx";
import type { ItemDraft, ItemKind } from "./item-kind.ts";
import { newItem } from "./items.ts";
import { useMoved } from "./moved.ts";

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
}

/** Edits actions in order, each by its form or as JSON. Buttons move them up and down and keep the focus. */
export function ItemList({ label, one, kinds, items, onChange, problems, choices }: ItemListProps) {
  const moved = useMoved();
  const move = (at: number, by: -1 | 1): void => {
    const item = items[at];
    if (item === undefined) return;
    onChange(items.toSpliced(at, 1).toSpliced(at + by, 0, item));
    moved.tell(item.key, by, `${one} moved to position ${at + by + 1} of ${items.length}.`);
  };
  const add = (): void => {
    const kind = kinds[0];
    if (kind !== undefined) onChange([...items, newItem(kind)]);
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
