import { Form } from "react-aria-components";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import {
  bodyOf,
  draftPointers,
  emptyDraft,
  EndpointFields,
  isOutsideFields,
  SecretLine,
  VerifySnippets,
} from "../../shared/shared.ts";
import { paths } from "../../paths.ts";
import { Button, Dialog, ErrorNote, Link } from "../../ui/ui.ts";

/** Makes an endpoint, then shows its secret and what a receiver does with it. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const create = useWrite("webhook_endpoints.create", { refreshes: ["webhook_endpoints."] });
  if (create.data !== undefined) return <MadeDialog endpoint={create.data} onClose={onClose} />;
  return (
    <Dialog
      title="Add an endpoint"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="new-endpoint" isPending={create.isPending}>
            Add endpoint
          </Button>
        </>
      }
    >
      <Form
        validationBehavior="aria"
        id="new-endpoint"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ body: bodyOf(draft) });
        }}
      >
        <EndpointFields draft={draft} onChange={setDraft} error={create.error} isNew />
        {isOutsideFields(create.error, draftPointers) ? <ErrorNote error={create.error} /> : null}
      </Form>
    </Dialog>
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
      title="The endpoint is there"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Link to={`${paths.endpoint(endpoint.id)}?tab=test`} look="primary">
            Send a test
          </Link>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SecretLine label="Signing secret" secret={endpoint.secret} />
        <p className="text-sm text-muted">
          Give it to the receiver as <code>WEBHOOK_SECRET</code>; it verifies each delivery with it. Owners can look at
          it again in the endpoint's settings.
        </p>
        <VerifySnippets />
      </div>
    </Dialog>
  );
}
