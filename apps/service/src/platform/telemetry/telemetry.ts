import pino from "pino";
import { AggregatorRegistry, collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import { SELF_TEST_TAG } from "../../lib/lib.ts";
import { watch } from "./gauges.ts";
import { loggedError } from "./logged-error.ts";
import { sparingly } from "./sparing-log.ts";
import { loopHolds } from "./loop-holds.ts";
import { tenantMetrics } from "./tenant-metrics.ts";
import { logText } from "./text-log.ts";
import type { Signals, Telemetry } from "./signals.ts";

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
    format === "json" ? pino.destination() : { write: (line) => void process.stderr.write(logText(line)) },
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
    deliveryEnded: endedSignal(registers),
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

function endedSignal(registers: Registry[]): Signals["deliveryEnded"] {
  const ended = new Counter({
    name: "junction_deliveries_total",
    help: "Deliveries that ended, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  // Prometheus sees no increase in a series that begins with 1: the alert about the first delivery that failed would not fire.
  for (const outcome of ["delivered", "failed", "cancelled", "filtered"]) ended.inc({ outcome }, 0);
  return (_tag, outcome) => ended.inc({ outcome });
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
