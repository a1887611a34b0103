import { ArrowDownToLine, Plus } from "lucide-react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  CopyButton,
  EmptyState,
  labelOf,
  Link,
  RelativeTime,
  ResourceList,
  Switch,
  Table,
  toastError,
  useIsFiltered,
  useCreating,
} from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { CreateSourceDialog } from "./create-source-dialog.tsx";
import { schemeLabel, useSenders } from "./senders.ts";

/** Lists the sources. Each source has an address for other systems, a secret, and a mapping to contacts. */
/** The same list with the dialog that creates one. */
export function NewScreen() {
  return <Screen isNew />;
}

export function Screen({ isNew = false }: { readonly isNew?: boolean }) {
  const [isCreating, setCreating] = useCreating(isNew, paths.sources);
  const access = useAccess();
  const isFiltered = useIsFiltered();
  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={15} />}
      isDisabled={!access.may("inbound_endpoints.create")}
      onPress={() => setCreating(true)}
    >
      Create source
    </Button>
  );
  return (
    <>
      <ResourceList
        operation="inbound_endpoints.list"
        title="Sources"
        description="Receive webhooks from other systems as events, and as activities on contacts' timelines."
        actions={add}
        filters={FILTERS}
        label="Loading the sources"
        empty={
          <EmptyState
            title={isFiltered ? "No matching sources" : "No sources yet"}
            icon={<ArrowDownToLine aria-hidden size={20} />}
            action={add}
          >
            A source gives a payment processor, a scheduling tool or your own program a URL to send webhooks to.
          </EmptyState>
        }
      >
        {(rows) => <Table label="Sources" rows={rows} keyOf={(source) => source.id} columns={COLUMNS} />}
      </ResourceList>
      {isCreating ? <CreateSourceDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

const FILTERS: readonly FilterField[] = [{ name: "tenant", label: "Tenant", mono: true, placeholder: "acme" }];

const COLUMNS: readonly TableColumn<wire.InboundEndpoint>[] = [
  {
    header: "Source",
    cell: (source) => (
      <span className="flex min-w-0 flex-col">
        <Link to={paths.source(source.id)} look="plain" className="w-fit font-medium wrap-anywhere hover:underline">
          <bdi>{source.name === "" ? source.id : source.name}</bdi>
        </Link>
        <span className="text-xs text-muted">
          <OriginName source={source} />
        </span>
      </span>
    ),
  },
  {
    header: "URL",
    from: "md",
    cell: (source) => (
      <span className="inline-flex max-w-md min-w-0 items-center gap-1">
        <code className="truncate text-xs">{source.url}</code>
        <CopyButton text={source.url} label={`Copy the URL of ${source.name}`} />
      </span>
    ),
  },
  { header: "Signature scheme", from: "lg", cell: (source) => schemeLabel(source.signature_scheme) },
  { header: "Created", from: "sm", cell: (source) => <RelativeTime at={source.created_at} /> },
  { header: "Enabled", cell: (source) => <Toggle source={source} /> },
];

/** The title of the source's sender, or its preset. */
function OriginName({ source }: { readonly source: wire.InboundEndpoint }) {
  const { data } = useSenders({ isNeeded: source.sender !== null });
  if (source.sender === null) return labelOf(source.preset);
  return data?.find(({ key }) => key === source.sender)?.title ?? labelOf(source.sender);
}

function Toggle({ source }: { readonly source: wire.InboundEndpoint }) {
  const access = useAccess();
  const toggle = useWrite("inbound_endpoints.toggle", { refreshes: ["inbound_endpoints."] });
  return (
    <Switch
      isSelected={source.active}
      isDisabled={toggle.isPending || !access.may("inbound_endpoints.toggle")}
      onChange={() => toggle.mutate({ path: { id: source.id } }, { onError: toastError })}
      aria-label={`${source.name} accepts requests`}
    >
      {source.active ? "On" : "Off"}
    </Switch>
  );
}
