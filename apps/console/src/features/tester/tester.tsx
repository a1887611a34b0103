import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/api.ts";
import { pretty, TestForm, useEndpoints } from "../../shared/shared.ts";
import type { PastPayload, TestTarget } from "../../shared/shared.ts";
import { Card, Loaded, PageHeader, RadioGroup, Select, TextField, useUrlState } from "../../ui/ui.ts";
import { InboxPanel } from "./inbox-panel.tsx";

/** Name of the console's inbox. Each environment has one of its own. */
const INBOX = "console";

export function Screen() {
  // Putting an existing inbox changes nothing.
  const inbox = useQuery({
    queryKey: ["inboxes.put", { name: INBOX }],
    queryFn: async () => await call("inboxes.put", { path: { name: INBOX } }),
    staleTime: Infinity,
  });
  return (
    <>
      <PageHeader
        title="Tester"
        description="Send a signed test event, or preview the signed request without sending it. Test events are not retried, and do not appear in the delivery log."
      />
      <Loaded query={inbox} label="Loading the built-in inbox">
        {({ url }) => <Bench inboxUrl={url} />}
      </Loaded>
    </>
  );
}

const KINDS = [
  { value: "inbox", label: "Built-in inbox", detail: "Verifies the signature and responds as you configure it." },
  { value: "endpoint", label: "Endpoint", detail: "Signed with the endpoint's secret." },
  { value: "url", label: "Other URL", detail: "Signed with a secret for this test only." },
] as const;

type Kind = (typeof KINDS)[number]["value"];

function Bench({ inboxUrl }: { readonly inboxUrl: string }) {
  const [kind, setKind] = useUrlState("to", "inbox");
  const [endpointId, setEndpointId] = useUrlState("endpoint", "");
  const [url, setUrl] = useUrlState("url", "");
  const [event, setEvent] = useUrlState("event", "order.created");
  const [from] = useUrlState("from", "");
  // The data of a past event, to edit and send again.
  const past = useQuery({
    queryKey: ["events.get", "for a test", from],
    queryFn: async () => (from === "" ? {} : { begin: await pastPayload(from) }),
    staleTime: Infinity,
  });
  const endpoints = useEndpoints();
  const chosen = endpointId === "" ? (endpoints.all[0]?.id ?? "") : endpointId;
  const target = targetOf({ kind, inboxUrl, endpointId: chosen, url });
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Send test event" stacked>
          <RadioGroup<Kind> label="Destination" options={KINDS} value={kindOf(kind)} onChange={setKind} />
          {kind === "endpoint" ? (
            <Select
              label="Endpoint"
              options={endpoints.options}
              value={chosen === "" ? null : chosen}
              onChange={setEndpointId}
              placeholder={endpoints.all.length === 0 ? "No endpoints yet" : "Select…"}
            />
          ) : null}
          {kind === "url" ? (
            <TextField
              label="URL"
              description="A public https URL."
              placeholder="https://example.com/webhooks"
              value={url}
              onChange={setUrl}
              mono
            />
          ) : null}
          <Loaded query={past} label="Loading the event" lines={6}>
            {(data) => <TestForm target={target} event={event} onEvent={setEvent} {...data} />}
          </Loaded>
        </Card>
      </div>
      <InboxPanel url={inboxUrl} />
    </div>
  );
}

async function pastPayload(id: string): Promise<PastPayload> {
  const { event, data } = await call("events.get", { path: { id } });
  return { event, text: pretty(data), from: `Data of the event ${id}. You can edit it.` };
}

interface Choice {
  readonly kind: string;
  readonly inboxUrl: string;
  readonly endpointId: string;
  readonly url: string;
}

function targetOf({ kind, inboxUrl, endpointId, url }: Choice): TestTarget {
  if (kind === "endpoint") return { endpoint_id: endpointId };
  return { url: kind === "url" ? url : inboxUrl };
}

function kindOf(text: string): Kind {
  return KINDS.find((one) => one.value === text)?.value ?? "inbox";
}
