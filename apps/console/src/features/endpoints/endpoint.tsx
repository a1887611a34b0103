import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { readExact } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { shortUrl, TestForm } from "../../shared/shared.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { Card, Link, Loaded, PageHeader, ShowAs, Tabs, usePathParameter, useUrlState } from "../../ui/ui.ts";
import { Activity } from "./activity.tsx";
import { disabledText, EndpointLight } from "./endpoint-light.tsx";
import { EndpointSwitch } from "./endpoint-switch.tsx";
import { FilterTab } from "./filter-tab.tsx";
import { Overview } from "./overview.tsx";
import { RecentDeliveries } from "./recent-deliveries.tsx";
import { SettingsTab } from "./settings-tab.tsx";

const TransformTab = lazy(async () => ({ default: (await import("./transform-tab.tsx")).TransformTab }));

export function Screen() {
  const id = usePathParameter("id");
  const endpoint = useQuery(readExact("webhook_endpoints.get", { path: { id } }));
  const found = endpoint.data;
  return (
    <>
      <PageHeader
        title={found === undefined ? id : shortUrl(found.url)}
        mono
        back={{ to: paths.endpoints, label: "Endpoints" }}
        status={found === undefined ? null : <EndpointLight endpoint={found} />}
        description={
          found === undefined || found.description === "" ? undefined : <Description text={found.description} />
        }
        actions={found === undefined ? null : <Actions endpoint={found} />}
      />
      <Loaded query={endpoint} label="Loading the endpoint">
        {(loaded) => <Parts key={loaded.id} endpoint={loaded} />}
      </Loaded>
    </>
  );
}

function Description({ text }: { readonly text: string }) {
  return (
    <span dir="auto" className="wrap-anywhere">
      {text}
    </span>
  );
}

function Actions({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const path = { id: endpoint.id };
  return (
    <>
      <ShowAs operation="webhook_endpoints.get" input={{ path }} />
      <Link to={`${paths.deliveries}?endpoint=${endpoint.id}`} look="button">
        View deliveries
      </Link>
      <EndpointSwitch endpoint={endpoint}>{endpoint.active ? "On" : "Off"}</EndpointSwitch>
    </>
  );
}

/** The operation without which the portal leaves out a tab. The console shows all, and says what a role may not do. */
const TAB_NEEDS = {
  overview: "webhook_endpoints.stats",
  deliveries: "deliveries.list",
  test: "webhooks.test",
  filter: "webhook_endpoints.filter.preview",
  transform: "webhook_endpoints.transform.test",
  settings: "webhook_endpoints.get",
  activity: "audit.list",
} as const;

function useIsShown(): (tab: keyof typeof TAB_NEEDS) => boolean {
  const [portal, { may }] = [usePortal(), useAccess()];
  return (tab) => portal === undefined || may(TAB_NEEDS[tab]);
}

function Parts({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const [tab, setTab] = useUrlState("tab", "overview");
  const first = endpoint.events.find((name) => !name.endsWith("*")) ?? "order.created";
  const [event, setEvent] = useUrlState("event", first);
  const isShown = useIsShown();
  const tabs = (
    [
      { id: "overview", label: "Overview", content: <Overview endpoint={endpoint} /> },
      { id: "deliveries", label: "Deliveries", content: <RecentDeliveries endpointId={endpoint.id} /> },
      {
        id: "test",
        label: "Test",
        content: (
          <Card
            title="Send test event"
            description="Test events are signed with the endpoint's secret. They are not retried, and do not appear in the delivery log."
          >
            <TestForm target={{ endpoint_id: endpoint.id }} event={event} onEvent={setEvent} />
          </Card>
        ),
      },
      { id: "filter", label: "Filter", content: <FilterTab endpoint={endpoint} /> },
      {
        id: "transform",
        label: "Transform",
        content: (
          <Suspense>
            <TransformTab endpoint={endpoint} />
          </Suspense>
        ),
      },
      { id: "settings", label: "Settings", content: <SettingsTab endpoint={endpoint} /> },
      { id: "activity", label: "Activity", content: <Activity endpointId={endpoint.id} /> },
    ] as const
  ).filter(({ id }) => isShown(id));
  return (
    <div className="flex flex-col gap-4">
      {endpoint.disabled_reason === null ? null : (
        <p role="alert" className="rounded-xl bg-bad-soft px-4 py-3 text-bad">
          {disabledText(endpoint.disabled_reason)}
        </p>
      )}
      <Tabs
        label="Endpoint"
        selected={tabs.some(({ id }) => id === tab) ? tab : (tabs[0]?.id ?? "")}
        onSelect={setTab}
        tabs={tabs}
      />
    </div>
  );
}
