import { Form } from "react-aria-components";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import {
  bodyOf,
  draftOf,
  draftPointers,
  EndpointFields,
  HeadersCard,
  isOutsideFields,
  shortUrl,
  VerifySnippets,
} from "../../shared/shared.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, ConfirmDialog, ErrorNote, ShowAs, toast } from "../../ui/ui.ts";
import { SecretCard } from "./secret-card.tsx";

/** What can be changed of an endpoint. */
export function SettingsTab({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <ChangeCard endpoint={endpoint} />
      <EndpointHeaders endpoint={endpoint} />
      <SecretCard endpointId={endpoint.id} />
      <Card title="Verify what it receives" description="In the receiver, before anything parses the body.">
        <VerifySnippets />
      </Card>
      <DeleteCard endpoint={endpoint} />
    </div>
  );
}

function EndpointHeaders({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const { may } = useAccess();
  if (Object.keys(endpoint.headers).length === 0) return null;
  return (
    <HeadersCard
      mayReveal={may("webhook_endpoints.headers")}
      reveal={async () => [await call("webhook_endpoints.headers", { path: { id: endpoint.id } })]}
    />
  );
}

function ChangeCard({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const [draft, setDraft] = useState(() => draftOf(endpoint));
  const update = useWrite("webhook_endpoints.update", { refreshes: ["webhook_endpoints."] });
  const may = useAccess().may("webhook_endpoints.update");
  const path = { id: endpoint.id };
  return (
    <Card title="Settings">
      <Form
        validationBehavior="aria"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate(
            { path, body: bodyOf(draft) },
            {
              onSuccess: (saved) => {
                // Values that were typed are hidden from now on.
                setDraft(draftOf(saved));
                toast("Saved. The next attempt uses it.");
              },
            },
          );
        }}
      >
        <EndpointFields draft={draft} onChange={setDraft} error={update.error} />
        {isOutsideFields(update.error, draftPointers) ? <ErrorNote error={update.error} /> : null}
        {may ? null : <p className="text-sm text-muted">Your role may look at these settings and not change them.</p>}
        <div className="flex gap-2">
          <Button type="submit" variant="primary" isDisabled={!may} isPending={update.isPending}>
            Save
          </Button>
          <ShowAs operation="webhook_endpoints.update" input={{ path, body: bodyOf(draft) }} />
        </div>
      </Form>
    </Card>
  );
}

function DeleteCard({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useWrite("webhook_endpoints.delete", { refreshes: ["webhook_endpoints.list"] });
  const may = useAccess().may("webhook_endpoints.delete");
  const navigate = useNavigate();
  return (
    <Card title="Delete" description="What waits for it is cancelled. Its deliveries stay in the log.">
      <Button variant="danger" isDisabled={!may} onPress={() => setAsking(true)}>
        Delete endpoint
      </Button>
      <ConfirmDialog
        title="Delete this endpoint?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirmLabel="Delete endpoint"
        typedName={URL.parse(endpoint.url)?.host ?? endpoint.id}
        isPending={remove.isPending}
        onConfirm={() =>
          remove.mutate(
            { path: { id: endpoint.id } },
            {
              onSuccess: () => {
                toast("The endpoint was deleted.");
                void navigate({ to: paths.endpoints });
              },
            },
          )
        }
      >
        <p className="break-all">{shortUrl(endpoint.url)} gets nothing any more. This cannot be taken back.</p>
        {remove.isError ? <ErrorNote error={remove.error} /> : null}
      </ConfirmDialog>
    </Card>
  );
}
