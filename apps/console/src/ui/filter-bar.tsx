import { ListFilter, X } from "lucide-react";
import { useState } from "react";
import { Button as AriaButton, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { usePortal } from "../session/session.ts";
import { Button, IconButton } from "./button.tsx";
import { Select } from "./choice.tsx";
import type { Option } from "./choice.tsx";
import { cx } from "./class-names.ts";
import { TextField } from "./field.tsx";
import { Menu } from "./menu.tsx";
import { SavedFilters } from "./saved-filters.tsx";
import { useFilters } from "./url-state.ts";

export interface FilterField {
  /** Name of the filter in the URL. */
  readonly name: string;
  readonly label: string;
  /** Choices; without them a text. */
  readonly options?: readonly Option[];
  readonly placeholder?: string;
  readonly mono?: boolean;
  /** The list's parameter for the start of a time range. */
  readonly bound?: "created_after" | "created_before";
  /** Always there, chosen or not. */
  readonly isPinned?: boolean;
}

/** Shows filters as chips. The URL holds the chosen values, and the screen reads them with `useFilters`. */
export function FilterBar({
  fields,
  list,
  children,
}: {
  readonly fields: readonly FilterField[];
  /** The list whose filters can be saved. */
  readonly list?: string;
  readonly children?: React.ReactNode;
}) {
  const [filters, change] = useFilters();
  const [added, setAdded] = useState<string | null>(null);
  const isPortal = usePortal() !== undefined;
  const isShown = (field: FilterField): boolean =>
    field.isPinned === true || field.name === added || (filters[field.name] ?? "") !== "";
  const chosen = fields.filter((field) => (filters[field.name] ?? "") !== "");
  const more = fields.filter((field) => !isShown(field));
  const clear = (): void => change(Object.fromEntries(fields.map((field) => [field.name, ""])));
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-1.5 pb-3">
      {fields.filter(isShown).map((field) => (
        <FilterChip
          key={field.name}
          field={field}
          value={filters[field.name] ?? ""}
          opensAtOnce={field.name === added}
          onChange={(value) => {
            setAdded(null);
            change({ [field.name]: value });
          }}
          onLeave={() => setAdded(null)}
        />
      ))}
      {more.length === 0 ? null : (
        <Menu
          label="Add filter"
          trigger={
            <Button variant="quiet" size="sm" icon={<ListFilter aria-hidden size={14} />}>
              Add filter
            </Button>
          }
          actions={more.map((field) => ({ id: field.name, label: field.label, onAction: () => setAdded(field.name) }))}
        />
      )}
      {chosen.length < 2 ? null : (
        <Button variant="quiet" size="sm" onPress={clear}>
          Clear all
        </Button>
      )}
      {list === undefined || isPortal ? null : <SavedFilters list={list} names={fields.map(({ name }) => name)} />}
      {children === undefined ? null : <div className="ml-auto flex items-center gap-1.5">{children}</div>}
    </div>
  );
}

interface FilterChipProps {
  readonly field: FilterField;
  readonly value: string;
  readonly opensAtOnce: boolean;
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
}

function FilterChip({ field, value, opensAtOnce, onChange, onLeave }: FilterChipProps) {
  const [isOpen, setOpen] = useState(opensAtOnce);
  const close = (open: boolean): void => {
    setOpen(open);
    if (!open) onLeave();
  };
  const words = field.options?.find((one) => one.value === value)?.label ?? value;
  return (
    <span
      className={cx(
        "inline-flex h-7 items-center rounded-md border text-sm",
        value === "" ? "border-dashed border-line-strong text-muted" : "border-line bg-surface shadow-card",
      )}
    >
      <DialogTrigger isOpen={isOpen} onOpenChange={close}>
        <AriaButton className="flex h-full max-w-72 items-center gap-1 rounded-md px-2 data-[hovered]:bg-hover">
          <span className="text-muted">{field.label}</span>
          {value === "" ? null : (
            <span className={cx("truncate font-medium", field.mono === true && "font-mono text-xs")}>{words}</span>
          )}
        </AriaButton>
        <Popover placement="bottom start" className="anim-pop w-72 rounded-lg bg-raised p-3 shadow-pop">
          <Dialog aria-label={`Filter: ${field.label}`} className="outline-none">
            <FilterForm
              field={field}
              value={value}
              onApply={(next) => {
                setOpen(false);
                onChange(next);
              }}
            />
          </Dialog>
        </Popover>
      </DialogTrigger>
      {value === "" ? null : (
        <IconButton label={`Remove filter: ${field.label}`} size="sm" onPress={() => onChange("")}>
          <X aria-hidden size={13} />
        </IconButton>
      )}
    </span>
  );
}

function FilterForm({
  field,
  value,
  onApply,
}: {
  readonly field: FilterField;
  readonly value: string;
  readonly onApply: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  if (field.options !== undefined) {
    return (
      <Select label={field.label} options={field.options} value={value === "" ? null : value} onChange={onApply} />
    );
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(text.trim());
      }}
    >
      <TextField
        label={field.label}
        value={text}
        onChange={setText}
        autoFocus
        mono={field.mono ?? false}
        {...(field.placeholder === undefined ? {} : { placeholder: field.placeholder })}
      />
      <Button type="submit" variant="primary" size="sm">
        Apply
      </Button>
    </form>
  );
}
