import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "./dialog.tsx";

/** What stands in a form, of texts and the like, until it is saved. */
export interface Draft<Value> {
  readonly value: Value;
  readonly isUnsaved: boolean;
  change(value: Value): void;
  /** It was saved as this; what was written meanwhile stays. */
  keep(saved: Value): void;
}

/** Stands above whatever tabs the form is in; `<UnsavedWarning>` beside it. */
export function useDraft<Value>(begin: () => Value): Draft<Value> {
  const [value, change] = useState(begin);
  const [saved, setSaved] = useState(() => JSON.stringify(value));
  return {
    value,
    isUnsaved: JSON.stringify(value) !== saved,
    change,
    keep: (now) => setSaved(JSON.stringify(now)),
  };
}

/** Asks before a page is left whose changes are not saved, by a link, by Back, or by closing the tab. Other tabs of the page are no leaving. */
export function UnsavedWarning({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      title="Leave without saving?"
      isOpen={leaving.status === "blocked"}
      onClose={() => leaving.reset?.()}
      onConfirm={() => leaving.proceed?.()}
      confirmLabel="Discard changes"
    >
      <p>Your changes on this page are not saved.</p>
    </ConfirmDialog>
  );
}
