import { ArrowDownToLine, Plus } from "lucide-react";
import { useState } from "react";
import { usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  CopyButton,
  EmptyState,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  Switch,
  Table,
  toastError,
} from "../../ui/ui.ts";
import { CreateSourceDialog } from "../../features/sources/create-source-dialog.tsx";

/** Where others post to: each source has an address, a secret, and a mapping to contacts. */
export function Screen() {
  const [isCreating, setCreating] = useState(false);
  const access = useAccess();
  const pages = usePages("inbound_endpoints.list");
  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={15} />}
      isDisabled={!access.may("inbound_endpoints.create")}
      onPress={() => setCreating(true)}
    >
      Add a source
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Sources"
        description="Signed webhooks that come in, and become activities on contacts' timelines."
        actions={
          <>
            <ShowAs operation="inbound_endpoints.list" input={{}} />
            {add}
          </>
        }
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the sources"
          empty={
            <EmptyState title="Nothing comes in yet" icon={<ArrowDownToLine aria-hidden size={20} />} action={add}>
              A source gives a payment processor, a scheduling tool or a program of yours an address to post to.
            </EmptyState>
          }
        >
          {(rows) => <SourceTable rows={rows} />}
        </LoadedPages>
      </Card>
      {isCreating ? <CreateSourceDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function SourceTable({ rows }: { readonly rows: readonly wire.InboundEndpoint[] }) {
  return (
    <Table
      label="Sources"
      rows={rows}
      keyOf={(source) => source.id}
      columns={[
        {
          id: "name",
          header: "Source",
          cell: (source) => (
            <span className="flex min-w-0 flex-col">
              <Link to={paths.source(source.id)} look="plain" className="w-fit font-medium break-words hover:underline">
                <bdi>{source.name === "" ? source.id : source.name}</bdi>
              </Link>
              <span className="text-xs text-muted">{source.preset.replaceAll("_", " ")}</span>
            </span>
          ),
        },
        {
          id: "url",
          header: "Address",
          from: "md",
          cell: (source) => (
            <span className="inline-flex max-w-md min-w-0 items-center gap-1">
              <code className="truncate text-xs">{source.url}</code>
              <CopyButton text={source.url} label={`Copy the address of ${source.name}`} />
            </span>
          ),
        },
        {
          id: "scheme",
          header: "Signed as",
          from: "lg",
          cell: (source) => source.signature_scheme.replaceAll("_", " "),
        },
        { id: "created", header: "Made", from: "sm", cell: (source) => <RelativeTime at={source.created_at} /> },
        { id: "active", header: "Takes", align: "end", cell: (source) => <Toggle source={source} /> },
      ]}
    />
  );
}

function Toggle({ source }: { readonly source: wire.InboundEndpoint }) {
  const access = useAccess();
  const toggle = useWrite("inbound_endpoints.toggle", { refreshes: ["inbound_endpoints."] });
  return (
    <Switch
      isSelected={source.active}
      isDisabled={toggle.isPending || !access.may("inbound_endpoints.toggle")}
      onChange={() => toggle.mutate({ path: { id: source.id } }, { onError: toastError })}
      aria-label={`${source.name} takes what comes`}
    >
      {source.active ? "On" : "Off"}
    </Switch>
  );
}
