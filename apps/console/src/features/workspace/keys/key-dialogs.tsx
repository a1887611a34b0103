import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { Button, ConfirmDialog, Dialog, ErrorNote, Link, SecretOnce, Select, toast, toastError } from "../../../ui/ui.ts";

interface KeyDialogProps {
  readonly apiKey: wire.ApiKey;
  readonly onClose: () => void;
}

const OVERLAPS = [
  { value: "0", label: "Not at all: revoke it at once" },
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" },
  { value: "604800", label: "For a week" },
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
              Roll the key
            </Button>
          </>
        ) : (
          <Link to={paths.key(roll.data.id)} look="primary" onClick={onClose}>
            I have copied it
          </Link>
        )
      }
    >
      {roll.data === undefined ? (
        <div className="flex flex-col gap-4">
          <p className="text-muted">A new key with the same rights. Limits, usage and idempotency go on with it.</p>
          <Select label="How long the old key works on" options={OVERLAPS} value={overlap} onChange={setOverlap} />
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
      confirmLabel="Revoke the key"
      typedName={apiKey.name}
      isOpen
      isPending={revoke.isPending}
      onClose={onClose}
      onConfirm={() =>
        revoke.mutate(
          { path: { id: apiKey.id } },
          {
            onSuccess: () => {
              toast("The key was revoked.");
              onClose();
            },
            onError: toastError,
          },
        )
      }
    >
      <p>Its next call is refused, on every node. This cannot be taken back.</p>
    </ConfirmDialog>
  );
}
