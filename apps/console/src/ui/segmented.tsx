import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Option } from "./choice.tsx";

export interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Lets the user choose one of two to five short words, all of which are visible. */
export function Segmented<Value extends string>({ label, options, value, onChange }: SegmentedProps<Value>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = options.find((option) => keys.has(option.value));
        if (chosen !== undefined && chosen.value !== value) onChange(chosen.value);
      }}
      className="flex rounded-md border border-line bg-sunken p-0.5 text-sm"
    >
      {options.map((option) => (
        <ToggleButton
          key={option.value}
          id={option.value}
          className="h-6.5 rounded-sm px-2.5 whitespace-nowrap text-muted data-[hovered]:text-ink data-[selected]:bg-surface data-[selected]:font-medium data-[selected]:text-ink data-[selected]:shadow-card data-[selected]:ring-1 data-[selected]:ring-line-strong"
        >
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
