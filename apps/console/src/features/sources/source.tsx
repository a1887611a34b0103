import { useQuery, useQueryClient } from "@tanstack/react-query";
import { read, refresh, useLive, usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { ReceiptTable } from "../../inbound/inbound.ts";
import { paths } from "../../paths.ts";
import {
  Card,
  EmptyState,
  Loaded,
  LoadedPages,
  PageHeader,
  ShowAs,
  Spinner,
  StatusLight,
  Tabs,
  UnsavedWarning,
  useDraft,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import { Connect } from "./connect.tsx";
import { MappingEditor } from "./mapping-editor.tsx";
import { mappingOf } from "./mapping.ts";
import { SourceSettings } from "./source-settings.tsx";

/** One source: how to send to it, what came, how it is read. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery(read("inbound_endpoints.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the source" page="Source">
      {(source) => <Source key={source.id} source={source} />}
    </Loaded>
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
  const client = useQueryClient();
  const pages = usePages("inbound_receipts.list", { query: { source_id: source.id } });
  useLive("receipt", () => void refresh(client, ["inbound_receipts.list"]));
  return (
    <div className="flex flex-col gap-4">
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the receipts"
          empty={
            <EmptyState title="Waiting for the first request" icon={<Spinner />}>
              This page shows it as soon as it comes. The next card has a request to try it with.
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
