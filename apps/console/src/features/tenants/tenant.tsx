import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { CompletedDeliveries, numberText, PortalPreviewButton } from "../../shared/shared.ts";
import {
  Button,
  Card,
  Chart,
  ConfirmDialog,
  KeyValue,
  labelOf,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  Segmented,
  ShowAs,
  StatusLight,
  toast,
  toastError,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import { countText } from "./counts.ts";
import { McpTokensCard } from "./mcp-tokens.tsx";

const LOOK_MS = 2000;

/** Shows what a tenant has, and the progress of its deletion. */
export function Screen() {
  const tenant = usePathParameter("tenant");
  const query = useQuery({
    ...read("tenants.get", { path: { tenant } }),
    refetchInterval: ({ state }) => (state.data?.deletion?.state === "running" ? LOOK_MS : false),
  });
  return (
    <Loaded query={query} label="Loading the tenant" page="Tenant">
      {(found) => <Tenant found={found} />}
    </Loaded>
  );
}

function Tenant({ found }: { readonly found: wire.Tenant }) {
  const { tenant, deletion } = found;
  const [isDeleting, setDeleting] = useState(false);
  const access = useAccess();
  const may = access.may("tenants.delete");
  return (
    <>
      <PageHeader
        title={tenant}
        mono
        back={{ to: paths.tenants, label: "Tenants" }}
        actions={
          <>
            <ShowAs operation="tenants.get" input={{ path: { tenant } }} />
            <PortalPreviewButton tenant={tenant} />
            <Button variant="danger" isDisabled={!may} onPress={() => setDeleting(true)}>
              Delete tenant
            </Button>
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Details">
          <KeyValue
            rows={[
              { label: "Endpoints", value: <CountLink to={paths.endpoints} tenant={tenant} text={found.endpoints} /> },
              { label: "Sources", value: <CountLink to={paths.sources} tenant={tenant} text={found.sources} /> },
              { label: "Keys", value: <CountLink to={paths.keys} tenant={tenant} text={found.keys} /> },
              {
                label: "Events (24 h)",
                value: <CountLink to={paths.events} tenant={tenant} text={countText(found.events_24h)} />,
              },
              {
                label: "Failures (24 h)",
                value: (
                  <CountLink
                    to={paths.deliveries}
                    tenant={tenant}
                    more="&state=failed"
                    text={countText(found.failures_24h)}
                  />
                ),
              },
              { label: "Last event", value: <RelativeTime at={found.last_seen_at} /> },
            ]}
          />
        </Card>
        {deletion === null ? null : <Deletion deletion={deletion} />}
      </div>
      {access.may("mcp_tokens.list") ? <McpTokensCard tenant={tenant} /> : null}
      <Usage tenant={tenant} />
      {isDeleting ? <DeleteDialog tenant={tenant} onClose={() => setDeleting(false)} /> : null}
    </>
  );
}

interface CountLinkProps {
  readonly to: string;
  readonly tenant: string;
  readonly text: string | number;
  readonly more?: string;
}

/** Links a number to the list of what it counts. */
function CountLink({ to, tenant, text, more = "" }: CountLinkProps) {
  return <Link to={`${to}?tenant=${encodeURIComponent(tenant)}${more}`}>{text}</Link>;
}

const SPANS = [
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
  { value: "720", label: "30 days" },
];

/** Shows the tenant's events and deliveries over time. */
function Usage({ tenant }: { readonly tenant: string }) {
  const [span, setSpan] = useUrlState("hours", "24");
  const hours = SPANS.some((one) => one.value === span) ? Number(span) : 24;
  const query = useQuery(read("usage.series", { query: { tenant, hours } }));
  return (
    <Card
      title="Usage"
      description="Its events, and the deliveries to its endpoints, by hour, in your time zone."
      actions={<Segmented label="Time span" options={SPANS} value={String(hours)} onChange={setSpan} />}
    >
      <Loaded query={query} label="Loading the usage" lines={6}>
        {({ data }) => <UsageCharts hours={data} />}
      </Loaded>
    </Card>
  );
}

function UsageCharts({ hours }: { readonly hours: readonly wire.UsageHour[] }) {
  return (
    <div className="grid gap-x-8 gap-y-6 xl:grid-cols-2">
      <Chart
        title="Events"
        kind="bar"
        at={hours.map((one) => one.hour)}
        format={numberText}
        series={[{ name: "Events", values: hours.map((one) => one.events) }]}
      />
      <CompletedDeliveries hours={hours} />
    </div>
  );
}

function Deletion({ deletion }: { readonly deletion: wire.TenantDeletion }) {
  const isRunning = deletion.state === "running";
  return (
    <Card title="Deletion">
      <KeyValue
        rows={[
          {
            label: "State",
            value: <StatusLight tone={isRunning ? "warn" : "good"}>{isRunning ? "Running" : "Finished"}</StatusLight>,
          },
          ...Object.entries(deletion.removed).map(([kind, count]) => ({ label: labelOf(kind), value: count })),
          { label: "Requested", value: <RelativeTime at={deletion.created_at} /> },
          { label: "Ended", value: <RelativeTime at={deletion.ended_at} /> },
        ]}
      />
    </Card>
  );
}

function DeleteDialog({ tenant, onClose }: { readonly tenant: string; readonly onClose: () => void }) {
  const remove = useWrite("tenants.delete", {
    refreshes: ["tenants.", "webhook_endpoints.", "inbound_endpoints.", "keys.", "events."],
  });
  return (
    <ConfirmDialog
      title={`Delete ${tenant}`}
      isOpen
      onClose={onClose}
      confirmLabel="Delete tenant"
      typedName={tenant}
      isPending={remove.isPending}
      onConfirm={() =>
        remove.mutate(
          { path: { tenant } },
          {
            onSuccess: () => {
              toast("Deletion started.");
              onClose();
            },
            onError: (error) => {
              toastError(error);
              onClose();
            },
          },
        )
      }
    >
      <p>
        The tenant's endpoints, sources and events are deleted, its keys are revoked, and the bodies in its logs are
        removed. Pending deliveries of its events are cancelled. This can't be undone.
      </p>
    </ConfirmDialog>
  );
}
