import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { countText, JobDialog } from "../../shared/shared.ts";
import { Button, Dialog, ErrorNote, RelativeTime, Select, ShowAs, Skeleton } from "../../ui/ui.ts";
import { daysAgo, offSince, RANGES, USUAL_DAYS, WHILE_OFF } from "./missed.ts";

interface BackfillDialogProps {
  readonly endpointId: string;
  /** Since when the endpoint was off, if it was turned on just now. */
  readonly offSince?: string | null | undefined;
  readonly onClose: () => void;
}

/** Counts the events that an endpoint missed, then sends them, and shows how far it is. */
export function BackfillDialog({ endpointId, offSince: since, onClose }: BackfillDialogProps) {
  const off = offSince(since);
  const [range, setRange] = useState<string>(off === undefined ? String(USUAL_DAYS) : WHILE_OFF);
  // The same moment is counted and sent.
  const [from, setFrom] = useState(() => off ?? daysAgo(USUAL_DAYS));
  const path = { id: endpointId };
  const tally = useQuery({
    queryKey: ["webhook_endpoints.backfill", endpointId, from],
    queryFn: async () => await call("webhook_endpoints.backfill", { path, body: { from, dry_run: true } }),
    gcTime: 0,
  });
  const start = useWrite("webhook_endpoints.backfill", { refreshes: ["replays.", "deliveries.list"] });
  if (start.data !== undefined) return <JobDialog id={(start.data as wire.BackfillJob).job_id} onClose={onClose} />;
  const { count = 0, capped = false } = tally.data ?? {};
  return (
    <Dialog
      title="Send missed events"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <ShowAs operation="webhook_endpoints.backfill" input={{ path, body: { from } }} />
          <Button onPress={onClose}>Not now</Button>
          <Button
            variant="primary"
            isDisabled={count === 0}
            isPending={start.isPending}
            onPress={() => start.mutate({ path, body: { from } })}
          >
            {count === 0 ? "Send" : `Send ${countText(count, capped)}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-muted">
        <Select
          label="Events of"
          options={off === undefined ? RANGES : [{ value: WHILE_OFF, label: "The time when it was off" }, ...RANGES]}
          value={range}
          onChange={(next) => {
            setRange(next);
            setFrom(next === WHILE_OFF && off !== undefined ? off : daysAgo(Number(next)));
          }}
        />
        {range === WHILE_OFF && typeof since === "string" ? (
          <p>
            The endpoint was turned off <RelativeTime at={since} />. Events that have been deleted since then cannot be
            sent.
          </p>
        ) : null}
        {tally.isPending ? <Skeleton label="Counting the events" lines={2} /> : null}
        {tally.isError ? <ErrorNote error={tally.error} /> : null}
        {tally.data === undefined ? null : <Missed count={count} isCapped={capped} />}
        {start.isError ? <ErrorNote error={start.error} /> : null}
      </div>
    </Dialog>
  );
}

function Missed({ count, isCapped }: { readonly count: number; readonly isCapped: boolean }) {
  if (count === 0) return <p role="status">The endpoint has a delivery of each event of this time.</p>;
  return (
    <p role="status">
      The endpoint has no delivery of <strong className="tabular text-ink">{countText(count, isCapped)}</strong>{" "}
      {count === 1 ? "event" : "events"} that it would get now. They are sent oldest first, at the endpoint's rate.
    </p>
  );
}
