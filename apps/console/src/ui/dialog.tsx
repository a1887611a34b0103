import { X } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button, IconButton } from "./button.tsx";
import { cx } from "./class-names.ts";
import { TextField } from "./field.tsx";

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons, the one to press last. */
  readonly actions?: ReactNode;
  readonly size?: "sm" | "md" | "lg";
  readonly role?: "dialog" | "alertdialog";
}

const SIZES = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-3xl" };

export function Dialog({ title, isOpen, onClose, children, actions, size = "md", role = "dialog" }: DialogProps) {
  const dialog = useRef<HTMLElement>(null);
  // When the content changes, the focused button may be gone. Focus stays inside, so that Escape closes the dialog at once.
  const shownTitle = useRef(title);
  useLayoutEffect(() => {
    if (shownTitle.current === title) return;
    shownTitle.current = title;
    if (dialog.current !== null && !dialog.current.contains(document.activeElement)) dialog.current.focus();
  }, [title]);
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => (open ? undefined : onClose())}
      isDismissable={role === "dialog"}
      className="anim-fade fixed inset-0 z-40 flex items-start justify-center overflow-y-auto bg-scrim p-4 pt-[8vh]"
    >
      <Modal className={cx("anim-pop w-full rounded-xl bg-raised shadow-modal", SIZES[size])}>
        <AriaDialog ref={dialog} role={role} className="flex max-h-[84vh] flex-col outline-none">
          <header className="flex items-center justify-between gap-4 px-5 pt-4">
            <Heading slot="title" className="text-lg font-semibold">
              {title}
            </Heading>
            <IconButton label="Close" size="sm" onPress={onClose}>
              <X aria-hidden size={16} />
            </IconButton>
          </header>
          <div className="flex-1 overflow-y-auto px-5 py-3">{children}</div>
          {actions === undefined ? null : (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{actions}</footer>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface ConfirmDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  /** Explains the effect, and whether it can be undone. */
  readonly children: ReactNode;
  /** The verb on the button: "Delete endpoint". */
  readonly confirmLabel: string;
  readonly isDangerous?: boolean;
  readonly isPending?: boolean;
  /** Name that must be typed before the button works. */
  readonly typedName?: string;
}

/** Asks for a confirmation before an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, onClose, onConfirm, children, confirmLabel, typedName } = props;
  const [typed, setTyped] = useState("");
  const close = () => {
    setTyped("");
    onClose();
  };
  return (
    <Dialog
      role="alertdialog"
      size="sm"
      title={title}
      isOpen={isOpen}
      onClose={close}
      actions={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button
            variant={(props.isDangerous ?? true) ? "danger" : "primary"}
            isDisabled={typedName !== undefined && typed !== typedName}
            isPending={props.isPending ?? false}
            onPress={onConfirm}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-muted">
        {children}
        {typedName === undefined ? null : (
          <TextField
            label={`Type ${typedName} to confirm`}
            value={typed}
            onChange={setTyped}
            autoFocus
            autoComplete="off"
          />
        )}
      </div>
    </Dialog>
  );
}
