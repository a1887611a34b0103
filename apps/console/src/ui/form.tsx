import type { ReactNode } from "react";
import { Form as AriaForm } from "react-aria-components";
import { ApiProblem } from "../api/api.ts";
import { ErrorNote } from "./states.tsx";

export interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
  /** Error of the last submission. Problems of single fields appear at the fields. */
  readonly error?: unknown;
  /** Id for a button outside of the form, as in a dialog's footer: `<Button type="submit" form={id}>`. */
  readonly id?: string;
  readonly label?: string;
  /** Chooses the validator that finds faults first. A fault that the browser finds keeps the form from being sent again until its field is changed. */
  readonly judge?: "browser" | "service";
}

/** Shows fields and sends them. Enter sends too. */
export function Form({ onSubmit, children, error, id, label, judge = "browser" }: FormProps) {
  return (
    <AriaForm
      {...(id === undefined ? {} : { id })}
      {...(label === undefined ? {} : { "aria-label": label })}
      validationBehavior={judge === "service" ? "aria" : "native"}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        // A form in a dialog can be nested in another form of the page in React's tree.
        event.stopPropagation();
        onSubmit();
      }}
    >
      {children}
      {error === null || error === undefined ? null : <ErrorNote error={error} />}
    </AriaForm>
  );
}

/** Returns the service's message about one field by its JSON pointer, for a field's `error`: `fieldError(create.error, "/name")`. */
export function fieldError(error: unknown, pointer: string): { readonly error?: string } {
  if (!(error instanceof ApiProblem)) return {};
  const found = error.fields.find((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`));
  return found === undefined ? {} : { error: found.message };
}
