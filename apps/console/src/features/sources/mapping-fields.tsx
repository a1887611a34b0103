import { fieldError, RadioGroup, Select, TextField } from "../../ui/ui.ts";
import { CONTACT_MODES, PATHS, TEXTS } from "./mapping.ts";
import type { Mapping, PathName } from "./mapping.ts";

const UNITS = [
  { value: "major", label: "Major units, such as euros" },
  { value: "minor", label: "Minor units, such as cents" },
];

export interface MappingFieldsProps {
  readonly mapping: Mapping;
  readonly error: unknown;
  /** The field that a click on a value fills. */
  readonly chosen: PathName;
  readonly onChange: (part: Partial<Mapping>) => void;
  readonly onChoose: (name: PathName) => void;
}

export function MappingFields({ mapping, error, chosen, onChange, onChoose }: MappingFieldsProps) {
  return (
    <>
      <RadioGroup
        label="Contact"
        options={CONTACT_MODES}
        value={mapping.contact}
        onChange={(contact) => onChange({ contact })}
        {...fieldError(error, "/contact")}
      />
      <TextField
        label="List of events"
        description="For requests with several events: the path to their list, such as $ or $.events. In all other fields, $ is one element then."
        mono
        value={mapping.each}
        onChange={(each) => onChange({ each })}
        {...fieldError(error, "/each")}
      />
      {PATHS.map(({ name, label, hint }) => (
        <div key={name} className={name === chosen ? "rounded-md outline-2 outline-offset-4 outline-accent" : ""}>
          <TextField
            label={name === chosen ? `${label} (highlighted)` : label}
            description={hint}
            mono
            placeholder="$."
            value={mapping[name]}
            onFocus={() => onChoose(name)}
            onChange={(path) => onChange({ [name]: path })}
            {...fieldError(error, `/${name}`)}
          />
        </div>
      ))}
      <Select
        label="Value unit"
        options={UNITS}
        value={mapping.value_unit}
        onChange={(unit) => onChange({ value_unit: unit })}
        {...fieldError(error, "/value_unit")}
      />
      {TEXTS.map(({ name, label, hint }) => (
        <TextField
          key={name}
          label={label}
          description={hint}
          mono
          value={mapping[name]}
          onChange={(text) => onChange({ [name]: text })}
          {...fieldError(error, `/${name}`)}
        />
      ))}
      <TextField
        label="Ignored in comparisons"
        description="Paths of members that change when the sender tries again, such as $.attempt. Bodies are compared without them."
        mono
        value={mapping.dedupe_ignore}
        onChange={(text) => onChange({ dedupe_ignore: text })}
        {...fieldError(error, "/dedupe_ignore")}
      />
    </>
  );
}
