import { X } from "lucide-react";
import { useId, useState } from "react";
import { Button, Label, Tag, TagGroup, TagList } from "react-aria-components";
import { Button as OwnButton } from "./button.tsx";
import { ComboBox } from "./choice.tsx";
import type { Option } from "./choice.tsx";
import type { FieldTextProps } from "./field.tsx";

export interface TagInputProps extends FieldTextProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly suggestions?: readonly Option[];
  readonly placeholder?: string;
  /** Returns the problem of a text; undefined accepts the text. */
  readonly refuse?: (text: string) => string | undefined;
}

/** Several texts: event names, addresses, patterns. Enter adds; Backspace on a tag removes it. */
export function TagInput({
  label,
  description,
  error,
  values,
  onChange,
  suggestions = [],
  placeholder,
  refuse,
}: TagInputProps) {
  const [text, setText] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const id = useId();
  const add = (): void => {
    const wanted = text.trim();
    if (wanted === "") return;
    const why = refuse?.(wanted);
    setRefusal(why);
    if (why !== undefined) return;
    if (!values.includes(wanted)) onChange([...values, wanted]);
    setText("");
  };
  const wrong = refusal ?? error;
  return (
    <div className="flex flex-col gap-1.5">
      <div
        className="flex items-start gap-2"
        // The capture phase is needed, because the field does not pass the key on.
        onKeyDownCapture={(event) => {
          const isChoosing = event.target instanceof Element && event.target.getAttribute("aria-activedescendant");
          if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement) || isChoosing) return;
          event.preventDefault();
          event.stopPropagation();
          add();
        }}
      >
        <div className="min-w-0 flex-1">
          <ComboBox
            label={label}
            description={description}
            options={suggestions.filter((one) => !values.includes(one.value))}
            value={text}
            onChange={setText}
            mono
            {...(placeholder === undefined ? {} : { placeholder })}
            error={wrong}
          />
        </div>
        {/* The margin is the height of the label, so that the button is next to the input. */}
        <div className="mt-6">
          <OwnButton onPress={add}>Add</OwnButton>
        </div>
      </div>
      {values.length === 0 ? null : (
        <TagGroup onRemove={(keys) => onChange(values.filter((value) => !keys.has(value)))}>
          <Label id={id} className="sr-only">
            {label}: selected
          </Label>
          <TagList className="flex flex-wrap gap-1.5">
            {values.map((value) => (
              <Tag
                key={value}
                id={value}
                textValue={value}
                className="flex h-6.5 items-center gap-1 rounded-md border border-line bg-sunken pr-0.5 pl-2 font-mono text-xs data-[focus-visible]:outline-2 data-[focus-visible]:outline-accent"
              >
                {value}
                <Button
                  slot="remove"
                  className="flex size-5 items-center justify-center rounded-sm text-muted data-[hovered]:bg-hover data-[hovered]:text-ink"
                >
                  <X aria-hidden size={12} />
                </Button>
              </Tag>
            ))}
          </TagList>
        </TagGroup>
      )}
    </div>
  );
}
