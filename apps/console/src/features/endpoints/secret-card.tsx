import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { SecretLine } from "../../shared/shared.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, Dialog, ErrorNote, RelativeTime, Select } from "../../ui/ui.ts";

const OVERLAPS = [
  { value: "0", label: "None: the old one ends at once" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "24 hours" },
  { value: "604800", label: "7 days" },
];

/** The signing secret: owners and its maker look at it, and make another. */
export function SecretCard({ endpointId }: { readonly endpointId: string }) {
  const { may } = useAccess();
  const [shown, setShown] = useState<wire.SigningSecret | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isAsking, setAsking] = useState(false);
  const reveal = async (): Promise<void> => {
    setFailure(null);
    try {
      setShown(await call("webhook_endpoints.secret", { path: { id: endpointId } }));
    } catch (error) {
      setFailure(error);
    }
  };
  const mayReveal = may("webhook_endpoints.secret");
  return (
    <Card
      title="Signing secret"
      description="Each delivery is signed with it. Whoever looks at it is noted in the audit."
    >
      <div className="flex flex-col gap-3">
        {shown === null ? null : <SecretLine label="Secret" secret={shown.secret} />}
        {shown?.previous_secret === undefined ? null : (
          <div className="flex flex-col gap-1">
            <SecretLine label="The one before, which signs too" secret={shown.previous_secret} />
            <p className="text-xs text-muted">
              It ends <RelativeTime at={shown.previous_expires_at} />.
            </p>
          </div>
        )}
        {failure === null ? null : <ErrorNote error={failure} />}
        <div className="flex flex-wrap gap-2">
          {shown === null ? (
            <Button isDisabled={!mayReveal} onPress={() => void reveal()}>
              Show the secret
            </Button>
          ) : (
            <Button onPress={() => setShown(null)}>Hide</Button>
          )}
          <Button isDisabled={!may("webhook_endpoints.secret.regenerate")} onPress={() => setAsking(true)}>
            Make a new one
          </Button>
        </div>
        {mayReveal ? null : (
          <p className="text-sm text-muted">
            Owners see every secret; admins and developers see those that they created.
          </p>
        )}
      </div>
      {isAsking ? (
        <RegenerateDialog endpointId={endpointId} onClose={() => setAsking(false)} onMade={() => setShown(null)} />
      ) : null}
    </Card>
  );
}

interface RegenerateDialogProps {
  readonly endpointId: string;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

function RegenerateDialog({ endpointId, onClose, onMade }: RegenerateDialogProps) {
  const [overlap, setOverlap] = useState("86400");
  const regenerate = useWrite("webhook_endpoints.secret.regenerate");
  const begin = () =>
    regenerate.mutate({ path: { id: endpointId }, body: { overlap_seconds: Number(overlap) } }, { onSuccess: onMade });
  const made = regenerate.data;
  return (
    <Dialog
      title={made === undefined ? "Make a new secret" : "The new secret"}
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        made === undefined ? (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button variant="primary" isPending={regenerate.isPending} onPress={begin}>
              Make a new secret
            </Button>
          </>
        ) : (
          <Button variant="primary" onPress={onClose}>
            Done
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {made === undefined ? (
          <>
            <p className="text-muted">
              While both count, deliveries carry a signature of each in webhook-signature, so the receiver can change
              over without a gap. X-Service-Signature is made with the new one from now on.
            </p>
            <Select label="The old one counts for" options={OVERLAPS} value={overlap} onChange={setOverlap} />
          </>
        ) : (
          <SecretLine label="New secret" secret={made.secret} />
        )}
        {regenerate.isError ? <ErrorNote error={regenerate.error} /> : null}
      </div>
    </Dialog>
  );
}
