import type { ReactNode } from "react";
import { Button, Dialog, ErrorNote, Skeleton } from "../ui/ui.ts";

export interface PromotionDialogProps {
  /** "rule" */
  readonly noun: string;
  readonly mayPromote: boolean;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  /** The two requests: one reads the difference, the other one promotes. */
  readonly look: { readonly isPending: boolean; readonly error: Error | null };
  readonly confirm: { readonly isPending: boolean; readonly error: Error | null };
  /** True if the difference is there and is not empty. */
  readonly isReady: boolean;
  readonly onConfirm: () => void;
  /** The difference. */
  readonly children: ReactNode;
}

/** The button that shows the difference between the sandbox and live in a dialog, and promotes. */
export function PromotionDialog(props: PromotionDialogProps) {
  const { noun, isOpen, onClose, look, confirm } = props;
  const error = confirm.error ?? look.error;
  return (
    <>
      <Button isDisabled={!props.mayPromote} onPress={props.onOpen}>
        Promote to live
      </Button>
      <Dialog
        title={`Promote ${noun} to live`}
        size="lg"
        isOpen={isOpen}
        onClose={onClose}
        actions={
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button
              variant="primary"
              isDisabled={!props.isReady}
              isPending={confirm.isPending}
              onPress={props.onConfirm}
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
