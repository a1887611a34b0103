import { ArrowDown, ArrowUp, Braces, Copy, Trash2 } from "lucide-react";
import { IconButton, Select, toast } from "../../ui/ui.ts";
import type { ItemDraft, ItemKind } from "./item-kind.ts";
import { asType, switched } from "./items.ts";

export interface ItemHeadProps {
  readonly item: ItemDraft;
  readonly at: number;
  readonly count: number;
  readonly one: string;
  readonly kinds: readonly ItemKind[];
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
  readonly onDuplicate?: () => void;
  readonly onChange: (item: ItemDraft) => void;
}

/** The type of an action or step, and the buttons that move, copy and remove it. */
export function ItemHead({ item, at, count, one, kinds, onMove, onRemove, onDuplicate, onChange }: ItemHeadProps) {
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
          onChange={(type) => {
            const kind = kinds.find((known) => known.type === type);
            if (kind !== undefined) onChange(asType(item, kind));
          }}
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
      {onDuplicate === undefined ? null : (
        <IconButton size="sm" label={`Duplicate ${one.toLowerCase()} ${at + 1}`} onPress={onDuplicate}>
          <Copy aria-hidden size={15} />
        </IconButton>
      )}
      <IconButton size="sm" label={`Remove ${one.toLowerCase()} ${at + 1}`} onPress={onRemove}>
        <Trash2 aria-hidden size={15} />
      </IconButton>
    </div>
  );
}
