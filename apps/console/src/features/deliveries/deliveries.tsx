import { ArrowUp, RotateCcw, Send } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useWrite } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { numberText, ReplayDialog, useEndpoints, useEventTypes } from "../../shared/shared.ts";
import type { ReplayWish } from "../../shared/shared.ts";
import {
  Button,
  EmptyState,
  ErrorState,
  FilterBar,
  KeyCap,
  Link,
  messageOf,
  PageHeader,
  ShowAs,
  Skeleton,
  toastOutcome,
  useFilters,
  useGridSelection,
  useNavigate,
  useUrlState,
  VirtualGrid,
} from "../../ui/ui.ts";
import { logColumns } from "./columns.tsx";
import type { LogRow } from "./rows.ts";
import { customerFields, logFields, queryOf, replayFilterOf } from "./search.ts";
import { useDeliveryLog } from "./use-delivery-log.ts";

export function Screen() {
  const [filters] = useFilters();
  const query = useMemo(() => queryOf(filters), [filters]);
  const log = useDeliveryLog(query);
  const endpoints = useEndpoints();
  const eventTypes = useEventTypes();
  const selection = useGridSelection();
  const [wish, setWish] = useState<ReplayWish | null>(null);
  const [jobId, setJobId] = useUrlState("replay", "");
  const onOpen = useOpen();
  const { onReplay, mayReplay } = useReplay();
  const isPortal = usePortal() !== undefined;
  const mayReplayMany = useAccess().may("replays.create");
  const columns = useMemo(
    () => logColumns({ endpoints, mayReplay, onReplay, onOpen }),
    [endpoints, mayReplay, onReplay, onOpen],
  );
  const all = replayFilterOf(query);
  return (
    <>
      <PageHeader
        title="Deliveries"
        actions={
          <>
            <ShowAs operation="deliveries.list" input={{ query }} />
            {selection.selected.size > 0 ? (
              <Button
                variant="primary"
                icon={<RotateCcw aria-hidden size={15} />}
                isDisabled={!mayReplayMany}
                onPress={() => setWish({ delivery_ids: [...selection.selected].slice(0, MOST_SELECTED) })}
              >
                Replay {Math.min(selection.selected.size, MOST_SELECTED)} selected
              </Button>
            ) : (
              <Button
                icon={<RotateCcw aria-hidden size={15} />}
                isDisabled={!mayReplayMany || all === null}
                onPress={() => setWish(all === null ? null : { filter: all })}
              >
                Replay all matching
              </Button>
            )}
          </>
        }
      />
      <FilterBar
        list="deliveries.list"
        fields={(isPortal ? customerFields : logFields)(endpoints.options, eventTypes.options)}
      >
        <Live log={log} />
      </FilterBar>
      <LogState log={log} isFiltered={Object.keys(query).length > 0}>
        <VirtualGrid<LogRow>
          key={log.id}
          label="Deliveries"
          columns={columns}
          count={log.shown.count}
          rowAt={log.rowAt}
          keyOf={(row) => row.id}
          selection={selection}
          onOpen={(row) => onOpen(row.id)}
          onEnd={log.more}
          rowHeight={36}
        />
        <Foot log={log} />
      </LogState>
      <ReplayDialog
        wish={wish}
        jobId={jobId === "" ? null : jobId}
        onStarted={(id) => {
          setWish(null);
          selection.set(new Set());
          setJobId(id);
        }}
        onClose={() => {
          setWish(null);
          if (jobId !== "") setJobId("");
        }}
      />
    </>
  );
}

const MOST_SELECTED = 1000;

type Log = ReturnType<typeof useDeliveryLog>;

function useOpen(): (id: string) => void {
  const navigate = useNavigate();
  return useCallback((id) => navigate({ to: paths.delivery(id) }), [navigate]);
}

function useReplay() {
  const { mutate } = useWrite("deliveries.replay");
  const mayReplay = useAccess().may("deliveries.replay");
  const onReplay = useCallback(
    (id: string, event: string) => mutate({ path: { id } }, toastOutcome(`${event} is being sent.`)),
    [mutate],
  );
  return { onReplay, mayReplay };
}

/** The pill of what came since; the list itself never jumps. */
function Live({ log }: { readonly log: Log }) {
  const { fresh, isFetching } = log.shown;
  return (
    <span role="status" aria-busy={isFetching} className="flex items-center">
      {fresh === 0 ? null : (
        <Button
          size="sm"
          variant="primary"
          icon={<ArrowUp aria-hidden size={14} />}
          onPress={() => void log.showFresh()}
        >
          {numberText(fresh)} new
        </Button>
      )}
    </span>
  );
}

function LogState({ log, isFiltered, children }: { log: Log; isFiltered: boolean; children: React.ReactNode }) {
  const [, change] = useFilters();
  const { shown } = log;
  if (shown.status === "loading") return <Skeleton label="Loading the deliveries" lines={12} />;
  if (shown.status === "failed") return <ErrorState error={shown.error} onRetry={log.retry} />;
  if (shown.count > 0) return children;
  if (isFiltered) {
    return (
      <EmptyState
        title="No matching deliveries"
        action={<Button onPress={() => change(NO_FILTERS)}>Clear filters</Button>}
      >
        Change a filter or select a longer time range.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No deliveries yet"
      icon={<Send aria-hidden size={20} />}
      action={
        <>
          <Link to={paths.tester} look="primary">
            Send test event
          </Link>
          <Link to={paths.endpoints} look="button">
            Create endpoint
          </Link>
          <ShowAs
            operation="events.fire"
            input={{ body: { event: "order.created", data: { order: { id: "ord_1" } } } }}
          />
        </>
      }
    >
      Each event creates one delivery to every endpoint that subscribes to it. New deliveries appear here immediately.
    </EmptyState>
  );
}

const NO_FILTERS = Object.fromEntries(logFields([], []).map(({ name }) => [name, ""]));

/** Shows the number of loaded deliveries, and whether there are more. */
function Foot({ log }: { readonly log: Log }) {
  const { shown } = log;
  return (
    <div className="flex min-h-9 flex-wrap items-center justify-between gap-2 pt-2 text-xs text-muted">
      <p role="status" className="tabular">
        {numberText(shown.count)} {shown.hasMore ? "loaded, scroll down for more" : "in total"}
        {shown.isFetching ? " · loading" : ""}
      </p>
      {shown.error === null ? null : (
        <p role="alert" className="flex items-center gap-2 text-bad">
          The next page could not be loaded: {messageOf(shown.error)}
          <Button size="sm" onPress={log.more}>
            Try again
          </Button>
        </p>
      )}
      <p className="flex items-center gap-1 max-md:hidden">
        <KeyCap keys="↑" /> <KeyCap keys="↓" /> to move · <KeyCap keys="Space" /> to select · <KeyCap keys="Enter" /> to
        open
      </p>
    </div>
  );
}
