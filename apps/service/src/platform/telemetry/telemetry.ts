import pino from "pino";
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { parseRfc3339, SELF_TEST_TAG } from "../../lib/lib.ts";
import type { SelfTestView } from "../../lib/lib.ts";
import { loggedError } from "./logged-error.ts";
import { sparingly } from "./sparing-log.ts";
import { loopHolds } from "./loop-holds.ts";
import { tenantMetrics } from "./tenant-metrics.ts";
import { textOf } from "./text-log.ts";
import type { Gauges, Signals, Telemetry } from "./signals.ts";

export { createTraces, readTraceparent } from "./traces.ts";
export type { TraceHeaders, TraceOrigin, Traces } from "./traces.ts";
export type { AttemptSignal, FilteredSignal, Gauges, Log, Signals, Telemetry } from "./signals.ts";

/** Paths in a log record that can contain a credential. The values never reach the log. */
const REDACTED = [
  "authorization",
  "cookie",
  "secret",
  "password",
  "token",
  "api_key",
  "key",
  "signing_secret",
  "*.authorization",
  "*.cookie",
  "*.secret",
  "*.password",
  "*.token",
  "*.api_key",
  "*.signing_secret",
  'headers["x-service-signature"]',
  '*.headers["x-service-signature"]',
  "*.headers.authorization",
  "*.headers.cookie",
];

/**
 * Creates the telemetry of a process. `text` writes lines for a person, on standard error. `tenants` is the number of tenants
 * with metrics of their own.
 */
export function createTelemetry(level: string, format: "json" | "text" = "json", tenants = 0): Telemetry {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: loggedError },
      redact: { paths: REDACTED, censor: "[redacted]" },
      hooks: { logMethod: sparingly() },
    },
    format === "json" ? pino.destination() : { write: (line) => void process.stderr.write(textOf(line)) },
  );
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const listeners: Partial<Signals>[] = [metricSignals(registry)];
  if (tenants > 0) listeners.push(tenantMetrics([registry], tenants));
  return {
    log,
    signals: fannedOut(listeners),
    addListener: (listener) => void listeners.push(listener),
    watch: (gauges) => watch(registry, gauges),
    watchLoop: loopHolds(registry, log),
    metrics: async () => await registry.metrics(),
    shareMetrics: () => {
      AggregatorRegistry.setRegistries(registry);
      void new AggregatorRegistry();
    },
  };
}

let fleet: AggregatorRegistry<typeof Registry.PROMETHEUS_CONTENT_TYPE> | undefined;

/** Returns the metrics of all processes that share theirs, as one Prometheus text, for the first process of a fleet. */
export async function metricsOfFleet(): Promise<string> {
  fleet ??= new AggregatorRegistry();
  return await fleet.clusterMetrics();
}

/**
 * Distributes signals to the listeners. The self-test's events and deliveries are left out: they are not a customer's,
 * and reach no count, metric or trace.
 */
function fannedOut(listeners: readonly Partial<Signals>[]): Signals {
  return {
    eventsAccepted(accepted) {
      const events = accepted.filter(({ scope }) => scope.tag !== SELF_TEST_TAG);
      for (const listener of listeners) listener.eventsAccepted?.(events);
    },
    schemaViolated(violating, outcome) {
      const events = violating.filter(({ scope }) => scope.tag !== SELF_TEST_TAG);
      for (const listener of listeners) listener.schemaViolated?.(events, outcome);
    },
    deliveriesMade(made) {
      const told = made.filter(({ tag }) => tag !== SELF_TEST_TAG);
      for (const listener of listeners) listener.deliveriesMade?.(told);
    },
    deliveriesFiltered(filtered) {
      const told = filtered.filter(({ tag }) => tag !== SELF_TEST_TAG);
      for (const listener of listeners) listener.deliveriesFiltered?.(told);
    },
    deliveryEnded(tag, state, tenant) {
      if (tag === SELF_TEST_TAG) return;
      for (const listener of listeners) listener.deliveryEnded?.(tag, state, tenant);
    },
    receiptWritten(tag, status, tenant) {
      for (const listener of listeners) listener.receiptWritten?.(tag, status, tenant);
    },
    attemptMade(attempt) {
      if (attempt.tag === SELF_TEST_TAG) return;
      for (const listener of listeners) listener.attemptMade?.(attempt);
    },
    stageEnded(stage) {
      for (const listener of listeners) listener.stageEnded?.(stage);
    },
    actionEnded(tag, outcome, ms) {
      for (const listener of listeners) listener.actionEnded?.(tag, outcome, ms);
    },
    connectorCalled(hook, outcome, ms) {
      for (const listener of listeners) listener.connectorCalled?.(hook, outcome, ms);
    },
    standingUsed(tag, outcome) {
      for (const listener of listeners) listener.standingUsed?.(tag, outcome);
    },
    runsLimited(tag, limit, count) {
      for (const listener of listeners) listener.runsLimited?.(tag, limit, count);
    },
    mailEnded(purpose, outcome) {
      for (const listener of listeners) listener.mailEnded?.(purpose, outcome);
    },
    portalOpened(outcome) {
      for (const listener of listeners) listener.portalOpened?.(outcome);
    },
    signInEnded(method, outcome) {
      for (const listener of listeners) listener.signInEnded?.(method, outcome);
    },
    requestAnswered(operation, status, ms) {
      for (const listener of listeners) listener.requestAnswered?.(operation, status, ms);
    },
    callerWrote(tag) {
      for (const listener of listeners) listener.callerWrote?.(tag);
    },
    requestUnlogged(tag) {
      for (const listener of listeners) listener.requestUnlogged?.(tag);
    },
  };
}

function metricSignals(registry: Registry): Partial<Signals> {
  const registers = [registry];
  const accepted = new Counter({ name: "junction_events_accepted_total", help: "Events committed.", registers });
  const ended = new Counter({
    name: "junction_deliveries_total",
    help: "Deliveries that ended, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const filtered = new Counter({
    name: "junction_deliveries_filtered_total",
    help: "Events that the filter or the transformation of an endpoint kept from it.",
    registers,
  });
  const receipts = new Counter({
    name: "junction_receipts_total",
    help: "Inbound requests, by the status of their receipt.",
    labelNames: ["status"],
    registers,
  });
  const attempts = new Histogram({
    name: "junction_attempt_duration_seconds",
    help: "Duration of delivery attempts.",
    labelNames: ["outcome"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const actions = new Histogram({
    name: "junction_action_run_duration_seconds",
    help: "Duration of the backend calls of action runs, by how the run ended.",
    labelNames: ["outcome"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const connectors = new Histogram({
    name: "junction_connector_call_duration_seconds",
    help: "Duration of calls of connectors' code, by hook and by how they ended.",
    labelNames: ["hook", "outcome"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.8, 1, 2.5, 5, 10],
    registers,
  });
  const requests = new Histogram({
    name: "junction_request_duration_seconds",
    help: "Duration of API requests.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  const unlogged = new Counter({
    name: "junction_requests_unlogged_total",
    help: "The number of requests that did not fit into the request log.",
    registers,
  });
  const mails = new Counter({
    name: "junction_mails_total",
    help: "The number of the service's mails that were sent, failed or skipped.",
    labelNames: ["purpose", "outcome"],
    registers,
  });
  return {
    eventsAccepted: (events) => accepted.inc(events.length),
    schemaViolated: schemaSignal(registers),
    deliveriesFiltered: (groups) => {
      for (const { events, endpoints } of groups) filtered.inc(events * endpoints);
    },
    deliveryEnded: (_tag, outcome) => ended.inc({ outcome }),
    receiptWritten: (_tag, status) => receipts.inc({ status }),
    attemptMade: ({ outcome, ms }) => attempts.observe({ outcome }, ms / 1000),
    actionEnded: (_tag, outcome, ms) => actions.observe({ outcome }, ms / 1000),
    connectorCalled: (hook, outcome, ms) => connectors.observe({ hook, outcome }, ms / 1000),
    requestAnswered: (operation, status, ms) => requests.observe({ operation, status: String(status) }, ms / 1000),
    mailEnded: (purpose, outcome) => mails.inc({ purpose, outcome }),
    standingUsed: standingSignal(registers),
    runsLimited: limitedSignal(registers),
    portalOpened: portalSignal(registers),
    signInEnded: signInSignal(registers),
    requestUnlogged: () => unlogged.inc(),
  };
}

function standingSignal(registers: Registry[]): Signals["standingUsed"] {
  const used = new Counter({
    name: "junction_standing_approval_calls_total",
    help: "Calls that a standing approval covers: approved by it, or left to people because its budget had no room.",
    labelNames: ["outcome"],
    registers,
  });
  return (_tag, outcome) => used.inc({ outcome });
}

function limitedSignal(registers: Registry[]): Signals["runsLimited"] {
  const limited = new Counter({
    name: "junction_workflow_runs_limited_total",
    help: "The number of workflow runs that did not start, by the limit: of the workflow, or of the workspace for what reactions cause.",
    labelNames: ["limit"],
    registers,
  });
  return (_tag, limit, count) => limited.inc({ limit }, count);
}

function portalSignal(registers: Registry[]): Signals["portalOpened"] {
  const opened = new Counter({
    name: "junction_portal_exchanges_total",
    help: "The number of links of the portal that were opened or refused.",
    labelNames: ["outcome"],
    registers,
  });
  return (outcome) => opened.inc({ outcome });
}

function signInSignal(registers: Registry[]): Signals["signInEnded"] {
  const signIns = new Counter({
    name: "junction_sign_ins_total",
    help: "The number of sign-ins of people, by method and outcome.",
    labelNames: ["method", "outcome"],
    registers,
  });
  return (method, outcome) => signIns.inc({ method, outcome });
}

function schemaSignal(registers: Registry[]): Signals["schemaViolated"] {
  const violating = new Counter({
    name: "junction_schema_violations_total",
    help: "The number of events whose data did not match the schema of their type, refused or warned.",
    labelNames: ["outcome"],
    registers,
  });
  return (events, outcome) => violating.inc({ outcome }, events.length);
}

function watch(registry: Registry, gauges: Gauges): void {
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
  const shared = (name: string, help: string, read: () => Promise<number>): void => gauge(name, help, read, "max");
  shared("junction_oldest_due_age_seconds", "Age of the oldest due delivery that no worker has claimed.", () =>
    gauges.oldestDueAgeSeconds(),
  );
  shared("junction_pending_deliveries", "Deliveries not ended (estimate of the planner).", () =>
    gauges.pendingDeliveries(),
  );
  shared("junction_last_backup_timestamp_seconds", "When the last backup was made; 0 when none is known.", () =>
    gauges.lastBackupSeconds(),
  );
  gauge("junction_attempts_in_flight", "Attempts under way in this process.", () => gauges.inFlight());
  gauge("junction_deliveries_queued", "Deliveries leased by this process and not yet under way.", () =>
    gauges.queued(),
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
