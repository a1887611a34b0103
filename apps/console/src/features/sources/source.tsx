import { read, useLiveRefresh, usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Card,
  EmptyState,
  LoadedPages,
  PageHeader,
  ResourcePage,
  ShowAs,
  Spinner,
  StatusLight,
  Tabs,
  UnsavedWarning,
  useDraft,
  useUrlState,
} from "../../ui/ui.ts";
import { Connect } from "./connect.tsx";
import { mappingOf } from "./mapping.ts";
import { MappingEditor } from "./mapping-editor.tsx";
import { ReceiptTable } from "./receipt-table.tsx";
import { SourceSettings } from "./source-settings.tsx";

/** Shows one source: how to send to it, its receipts, and its mapping. */
export function Screen() {
  return (
    <ResourcePage read={(id) => read("inbound_endpoints.get", { path: { id } })} heading="Source">
      {(source) => <Source key={source.id} source={source} />}
    </ResourcePage>
  );
}

function Source({ source }: { readonly source: wire.InboundEndpoint }) {
  const [tab, setTab] = useUrlState("tab", "receipts");
  // Above the tabs: looking at another one loses nothing.
  const mapping = useDraft(() => mappingOf(source));
  return (
    <>
      <PageHeader
        title={source.name === "" ? source.id : source.name}
        back={{ to: paths.sources, label: "Sources" }}
        status={
          source.active ? <StatusLight tone="good">On</StatusLight> : <StatusLight tone="neutral">Off</StatusLight>
        }
        description={source.description === "" ? undefined : source.description}
        actions={<ShowAs operation="inbound_endpoints.get" input={{ path: { id: source.id } }} />}
      />
      <Tabs
        label="Source"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "receipts", label: "Receipts", content: <Receipts source={source} /> },
          { id: "mapping", label: "Mapping", content: <MappingEditor source={source} draft={mapping} /> },
          { id: "connect", label: "Connect", content: <Connect source={source} /> },
          { id: "settings", label: "Settings", content: <SourceSettings source={source} /> },
        ]}
      />
      <UnsavedWarning isUnsaved={mapping.isUnsaved} />
    </>
  );
}

function Receipts({ source }: { readonly source: wire.InboundEndpoint }) {
  const pages = usePages("inbound_receipts.list", { query: { source_id: source.id } });
  useLiveRefresh("receipt", "inbound_receipts.list");
  return (
    <div className="flex flex-col gap-4">
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the receipts"
          empty={
            <EmptyState title="Waiting for the first request" icon={<Spinner />}>
              The request appears here as soon as it arrives. To send one, use the example below.
            </EmptyState>
          }
        >
          {(rows) => <ReceiptTable rows={rows} />}
        </LoadedPages>
      </Card>
      {!pages.isPending && pages.rows.length === 0 ? <Connect source={source} /> : null}
    </div>
  );
}
