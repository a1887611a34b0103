import { Check, ChevronDown, Minus } from "lucide-react";
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  ComboBox as AriaComboBox,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  Radio as AriaRadio,
  RadioGroup as AriaRadioGroup,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
} from "react-aria-components";
import type { CheckboxProps, SwitchProps } from "react-aria-components";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { labelOf } from "./labels.ts";
import { FieldLabel, FieldNotes, INPUT } from "./field.tsx";
import type { FieldTextProps } from "./field.tsx";

export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  /** A second line. */
  readonly detail?: string;
}

/** Returns values of the API as options, each with its label in sentence case. */
export function optionsOf<Value extends string>(values: readonly Value[]): readonly Option<Value>[] {
  return values.map((value) => ({ value, label: labelOf(value) }));
}

export interface SelectProps<Value extends string> extends FieldTextProps {
  readonly options: readonly Option<Value>[];
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  /** The label is read out and not shown. */
  readonly hideLabel?: boolean;
}

const LIST = "max-h-72 overflow-auto p-1 outline-none";
const POPOVER = "anim-pop min-w-(--trigger-width) rounded-lg bg-raised shadow-pop";
const ITEM =
  "flex items-center gap-2 rounded-md px-2 py-1.5 text-base outline-none data-[focused]:bg-hover data-[selected]:font-medium data-[disabled]:opacity-50";

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, options, value, onChange, placeholder = "Select…", hideLabel = false, error, description } = props;
  return (
    <AriaSelect
      className="flex min-w-0 flex-col gap-1"
      value={value}
      onChange={(key) => onChange(String(key) as Value)}
      isDisabled={props.isDisabled ?? false}
      placeholder={placeholder}
      {...(hideLabel ? { "aria-label": label } : {})}
    >
      {hideLabel ? null : <FieldLabel>{label}</FieldLabel>}
      <AriaButton
        className={cx(
          INPUT,
          error !== undefined && "border-bad",
          "flex h-8.5 items-center justify-between gap-2 text-left",
        )}
      >
        <SelectValue className="truncate data-[placeholder]:text-faint">
          {({ isPlaceholder, selectedText }) => (isPlaceholder ? placeholder : selectedText)}
        </SelectValue>
        <ChevronDown aria-hidden size={15} className="shrink-0 text-muted" />
      </AriaButton>
      <FieldNotes description={description} error={error} />
      <Popover className={POPOVER}>
        <ListBox items={useItems(options)} className={LIST}>
          {(option) => <OptionItem option={option} />}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

export interface ComboBoxProps extends FieldTextProps {
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly isRequired?: boolean;
}

/** A text field with suggestions. Every typed text is a valid value, chosen or not. */
export function ComboBox({
  label,
  description,
  error,
  options,
  value,
  onChange,
  placeholder,
  mono,
  isRequired,
}: ComboBoxProps) {
  return (
    <AriaComboBox
      className="flex min-w-0 flex-col gap-1"
      inputValue={value}
      onInputChange={onChange}
      defaultItems={useItems(options)}
      allowsCustomValue
      isRequired={isRequired ?? false}
      isInvalid={error !== undefined}
      {...(error === undefined ? {} : { validationBehavior: "aria" as const })}
      menuTrigger="focus"
    >
      <FieldLabel>{label}</FieldLabel>
      <div className="relative">
        <Input
          placeholder={placeholder ?? ""}
          className={cx(INPUT, "h-8.5 pr-8", mono === true && "font-mono text-sm")}
        />
        <AriaButton className="absolute inset-y-0 right-0 flex w-8 items-center justify-center text-muted">
          <ChevronDown aria-hidden size={15} />
        </AriaButton>
      </div>
      <FieldNotes description={description} error={error} />
      <Popover className={POPOVER}>
        <section aria-label={`Suggestions: ${label}`}>
          <ListBox<Option> className={LIST}>{(option) => <OptionItem option={option} />}</ListBox>
        </section>
      </Popover>
    </AriaComboBox>
  );
}

/** React Aria distinguishes items by their `id`. */
function useItems<Value extends string>(
  options: readonly Option<Value>[],
): readonly (Option<Value> & { readonly id: Value })[] {
  return useMemo(() => options.map((option) => ({ ...option, id: option.value })), [options]);
}

function OptionItem({ option }: { readonly option: Option }) {
  return (
    <ListBoxItem id={option.value} textValue={option.label} className={ITEM}>
      {({ isSelected }) => (
        <>
          <span className="flex min-w-0 flex-1 flex-col">
            <span className="truncate">{option.label}</span>
            {option.detail === undefined ? null : (
              <span className="text-xs font-normal text-muted">{option.detail}</span>
            )}
          </span>
          {isSelected ? <Check aria-hidden size={15} className="shrink-0 text-accent" /> : null}
        </>
      )}
    </ListBoxItem>
  );
}

export function Switch({
  children,
  ...props
}: Omit<SwitchProps, "className" | "style" | "children"> & { readonly children: ReactNode }) {
  return (
    <AriaSwitch {...props} className="group flex items-center gap-2 text-base data-[disabled]:opacity-60">
      <span className="flex h-4.5 w-8 shrink-0 items-center rounded-full border border-transparent bg-line-strong px-0.5 transition-colors group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[selected]:bg-accent">
        <span className="size-3 rounded-full bg-white shadow-card transition-transform group-data-[selected]:translate-x-3.5" />
      </span>
      {children}
    </AriaSwitch>
  );
}

export function Checkbox({
  children,
  ...props
}: Omit<CheckboxProps, "className" | "style" | "children"> & { readonly children?: ReactNode }) {
  return (
    <AriaCheckbox {...props} className="group flex items-start gap-2 text-base data-[disabled]:opacity-60">
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface text-on-accent group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-accent group-data-[indeterminate]:border-accent group-data-[indeterminate]:bg-accent group-data-[selected]:border-accent group-data-[selected]:bg-accent">
            {isIndeterminate ? <Minus aria-hidden size={12} strokeWidth={3} /> : null}
            {isSelected && !isIndeterminate ? <Check aria-hidden size={12} strokeWidth={3} /> : null}
          </span>
          {children}
        </>
      )}
    </AriaCheckbox>
  );
}

export interface RadioGroupProps<Value extends string> extends FieldTextProps {
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Two to five choices that are worth a line each. */
export function RadioGroup<Value extends string>({
  label,
  description,
  error,
  options,
  value,
  onChange,
}: RadioGroupProps<Value>) {
  return (
    <AriaRadioGroup value={value} onChange={(chosen) => onChange(chosen as Value)} className="flex flex-col gap-1.5">
      <FieldLabel>{label}</FieldLabel>
      {options.map((option) => (
        <AriaRadio
          key={option.value}
          value={option.value}
          className="group flex items-start gap-2.5 rounded-md border border-line px-3 py-2 data-[hovered]:border-line-strong data-[selected]:border-accent data-[selected]:bg-accent-soft data-[focus-visible]:outline-2 data-[focus-visible]:outline-accent"
        >
          <span className="mt-1 flex size-3.5 shrink-0 items-center justify-center rounded-full border border-line-strong bg-surface group-data-[selected]:border-[4px] group-data-[selected]:border-accent" />
          <span className="flex flex-col">
            <span className="text-base font-medium">{option.label}</span>
            {option.detail === undefined ? null : <span className="text-sm text-muted">{option.detail}</span>}
          </span>
        </AriaRadio>
      ))}
      <FieldNotes description={description} error={error} />
    </AriaRadioGroup>
  );
}
