import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import { parseRfc3339 } from "../../lib/lib.ts";
import type { SelfTestView } from "../../lib/lib.ts";
import type { Gauges } from "./signals.ts";

/** Adds the metrics whose values are read when they are collected. */
export function watch(registry: Registry, gauges: Gauges): void {
  const registers = [registry];
  const gauge: MakeGauge = (name, help, read, aggregator = "sum") => {
    const made = new Gauge({
      name,
      help,
      registers,
      aggregator,
      async collect() {
        made.set(await read());
      },
    });
  };
  // Every process reads these values from the one database, so that a fleet must not add them up.
  const shared: MakeShared = (name, help, read) => gauge(name, help, read, "max");
  shared("junction_oldest_due_age_seconds", "Age of the oldest due delivery that no worker has claimed.", () =>
    gauges.oldestDueAgeSeconds(),
  );
  shared("junction_pending_deliveries", "Deliveries not ended (estimate of the planner).", () =>
    gauges.pendingDeliveries(),
  );
  shared("junction_last_backup_timestamp_seconds", "When the last backup was made; 0 when none is known.", () =>
    gauges.lastBackupSeconds(),
  );
  watchLanesAndPulls({ gauge, shared }, gauges);
  gauge("junction_attempts_in_flight", "Attempts under way in this process.", () => gauges.inFlight());
  gauge("junction_deliveries_queued", "Deliveries leased by this process and not yet under way.", () =>
    gauges.queued(),
  );
  gauge(
    "junction_egress_proxy_failing_seconds",
    "How long the egress proxy has failed for deliveries of this process; 0 while it works.",
    () => gauges.egressProxyFailingSeconds(),
    "max",
  );
  shared("junction_open_proposals", "Proposals of actions that wait for a decision.", () => gauges.openProposals());
  gauge("junction_action_runs_in_flight", "Action runs under way in this process.", () => gauges.actionsInFlight());
  shared("junction_mails_waiting", "Mails of the service that are not sent yet.", () => gauges.mailsWaiting());
  shared(
    "junction_overdue_announcements",
    "Announcements of proposals that are late, or failed and are tried again.",
    () => gauges.overdueAnnouncements(),
  );
  shared("junction_overdue_schedules", "Schedules of workflows that were due more than a minute ago.", () =>
    gauges.overdueSchedules(),
  );
  shared("junction_overdue_scheduled_events", "Scheduled events that were due more than a minute ago.", () =>
    gauges.overdueEvents(),
  );
  shared("junction_connected_apps", "Connections of AI apps that have not ended.", () => gauges.connectedApps());
  const unwritten = new Gauge({
    name: "junction_unwritten_rows",
    help: "Rows of the request log and counts of usage that this process has not written yet.",
    labelNames: ["of"],
    registers,
    aggregator: "sum",
    collect() {
      unwritten.set({ of: "requests" }, gauges.unwrittenRequests());
      unwritten.set({ of: "usage" }, gauges.unwrittenUsage());
      unwritten.set({ of: "key_usage" }, gauges.unwrittenKeyUsage());
    },
  });
  watchTasks(registers, gauges);
  watchIssues(registers, gauges);
  watchClients({ gauge, shared }, gauges);
  watchSelfTest(gauge, gauges);
  gauge("junction_db_pool_connections", "Connections of the database pool.", () => gauges.pool().total);
  gauge("junction_db_pool_idle", "Idle connections of the database pool.", () => gauges.pool().idle);
  gauge("junction_db_pool_waiting", "Callers waiting for a connection.", () => gauges.pool().waiting);
}

type MakeGauge = (
  name: string,
  help: string,
  read: () => number | Promise<number>,
  aggregator?: "sum" | "max" | "min",
) => void;

type MakeShared = (name: string, help: string, read: () => Promise<number>) => void;

interface GaugeMakers {
  readonly gauge: MakeGauge;
  readonly shared: MakeShared;
}

function watchLanesAndPulls({ gauge, shared }: GaugeMakers, gauges: Gauges): void {
  shared("junction_blocked_lanes", "Lanes of ordered endpoints that a failed delivery blocks.", () =>
    gauges.blockedLanes(),
  );
  shared(
    "junction_blocked_lane_age_seconds",
    "How long a failed delivery has blocked a lane of an ordered endpoint; 0 when none does.",
    () => gauges.blockedLaneAgeSeconds(),
  );
  shared(
    "junction_pull_oldest_unread_age_seconds",
    "Age of the oldest message that a consumer of a pull endpoint has not committed.",
    () => gauges.oldestUnreadAgeSeconds(),
  );
  shared(
    "junction_pull_lag_messages",
    "The most messages that one consumer of a pull endpoint has not committed.",
    () => gauges.pullLagMessages(),
  );
  gauge("junction_waiting_pulls", "Pulls of this process that wait for messages.", () => gauges.waitingPulls());
}

function watchTasks(registers: Registry[], gauges: Gauges): void {
  const lag = new Gauge({
    name: "junction_task_lag_seconds",
    help: "How long the oldest due task of a kind has waited; 0 if none is due.",
    labelNames: ["kind"],
    registers,
    aggregator: "max",
    async collect() {
      for (const { kind, seconds } of await gauges.taskLags()) lag.set({ kind }, seconds);
    },
  });
}

function watchIssues(registers: Registry[], gauges: Gauges): void {
  const made = new Gauge({
    name: "junction_open_issues",
    help: "Issues that are open or acknowledged.",
    labelNames: ["kind"],
    registers,
    aggregator: "max",
    async collect() {
      const counts = new Map<string, number>();
      for (const { kind, count } of await gauges.openIssues()) counts.set(kind, (counts.get(kind) ?? 0) + count);
      made.reset();
      for (const [kind, count] of counts) made.set({ kind }, count);
    },
  });
}

function watchClients({ gauge, shared }: GaugeMakers, gauges: Gauges): void {
  gauge("junction_mcp_event_streams", "Event streams of AI clients that are open in this process.", () =>
    gauges.mcpEventStreams(),
  );
  shared("junction_mcp_event_subscriptions", "Event subscriptions of AI clients that have not ended.", () =>
    gauges.mcpEventSubscriptions(),
  );
  shared("junction_overdue_tenant_deletions", "Deletions of tenants that began more than an hour ago.", () =>
    gauges.overdueTenantDeletions(),
  );
  const processes = (of: "children" | "running" | "waiting") => async () => (await gauges.connectorProcesses())[of];
  gauge("junction_connector_processes", "Processes of connectors' code.", processes("children"));
  gauge("junction_connector_calls_in_flight", "Calls of connectors' code under way.", processes("running"));
  gauge("junction_connector_calls_waiting", "Calls waiting for a process.", processes("waiting"));
}

function watchSelfTest(gauge: MakeGauge, gauges: Gauges): void {
  const selfTest = (of: (result: SelfTestView) => number) => () => {
    const result = gauges.selfTest();
    return result === undefined ? 0 : of(result);
  };
  // A fleet reports the worst and the oldest result of its processes.
  gauge(
    "junction_self_test_passed",
    "1 if the latest self-test passed; 0 if it failed, or before the first result.",
    selfTest(({ status }) => (status === "passed" ? 1 : 0)),
    "min",
  );
  gauge(
    "junction_self_test_timestamp_seconds",
    "When the latest self-test ended; 0 before the first result.",
    selfTest((result) => (parseRfc3339(result.finished_at) ?? 0) / 1000),
    "min",
  );
  gauge(
    "junction_self_test_duration_seconds",
    "How long the latest self-test took.",
    selfTest((result) => result.duration_ms / 1000),
    "max",
  );
}
