import { useQuery } from "@tanstack/react-query";
import { PlugZap } from "lucide-react";
import { useState } from "react";
import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useSession } from "../../session/session.ts";
import { LIFE_DAYS } from "../../shared/shared.ts";
import type { LifeDays } from "../../shared/shared.ts";
import {
  Badge,
  Button,
  Card,
  EmptyState,
  KeyValue,
  Loaded,
  PageHeader,
  Select,
  toastError,
  useFilters,
} from "../../ui/ui.ts";
import type { Filters } from "../../ui/ui.ts";

/** The consent to an app that asks for access by OAuth. The parameters are those of the app's request. */
export function Screen() {
  const [filters] = useFilters();
  if (filters["client_id"] === undefined || filters["redirect_uri"] === undefined)
    return (
      <>
        <PageHeader title="Connect an app" />
        <Card flush>
          <EmptyState title="No app asks for access" icon={<PlugZap aria-hidden size={20} />}>
            Add Junction in your AI app with the address of this installation, followed by /mcp. The app then opens this
            page.
          </EmptyState>
        </Card>
      </>
    );
  return <Request request={requestOf(filters)} />;
}

function Request({ request }: { readonly request: wire.ConnectionRequestReview }) {
  const review = useQuery(read("connected_apps.review", { body: request }));
  return (
    <Loaded query={review} label="Loading the app's request" page="Connect an app">
      {(asked) => <Consent request={request} asked={asked} />}
    </Loaded>
  );
}

interface ConsentProps {
  readonly request: wire.ConnectionRequestReview;
  readonly asked: wire.ConnectionRequest;
}

function Consent({ request, asked }: ConsentProps) {
  const [days, setDays] = useState<LifeDays>("30");
  const connect = useWrite("connected_apps.connect", { refreshes: ["connected_apps."] });
  const isNothing = !asked.scopes.some(({ allowed }) => allowed);
  const agree = (): void =>
    connect.mutate(
      { body: { ...request, days: Number(days) } },
      { onSuccess: ({ redirect_url: url }) => window.location.assign(url), onError: toastError },
    );
  return (
    <>
      <PageHeader
        title={`Connect ${asked.client_name}`}
        description="The app asks to work in this workspace as an AI, in your name. Connect it only if you have just added Junction in it."
      />
      <div className="flex max-w-3xl flex-col gap-4">
        <AppCard asked={asked} />
        <ScopesCard asked={asked} />
        <ActionsCard asked={asked} />
        {/* The decision stays in view below a long list of scopes and actions. */}
        <div className="sticky bottom-4">
          <Card>
            <div className="flex flex-wrap items-end justify-between gap-3">
              <Select label="Access ends after" options={LIFE_DAYS} value={days} onChange={setDays} />
              <div className="flex gap-2">
                <Button onPress={() => window.location.assign(asked.cancel_url)}>Cancel</Button>
                <Button
                  variant="primary"
                  isPending={connect.isPending || connect.isSuccess}
                  isDisabled={isNothing}
                  onPress={agree}
                >
                  Connect app
                </Button>
              </div>
            </div>
          </Card>
        </div>
      </div>
    </>
  );
}

function AppCard({ asked }: { readonly asked: wire.ConnectionRequest }) {
  const { workspace, member, isSandbox } = useSession();
  return (
    <Card title="Who gets access, and where">
      <KeyValue
        rows={[
          { label: "App", value: <bdi className="break-words">{asked.client_name}</bdi> },
          {
            label: "Identity",
            value:
              asked.client_host === null ? (
                <Badge tone="warn">Not verified: any app can use this name</Badge>
              ) : (
                <code className="break-all">{asked.client_host}</code>
              ),
          },
          { label: "Access goes to", value: <code className="break-all">{asked.redirect_host}</code> },
          { label: "Workspace", value: <bdi className="break-words">{workspace.name}</bdi> },
          {
            label: "Environment",
            value: <Badge tone={isSandbox ? "warn" : "info"}>{isSandbox ? "Sandbox" : "Live"}</Badge>,
          },
          { label: "Connected by", value: `${member.name} (${workspace.role})` },
        ]}
      />
      <p className="mt-3 text-sm text-muted">
        To connect another workspace or environment, switch to it at the top of this page.
      </p>
    </Card>
  );
}

function ScopesCard({ asked }: { readonly asked: wire.ConnectionRequest }) {
  return (
    <Card title="What the app may do">
      <ul className="flex flex-col gap-3">
        {asked.scopes.map(({ name, description, allowed }) => (
          <li key={name} className="flex flex-wrap items-center gap-2">
            <code className="break-all">{name}</code>
            {allowed ? null : <Badge tone="warn">Not granted: your role does not allow it</Badge>}
            <span className="w-full text-sm text-muted">{description}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ActionsCard({ asked }: { readonly asked: wire.ConnectionRequest }) {
  return (
    <Card
      title="Actions that it can run now"
      description="Actions that are added later follow their contracts. An AI can never approve an action."
    >
      {asked.actions.length === 0 ? (
        <p className="text-muted">No action is open to AI apps in this environment.</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {asked.actions.map(({ key, label, destructive, requires_confirmation: waits }) => (
            <li key={key} className="flex flex-wrap items-center gap-2">
              <bdi className="break-words font-medium">{label}</bdi>
              <code className="break-all text-sm text-muted">{key}</code>
              {waits ? <Badge tone="good">Needs an approval</Badge> : <Badge tone="warn">Runs at once</Badge>}
              {destructive ? <Badge tone="bad">Destructive</Badge> : null}
            </li>
          ))}
        </ul>
      )}
      {asked.has_more_actions ? <p className="mt-2 text-muted">Only the newest actions are listed here.</p> : null}
    </Card>
  );
}

function requestOf(filters: Filters): wire.ConnectionRequestReview {
  const { client_id: clientId = "", redirect_uri: redirectUri = "" } = filters;
  const others = OTHERS.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]] as const]));
  return { client_id: clientId, redirect_uri: redirectUri, ...Object.fromEntries(others) };
}

const OTHERS = ["response_type", "code_challenge", "code_challenge_method", "scope", "state", "resource"] as const;
