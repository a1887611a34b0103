import { useState } from "react";
import { useLiveRefresh, usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { fieldMessage, numberText, outsideFields } from "../../shared/shared.ts";
import {
  Card,
  ConfirmDialog,
  EmptyState,
  ErrorNote,
  FormDialog,
  LoadedPages,
  Menu,
  RadioGroup,
  RelativeTime,
  Table,
  TextField,
  toastSuccess,
} from "../../ui/ui.ts";
import type { TableColumn } from "../../ui/ui.ts";

type Change = { readonly kind: "seek" | "delete"; readonly consumer: wire.PullConsumer };

/** Lists the consumers of a pull endpoint with their lag, and moves or deletes them. */
export function ConsumersTab({ endpointId }: { readonly endpointId: string }) {
  const pages = usePages("webhooks.consumers.list", { path: { id: endpointId }, query: { limit: 100 } });
  useLiveRefresh("delivery", "webhooks.consumers.list");
  const [change, setChange] = useState<Change>();
  const close = (): void => setChange(undefined);
  const dialog = { endpointId, onClose: close };
  return (
    <Card title="Consumers" description="A consumer is created by its first pull. Each has its own position." flush>
      <LoadedPages
        pages={pages}
        label="Loading the consumers"
        empty={<EmptyState title="No consumers yet">Pull messages with the API, an SDK or junction pull.</EmptyState>}
      >
        {(rows) => <ConsumerTable rows={rows} onChange={setChange} />}
      </LoadedPages>
      {change?.kind === "seek" ? <SeekDialog consumer={change.consumer} {...dialog} /> : null}
      {change?.kind === "delete" ? <DeleteDialog consumer={change.consumer} {...dialog} /> : null}
    </Card>
  );
}

const COLUMNS: readonly TableColumn<wire.PullConsumer>[] = [
  { header: "Consumer", cell: ({ consumer }) => <span className="font-mono">{consumer}</span> },
  { header: "Lag", align: "end", cell: ({ lag }) => numberText(lag) },
  { header: "Position", align: "end", from: "sm", cell: ({ position }) => numberText(position) },
  {
    header: "Oldest unread",
    from: "md",
    cell: ({ oldest_unread_at: at }) => (at === null ? "—" : <RelativeTime at={at} />),
  },
  {
    header: "Lease ends",
    from: "lg",
    cell: ({ lease_expires_at: at }) => (at === null ? "—" : <RelativeTime at={at} />),
  },
  { header: "Last pull", from: "md", cell: ({ last_pulled_at: at }) => <RelativeTime at={at} /> },
];

function ConsumerTable({
  rows,
  onChange,
}: {
  readonly rows: readonly wire.PullConsumer[];
  readonly onChange: (change: Change) => void;
}) {
  const { may } = useAccess();
  const actions: TableColumn<wire.PullConsumer> = {
    header: "Actions",
    align: "end",
    cell: (consumer) => (
      <Menu
        label={`Actions for ${consumer.consumer}`}
        actions={[
          {
            id: "seek",
            label: "Move consumer",
            isDisabled: !may("webhooks.seek"),
            onAction: () => onChange({ kind: "seek", consumer }),
          },
          {
            id: "delete",
            label: "Delete consumer",
            isDisabled: !may("webhooks.consumers.delete"),
            onAction: () => onChange({ kind: "delete", consumer }),
          },
        ]}
      />
    ),
  };
  return <Table label="Consumers" columns={[...COLUMNS, actions]} rows={rows} keyOf={({ consumer }) => consumer} />;
}

interface ChangeProps {
  readonly endpointId: string;
  readonly consumer: wire.PullConsumer;
  readonly onClose: () => void;
}

type Place = "start" | "end" | "offset" | "time";

function targetOf(place: Place, value: string): wire.PullSeek["to"] {
  if (place === "offset") return { offset: Number(value) };
  if (place === "time") return { time: value.trim() };
  return place;
}

const VALUES = {
  offset: { label: "Offset", inputMode: "numeric" },
  time: { label: "Time", placeholder: "2026-11-28T10:00:00Z" },
} as const;

function SeekDialog({ endpointId, consumer: { consumer }, onClose }: ChangeProps) {
  const [place, setPlace] = useState<Place>("start");
  const [value, setValue] = useState("");
  const seek = useWrite("webhooks.seek", { refreshes: ["webhooks.consumers."] });
  const body = { consumer, to: targetOf(place, value) };
  return (
    <FormDialog
      title={`Move ${consumer}`}
      onClose={onClose}
      submitLabel="Move consumer"
      write={seek}
      judge="service"
      error={outsideFields(seek.error, ["/to/offset", "/to/time"])}
      onSubmit={() => seek.mutate({ path: { id: endpointId }, body }, toastSuccess("Consumer moved.", onClose))}
    >
      <RadioGroup
        label="New position"
        value={place}
        onChange={setPlace}
        options={[
          { value: "start", label: "Oldest message", detail: "All messages that are kept come again." },
          { value: "end", label: "End", detail: "Only messages from now on." },
          { value: "time", label: "Time", detail: "The first message from this time on." },
          { value: "offset", label: "Offset", detail: "The message with this offset." },
        ]}
      />
      {place === "offset" || place === "time" ? (
        <TextField
          {...VALUES[place]}
          value={value}
          onChange={setValue}
          isRequired
          mono
          error={fieldMessage(seek.error, `/to/${place}`)}
        />
      ) : null}
      <p className="text-sm text-muted">A running lease of the consumer ends, and its commit is refused.</p>
    </FormDialog>
  );
}

function DeleteDialog({ endpointId, consumer: { consumer }, onClose }: ChangeProps) {
  const remove = useWrite("webhooks.consumers.delete", { refreshes: ["webhooks.consumers."] });
  return (
    <ConfirmDialog
      title="Delete consumer?"
      isOpen
      onClose={onClose}
      confirmLabel="Delete consumer"
      isPending={remove.isPending}
      onConfirm={() =>
        remove.mutate({ path: { id: endpointId, consumer } }, toastSuccess("Consumer deleted.", onClose))
      }
    >
      <p>
        The position of <span className="font-mono">{consumer}</span> is lost. If it pulls again, it starts as a new
        consumer.
      </p>
      {remove.isError ? <ErrorNote error={remove.error} /> : null}
    </ConfirmDialog>
  );
}
