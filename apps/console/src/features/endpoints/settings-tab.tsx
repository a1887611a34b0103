import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { HeadersCard, outsideFields, shownAddress, ViewOnly } from "../../shared/shared.ts";
import {
  Button,
  Card,
  ConfirmButton,
  deferred,
  ErrorNote,
  Form,
  ShowAs,
  toast,
  toastSuccess,
  useNavigate,
} from "../../ui/ui.ts";
import type { Draft } from "../../ui/ui.ts";
import { changeOf, draftOf, draftPointers, EndpointFields } from "./endpoint-form.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import type { EndpointDraft } from "./endpoint-form.tsx";
import { SecretCard } from "./secret-card.tsx";
import { VerifySnippets } from "./verify-snippets.tsx";

const SignInCard = deferred(async () => (await import("./sign-in-card.tsx")).SignInCard);

interface SettingsTabProps {
  readonly endpoint: wire.WebhookEndpoint;
  /** It outlives the tab, so that another tab does not lose it. */
  readonly draft: Draft<EndpointDraft>;
}

/** Edits the settings of an endpoint. */
export function SettingsTab({ endpoint, draft }: SettingsTabProps) {
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <ChangeCard endpoint={endpoint} draft={draft} />
      <EndpointHeaders endpoint={endpoint} />
      {endpoint.destination === null ? null : <ConnectionCard endpoint={endpoint} />}
      {endpoint.kind === "webhook" ? <SignInCard key={endpoint.id} endpoint={endpoint} /> : null}
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
  const isPortal = usePortal() !== undefined;
  // Only owners of the workspace can show stored values.
  if (isPortal || Object.keys(endpoint.headers).length === 0) return null;
  return (
    <HeadersCard
      mayReveal={may("webhook_endpoints.headers")}
      reveal={async () => [await call("webhook_endpoints.headers", { path: { id: endpoint.id } })]}
    />
  );
}

function ChangeCard({ endpoint, draft: { value: draft, change, keep } }: SettingsTabProps) {
  const update = useWrite("webhook_endpoints.update", { refreshes: ["webhook_endpoints."] });
  const may = useAccess().may("webhook_endpoints.update");
  const path = { id: endpoint.id };
  const failure = outsideFields(update.error, draftPointers);
  const save = (): void =>
    update.mutate(
      { path, body: changeOf(draft) },
      {
        onSuccess: (saved) => {
          // Values that were typed are hidden from now on.
          const now = draftOf(saved);
          change(now);
          keep(now);
          toast("Endpoint saved. The next attempt uses the new settings.");
        },
      },
    );
  return (
    <Card title="Settings">
      <Form judge="service" onSubmit={save}>
        <EndpointFields draft={draft} onChange={change} error={update.error} />
        {failure === null ? null : <ErrorNote error={failure} />}
        {may ? null : <ViewOnly what="these settings" it="them" />}
        <div className="flex gap-2">
          <Button type="submit" variant="primary" isDisabled={!may} isPending={update.isPending}>
            Save settings
          </Button>
          <ShowAs operation="webhook_endpoints.update" input={{ path, body: changeOf(draft) }} />
        </div>
      </Form>
    </Card>
  );
}

function DeleteCard({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const remove = useWrite("webhook_endpoints.delete", { refreshes: ["webhook_endpoints.list"] });
  const may = useAccess().may("webhook_endpoints.delete");
  const isPortal = usePortal() !== undefined;
  const navigate = useNavigate();
  if (isPortal && !may) return null;
  return (
    <Card title="Delete" description="Pending deliveries are cancelled. Past deliveries stay in the log.">
      <ConfirmButton
        label="Delete endpoint"
        isDisabled={!may}
        title="Delete endpoint?"
        typedName={URL.parse(endpoint.url ?? "")?.host ?? endpoint.id}
        isPending={remove.isPending}
        onConfirm={() =>
          remove.mutate(
            { path: { id: endpoint.id } },
            toastSuccess("Endpoint deleted.", () => navigate({ to: paths.endpoints })),
          )
        }
      >
        <p className="break-all">{shownAddress(endpoint)} receives no more events. This can't be undone.</p>
        {remove.isError ? <ErrorNote error={remove.error} /> : null}
      </ConfirmButton>
    </Card>
  );
}
