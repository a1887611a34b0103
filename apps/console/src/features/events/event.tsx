import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { read, usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { DeliveryTable, useEndpoints, useEventTypes } from "../../shared/shared.ts";
import {
  AbsoluteTime,
  Badge,
  Card,
  Code,
  ConfirmButton,
  CopiedId,
  EmptyState,
  JsonTree,
  KeyValue,
  Link,
  Loaded,
  LoadedPages,
  PageHeader,
  ShowAs,
  toast,
  toastError,
  usePathParameter,
} from "../../ui/ui.ts";
import { SendToOne } from "./send-to-one.tsx";
import { Stages } from "./stages.tsx";
import { WhyCard } from "./why-card.tsx";

export function Screen() {
  const id = usePathParameter("id");
  const event = useQuery(read("events.get", { path: { id } }));
  const found = event.data;
  const isSystem = useEventTypes().byName.get(found?.event ?? "")?.system === true;
  return (
    <>
      <PageHeader
        title={found?.event ?? id}
        mono
        back={{ to: paths.events, label: "Events" }}
        status={found === undefined ? null : <Kind event={found} isSystem={isSystem} />}
        actions={found === undefined ? null : <Actions event={found} isSystem={isSystem} />}
      />
      <Loaded query={event} label="Loading the event" lines={10}>
        {(loaded) => <Details event={loaded} isSystem={isSystem} />}
      </Loaded>
    </>
  );
}

interface EventProps {
  readonly event: wire.EventDetail;
  readonly isSystem: boolean;
}

function Kind({ event, isSystem }: EventProps) {
  if (isSystem) return <Badge tone="info">System</Badge>;
  return event.canonical ? null : <Badge>Custom</Badge>;
}

function Details({ event, isSystem }: EventProps) {
  const endpoints = useEndpoints();
  const deliveries = usePages("deliveries.list", { query: { q: event.id, limit: 50 } });
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <Card
          title="Stages"
          description="The subscribers that reacted, in order of priority. A stage starts when the previous one ends, or after 10 seconds (the default)."
          flush
        >
          <Stages stages={event.stages} endpoints={endpoints} />
        </Card>
        <Card title="Deliveries" flush>
          <LoadedPages
            pages={deliveries}
            label="Loading the deliveries"
            empty={
              <EmptyState
                title="No deliveries"
                action={
                  <Link to={paths.endpoints} look="button">
                    View endpoints
                  </Link>
                }
              >
                {isSystem
                  ? "No endpoint subscribes to this event."
                  : `Endpoints that subscribe to ${event.event} receive the event when you fire it again.`}
              </EmptyState>
            }
          >
            {(rows) => <DeliveryTable deliveries={rows} endpoints={endpoints} />}
          </LoadedPages>
        </Card>
        <WhyCard eventId={event.id} endpoints={endpoints} />
        <Card title="Data">
          <JsonTree label="Data" value={event.data} depth={4} />
        </Card>
      </div>
      <Facts event={event} />
    </div>
  );
}

function Facts({ event }: { readonly event: wire.EventDetail }) {
  return (
    <div className="min-w-0">
      <Card title="Details">
        <KeyValue
          rows={[
            { label: "ID", value: <CopiedId id={event.id} what="event" /> },
            {
              label: "Event type",
              value: (
                <Link to={paths.eventType(event.event)} className="break-all">
                  {event.event}
                </Link>
              ),
            },
            { label: "Occurred", value: <AbsoluteTime at={event.occurred_at} /> },
            { label: "Accepted", value: <AbsoluteTime at={event.created_at} /> },
            {
              label: "Subject",
              value: event.subject === null ? <span className="text-faint">None</span> : <Code>{event.subject}</Code>,
            },
          ]}
        />
      </Card>
    </div>
  );
}

/** Only the service can fire a system event. */
function Actions({ event, isSystem }: EventProps) {
  return (
    <>
      {isSystem ? <ShowAs operation="events.get" input={{ path: { id: event.id } }} /> : null}
      <SendToOne event={event} />
      <Link to={`${paths.tester}?${new URLSearchParams({ event: event.event, from: event.id })}`} look="button">
        Edit and send again
      </Link>
      {isSystem ? null : <FireAgain event={event} />}
    </>
  );
}

function FireAgain({ event }: { readonly event: wire.EventDetail }) {
  const navigate = useNavigate();
  const may = useAccess().may("events.refire");
  const refire = useWrite("events.refire", { refreshes: ["events.list", "deliveries."] });
  const path = { id: event.id };
  return (
    <>
      <ShowAs operation="events.refire" input={{ path }} />
      <ConfirmButton
        label="Fire again"
        variant="secondary"
        icon={<RotateCcw aria-hidden size={15} />}
        isDisabled={!may}
        title="Fire event again?"
        isDangerous={false}
        isPending={refire.isPending}
        onConfirm={(close) =>
          refire.mutate(
            { path },
            {
              onSuccess: (fired) => {
                close();
                toast("Event fired again as a new event.");
                void navigate({ to: paths.event(fired.id) });
              },
              onError: toastError,
            },
          )
        }
      >
        <p>
          Fires a new event with the same data. Rules and workflows run once more, and each endpoint receives a new
          delivery with its own ID. To repeat only a failed delivery, replay that delivery instead.
        </p>
      </ConfirmButton>
    </>
  );
}
