import { SecretName } from "../../shared/shared.ts";
import { Select, TextField } from "../../ui/ui.ts";
import { KINDS } from "./destination-draft.ts";
import type { BrokerKind, DestinationDraft, DestinationField } from "./destination-draft.ts";

interface DestinationFieldsProps {
  readonly kind: BrokerKind;
  readonly draft: DestinationDraft;
  readonly onChange: (draft: DestinationDraft) => void;
  readonly problem: (pointer: string) => string | undefined;
}

const SWITCH = [
  { value: "on", label: "On" },
  { value: "off", label: "Off" },
];

/** Shows the fields of what a kind of broker needs. */
export function DestinationFields({ kind, draft, onChange, problem }: DestinationFieldsProps) {
  return (
    <>
      {KINDS[kind].fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={draft.texts[field.name] ?? ""}
          onChange={(text) => onChange({ ...draft, texts: { ...draft.texts, [field.name]: text } })}
          error={problem(`/destination/${field.name}`)}
        />
      ))}
    </>
  );
}

interface FieldProps {
  readonly field: DestinationField;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error: string | undefined;
}

function Field({ field, value, onChange, error }: FieldProps) {
  const { label, description, placeholder = "", form, isOptional } = field;
  const common = { label, onChange, error, description };
  if (form === "switch") return <Select {...common} value={value === "" ? "on" : value} options={SWITCH} />;
  if (form === "secret") return <SecretName {...common} value={value} />;
  return <TextField {...common} value={value} isRequired={isOptional !== true} mono placeholder={placeholder} />;
}
