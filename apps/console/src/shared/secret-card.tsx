import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { wire } from "../api/api.ts";
import { AbsoluteTime, Button, Card, ConfirmDialog, Dialog, ErrorNote, SecretText } from "../ui/ui.ts";

const OVERLAP_SECONDS = 86_400;

export interface SecretCardProps {
  readonly description: string;
  readonly mayReveal: boolean;
  readonly mayRegenerate: boolean;
  readonly reveal: () => Promise<wire.SigningSecret>;
  /** Regenerates the secret and returns the new one. */
  readonly regenerate: (overlapSeconds: number) => Promise<string>;
}

/** Shows the signing secret to owners and regenerates it. Both secrets are valid for a day. */
export function SecretCard({ description, mayReveal, mayRegenerate, reveal, regenerate }: SecretCardProps) {
  const [isAsking, setAsking] = useState(false);
  const revealed = useMutation({ mutationFn: reveal, gcTime: 0 });
  const regenerated = useMutation({
    mutationFn: async () => await regenerate(OVERLAP_SECONDS),
    gcTime: 0,
    onSuccess: () => revealed.reset(),
    onSettled: () => setAsking(false),
  });
  const failure = revealed.error ?? regenerated.error;
  return (
    <Card title="Signing secret" description={description}>
      <div className="flex flex-col gap-3">
        {revealed.data === undefined ? null : <SecretTexts secret={revealed.data} />}
        {failure === null ? null : <ErrorNote error={failure} />}
        <div className="flex flex-wrap gap-2">
          {revealed.data === undefined ? (
            <Button isDisabled={!mayReveal} isPending={revealed.isPending} onPress={() => revealed.mutate()}>
              Show secret
            </Button>
          ) : (
            <Button onPress={revealed.reset}>Hide secret</Button>
          )}
          <Button isDisabled={!mayRegenerate} onPress={() => setAsking(true)}>
            Regenerate secret
          </Button>
        </div>
        {mayReveal ? null : <p className="text-sm text-muted">Only owners can show the secret.</p>}
      </div>
      <ConfirmDialog
        title="Regenerate secret"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirmLabel="Regenerate secret"
        isDangerous={false}
        isPending={regenerated.isPending}
        onConfirm={() => regenerated.mutate()}
      >
        <p>
          The current secret stays active for 24 hours. In that time, both secrets sign, so that the receiver can switch
          without rejecting requests.
        </p>
      </ConfirmDialog>
      {regenerated.data === undefined ? null : (
        <Dialog title="New secret" size="sm" isOpen onClose={regenerated.reset}>
          <SecretText label="Signing secret" secret={regenerated.data} />
        </Dialog>
      )}
    </Card>
  );
}

function SecretTexts({ secret }: { readonly secret: wire.SigningSecret }) {
  return (
    <>
      <SecretText label="Signing secret" secret={secret.secret} />
      {secret.previous_secret === undefined || secret.previous_expires_at === undefined ? null : (
        <div className="flex flex-col gap-1">
          <p className="text-sm text-muted">
            Previous secret, active until <AbsoluteTime at={secret.previous_expires_at} />
          </p>
          <SecretText label="Previous secret" secret={secret.previous_secret} />
        </div>
      )}
    </>
  );
}
