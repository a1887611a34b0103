import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Card,
  ConfirmButton,
  CopyButton,
  KeyValue,
  labelOf,
  Link,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
  Tabs,
  toastOutcome,
  useUrlState,
} from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";
import { ConnectorLight, connectorWords, HealthLight, languageOf } from "./connector-states.tsx";
import { SandboxCard } from "./environments.tsx";
import { InstallationBadge, useInstallation, useIsOfLive } from "./installation.tsx";
import { RunLog } from "./run-log.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { Update } from "./update.tsx";

/** Shows one connector: its facts and permissions, its settings, and each of its runs. */
export function Screen() {
  const query = useInstallation();
  return (
    <ResourcePage parameter="key" read={(key) => read("connectors.get", { path: { key }, query })} heading="Connector">
      {(connector) => <Connector connector={connector} />}
    </ResourcePage>
  );
}

function Connector({ connector }: { readonly connector: wire.Connector }) {
  const [tab, setTab] = useUrlState("tab", "overview");
  const description = connector.description ?? "";
  return (
    <>
      <PageHeader
        title={connector.name ?? connector.key}
        back={{ to: paths.connectors, label: "Connectors" }}
        status={
          <>
            <ConnectorLight state={connector.state} />
            <InstallationBadge connector={connector} />
          </>
        }
        description={description === "" ? connectorWords(connector.state).means : description}
        actions={
          <>
            <ShowAs operation="connectors.get" input={{ path: { key: connector.key } }} />
            <Disable connector={connector} />
          </>
        }
      />
      <Tabs
        label="Connector"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "overview", label: "Overview", content: <Overview connector={connector} /> },
          { id: "runs", label: "Run log", content: <RunLog connectorKey={connector.key} /> },
        ]}
      />
    </>
  );
}

function Overview({ connector }: { readonly connector: wire.Connector }) {
  const isOfLive = useIsOfLive(connector);
  return (
    <div className="flex flex-col gap-4">
      <Reasons connector={connector} />
      <Update connector={connector} />
      <SandboxCard connector={connector} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {connector.settings_schema === null || isOfLive ? null : (
          <SettingsForm key={connector.key} connector={connector} />
        )}
        <div className="flex flex-col gap-4">
          <Card
            title="Permissions"
            description="Its code has no direct network access. The service makes its calls, only to the hosts below, and adds the secrets."
          >
            <KeyValue rows={rights(connector)} />
          </Card>
          <Card title="Details">
            <KeyValue rows={facts(connector)} />
          </Card>
        </div>
      </div>
    </div>
  );
}

/** A folder that is refused does not stop the version that the workspace runs. */
function Reasons({ connector: { reason, folder, enabled } }: { readonly connector: wire.Connector }) {
  if (reason !== null) return <Reason title="Not running" reason={reason} />;
  if (folder.reason === null || !enabled) return null;
  return <Reason title="Version in the folder refused" reason={folder.reason} />;
}

function Reason({ title, reason }: { readonly title: string; readonly reason: wire.ConnectorReason }) {
  return (
    <Card title={title}>
      <p className="break-words">{reason.message}</p>
      <p className="mt-1 text-sm text-muted">
        <code>{reason.code}</code>
        {reason.path === null ? null : (
          <>
            {" in "}
            <code className="break-all">{reason.path}</code>
          </>
        )}
      </p>
    </Card>
  );
}

function rights(connector: wire.Connector): KeyValueRow[] {
  const listed = (names: readonly string[], none: string) =>
    names.length === 0 ? none : <span className="font-mono text-sm break-words">{names.join(", ")}</span>;
  return [
    { label: "Receives event types", value: listed(connector.events, "None") },
    { label: "Priority", value: connector.priority === null ? "" : `${connector.priority} (lower runs first)` },
    { label: "Fires event types", value: listed(connector.fires, "None") },
    { label: "Calls hosts", value: listed(connector.egress, "None") },
    { label: "Reads data", value: listed(connector.reads, "None") },
    {
      label: "Actions",
      value:
        connector.actions.length === 0 ? (
          "None"
        ) : (
          <span className="flex flex-wrap gap-x-3">
            {connector.actions.map((key) =>
              connector.enabled ? (
                <Link key={key} to={paths.action(key)}>
                  {key}
                </Link>
              ) : (
                <code key={key}>{key}</code>
              ),
            )}
          </span>
        ),
    },
    { label: "Identifies contacts", value: listed(connector.identity_providers, "No") },
    { label: "Provides customer data", value: listed(connector.context_providers, "No") },
  ];
}

function facts(connector: wire.Connector): (KeyValueRow | null)[] {
  const { health, folder } = connector;
  return [
    { label: "Health", value: <HealthLight status={health.status} /> },
    { label: "Last run", value: <RelativeTime at={health.last_run_at} /> },
    health.last_error === null
      ? null
      : { label: "Last error", value: <bdi className="break-words">{health.last_error}</bdi> },
    connector.webhook_url === null
      ? null
      : {
          label: "Webhook URL",
          value: (
            <span className="inline-flex max-w-full items-start gap-1">
              <code className="text-xs break-all">{connector.webhook_url}</code>
              <CopyButton text={connector.webhook_url} label="Copy webhook URL" />
            </span>
          ),
        },
    { label: "Version", value: connector.version ?? "" },
    { label: "Language", value: languageOf(connector.runtime) },
    { label: "Signature", value: labelOf(connector.signature) },
    connector.digest === null
      ? null
      : { label: "Digest", value: <code className="text-xs break-all">{connector.digest}</code> },
    { label: "Folder", value: labelOf(folder.status) },
    { label: "Last scanned", value: <RelativeTime at={folder.scanned_at} /> },
  ];
}

function Disable({ connector }: { readonly connector: wire.Connector }) {
  const access = useAccess();
  const disable = useWrite("connectors.disable", { refreshes: ["connectors.", "action_contracts."] });
  const isOfLive = useIsOfLive(connector);
  if (!connector.enabled || isOfLive) return null;
  return (
    <ConfirmButton
      label="Disable connector"
      isDisabled={!access.may("connectors.disable")}
      title={`Disable ${connector.name ?? connector.key}`}
      isPending={disable.isPending}
      onConfirm={(close) =>
        disable.mutate(
          { path: { key: connector.key } },
          { ...toastOutcome("Connector disabled. Its settings are kept."), onSettled: close },
        )
      }
    >
      <p>
        The connector receives no more events, and its actions can no longer be run. Its settings and version are kept.
      </p>
    </ConfirmButton>
  );
}
