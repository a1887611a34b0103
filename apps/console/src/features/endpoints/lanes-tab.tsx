import { useState } from "react";
import { useLiveRefresh, usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { failureWord } from "../../shared/shared.ts";
import {
  Button,
  Card,
  Code,
  ConfirmDialog,
  EmptyState,
  Link,
  LoadedPages,
  RelativeTime,
  StatusLight,
  Table,
  toast,
  toastError,
} from "../../ui/ui.ts";

type Choice = wire.LaneChoice;

/** Lists what the lanes of an ordered endpoint wait for. A blocked one can be retried or skipped. */
export function LanesTab({ endpoint }: { readonly endpoint: wire.WebhookEndpoint }) {
  const pages = usePages("webhook_endpoints.lanes", { path: { id: endpoint.id } });
  useLiveRefresh("delivery", "webhook_endpoints.lanes");
  const [skipped, setSkipped] = useState<Choice | null>(null);
  const refreshes = ["webhook_endpoints.lanes", "deliveries."];
  const retry = useWrite("webhook_endpoints.lanes.retry", { refreshes });
  const skip = useWrite("webhook_endpoints.lanes.skip", { refreshes });
  const { may } = useAccess();
  const [mayRetry, maySkip] = [
    may("webhook_endpoints.lanes.retry") && endpoint.active,
    may("webhook_endpoints.lanes.skip"),
  ];
  const path = { id: endpoint.id };
  const retryNow = (body: Choice): void =>
    retry.mutate(
      { path, body },
      { onSuccess: ({ count }) => toast(`${count} deliveries are being sent.`), onError: toastError },
    );
  const skipNow = (body: Choice): void =>
    skip.mutate(
      { path, body },
      {
        onSuccess: ({ count }) => {
          setSkipped(null);
          toast(`${count} deliveries skipped.`);
        },
        onError: toastError,
      },
    );
  return (
    <Card
      title="Lanes"
      description="Deliveries with the same ordering key are sent one at a time. These keys have deliveries that are being sent or wait."
      actions={
        <>
          <Button size="sm" isDisabled={!mayRetry} onPress={() => retryNow({ all: true })}>
            Retry all
          </Button>
          <Button size="sm" isDisabled={!maySkip} onPress={() => setSkipped({ all: true })}>
            Skip all
          </Button>
        </>
      }
      flush
    >
      <LoadedPages pages={pages} label="Loading the lanes" empty={<Nothing />}>
        {(rows) => (
          <LaneTable
            rows={rows}
            onRetry={mayRetry ? (key) => retryNow({ key }) : undefined}
            onSkip={maySkip ? (key) => setSkipped({ key }) : undefined}
          />
        )}
      </LoadedPages>
      <ConfirmDialog
        title={skipped?.key === undefined ? "Skip all failed deliveries?" : "Skip delivery?"}
        isOpen={skipped !== null}
        onClose={() => setSkipped(null)}
        confirmLabel="Skip"
        isPending={skip.isPending}
        onConfirm={() => {
          if (skipped !== null) skipNow(skipped);
        }}
      >
        <p>
          {skipped?.key === undefined
            ? "Every delivery that has failed or waits for a retry at the head of a lane is cancelled, and the next one is sent."
            : "The delivery is cancelled, and the next one with its key is sent."}
        </p>
      </ConfirmDialog>
    </Card>
  );
}

interface LaneTableProps {
  readonly rows: readonly wire.Lane[];
  readonly onRetry: ((key: string) => void) | undefined;
  readonly onSkip: ((key: string) => void) | undefined;
}

function LaneTable({ rows, onRetry, onSkip }: LaneTableProps) {
  return (
    <Table
      label="Lanes"
      rows={rows}
      keyOf={(row) => row.key}
      columns={[
        { header: "Key", cell: (row) => <Code>{row.key}</Code>, className: "max-w-56 truncate" },
        {
          header: "State",
          cell: (row) => (
            <>
              <LaneState lane={row} />
              <Head head={row.head} />
            </>
          ),
        },
        { header: "Waiting", cell: (row) => row.waiting },
        {
          header: "Oldest",
          from: "sm",
          cell: (row) => (row.oldest_waiting_at === null ? "–" : <RelativeTime at={row.oldest_waiting_at} />),
        },
        {
          header: "Actions",
          cell: ({ key }) => (
            <div className="flex gap-2">
              <Button
                size="sm"
                aria-label={`Retry ${key}`}
                isDisabled={onRetry === undefined}
                onPress={() => onRetry?.(key)}
              >
                Retry
              </Button>
              <Button
                size="sm"
                aria-label={`Skip ${key}`}
                isDisabled={onSkip === undefined}
                onPress={() => onSkip?.(key)}
              >
                Skip
              </Button>
            </div>
          ),
        },
      ]}
    />
  );
}

function LaneState({ lane: { blocked_since: since, head } }: { readonly lane: wire.Lane }) {
  if (since !== null)
    return (
      <StatusLight tone="bad">
        Blocked <RelativeTime at={since} />
      </StatusLight>
    );
  return head.attempt_count > 0 ? (
    <StatusLight tone="warn">Retrying</StatusLight>
  ) : (
    <StatusLight tone="good">Sending</StatusLight>
  );
}

/** Says how the last attempt failed of the delivery that the others wait for. */
function Head({ head }: { readonly head: wire.LaneHead }) {
  const { delivery_id: id, attempt_count: attempts, next_attempt_at: next } = head;
  const failure = failureWord({ errorClass: head.last_error_class, statusCode: head.last_status_code });
  return (
    <p className="text-xs text-muted">
      <Link to={paths.delivery(id)}>
        {attempts === 0 ? "First attempt" : `${failure} after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}`}
      </Link>
      {attempts === 0 || next === null ? null : (
        <>
          , next <RelativeTime at={next} />
        </>
      )}
    </p>
  );
}

function Nothing() {
  return <EmptyState title="No deliveries wait">Every delivery with an ordering key has been sent.</EmptyState>;
}
