import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { outsideFields, SecretLine } from "../../shared/shared.ts";
import { Button, Dialog, FormDialog, Link } from "../../ui/ui.ts";
import { bodyOf, draftPointers, emptyDraft, EndpointFields } from "./endpoint-form.tsx";
import { VerifySnippets } from "./verify-snippets.tsx";

/** Makes an endpoint, then shows its secret and what a receiver does with it. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const create = useWrite("webhook_endpoints.create", { refreshes: ["webhook_endpoints."] });
  if (create.data !== undefined) return <CreatedDialog endpoint={create.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Create endpoint"
      onClose={onClose}
      submitLabel="Create endpoint"
      write={create}
      judge="service"
      error={outsideFields(create.error, draftPointers)}
      onSubmit={() => create.mutate({ body: bodyOf(draft) })}
    >
      <EndpointFields draft={draft} onChange={setDraft} error={create.error} isNew />
    </FormDialog>
  );
}

/** Says who can see the secret later. */
function ShownAgain() {
  const [portal, { may }] = [usePortal(), useAccess()];
  if (portal === undefined) return <>Owners can show the secret again in the endpoint's settings.</>;
  if (may("webhook_endpoints.secret")) return <>You can show it again in the endpoint's settings.</>;
  return <>It is not shown again.</>;
}

function CreatedDialog({
  endpoint,
  onClose,
}: {
  readonly endpoint: wire.WebhookEndpointWithSecret;
  readonly onClose: () => void;
}) {
  const { may } = useAccess();
  return (
    <Dialog
      title="Endpoint created"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          {may("webhooks.test") && endpoint.kind !== "pull" ? (
            <Link to={`${paths.endpoint(endpoint.id)}?tab=test`} look="primary">
              Send test event
            </Link>
          ) : null}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SecretLine label="Signing secret" secret={endpoint.secret} />
        <p className="text-sm text-muted">
          Store the secret in the receiver as <code>WEBHOOK_SECRET</code>. The receiver uses it to verify each delivery.
          <ShownAgain />
        </p>
        <VerifySnippets />
      </div>
    </Dialog>
  );
}
