import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
} from "react-aria-components";
import type { TextFieldProps as AriaTextFieldProps } from "react-aria-components";
import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

export const INPUT =
  "w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-faint data-[hovered]:border-faint data-[focused]:border-accent data-[focused]:outline-2 data-[focused]:-outline-offset-1 data-[focused]:outline-accent data-[invalid]:border-bad data-[disabled]:opacity-60";

export interface FieldTextProps {
  readonly label: string;
  /** What to write, and what comes of it; one sentence. */
  readonly description?: ReactNode;
  /** What is wrong and what to do; shown instead of what the browser says. */
  readonly error?: string | undefined;
}

export interface TextFieldProps extends FieldTextProps, Omit<AriaTextFieldProps, "className" | "style" | "children"> {
  readonly placeholder?: string;
  readonly mono?: boolean;
  /** More than one line. */
  readonly lines?: number;
  readonly suffix?: ReactNode;
}

export function TextField({ label, description, error, placeholder, mono, lines, suffix, ...props }: TextFieldProps) {
  const look = cx(INPUT, mono === true && "font-mono text-sm");
  return (
    <AriaTextField {...props} isInvalid={error !== undefined} className="flex flex-col gap-1">
      <FieldLabel isRequired={props.isRequired}>{label}</FieldLabel>
      {lines === undefined ? (
        <div className="relative flex items-center gap-2">
          <Input placeholder={placeholder ?? ""} className={cx(look, "h-8.5")} />
          {suffix}
        </div>
      ) : (
        <AriaTextArea placeholder={placeholder ?? ""} rows={lines} className={cx(look, "py-2")} />
      )}
      <FieldNotes description={description} error={error} />
    </AriaTextField>
  );
}

export function FieldLabel({
  children,
  isRequired,
}: {
  readonly children: ReactNode;
  readonly isRequired?: boolean | undefined;
}) {
  return (
    <Label className="text-sm font-medium text-ink">
      {children}
      {isRequired === false ? <span className="font-normal text-faint"> (optional)</span> : null}
    </Label>
  );
}

/** The description below a field, and its error. Stands inside a field of React Aria. */
export function FieldNotes({ description, error }: Pick<FieldTextProps, "description" | "error">) {
  return (
    <>
      {description === undefined ? null : (
        <Text slot="description" className="text-xs text-muted">
          {description}
        </Text>
      )}
      <FieldError className="text-xs text-bad">{error}</FieldError>
    </>
  );
}
