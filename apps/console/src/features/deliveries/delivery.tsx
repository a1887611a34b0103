import { useQuery } from "@tanstack/react-query";
import { RotateCcw, Send } from "lucide-react";
import { read, readAll, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { curlOf, DeliveryLight, shownAddress } from "../../shared/shared.ts";
import {
  AbsoluteTime,
  Button,
  Card,
  Code,
  CopiedId,
  copyText,
  IdLink,
  KeyValue,
  Link,
  Loaded,
  Menu,
  PageHeader,
  RelativeTime,
  ShowAs,
  toast,
  toastOutcome,
  useNavigate,
  usePathParameter,
} from "../../ui/ui.ts";
import { Attempts } from "./attempts.tsx";
import { Outcome } from "./outcome.tsx";
import { RequestCard } from "./request.tsx";
import { SignatureCard } from "./signature.tsx";
import { TransformCard } from "./transform-card.tsx";

const LOOK_MS = 1500;

export function Screen() {
  const id = usePathParameter("id");
  // While something is about to happen the page is not left to the stream alone.
  const delivery = useQuery({
    ...read("deliveries.get", { path: { id } }),
    refetchInterval: (query) => (isSoon(query.state.data) ? LOOK_MS : false),
  });
  const found = delivery.data;
  return (
    <>
      <PageHeader
        title={found?.event ?? id}
        mono
        back={{ to: paths.deliveries, label: "Deliveries" }}
        status={found === undefined ? null : <DeliveryLight delivery={found} />}
        actions={found === undefined ? null : <Actions delivery={found} />}
      />
      <Loaded query={delivery} label="Loading the delivery" lines={10}>
        {(loaded) => <Details delivery={loaded} />}
      </Loaded>
    </>
  );
}

function isSoon(delivery: wire.DeliveryDetail | undefined): boolean {
  if (delivery?.state !== "pending") return false;
  return delivery.next_attempt_at === null || Date.parse(delivery.next_attempt_at) - Date.now() < 10_000;
}

function Details({ delivery }: { readonly delivery: wire.DeliveryDetail }) {
  const { id } = delivery;
  const attempts = useQuery({
    ...readAll("deliveries.attempts", { path: { id } }),
    // Another count is another list.
    queryKey: ["deliveries.attempts", { path: { id }, count: delivery.attempt_count }],
    placeholderData: (before) => before,
  });
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <Loaded query={attempts} label="Loading the attempts">
          {(list) => (
            <>
              <Outcome delivery={delivery} attempts={list} />
              <Attempts delivery={delivery} attempts={list} />
            </>
          )}
        </Loaded>
        <RequestCard request={delivery.request} />
        {delivery.transform === null ? null : <TransformCard transform={delivery.transform} />}
        {delivery.request === null ? null : (
          <SignatureCard endpointId={delivery.endpoint_id} deliveryId={id} request={delivery.request} />
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Facts delivery={delivery} />
      </div>
    </div>
  );
}

function Facts({ delivery }: { readonly delivery: wire.DeliveryDetail }) {
  const endpoint = useQuery(read("webhook_endpoints.get", { path: { id: delivery.endpoint_id } }));
  const { completed_at: completed, next_attempt_at: next } = delivery;
  const to = endpoint.data === undefined ? delivery.endpoint_id : shownAddress(endpoint.data);
  return (
    <Card title="Details">
      <KeyValue
        rows={[
          { label: "ID", value: <CopiedId id={delivery.id} what="delivery" /> },
          {
            label: "Endpoint",
            value: endpoint.isError ? (
              <>
                <Code>{delivery.endpoint_id}</Code> <span className="text-muted">(deleted)</span>
              </>
            ) : (
              <Link to={paths.endpoint(delivery.endpoint_id)} className="break-all">
                {to}
              </Link>
            ),
          },
          { label: "Event", value: <IdLink to={paths.event(delivery.event_id)} id={delivery.event_id} /> },
          { label: "Created", value: <AbsoluteTime at={delivery.created_at} /> },
          completed === null ? null : { label: "Ended", value: <AbsoluteTime at={completed} /> },
          next === null ? null : { label: "Next attempt", value: <RelativeTime at={next} /> },
          { label: "Attempts", value: String(delivery.attempt_count) },
        ]}
      />
    </Card>
  );
}

function Actions({ delivery }: { readonly delivery: wire.DeliveryDetail }) {
  const { id, state, request } = delivery;
  const { may } = useAccess();
  const navigate = useNavigate();
  // A page of the portal has no address of its own.
  const isPortal = usePortal() !== undefined;
  const replay = useWrite("deliveries.replay", { refreshes: ["deliveries.get", "deliveries.attempts"] });
  const cancel = useWrite("deliveries.cancel", { refreshes: ["deliveries.get"] });
  const copied = (text: string, what: string) => void copyText(text).then(() => toast(`${what} copied.`));
  const isPending = state === "pending";
  // Before the first attempt, the delivery is sent as soon as it can be.
  const isWaiting = isPending && delivery.attempt_count > 0 && delivery.next_attempt_at !== null;
  const send = (): void =>
    replay.mutate({ path: { id } }, toastOutcome(isPending ? "The retry is made now." : "Replay started."));
  return (
    <>
      <ShowAs operation="deliveries.replay" input={{ path: { id } }} />
      {isPending ? (
        <Button
          isDisabled={!may("deliveries.cancel")}
          isPending={cancel.isPending}
          onPress={() => cancel.mutate({ path: { id } }, toastOutcome("Delivery cancelled."))}
        >
          Cancel delivery
        </Button>
      ) : null}
      {isPending && !isWaiting ? null : (
        <Button
          variant="primary"
          icon={isPending ? <Send aria-hidden size={15} /> : <RotateCcw aria-hidden size={15} />}
          isDisabled={!may("deliveries.replay")}
          isPending={replay.isPending}
          onPress={send}
        >
          {isPending ? "Send now" : "Replay delivery"}
        </Button>
      )}
      <Menu
        label="More actions"
        actions={[
          {
            id: "retransform",
            label: "Replay with today's transformation",
            isDisabled: !may("deliveries.replay") || (isPending && !isWaiting),
            onAction: () =>
              replay.mutate({ path: { id }, query: { retransform: true } }, toastOutcome("Replay started.")),
          },
          {
            id: "edit",
            label: "Edit and send again",
            onAction: () =>
              navigate({
                to: paths.tester,
                search: {
                  to: "endpoint",
                  endpoint: delivery.endpoint_id,
                  event: delivery.event,
                  from: delivery.event_id,
                },
              }),
          },
          {
            id: "link",
            label: "Copy link",
            onAction: () => copied(window.location.origin + paths.delivery(id), "Link"),
          },
          {
            id: "curl",
            label: "Copy request as curl",
            isDisabled: request === null,
            onAction: () => copied(request === null ? "" : curlOf(request), "curl command"),
          },
          {
            id: "body",
            label: "Copy body",
            isDisabled: request === null,
            onAction: () => copied(request?.body ?? "", "Body"),
          },
        ].filter(({ id: action }) => !isPortal || (action !== "link" && action !== "edit"))}
      />
    </>
  );
}
