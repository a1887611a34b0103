import { useState } from "react";
import type { ReactNode } from "react";
import { Form as AriaForm } from "react-aria-components";
import { ApiProblem } from "../api/api.ts";
import { ErrorNote } from "./states.tsx";
import { UnsavedWarning } from "./unsaved.tsx";

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
  /** Asks before the user leaves what was edited and not saved. For forms that save, outside of dialogs. */
  readonly guardsEdits?: boolean;
}

/** Shows fields and sends them. Enter sends too. */
export function Form({ onSubmit, children, error, id, label, judge = "browser", guardsEdits = false }: FormProps) {
  const edits = useEdits(error);
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
        edits.end();
        onSubmit();
      }}
    >
      <div className="contents" onInput={edits.begin}>
        {children}
      </div>
      {error === null || error === undefined ? null : <ErrorNote error={error} />}
      {guardsEdits ? <UnsavedWarning isUnsaved={edits.isUnsaved} isInTab /> : null}
    </AriaForm>
  );
}

/** Edits are unsaved until they are sent, and again when that failed. */
function useEdits(error: unknown) {
  const [isEdited, setEdited] = useState(false);
  const [failed, setFailed] = useState(error);
  if (failed !== error) {
    setFailed(error);
    if (error !== null && error !== undefined) setEdited(true);
  }
  return { isUnsaved: isEdited, begin: () => setEdited(true), end: () => setEdited(false) };
}

/** Returns the service's message about one field by its JSON pointer, for a field's `error`: `fieldError(create.error, "/name")`. */
export function fieldError(error: unknown, pointer: string): { readonly error?: string } {
  if (!(error instanceof ApiProblem)) return {};
  const found = error.fields.find((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`));
  return found === undefined ? {} : { error: found.message };
}
