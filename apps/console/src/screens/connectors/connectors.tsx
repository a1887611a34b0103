import { PlugZap, RefreshCw } from "lucide-react";
import { usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { ConnectorLight, HealthLight } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Badge,
  Button,
  Card,
  EmptyState,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  Table,
  toast,
  toastError,
} from "../../ui/ui.ts";

/** The folders that were found, and what became of them. */
export function Screen() {
  const pages = usePages("connectors.list");
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
              toast(`${verified} ${verified === 1 ? "folder is" : "folders are"} good, ${refused} refused.`),
            onError: toastError,
          },
        )
      }
    >
      Look again
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Connectors"
        description="Signed folders that speak with other platforms. Each runs in a process of its own, calls only the hosts it names, and never sees a secret."
        actions={
          <>
            <ShowAs operation="connectors.list" input={{}} />
            {look}
          </>
        }
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the connectors"
          empty={
            <EmptyState title="No connector was found" icon={<PlugZap aria-hidden size={20} />} action={look}>
              Drop a signed folder into <code>connectors/</code> of the service, then look again.
            </EmptyState>
          }
        >
          {(rows) => <ConnectorTable rows={rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}

function ConnectorTable({ rows }: { readonly rows: readonly wire.Connector[] }) {
  return (
    <Table
      label="Connectors"
      rows={rows}
      keyOf={(connector) => connector.key}
      columns={[
        {
          id: "name",
          header: "Connector",
          cell: (connector) => (
            <span className="flex min-w-0 flex-col">
              <Link
                to={paths.connector(connector.key)}
                look="plain"
                className="w-fit font-medium break-words hover:underline"
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
          id: "state",
          header: "State",
          cell: (connector) => (
            <span className="inline-flex flex-wrap items-center gap-2">
              <ConnectorLight state={connector.state} />
              {connector.sandbox_only ? <Badge>sandbox only</Badge> : null}
            </span>
          ),
        },
        {
          id: "health",
          header: "Health",
          from: "sm",
          cell: (connector) => <HealthLight status={connector.health.status} />,
        },
        { id: "runtime", header: "Language", from: "lg", cell: (connector) => connector.runtime ?? "" },
        { id: "events", header: "Hears", from: "md", cell: (connector) => heard(connector.events) },
        {
          id: "ran",
          header: "Last ran",
          from: "md",
          cell: (connector) => <RelativeTime at={connector.health.last_run_at} />,
        },
      ]}
    />
  );
}

function heard(events: readonly string[]): string {
  if (events.includes("*")) return "every event";
  const [first = "nothing", ...more] = events;
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}
