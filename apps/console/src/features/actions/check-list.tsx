import { Checkbox, cx, labelOf } from "../../ui/ui.ts";

export interface CheckListProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly error: string | undefined;
}

/** Lets the user select any of a few names. */
export function CheckList({ label, names, values, onChange, error }: CheckListProps) {
  return (
    <div role="group" aria-label={label} className="flex flex-col gap-2">
      <p className="text-sm font-medium text-ink">{label}</p>
      <div className={cx("flex flex-wrap gap-x-4 gap-y-2", error !== undefined && "text-bad")}>
        {names.map((name) => (
          <Checkbox
            key={name}
            isSelected={values.includes(name)}
            // The values keep the order of the list, regardless of the order of selection.
            onChange={(isOn) => onChange(names.filter((one) => (one === name ? isOn : values.includes(one))))}
          >
            {labelOf(name)}
          </Checkbox>
        ))}
      </div>
      {error === undefined ? null : <p className="text-sm text-bad">{error}</p>}
    </div>
  );
}
