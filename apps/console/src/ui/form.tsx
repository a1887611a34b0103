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
  /** Who finds faults first: the browser's find keeps the form from being sent again until its field is changed. */
  readonly judge?: "browser" | "service";
}

/** Fields and how to send them; Enter sends too. */
export function Form({ onSubmit, children, error, id, label, judge = "browser" }: FormProps) {
  return (
    <AriaForm
      {...(id === undefined ? {} : { id })}
      {...(label === undefined ? {} : { "aria-label": label })}
      validationBehavior={judge === "service" ? "aria" : "native"}
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
