import { useState } from "react";
import { ConfirmDialog } from "./dialog.tsx";
import { useNavigation } from "./navigation.ts";

/** The value of a form until it is saved. It must be serializable as JSON. */
export interface Draft<Value> {
  readonly value: Value;
  readonly isUnsaved: boolean;
  change(value: Value): void;
  /** Records the saved value. Later changes stay unsaved. */
  keep(saved: Value): void;
}

/** Keeps the draft of a form. Call it above the form's tabs, and render `<UnsavedWarning>` there too. */
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

/**
 * Asks before the user leaves a page with unsaved changes by a link, by Back, or by closing the browser's tab. Switching tabs of the page
 * counts as leaving only with `isInTab`: without it, the draft is above the tabs.
 */
export function UnsavedWarning({
  isUnsaved,
  isInTab = false,
}: {
  readonly isUnsaved: boolean;
  readonly isInTab?: boolean;
}) {
  const { LeavingGuard } = useNavigation();
  return (
    <LeavingGuard isUnsaved={isUnsaved} isInTab={isInTab}>
      {({ isBlocked, stay, leave }) => (
        <ConfirmDialog
          title="Leave without saving?"
          isOpen={isBlocked}
          onClose={stay}
          onConfirm={leave}
          confirmLabel="Discard changes"
        >
          <p>Your changes on this page are not saved.</p>
        </ConfirmDialog>
      )}
    </LeavingGuard>
  );
}
