import type { ReactNode } from "react";
import { Form } from "react-aria-components";
import { ErrorNote } from "../ui/ui.ts";
import type { Fault } from "./faults.ts";

export interface EditorFormProps {
  readonly label: string;
  readonly onSubmit: () => void;
  readonly error: unknown;
  /** Found here, or said by the service. */
  readonly faults: readonly Fault[];
  readonly children: ReactNode;
}

/** Shows a long form. A field that the service refused does not keep the form from being sent again, and all problems are listed at its end too. */
export function EditorForm({ label, onSubmit, error, faults, children }: EditorFormProps) {
  return (
    <Form
      aria-label={label}
      validationBehavior="aria"
      className="flex min-w-0 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error === null || error === undefined ? null : <ErrorNote error={error} />}
      {faults.length === 0 ? null : (
        <div role="alert" aria-label="Fields to correct">
          <ul className="list-disc pl-5 text-sm text-bad">
            {faults.map(({ pointer, message }) => (
              <li key={`${pointer} ${message}`} className="break-words">
                <code>{pointer === "" ? "/" : pointer}</code> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Form>
  );
}
