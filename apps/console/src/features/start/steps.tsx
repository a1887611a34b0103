import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, refresh, useWrite } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Button, CodeBlock, ExternalLink, Link, ShowAs, Tabs, toast, toastError } from "../../ui/ui.ts";
import { askForSample, SAMPLE_CALL } from "./sample-action.ts";
import { verifying } from "./verifying.ts";

interface StepContent {
  /** It has happened, so its button is no longer the one to press. */
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
        An event says that something happened. This one is <code>order.created</code>.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={isDone ? "secondary" : "primary"}
          isPending={fire.isPending}
          isDisabled={!access.may("events.fire")}
          onPress={() =>
            fire.mutate({ body: SAMPLE }, { onSuccess: () => toast("The event was fired."), onError: toastError })
          }
        >
          Fire it
        </Button>
        <ShowAs operation="events.fire" input={{ body: SAMPLE }} />
        <Link to={paths.events} look="button">
          Events
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
      toast("The inbox hears every event now, and one was fired.");
    },
    onError: toastError,
  });
  return (
    <>
      <p className="text-muted">
        An endpoint is an address that hears of events. The built-in inbox is one that you can begin with: it takes and
        shows what was sent.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={isDone ? "secondary" : "primary"}
          isPending={connect.isPending}
          isDisabled={!access.may("webhook_endpoints.create")}
          onPress={() => connect.mutate()}
        >
          Connect an inbox and fire
        </Button>
        <ShowAs
          operation="webhook_endpoints.create"
          input={{ body: { url: "https://example.com/webhooks", events: ["*"] } }}
        />
        <Link to={paths.deliveries} look="button">
          Deliveries
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
        Every delivery is signed with its endpoint's secret. Add an endpoint of your own, check the signature as below,
        and answer 2xx: then this step is done.
      </p>
      <div className="flex flex-wrap gap-2">
        <Link to={paths.endpoints} look={isDone ? "button" : "primary"}>
          Add an endpoint
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
          content: <CodeBlock label={`Verifying in ${label}`} text={code} />,
        }))}
      />
    </>
  );
}

export function InboundStep({ isDone }: StepContent) {
  return (
    <>
      <p className="text-muted">
        A source is an address for other people's webhooks. It checks their signatures, and its mapping makes contacts
        and activities of what comes. Create one, and send the signed curl that it shows.
      </p>
      <div className="flex flex-wrap gap-2">
        <Link to={paths.sources} look={isDone ? "button" : "primary"}>
          Create a source
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
      toast("It waits for you under Approvals.");
    },
    onError: toastError,
  });
  return (
    <>
      <p className="text-muted">
        An action is something in your product that may be asked for: by people, programs, or an AI. Where its contract
        says so, a person sees exactly what it would do, and approves. Ask for one that the built-in inbox does, then
        approve it. <ExternalLink href="/docs/guide/actions">The guide</ExternalLink> shows how to register your own.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          variant={isDone ? "secondary" : "primary"}
          isPending={ask.isPending}
          isDisabled={!access.may("action_contracts.create")}
          onPress={() => ask.mutate()}
        >
          Ask for an action
        </Button>
        <ShowAs operation="actions.run" input={{ body: SAMPLE_CALL }} />
        <Link to={paths.approvals} look="button">
          Approvals
        </Link>
      </div>
    </>
  );
}
