import { useId, useState } from "react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { ConfirmDialog, Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog.tsx";
import { Form } from "./form.tsx";
import type { FormProps } from "./form.tsx";

export interface FormDialogProps
  extends
    Pick<DialogProps, "title" | "size" | "onClose">,
    Pick<FormProps, "onSubmit" | "error" | "judge" | "children"> {
  /** The words on the button that sends the form. */
  readonly submitLabel: string;
  /** The write that the form begins. */
  readonly write?: { readonly isPending: boolean; readonly error: unknown };
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** The call as code, before the buttons. */
  readonly code?: ReactNode;
}

/**
 * A form in a dialog of its own, which is mounted while it is open. Cancel discards what was entered. The other ways to close it, such as a
 * press next to it, ask first.
 */
export function FormDialog(props: FormDialogProps) {
  const { title, size = "md", onClose, onSubmit, write, judge = "browser", children } = props;
  const { error = write?.error } = props;
  const form = useId();
  const [isEdited, setEdited] = useState(false);
  const [isAsking, setAsking] = useState(false);
  return (
    <Dialog
      title={title}
      size={size}
      isOpen
      onClose={() => (isEdited ? setAsking(true) : onClose())}
      actions={
        <>
          {props.code}
          <Button onPress={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant={props.isDangerous === true ? "danger" : "primary"}
            isDisabled={props.isDisabled ?? false}
            isPending={write?.isPending ?? false}
          >
            {props.submitLabel}
          </Button>
        </>
      }
    >
      <div onInput={() => setEdited(true)}>
        <Form id={form} judge={judge} onSubmit={onSubmit} error={error}>
          {children}
        </Form>
      </div>
      <ConfirmDialog
        title="Close without saving?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={onClose}
        confirmLabel="Discard changes"
      >
        <p>What you entered is not saved.</p>
      </ConfirmDialog>
    </Dialog>
  );
}
