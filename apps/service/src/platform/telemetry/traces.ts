import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import type { Attributes, HrTime, SpanContext } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { uuidTime, VERSION, wireId } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import { attemptSpan, callerSpan, eventSpan, stageSpan, traceparentOf } from "./traceparent.ts";
import type { TraceContext, TraceOrigin } from "./traceparent.ts";
import type { TracedEvent, AttemptSignal, Log, StageSignal, Telemetry } from "./signals.ts";

export { readTraceparent } from "./traceparent.ts";
export type { TraceOrigin } from "./traceparent.ts";

/** Returns the headers by which a delivery passes its trace on to its receiver. */
export interface TraceHeaders {
  /**
   * Returns the `traceparent` of an attempt, 1 for the first; undefined if its event came without one and nothing is
   * exported.
   */
  of(event: TraceOrigin, deliveryId: Uuid, attempt: number): string | undefined;
}

export interface Traces extends TraceHeaders {
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

export interface TracesOptions {
  /** The URL of a collector that accepts OTLP over HTTP, without `/v1/traces`. If null, nothing is exported. */
  readonly endpoint: string | null;
  readonly clock: Clock;
  /** The source of the signals. */
  readonly telemetry: Pick<Telemetry, "addListener" | "log">;
}

interface Exporting extends TracesOptions {
  readonly endpoint: string;
}

/** The number of spans that can wait for the collector. Further spans are dropped and not counted. */
const QUEUE = 20_000;
const BATCH = 512;
const EVERY_MS = 2000;
const WARN_EVERY_MS = 60_000;

/**
 * Creates spans from the fire of an event to each reaction to it, and to each attempt of its deliveries. Without a
 * collector, a caller's `traceparent` is forwarded unchanged, and nothing else is done.
 */
export async function createTraces(options: TracesOptions): Promise<Traces> {
  const { endpoint, clock, telemetry } = options;
  if (endpoint === null) {
    return { of: ({ traceparent }) => traceparent ?? undefined, stop: async () => undefined };
  }
  const { log } = telemetry;
  const { processor, resource } = await exporting({ ...options, endpoint });
  const end = (span: Spanned): void => processor.onEnd(readable(span, resource));
  telemetry.addListener({
    eventsAccepted(events) {
      for (const event of events) if (eventSpan(event).sampled) end(fired(event, clock.now()));
    },
    attemptMade(attempt) {
      if (eventSpan(attempt.event).sampled) end(attempted(attempt));
    },
    stageEnded(stage) {
      if (eventSpan(stage.event).sampled) end(reacted(stage));
    },
  });
  return {
    of: (event, deliveryId, attempt) => traceparentOf(attemptSpan(event, deliveryId, attempt)),
    stop: async () =>
      await processor.shutdown().catch((error: unknown) => log.warn({ err: error }, "traces were dropped")),
  };
}

/** Loads the exporter only if it is needed, because it is as large as the service. */
async function exporting({
  endpoint,
  clock,
  telemetry: { log },
}: Exporting): Promise<{ processor: SpanProcessor; resource: Resource }> {
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }, resources] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const named = resources.resourceFromAttributes({ "service.name": "junction", "service.version": VERSION });
  const said = resources.detectResources({ detectors: [resources.envDetector] });
  const exporter = telling(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), clock, log);
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUE,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: EVERY_MS,
  });
  return { processor, resource: named.merge(said) };
}

/** Returns an exporter that reports an unreachable collector, but not with every batch. */
function telling(exporter: SpanExporter, clock: Clock, log: Log): SpanExporter {
  let warnedMs = -WARN_EVERY_MS;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && clock.monotonicMs() - warnedMs > WARN_EVERY_MS) {
          warnedMs = clock.monotonicMs();
          log.warn({ reason: result.error.message }, "failed to export traces; deliveries are not affected");
        }
        done(result);
      }),
    shutdown: async () => await exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

interface Spanned {
  readonly name: string;
  readonly kind: SpanKind;
  readonly own: TraceContext;
  readonly parent: TraceContext | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  readonly attributes: Attributes;
}

function fired(event: TracedEvent, acceptedMs: number): Spanned {
  return {
    name: `send ${event.name}`,
    kind: SpanKind.PRODUCER,
    own: eventSpan(event),
    parent: callerSpan(event),
    startMs: uuidTime(event.id),
    endMs: acceptedMs,
    failed: false,
    attributes: {
      "messaging.system": "junction",
      "messaging.operation.type": "send",
      "messaging.destination.name": event.name,
      "messaging.message.id": wireId("evt", event.scope.tag, event.id),
    },
  };
}

function attempted({ event, deliveryId, number, outcome, startedMs, ms, statusCode }: AttemptSignal): Spanned {
  return {
    name: `deliver ${event.name}`,
    kind: SpanKind.CLIENT,
    own: attemptSpan(event, deliveryId, number),
    parent: eventSpan(event),
    startMs: startedMs,
    endMs: startedMs + ms,
    failed: outcome !== "delivered",
    attributes: {
      "http.request.method": "POST",
      "http.request.resend_count": number - 1,
      "messaging.system": "junction",
      "messaging.destination.name": event.name,
      ...(statusCode === null ? {} : { "http.response.status_code": statusCode }),
      ...(outcome === "delivered" ? {} : { "error.type": outcome }),
    },
  };
}

function reacted({ event, kind, key, number, startedMs, ms, succeeded }: StageSignal): Spanned {
  return {
    name: `${kind} ${event.name}`,
    kind: SpanKind.CONSUMER,
    own: stageSpan(event, kind, key, number),
    parent: eventSpan(event),
    startMs: startedMs,
    endMs: startedMs + ms,
    failed: !succeeded,
    attributes: {
      "messaging.system": "junction",
      "messaging.operation.type": "process",
      "messaging.destination.name": event.name,
      "messaging.message.id": wireId("evt", event.scope.tag, event.id),
      "junction.stage.kind": kind,
      "junction.stage.key": key,
      "junction.stage.try": number,
      ...(succeeded ? {} : { "error.type": "_OTHER" }),
    },
  };
}

function readable({ own, parent, startMs, endMs, failed, ...span }: Spanned, resource: Resource): ReadableSpan {
  return {
    ...span,
    spanContext: () => contextOf(own),
    ...(parent === undefined ? {} : { parentSpanContext: contextOf(parent) }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(endMs - startMs),
    status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: "junction", version: VERSION },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function contextOf({ traceId, spanId, sampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}

/** Returns a time as seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
