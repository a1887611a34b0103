import { useQuery } from "@tanstack/react-query";
import { ProgressBar } from "react-aria-components";
import { call, read, useWrite } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { numberText } from "./number.ts";
import { Button, Dialog, ErrorNote, messageOf, Skeleton } from "../ui/ui.ts";

/** Which deliveries: those of a list, or all that a filter finds. */
export type ReplayWish = Pick<wire.NewReplay, "filter" | "delivery_ids">;

export interface ReplayDialogProps {
  /** The deliveries to replay; null once a job runs. */
  readonly wish: ReplayWish | null;
  /** Id of the running or finished job; null before. */
  readonly jobId: string | null;
  readonly onStarted: (jobId: string) => void;
  readonly onClose: () => void;
}

const LOOK_MS = 600;

/** Counts first, then replays; shows how far it is, and stops when asked to. */
export function ReplayDialog({ wish, jobId, onStarted, onClose }: ReplayDialogProps) {
  if (jobId !== null) return <JobDialog id={jobId} onClose={onClose} />;
  return wish === null ? null : <AskDialog wish={wish} onStarted={onStarted} onClose={onClose} />;
}

function AskDialog({
  wish,
  onStarted,
  onClose,
}: { wish: ReplayWish } & Pick<ReplayDialogProps, "onStarted" | "onClose">) {
  const tally = useQuery({
    queryKey: ["replays.tally", wish],
    queryFn: async () => (await call("replays.create", { body: { ...wish, dry_run: true } })) as wire.ReplayTally,
    gcTime: 0,
  });
  const start = useWrite("replays.create", { refreshes: ["replays."] });
  const count = tally.data?.count ?? 0;
  const shown = tally.data === undefined ? "" : countText(count, tally.data.capped);
  const begin = () => start.mutate({ body: { ...wish } }, { onSuccess: (made) => onStarted((made as wire.Replay).id) });
  return (
    <Dialog
      title="Replay deliveries"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Button variant="primary" isDisabled={count === 0} isPending={start.isPending} onPress={begin}>
            {count === 0 ? "Replay" : `Replay ${shown}`}
          </Button>
        </>
      }
    >
      {tally.isPending ? <Skeleton label="Counting the deliveries" lines={2} /> : null}
      {tally.isError ? <ErrorNote error={tally.error} /> : null}
      {tally.data === undefined ? null : <TallyText wish={wish} count={count} shown={shown} />}
      {start.isError ? <ErrorNote error={start.error} /> : null}
    </Dialog>
  );
}

function TallyText({
  wish,
  count,
  shown,
}: {
  readonly wish: ReplayWish;
  readonly count: number;
  readonly shown: string;
}) {
  const state = wish.filter?.state ?? "failed";
  if (count === 0) {
    return (
      <p className="text-muted">
        None of these deliveries can be sent now. They wait for their first attempt, or their endpoint is off.
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-2 text-muted">
      <p>
        <strong className="tabular text-ink">{shown}</strong>{" "}
        {wish.filter === undefined ? "selected deliveries can be sent now" : `${STATE_WORDS[state]} match the filters`}.
      </p>
      <p>
        Each delivery is sent once more with the same ID and the same bytes, so that a receiver can detect duplicates by
        ID. {state === "pending" ? PENDING : "A delivery that fails again stays as it was."} The endpoints' rate limits
        apply.
      </p>
    </div>
  );
}

/** Shows how far a job is, and stops it when asked to. */
export function JobDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const job = useQuery({
    ...read("replays.get", { path: { id } }),
    refetchInterval: (query) => (query.state.data?.state === "running" ? LOOK_MS : false),
  });
  const cancel = useWrite("replays.cancel", { refreshes: ["replays."] });
  const isRunning = job.data?.state === "running";
  return (
    <Dialog
      title={job.data?.kind === "backfill" ? "Send missed events" : "Replay deliveries"}
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          {isRunning ? (
            <Button isPending={cancel.isPending} onPress={() => cancel.mutate({ path: { id } })}>
              Stop
            </Button>
          ) : null}
          <Button variant="primary" onPress={onClose}>
            {isRunning ? "Close and continue in background" : "Done"}
          </Button>
        </>
      }
    >
      {job.isPending ? <Skeleton label="Loading the replay" lines={2} /> : null}
      {job.isError ? <ErrorNote error={job.error} /> : null}
      {job.data === undefined ? null : <Progress job={job.data} />}
      {cancel.isError ? <p role="alert">{messageOf(cancel.error)}</p> : null}
    </Dialog>
  );
}

function Progress({ job }: { readonly job: wire.Replay }) {
  const percent = job.total === 0 ? 100 : Math.min(100, (job.done / job.total) * 100);
  return (
    <ProgressBar value={percent} aria-label="Progress" className="flex flex-col gap-2">
      <p role="status" className="text-muted">
        {progressText(job)}
      </p>
      <div className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
      </div>
    </ProgressBar>
  );
}

function progressText({ kind, state, done, total, total_capped: capped }: wire.Replay): string {
  const of = `${numberText(done)} of ${countText(total, capped)}`;
  if (kind === "backfill") {
    if (state === "running") return `${of} events were given to the endpoint.`;
    return `${state === "cancelled" ? "Stopped. " : ""}${of} events were given to the endpoint. See the log for their outcomes.`;
  }
  if (state === "running") return `Replay started for ${of} deliveries.`;
  if (state === "cancelled") return `Stopped. Replay was started for ${of} deliveries.`;
  return `Replay started for ${of} deliveries. See the log for their outcomes.`;
}

const PENDING = "Its next retry is made now, and the schedule continues from there.";
const STATE_WORDS = {
  failed: "failed deliveries",
  delivered: "delivered deliveries",
  filtered: "filtered deliveries",
  cancelled: "cancelled deliveries",
  pending: "deliveries that wait for a retry",
};

export function countText(count: number, isCapped: boolean): string {
  return `${isCapped ? "more than " : ""}${numberText(count)}`;
}
