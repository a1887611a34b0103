import type { wire } from "../api/api.ts";
import { Checkbox, cx } from "../ui/ui.ts";

export type Capability = wire.PortalSessionRequest["capabilities"][number];

/** The capabilities of portal sessions, in the words of the customer. */
export const CAPABILITIES: readonly { readonly value: Capability; readonly label: string }[] = [
  { value: "endpoints", label: "Create, change, enable and delete endpoints" },
  { value: "deliveries", label: "See deliveries with their attempts" },
  { value: "replay", label: "Replay and cancel deliveries" },
  { value: "tester", label: "Send tests" },
  { value: "secrets", label: "See and regenerate signing secrets" },
  { value: "filters", label: "Change filters" },
  { value: "transforms", label: "Change transformations" },
  { value: "event_types", label: "See the public event types" },
  { value: "mcp_tokens", label: "Connect AI assistants" },
];

export interface CapabilityFieldsProps {
  readonly offered: readonly { readonly value: Capability; readonly label: string }[];
  readonly values: readonly Capability[];
  readonly onChange: (values: readonly Capability[]) => void;
  readonly error: string | undefined;
}

export function CapabilityFields({ offered, values, onChange, error }: CapabilityFieldsProps) {
  return (
    <div role="group" aria-label="Capabilities" className="flex flex-col gap-2">
      <p className={cx("text-sm font-medium", error === undefined ? "text-ink" : "text-bad")}>Capabilities</p>
      {offered.map(({ value, label }) => (
        <Checkbox
          key={value}
          isSelected={values.includes(value)}
          onChange={(isOn) => onChange(isOn ? [...values, value] : values.filter((one) => one !== value))}
        >
          {label}
        </Checkbox>
      ))}
      {error === undefined ? null : <p className="text-sm text-bad">{error}</p>}
    </div>
  );
}
