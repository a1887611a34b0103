import { PlugZap, RefreshCw } from "lucide-react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Link, RelativeTime, ResourceList, toast, toastError } from "../../ui/ui.ts";
import type { TableColumn } from "../../ui/ui.ts";
import { ConnectorLight, HealthLight, languageOf } from "./connector-states.tsx";
import { InstallationBadge } from "./installation.tsx";

/** The folders that were found, and what became of them. */
export function Screen() {
  const access = useAccess();
  const rescan = useWrite("connectors.rescan", { refreshes: ["connectors."] });
  const look = (
    <Button
      icon={<RefreshCw aria-hidden size={15} />}
      isDisabled={!access.may("connectors.rescan")}
      isPending={rescan.isPending}
      onPress={() =>
        rescan.mutate(
          {},
          {
            onSuccess: ({ verified, refused }) =>
              toast(`${verified} ${verified === 1 ? "folder" : "folders"} verified, ${refused} refused.`),
            onError: toastError,
          },
        )
      }
    >
      Scan folders
    </Button>
  );
  return (
    <ResourceList
      operation="connectors.list"
      title="Connectors"
      description="Signed packages that connect other services to this workspace. The code of a connector has no direct network access. The service makes its calls, only to the hosts that it declares, and adds the secrets."
      actions={look}
      noun="connectors"
      icon={PlugZap}
      emptyAction={look}
      hint={
        <>
          Put a signed folder into <code>connectors/</code> of the service, then scan the folders.
        </>
      }
      keyOf={(connector) => connector.key}
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.Connector>[] = [
  {
    header: "Connector",
    cell: (connector) => (
      <span className="flex min-w-0 flex-col">
        <Link
          to={paths.connector(connector.key)}
          look="plain"
          className="w-fit font-medium wrap-anywhere hover:underline"
        >
          <bdi>{connector.name ?? connector.key}</bdi>
        </Link>
        <code className="text-xs text-muted">
          {connector.key} {connector.version}
        </code>
      </span>
    ),
  },
  {
    header: "State",
    cell: (connector) => (
      <span className="flex flex-wrap items-center gap-2">
        <ConnectorLight state={connector.state} />
        <InstallationBadge connector={connector} />
      </span>
    ),
  },
  { header: "Health", from: "sm", cell: (connector) => <HealthLight status={connector.health.status} /> },
  { header: "Language", from: "lg", cell: (connector) => languageOf(connector.runtime) },
  { header: "Event types", from: "md", cell: (connector) => heard(connector.events) },
  { header: "Last run", from: "md", cell: (connector) => <RelativeTime at={connector.health.last_run_at} /> },
];

function heard(events: readonly string[]): string {
  if (events.includes("*")) return "All except system events";
  const [first = "None", ...more] = events;
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}
