import { useState } from "react";
import { Button } from "./button.tsx";
import type { ButtonProps } from "./button.tsx";
import { ConfirmDialog } from "./dialog.tsx";
import type { ConfirmDialogProps } from "./dialog.tsx";

export interface ConfirmButtonProps
  extends
    Pick<ButtonProps, "variant" | "icon" | "isDisabled">,
    Pick<ConfirmDialogProps, "children" | "isDangerous" | "isPending" | "typedName"> {
  /** The words on the button, and in the dialog where it has no words of its own. */
  readonly label: string;
  readonly title?: string;
  readonly confirmLabel?: string;
  /** Begins the action. `close` closes the dialog. */
  readonly onConfirm: (close: () => void) => void;
}

/** A button whose action begins after a confirmation. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const {
    label,
    title = label,
    confirmLabel = label,
    variant = "danger",
    icon,
    isDisabled = false,
    onConfirm,
    ...dialog
  } = props;
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <>
      <Button variant={variant} icon={icon} isDisabled={isDisabled} onPress={() => setAsking(true)}>
        {label}
      </Button>
      <ConfirmDialog
        {...dialog}
        title={title}
        confirmLabel={confirmLabel}
        isOpen={isAsking}
        onClose={close}
        onConfirm={() => onConfirm(close)}
      />
    </>
  );
}
