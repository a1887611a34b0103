import type { Logger } from "pino";
import type { SelfTestView, Tag, Uuid } from "../../lib/lib.ts";
import type { TraceOrigin } from "./traceparent.ts";

export type Log = Logger;

/** One helper for each business signal; whoever emits one says what happened and whose it is, not how it is counted. */
export interface Signals {
  eventsAccepted(events: readonly TracedEvent[]): void;
  /** Deliveries that were committed with their events. */
  deliveriesMade(tags: readonly Tag[]): void;
  deliveryEnded(tag: Tag, state: "delivered" | "failed" | "cancelled"): void;
  /** An inbound request that was recorded. */
  receiptWritten(tag: Tag, status: "ok" | "error" | "duplicate" | "unmapped"): void;
  attemptMade(attempt: AttemptSignal): void;
  /** A stage of an event that ended or failed: what a subscriber did about it. */
  stageEnded(stage: StageSignal): void;
  /** A run of an action that ended, or was taken back. */
  actionEnded(tag: Tag, outcome: string, ms: number): void;
  /** A call of a connector's code that ended. */
  connectorCalled(hook: string, outcome: string, ms: number): void;
  requestAnswered(operation: string, status: number, ms: number): void;
  /** A caller changed something, and was told so. */
  callerWrote(tag: Tag): void;
  /** A request that is not in the log of requests, because there were too many. */
  requestUnlogged(tag: Tag): void;
}

export interface TracedEvent extends TraceOrigin {
  readonly scope: { readonly tag: Tag };
  readonly name: string;
}

export interface AttemptSignal {
  readonly tag: Tag;
  readonly endpointId: Uuid;
  readonly deliveryId: Uuid;
  readonly event: TraceOrigin & { readonly name: string };
  /** 1 for the first. */
  readonly number: number;
  readonly startedMs: number;
  /** Null where nothing was answered. */
  readonly statusCode: number | null;
  /** `delivered`, or the class of its error. */
  readonly outcome: string;
  readonly ms: number;
  /** From the acceptance of its event to its end, where it delivered at the first try; else null. */
  readonly ackMs: number | null;
}

export interface StageSignal {
  readonly event: TracedEvent;
  /** `rule`, `mirror`, `webhook`. */
  readonly kind: string;
  /** Which of its kind. */
  readonly key: string;
  /** 1 for the first try. */
  readonly number: number;
  readonly startedMs: number;
  readonly ms: number;
  readonly succeeded: boolean;
}

export interface Gauges {
  /** Age of the oldest delivery that is due and not under way, seconds; 0 when there is none. */
  oldestDueAgeSeconds(): Promise<number>;
  pendingDeliveries(): Promise<number>;
  inFlight(): number;
  queued(): number;
  openProposals(): Promise<number>;
  actionsInFlight(): number;
  /** Processes of connectors on this node, and calls of theirs that are under way. */
  connectorProcesses(): Promise<{ children: number; running: number; waiting: number }>;
  pool(): { total: number; idle: number; waiting: number };
  /** The latest result; undefined before the first one. */
  selfTest(): SelfTestView | undefined;
  /** Of the newest backup, Unix time; 0 when none is known. */
  lastBackupSeconds(): Promise<number>;
}

export interface Telemetry {
  readonly log: Log;
  readonly signals: Signals;
  /** Adds a listener. Signals come from hot paths, so a listener may only use memory. */
  addListener(listener: Partial<Signals>): void;
  watch(gauges: Gauges): void;
  /** The Prometheus text. */
  metrics(): Promise<string>;
  /** Makes this process's metrics part of those that the first process of a fleet gathers. */
  shareMetrics(): void;
}
