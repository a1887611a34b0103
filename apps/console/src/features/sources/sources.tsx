import { ArrowDownToLine } from "lucide-react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { CopyButton, labelOf, Link, RelativeTime, ResourceList, Switch, toastError, useCreating } from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { CreateSourceDialog } from "./create-source-dialog.tsx";
import { schemeLabel, useSenders } from "./senders.ts";

/** Lists the sources. Each source has an address for other systems, a secret, and a mapping to contacts. */
/** The same list with the dialog that creates one. */
export function NewScreen() {
  return <Screen isNew />;
}

export function Screen({ isNew = false }: { readonly isNew?: boolean }) {
  const { button, dialog } = useCreating({
    isNew,
    list: paths.sources,
    operation: "inbound_endpoints.create",
    label: "Create source",
    dialog: (onClose) => <CreateSourceDialog onClose={onClose} />,
  });
  return (
    <>
      <ResourceList
        operation="inbound_endpoints.list"
        title="Sources"
        description="Receive webhooks from other systems as events, and as activities on contacts' timelines."
        actions={button}
        filters={FILTERS}
        noun="sources"
        icon={ArrowDownToLine}
        emptyAction={button}
        hint="A source gives a payment processor, a scheduling tool or your own program a URL to send webhooks to."
        columns={COLUMNS}
      />
      {dialog}
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
