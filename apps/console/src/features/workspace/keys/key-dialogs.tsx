import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { Button, ConfirmDialog, Dialog, ErrorNote, Link, SecretOnce, Select, toastOutcome } from "../../../ui/ui.ts";

interface KeyDialogProps {
  readonly apiKey: wire.ApiKey;
  readonly onClose: () => void;
}

const OVERLAPS = [
  { value: "0", label: "None: revoke the old key immediately" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "24 hours" },
  { value: "604800", label: "7 days" },
];

/** Makes the key that takes this one's place. */
export function RollDialog({ apiKey, onClose }: KeyDialogProps) {
  const [overlap, setOverlap] = useState("86400");
  const roll = useWrite("keys.roll", { refreshes: ["keys."] });
  return (
    <Dialog
      title={`Roll ${apiKey.name}`}
      isOpen
      onClose={onClose}
      actions={
        roll.data === undefined ? (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button
              variant="primary"
              isPending={roll.isPending}
              onPress={() => roll.mutate({ path: { id: apiKey.id }, body: { overlap_seconds: Number(overlap) } })}
            >
              Roll key
            </Button>
          </>
        ) : (
          <Link to={paths.key(roll.data.id)} look="primary" onClick={onClose}>
            I have copied the key
          </Link>
        )
      }
    >
      {roll.data === undefined ? (
        <div className="flex flex-col gap-4">
          <p className="text-muted">
            Creates a new key with the same permissions. Limits, usage and idempotency carry over to the new key.
          </p>
          <Select label="Overlap with the old key" options={OVERLAPS} value={overlap} onChange={setOverlap} />
          {roll.isError ? <ErrorNote error={roll.error} /> : null}
        </div>
      ) : (
        <SecretOnce label="API key" secret={roll.data.key} />
      )}
    </Dialog>
  );
}

export function RevokeDialog({ apiKey, onClose }: KeyDialogProps) {
  const revoke = useWrite("keys.revoke", { refreshes: ["keys."] });
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name}?`}
      confirmLabel="Revoke key"
      typedName={apiKey.name}
      isOpen
      isPending={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate({ path: { id: apiKey.id } }, toastOutcome("Key revoked.", onClose))}
    >
      <p>The key's next call is denied, on every node. This can't be undone.</p>
    </ConfirmDialog>
  );
}
