import { useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { isProblem, read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { useEndpoints } from "../../shared/shared.ts";
import {
  Badge,
  Button,
  Card,
  CodeBlock,
  EmptyState,
  JsonTree,
  Link,
  Loaded,
  PageHeader,
  ShowAs,
  Tabs,
  usePathParameter,
  useUrlState,
} from "../../ui/ui.ts";
import { ChecksCard } from "./checks-card.tsx";
import { domainName } from "./domains.ts";
import { FireDialog } from "./fire-dialog.tsx";
import { Reacts } from "./reacts.tsx";
import { SchemaTable } from "./schema-table.tsx";

export function Screen() {
  const name = usePathParameter("name");
  const type = useQuery({ ...read("event_types.get", { path: { name } }), retry: false });
  const [isFiring, setFiring] = useState(false);
  const may = useAccess().may("events.fire");
  const found = type.data;
  // A custom event need not have a type. The page then has no schema to show, but everything else.
  const isCustom = isProblem(type.error, "not_found");
  return (
    <>
      <PageHeader
        title={name}
        mono
        back={{ to: paths.eventTypes, label: "Event types" }}
        status={<Kind type={found} isCustom={isCustom} />}
        {...(found === undefined ? {} : { description: found.description })}
        actions={
          <>
            <ShowAs operation="events.fire" input={{ body: { event: name, data: found?.example ?? {} } }} />
            <Link to={`${paths.events}?event=${encodeURIComponent(name)}`} look="button">
              View events
            </Link>
            <Button
              variant="primary"
              icon={<Send aria-hidden size={15} />}
              isDisabled={!may || found?.system === true}
              onPress={() => setFiring(true)}
            >
              Fire event
            </Button>
          </>
        }
      />
      {isCustom ? (
        <CustomType name={name} />
      ) : (
        <Loaded query={type} label="Loading the event type" lines={10}>
          {(loaded) => <Details type={loaded} />}
        </Loaded>
      )}
      {isFiring ? <FireDialog event={name} onClose={() => setFiring(false)} /> : null}
    </>
  );
}

function Kind({ type, isCustom }: { readonly type: wire.EventTypeDetail | undefined; readonly isCustom: boolean }) {
  if (type?.system === true) return <Badge tone="info">System</Badge>;
  if (isCustom || type?.canonical === false) return <Badge>Custom</Badge>;
  return type === undefined ? null : <Badge>{domainName(type.domain)}</Badge>;
}

function Details({ type }: { readonly type: wire.EventTypeDetail }) {
  const [tab, setTab] = useUrlState("tab", "fields");
  const endpoints = useEndpoints();
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-w-0">
        <Card title="Data">
          <Tabs
            label="Data"
            selected={tab}
            onSelect={setTab}
            tabs={[
              { id: "fields", label: "Fields", content: <SchemaTable schema={type.schema ?? {}} /> },
              {
                id: "example",
                label: "Example",
                content: <CodeBlock label="Example" text={JSON.stringify(type.example, null, 2)} />,
              },
              {
                id: "schema",
                label: "JSON Schema",
                content: <JsonTree label="JSON Schema" value={type.schema} depth={3} />,
              },
              { id: "last", label: "Last event", content: <LastEvent sample={type.sample} /> },
            ]}
          />
        </Card>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <ChecksCard type={type} />
        <Card title="Subscribers" description="Current subscribers in order. Lower priorities react first.">
          {type.reacts.length === 0 ? (
            <EmptyState
              title="No subscribers yet"
              action={
                <Link to={paths.endpoints} look="button">
                  Create endpoint
                </Link>
              }
            />
          ) : (
            <Reacts subscribers={type.reacts} endpoints={endpoints} />
          )}
        </Card>
      </div>
    </div>
  );
}

function LastEvent({ sample }: Pick<wire.EventTypeDetail, "sample">) {
  if (sample === null) return <EmptyState title="No recent event" />;
  return (
    <div className="flex flex-col gap-2">
      <JsonTree label="Data, with secrets redacted" value={sample.data} />
      <Link to={paths.event(sample.event_id)}>View event</Link>
    </div>
  );
}

function CustomType({ name }: { readonly name: string }) {
  const last = useQuery(read("events.list", { query: { event: name, limit: 1 } }));
  return (
    <Card title="Last event" description="This event has no type. Its data is passed on unchanged.">
      <Loaded query={last} label="Loading the last event">
        {({ data: [event] }) =>
          event === undefined ? (
            <EmptyState title="No events yet" />
          ) : (
            <div className="flex flex-col gap-2">
              <JsonTree label="Data" value={event.data} />
              <Link to={paths.event(event.id)}>View event</Link>
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}
