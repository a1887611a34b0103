import { useState } from "react";
import type { ReactNode } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { ReplayDialog, shownAddress } from "../../shared/shared.ts";
import type { ReplayWish } from "../../shared/shared.ts";
import { ConfirmDialog, Switch, toast, toastError } from "../../ui/ui.ts";
import { BackfillDialog } from "./backfill-dialog.tsx";
import { daysAgo, offSince, USUAL_DAYS } from "./missed.ts";

/** A delivery whose attempts began to fail may be this old: it is within its retry schedule. */
const SCHEDULE_DAYS = 1;

interface EndpointSwitchProps {
  readonly endpoint: Pick<
    wire.WebhookEndpoint,
    "id" | "kind" | "name" | "url" | "active" | "inactive_since" | "failing_since"
  >;
  /** Label of the switch. */
  readonly children: ReactNode;
}

/** Switches an endpoint on or off. Off is asked about once; after on, what the endpoint missed is offered. */
export function EndpointSwitch({ endpoint, children }: EndpointSwitchProps) {
  const { may } = useAccess();
  const [asks, setAsks] = useState<"off" | "missed" | "failed" | null>(null);
  const [job, setJob] = useState<string | null>(null);
  // The endpoint no longer says since when it was off or failing once it is on.
  const [before, setBefore] = useState(endpoint);
  const toggle = useWrite("webhook_endpoints.toggle", { refreshes: ["webhook_endpoints."] });
  const path = { id: endpoint.id };
  const isBackfilling = may("webhook_endpoints.backfill");
  const close = (): void => {
    setAsks(null);
    setJob(null);
  };
  /** Offers what is lost to the endpoint otherwise: first the events without a delivery, then those that failed. */
  const offer = async (of: typeof endpoint, from: "missed" | "failed"): Promise<void> => {
    if (from === "missed" && isBackfilling && (await hasMissed(of.id, of.inactive_since))) setAsks("missed");
    else if (may("replays.create") && (await hasFailed(of))) setAsks("failed");
    else close();
  };
  const change = (): void => {
    const asItWas = endpoint;
    setBefore(asItWas);
    toggle.mutate(
      { path },
      {
        onSuccess({ active }) {
          close();
          toast(active ? "Endpoint turned on. Pending deliveries are sent." : "Endpoint turned off.");
          if (active) void offer(asItWas, "missed");
        },
        onError: toastError,
      },
    );
  };
  return (
    <>
      <Switch
        isSelected={endpoint.active}
        isDisabled={!may("webhook_endpoints.toggle") || toggle.isPending}
        onChange={() => (endpoint.active ? setAsks("off") : change())}
      >
        {children}
      </Switch>
      <ConfirmDialog
        title="Turn endpoint off?"
        isOpen={asks === "off"}
        onClose={close}
        onConfirm={change}
        confirmLabel="Turn off"
        isPending={toggle.isPending}
      >
        <p className="break-all">{shownAddress(endpoint)}</p>
        <p>
          Events that happen from now on are not delivered to it. Its pending deliveries wait.
          {isBackfilling ? " When you turn it on again, you can send it the events that it missed." : ""}
        </p>
      </ConfirmDialog>
      {asks === "missed" ? (
        <BackfillDialog
          endpointId={endpoint.id}
          offSince={before.inactive_since}
          onClose={() => void offer(before, "failed")}
        />
      ) : null}
      <ReplayDialog wish={asks === "failed" ? failedOf(before) : null} jobId={job} onStarted={setJob} onClose={close} />
    </>
  );
}

/** Returns true if there are events that the endpoint has no delivery of. The offer is left out if they cannot be counted. */
async function hasMissed(id: string, since: string | null): Promise<boolean> {
  try {
    const body = { from: offSince(since) ?? daysAgo(USUAL_DAYS), dry_run: true };
    return (await call("webhook_endpoints.backfill", { path: { id }, body })).count > 0;
  } catch {
    return false;
  }
}

/** The deliveries that failed since the endpoint began to fail, or was turned off. */
function failedOf({ id, failing_since: failing, inactive_since: off }: EndpointSwitchProps["endpoint"]): ReplayWish {
  const since = failing === null ? offSince(off) : daysAgo(SCHEDULE_DAYS, Date.parse(failing));
  return {
    filter: { endpoint_id: id, state: "failed", ...(since === undefined ? {} : { created_after: since }) },
  };
}

async function hasFailed(endpoint: EndpointSwitchProps["endpoint"]): Promise<boolean> {
  try {
    const body = { ...failedOf(endpoint), dry_run: true };
    return ((await call("replays.create", { body })) as wire.ReplayTally).count > 0;
  } catch {
    return false;
  }
}
