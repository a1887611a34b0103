import { useState } from "react";
import type { ReactNode } from "react";
import { Button, Dialog, ErrorNote, Skeleton, toast } from "../ui/ui.ts";

export interface PromotionDialogProps {
  /** "rule" */
  readonly noun: string;
  readonly mayPromote: boolean;
  /** Begins to read the difference. */
  readonly onOpen: () => void;
  /** The two requests: one reads the difference, the other one promotes. */
  readonly look: { readonly isPending: boolean; readonly error: Error | null };
  readonly confirm: { readonly isPending: boolean; readonly error: Error | null; readonly reset: () => void };
  /** True if the difference is there and is not empty. */
  readonly isReady: boolean;
  /** Promotes, and calls `done` if that succeeds. */
  readonly onConfirm: (done: () => void) => void;
  /** Says that the object was promoted. */
  readonly success: string;
  /** The difference. */
  readonly children: ReactNode;
}

/** The button that shows the difference between the sandbox and live in a dialog, and promotes. */
export function PromotionDialog(props: PromotionDialogProps) {
  const { noun, look, confirm } = props;
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const open = (): void => {
    confirm.reset();
    props.onOpen();
    setOpen(true);
  };
  const done = (): void => {
    toast(props.success);
    close();
  };
  const error = confirm.error ?? look.error;
  return (
    <>
      <Button isDisabled={!props.mayPromote} onPress={open}>
        Promote to live
      </Button>
      <Dialog
        title={`Promote ${noun} to live`}
        size="lg"
        isOpen={isOpen}
        onClose={close}
        actions={
          <>
            <Button onPress={close}>Cancel</Button>
            <Button
              variant="primary"
              isDisabled={!props.isReady}
              isPending={confirm.isPending}
              onPress={() => props.onConfirm(done)}
            >
              Promote {noun}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-3">
          {error === null ? null : <ErrorNote error={error} />}
          {look.isPending ? <Skeleton lines={4} label="Loading the difference" /> : null}
          {props.children}
        </div>
      </Dialog>
    </>
  );
}

/** The warnings of a promotion, one below the other. */
export function PromotionWarnings({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <p key={warning} className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      {warning}
    </p>
  ));
}
