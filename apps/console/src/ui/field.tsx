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
  /** Explains in one sentence what to write, and its effect. */
  readonly description?: ReactNode;
  /** Explains the problem and its solution. It replaces the browser's message. */
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
  const look = cx(INPUT, mono === true && "font-mono text-sm", error !== undefined && "border-bad");
  const invalid = error === undefined ? {} : { "aria-invalid": true };
  return (
    <AriaTextField {...props} className="flex flex-col gap-1">
      <FieldLabel isRequired={props.isRequired}>{label}</FieldLabel>
      {lines === undefined ? (
        <div className="relative flex items-center gap-2">
          <Input {...invalid} placeholder={placeholder ?? ""} className={cx(look, "h-8.5")} />
          {suffix}
        </div>
      ) : (
        <div className="flex items-start gap-2">
          <AriaTextArea {...invalid} placeholder={placeholder ?? ""} rows={lines} className={cx(look, "py-2")} />
          {suffix}
        </div>
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

/**
 * Shows the description below a field, the browser's errors and the service's errors. The latter are not part of
 * the browser's validation, which would not let the form be sent again.
 */
export function FieldNotes({ description, error }: Pick<FieldTextProps, "description" | "error">) {
  return (
    <>
      {description === undefined && error === undefined ? null : (
        <Text slot="description" className="flex flex-col gap-0.5 text-xs text-muted">
          {error === undefined ? null : (
            <span role="alert" className="text-bad">
              {error}
            </span>
          )}
          {description}
        </Text>
      )}
      <FieldError className="text-xs text-bad" />
    </>
  );
}
