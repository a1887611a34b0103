import type { ReactNode } from "react";
import { Form as AriaForm } from "react-aria-components";
import { ApiProblem } from "../api/api.ts";
import { ErrorNote } from "./states.tsx";

export interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
  /** What the last try failed with; problems of single fields stand at the fields. */
  readonly error?: unknown;
  /** For a button elsewhere, as in a dialog's footer: `<Button type="submit" form={id}>`. */
  readonly id?: string;
  readonly label?: string;
}

/** Fields and how to send them; Enter sends too. */
export function Form({ onSubmit, children, error, id, label }: FormProps) {
  return (
    <AriaForm
      {...(id === undefined ? {} : { id })}
      {...(label === undefined ? {} : { "aria-label": label })}
      // "native" would let a field that the service found fault with block the next try.
      validationBehavior="aria"
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        // A form in a dialog stands within another one of the page, as far as React is concerned.
        event.stopPropagation();
        onSubmit();
      }}
    >
      {children}
      {error === null || error === undefined ? null : <ErrorNote error={error} />}
    </AriaForm>
  );
}

/** What the service said of one field, by its JSON pointer: `fieldError(create.error, "/name")`. For a field's `error`. */
export function fieldError(error: unknown, pointer: string): { readonly error?: string } {
  if (!(error instanceof ApiProblem)) return {};
  const found = error.fields.find((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`));
  return found === undefined ? {} : { error: found.message };
}
