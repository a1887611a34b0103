import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { outsideFields, SecretLine } from "../../shared/shared.ts";
import { Button, Dialog, FormDialog, Link } from "../../ui/ui.ts";
import { bodyOf, draftPointers, emptyDraft, EndpointFields } from "./endpoint-form.tsx";
import { VerifySnippets } from "./verify-snippets.tsx";

/** Makes an endpoint, then shows its secret and what a receiver does with it. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const create = useWrite("webhook_endpoints.create", { refreshes: ["webhook_endpoints."] });
  if (create.data !== undefined) return <MadeDialog endpoint={create.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Create endpoint"
      onClose={onClose}
      submitLabel="Create endpoint"
      isPending={create.isPending}
      judge="service"
      error={outsideFields(create.error, draftPointers)}
      onSubmit={() => create.mutate({ body: bodyOf(draft) })}
    >
      <EndpointFields draft={draft} onChange={setDraft} error={create.error} isNew />
    </FormDialog>
  );
}

function MadeDialog({
  endpoint,
  onClose,
}: {
  readonly endpoint: wire.WebhookEndpointWithSecret;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title="Endpoint created"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Link to={`${paths.endpoint(endpoint.id)}?tab=test`} look="primary">
            Send test event
          </Link>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SecretLine label="Signing secret" secret={endpoint.secret} />
        <p className="text-sm text-muted">
          Store the secret in the receiver as <code>WEBHOOK_SECRET</code>. The receiver uses it to verify each delivery.
          Owners can show the secret again in the endpoint's settings.
        </p>
        <VerifySnippets />
      </div>
    </Dialog>
  );
}
