import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { SecretLine } from "../../shared/shared.ts";
import { Button, Card, Dialog, ErrorNote, RelativeTime, Select } from "../../ui/ui.ts";

const OVERLAPS = [
  { value: "0", label: "None: the current secret expires immediately" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "24 hours" },
  { value: "604800", label: "7 days" },
];

/** The signing secret: owners and its maker look at it, and make another. */
export function SecretCard({ endpointId }: { readonly endpointId: string }) {
  const { may } = useAccess();
  const isPortal = usePortal() !== undefined;
  const reveal = useMutation({
    mutationFn: async () => await call("webhook_endpoints.secret", { path: { id: endpointId } }),
    gcTime: 0,
  });
  const { data: shown, error } = reveal;
  const [isAsking, setAsking] = useState(false);
  const mayReveal = may("webhook_endpoints.secret");
  // A customer who may not see the secret gets no card about it.
  if (isPortal && !mayReveal) return null;
  return (
    <Card
      title="Signing secret"
      description={
        isPortal
          ? "Signs each delivery."
          : "Signs each delivery. Each time the secret is shown is recorded in the audit log."
      }
    >
      <div className="flex flex-col gap-3">
        {shown === undefined ? null : <SecretLine label="Secret" secret={shown.secret} />}
        {shown?.previous_secret === undefined ? null : (
          <div className="flex flex-col gap-1">
            <SecretLine label="Previous secret (still active)" secret={shown.previous_secret} />
            <p className="text-xs text-muted">
              Expires <RelativeTime at={shown.previous_expires_at} />.
            </p>
          </div>
        )}
        {error === null ? null : <ErrorNote error={error} />}
        <div className="flex flex-wrap gap-2">
          {shown === undefined ? (
            <Button isDisabled={!mayReveal} isPending={reveal.isPending} onPress={() => reveal.mutate()}>
              Show secret
            </Button>
          ) : (
            <Button onPress={reveal.reset}>Hide secret</Button>
          )}
          <Button isDisabled={!may("webhook_endpoints.secret.regenerate")} onPress={() => setAsking(true)}>
            Regenerate secret
          </Button>
        </div>
        {mayReveal ? null : (
          <p className="text-sm text-muted">
            Owners can show every secret. Admins and developers can show the secrets that they created.
          </p>
        )}
      </div>
      {isAsking ? (
        <RegenerateDialog endpointId={endpointId} onClose={() => setAsking(false)} onMade={reveal.reset} />
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
      title={made === undefined ? "Regenerate secret" : "New secret"}
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        made === undefined ? (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button variant="primary" isPending={regenerate.isPending} onPress={begin}>
              Regenerate secret
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
              During the overlap, webhook-signature contains a signature of each secret, so that the receiver can switch
              without a gap. X-Service-Signature uses the new secret immediately.
            </p>
            <Select label="Overlap" options={OVERLAPS} value={overlap} onChange={setOverlap} />
          </>
        ) : (
          <SecretLine label="New secret" secret={made.secret} />
        )}
        {regenerate.isError ? <ErrorNote error={regenerate.error} /> : null}
      </div>
    </Dialog>
  );
}
