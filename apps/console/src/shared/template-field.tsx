import { Variable } from "lucide-react";
import { useRef } from "react";
import type { FocusEvent } from "react";
import { IconButton, Menu, TextField } from "../ui/ui.ts";
import type { TextFieldProps } from "../ui/ui.ts";
import { conditionPath, jsonTokenOf, tokenOf } from "./offers.ts";
import type { Offer } from "./offers.ts";

export interface TemplateFieldProps extends Omit<TextFieldProps, "value" | "onChange" | "suffix" | "onBlur"> {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Values that can be inserted. */
  readonly offers: readonly Offer[];
  /** `json`: JSON whose strings have tokens. `path`: the field is a path itself, which an offer replaces. */
  readonly holds?: "text" | "json" | "path";
}

/** A text with values of the event or of earlier steps. A menu inserts one at the cursor. */
export function TemplateField({ offers, holds = "text", value, onChange, ...props }: TemplateFieldProps) {
  const cursor = useRef<number | null>(null);
  const keepCursor = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)
      cursor.current = target.selectionStart;
  };
  const insert = (path: string): void => {
    if (holds === "path") {
      onChange(conditionPath(path));
      return;
    }
    const at = Math.min(cursor.current ?? value.length, value.length);
    const before = value.slice(0, at);
    const token = holds === "json" ? jsonTokenOf(path, before) : tokenOf(path);
    cursor.current = at + token.length;
    onChange(before + token + value.slice(at));
  };
  return (
    <TextField
      {...props}
      mono
      value={value}
      onChange={onChange}
      onBlur={keepCursor}
      suffix={
        offers.length === 0 ? null : (
          <Menu
            label={`Values for ${props.label}`}
            trigger={
              <IconButton size="sm" label={`Insert a value: ${props.label}`}>
                <Variable aria-hidden size={15} />
              </IconButton>
            }
            actions={offers.map(({ path, example }) => ({
              id: path,
              label: example === "" ? conditionPath(path) : `${conditionPath(path)}: ${example}`,
              onAction: () => insert(path),
            }))}
          />
        )
      }
    />
  );
}
