import { useQuery } from "@tanstack/react-query";
import { readExact } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { shownAddress, TestForm, useEventTypes } from "../../shared/shared.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import {
  Card,
  deferred,
  Link,
  Loaded,
  PageHeader,
  ShowAs,
  Tabs,
  UnsavedWarning,
  useDraft,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import { Activity } from "./activity.tsx";
import { disabledText, EndpointLight } from "./endpoint-light.tsx";
import { EndpointSwitch } from "./endpoint-switch.tsx";
import { draftOf } from "./endpoint-form.tsx";
import { draftOfFilter } from "./filter-draft.ts";
import { draftOfTransform } from "./transform-draft.ts";
import { FilterTab } from "./filter-tab.tsx";
import { Overview } from "./overview.tsx";
import { RecoverMenu } from "./recover-menu.tsx";
import { RecentDeliveries } from "./recent-deliveries.tsx";

const ConsumersTab = deferred(async () => (await import("./consumers-tab.tsx")).ConsumersTab);
const LanesTab = deferred(async () => (await import("./lanes-tab.tsx")).LanesTab);
const SettingsTab = deferred(async () => (await import("./settings-tab.tsx")).SettingsTab);
const TransformTab = deferred(async () => (await import("./transform-tab.tsx")).TransformTab);

export function Screen() {
  const id = usePathParameter("id");
  const endpoint = useQuery(readExact("webhook_endpoints.get", { path: { id } }));
  const found = endpoint.data;
  return (
    <>
      <PageHeader
        title={found === undefined ? id : shownAddress(found)}
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
      <RecoverMenu endpoint={endpoint} />
      <EndpointSwitch endpoint={endpoint}>{endpoint.active ? "On" : "Off"}</EndpointSwitch>
    </>
  );
}

/** The operation without which the portal leaves out a tab. The console shows all, and says what a role may not do. */
const TAB_NEEDS = {
  overview: "webhook_endpoints.stats",
  consumers: "webhooks.consumers.list",
  deliveries: "deliveries.list",
  lanes: "webhook_endpoints.lanes",
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

function TestTab({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const types = useEventTypes();
  const isPortal = usePortal() !== undefined;
  const first =
    endpoint.events.find((name) => !name.endsWith("*")) ??
    (isPortal ? (types.all[0]?.name ?? "example.event") : "order.created");
  const [event, setEvent] = useUrlState("event", first);
  return (
    <Card
      title="Send test event"
      description="Test events are signed with the endpoint's secret. They are not retried, and do not appear in the delivery log."
    >
      <TestForm target={{ endpoint_id: endpoint.id }} event={event} onEvent={setEvent} />
    </Card>
  );
}

/** Returns true if the endpoint has what the tab shows. */
function fits({ kind, ordering }: wire.WebhookEndpoint, id: keyof typeof TAB_NEEDS, selected: string): boolean {
  if (id === "lanes") return ordering !== null || selected === id;
  return id !== (kind === "pull" ? "test" : "consumers");
}

function Parts({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const [tab, setTab] = useUrlState("tab", "overview");
  const isShown = useIsShown();
  const [settings, filter, transform] = [
    useDraft(() => draftOf(endpoint)),
    useDraft(() => draftOfFilter(endpoint.filter)),
    useDraft(() => draftOfTransform(endpoint.transform)),
  ];
  const tabs = (
    [
      { id: "overview", label: "Overview", content: <Overview endpoint={endpoint} /> },
      { id: "consumers", label: "Consumers", content: <ConsumersTab endpointId={endpoint.id} /> },
      { id: "deliveries", label: "Deliveries", content: <RecentDeliveries endpointId={endpoint.id} /> },
      { id: "lanes", label: "Lanes", content: <LanesTab endpoint={endpoint} /> },
      { id: "test", label: "Test", content: <TestTab endpoint={endpoint} /> },
      { id: "filter", label: "Filter", content: <FilterTab endpoint={endpoint} draft={filter} /> },
      { id: "transform", label: "Transform", content: <TransformTab endpoint={endpoint} draft={transform} /> },
      { id: "settings", label: "Settings", content: <SettingsTab endpoint={endpoint} draft={settings} /> },
      { id: "activity", label: "Activity", content: <Activity endpointId={endpoint.id} /> },
    ] as const
  ).filter(({ id }) => isShown(id) && fits(endpoint, id, tab));
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
      <UnsavedWarning isUnsaved={settings.isUnsaved || filter.isUnsaved || transform.isUnsaved} />
    </div>
  );
}
