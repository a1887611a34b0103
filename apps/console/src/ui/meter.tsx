import { Label, Meter as AriaMeter } from "react-aria-components";

export interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly most: number;
  /** Text of the numbers: "12 of 500". */
  readonly text: string;
}

/** Shows how much of a limit is used. */
export function Meter({ label, value, most, text }: MeterProps) {
  return (
    <AriaMeter value={value} maxValue={most} valueLabel={text} className="flex flex-col gap-1.5">
      {({ percentage }) => (
        <>
          <span className="flex justify-between gap-4 text-sm">
            <Label className="font-medium">{label}</Label>
            <span className="tabular text-muted">{text}</span>
          </span>
          <span className="block h-1.5 overflow-hidden rounded-full bg-sunken shadow-[inset_0_0_0_1px_var(--line)]">
            <span
              className="block h-full rounded-full bg-accent"
              style={{ width: `${percentage}%`, minWidth: value > 0 ? 3 : 0 }}
            />
          </span>
        </>
      )}
    </AriaMeter>
  );
}
