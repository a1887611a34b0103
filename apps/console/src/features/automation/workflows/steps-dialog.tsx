import { useState } from "react";
import { FormDialog, TextField } from "../../../ui/ui.ts";
import type { ItemDraft } from "../item-kind.ts";
import { draftOfItem, valueOfItems } from "../items.ts";
import { isObject, pretty, readValue } from "../../../shared/shared.ts";
import { STEPS } from "./steps.ts";

export interface StepsDialogProps {
  readonly steps: readonly ItemDraft[];
  readonly onChange: (steps: readonly ItemDraft[]) => void;
  readonly onClose: () => void;
}

/** Edits all steps as one JSON text. */
export function StepsDialog({ steps, onChange, onClose }: StepsDialogProps) {
  const [text, setText] = useState(() => pretty(valueOfItems(steps, STEPS).values));
  const value = readValue(text);
  const isList = Array.isArray(value) && value.every(isObject);
  return (
    <FormDialog
      title="Steps as JSON"
      size="lg"
      judge="service"
      submitLabel="Apply"
      isDisabled={!isList}
      onSubmit={() => {
        if (isList) onChange(value.map((one) => draftOfItem(one, STEPS)));
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label="JSON of the steps"
        mono
        lines={20}
        value={text}
        onChange={setText}
        error={isList ? undefined : "Enter a JSON list of objects."}
      />
    </FormDialog>
  );
}
