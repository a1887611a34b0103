import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { HeadersCard, outsideFields, shortUrl } from "../../shared/shared.ts";
import { Button, Card, ConfirmDialog, ErrorNote, Form, ShowAs, toast, useNavigate } from "../../ui/ui.ts";
import { bodyOf, draftOf, draftPointers, EndpointFields } from "./endpoint-form.tsx";
import { SecretCard } from "./secret-card.tsx";
import { VerifySnippets } from "./verify-snippets.tsx";

/** Edits the settings of an endpoint. */
export function SettingsTab({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <ChangeCard endpoint={endpoint} />
      <EndpointHeaders endpoint={endpoint} />
      <SecretCard endpointId={endpoint.id} />
      <Card title="Verify signatures" description="Verify each request in the receiver before the body is parsed.">
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
  const failure = outsideFields(update.error, draftPointers);
  const save = (): void =>
    update.mutate(
      { path, body: bodyOf(draft) },
      {
        onSuccess: (saved) => {
          // Values that were typed are hidden from now on.
          setDraft(draftOf(saved));
          toast("Endpoint saved. The next attempt uses the new settings.");
        },
      },
    );
  return (
    <Card title="Settings">
      <Form judge="service" onSubmit={save}>
        <EndpointFields draft={draft} onChange={setDraft} error={update.error} />
        {failure === null ? null : <ErrorNote error={failure} />}
        {may ? null : <p className="text-sm text-muted">Your role can view these settings, but can't change them.</p>}
        <div className="flex gap-2">
          <Button type="submit" variant="primary" isDisabled={!may} isPending={update.isPending}>
            Save settings
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
    <Card title="Delete" description="Pending deliveries are cancelled. Past deliveries stay in the log.">
      <Button variant="danger" isDisabled={!may} onPress={() => setAsking(true)}>
        Delete endpoint
      </Button>
      <ConfirmDialog
        title="Delete endpoint?"
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
                toast("Endpoint deleted.");
                navigate({ to: paths.endpoints });
              },
            },
          )
        }
      >
        <p className="break-all">{shortUrl(endpoint.url)} receives no more deliveries. This can't be undone.</p>
        {remove.isError ? <ErrorNote error={remove.error} /> : null}
      </ConfirmDialog>
    </Card>
  );
}
