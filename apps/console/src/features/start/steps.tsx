import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, refresh, useWrite } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Button, CodeBlock, ExternalLink, Link, ShowAs, Tabs, toast, toastError, toastOutcome } from "../../ui/ui.ts";
import { askForSample, SAMPLE_CALL } from "./sample-action.ts";
import { verifying } from "./verifying.ts";

interface StepContent {
  /** True for a step that has happened, whose button is no longer the primary one. */
  readonly isDone: boolean;
}

const SAMPLE = {
  event: "order.created",
  data: { order: { external_id: "ord_1001", total_minor: 8900, currency: "EUR" } },
};

export function FireStep({ isDone }: StepContent) {
  const fire = useWrite("events.fire", { refreshes: ["events.", "deliveries."] });
  const access = useAccess();
  return (
    <>
      <p className="text-muted">
        An event reports that something happened, for example <code>order.created</code>.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={isDone ? "secondary" : "primary"}
          isPending={fire.isPending}
          isDisabled={!access.may("events.fire")}
          onPress={() => fire.mutate({ body: SAMPLE }, toastOutcome("Event fired."))}
        >
          Fire event
        </Button>
        <ShowAs operation="events.fire" input={{ body: SAMPLE }} />
        <Link to={paths.events} look="button">
          View events
        </Link>
      </div>
    </>
  );
}

/** The built-in inbox is a receiver for who has none yet. */
export function DeliverStep({ isDone }: StepContent) {
  const client = useQueryClient();
  const access = useAccess();
  const connect = useMutation({
    mutationFn: async () => {
      const inbox = await call("inboxes.put", { path: { name: "getting-started" } });
      await call("webhook_endpoints.create", {
        body: { url: inbox.url, events: ["*"], description: "The built-in inbox" },
      });
      await call("events.fire", { body: SAMPLE });
    },
    onSuccess: async () => {
      await refresh(client, ["webhook_endpoints.", "events.", "deliveries."]);
      toast("The inbox now receives all events, and an event was fired.");
    },
    onError: toastError,
  });
  return (
    <>
      <p className="text-muted">
        An endpoint is a URL that receives events. To start, use the built-in inbox: it accepts every request and shows
        it.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={isDone ? "secondary" : "primary"}
          isPending={connect.isPending}
          isDisabled={!access.may("webhook_endpoints.create")}
          onPress={() => connect.mutate()}
        >
          Connect inbox and fire event
        </Button>
        <ShowAs
          operation="webhook_endpoints.create"
          input={{ body: { url: "https://example.com/webhooks", events: ["*"] } }}
        />
        <Link to={paths.deliveries} look="button">
          View deliveries
        </Link>
      </div>
    </>
  );
}

export function VerifyStep({ isDone }: StepContent) {
  const [language, setLanguage] = useState("node");
  return (
    <>
      <p className="text-muted">
        Every delivery is signed with its endpoint's secret. To complete this step, create your own endpoint, verify the
        signature as shown below, and respond with 2xx.
      </p>
      <div className="flex flex-wrap gap-2">
        <Link to={paths.endpoints} look={isDone ? "button" : "primary"}>
          Create endpoint
        </Link>
        <ShowAs
          operation="webhook_endpoints.create"
          input={{ body: { url: "https://example.com/webhooks", events: ["order.created"] } }}
        />
      </div>
      <Tabs
        label="Language"
        selected={language}
        onSelect={setLanguage}
        tabs={verifying.map(({ id, label, code }) => ({
          id,
          label,
          content: <CodeBlock label={`Verify in ${label}`} text={code} />,
        }))}
      />
    </>
  );
}

export function InboundStep({ isDone }: StepContent) {
  return (
    <>
      <p className="text-muted">
        A source is a URL for webhooks of other systems. It verifies their signatures, and its mapping turns them into
        contacts and activities. Create a source, and send the signed curl request that it shows.
      </p>
      <div className="flex flex-wrap gap-2">
        <Link to={paths.sources} look={isDone ? "button" : "primary"}>
          Create source
        </Link>
        <ShowAs
          operation="inbound_endpoints.create"
          input={{ body: { name: "Payments", preset: "payment_processor" } }}
        />
      </div>
    </>
  );
}

/** The built-in inbox does what is asked for, so that nothing has to be built to see an approval. */
export function ApproveStep({ isDone }: StepContent) {
  const client = useQueryClient();
  const access = useAccess();
  const ask = useMutation({
    mutationFn: askForSample,
    onSuccess: async () => {
      await refresh(client, ["action_contracts.", "proposals.", "attention."]);
      toast("Action requested. Review it under Approvals.");
    },
    onError: toastError,
  });
  return (
    <>
      <p className="text-muted">
        An action is something in your product that people, programs or an AI can request. If its contract requires
        confirmation, a person reviews exactly what it would do, and approves it. Request a sample action of the
        built-in inbox, then approve it. <ExternalLink href="/docs/guide/actions">The actions guide</ExternalLink> shows
        how to register your own actions.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={isDone ? "secondary" : "primary"}
          isPending={ask.isPending}
          isDisabled={!access.may("action_contracts.create")}
          onPress={() => ask.mutate()}
        >
          Request sample action
        </Button>
        <ShowAs operation="actions.run" input={{ body: SAMPLE_CALL }} />
        <Link to={paths.approvals} look="button">
          View approvals
        </Link>
      </div>
    </>
  );
}
