import type { Logger } from "pino";
import type { SelfTestView, Tag, Uuid } from "../../lib/lib.ts";
import type { TraceOrigin } from "./traceparent.ts";

export type Log = Logger;

/** One function for each business signal. Its caller reports the occurrence and its tenant, not how it is counted. */
export interface Signals {
  eventsAccepted(events: readonly TracedEvent[]): void;
  /** Reports events whose data does not match the schemas of their types: not stored, or stored nevertheless. */
  schemaViolated(events: readonly TracedEvent[], outcome: "refused" | "warned"): void;
  /** Reports deliveries that were committed with their events. */
  deliveriesMade(made: readonly DeliverySignal[]): void;
  /** Reports events that the filters or transformations of endpoints kept from them. */
  deliveriesFiltered(filtered: readonly FilteredSignal[]): void;
  /** `tenant` is that of the endpoint. */
  deliveryEnded(tag: Tag, state: "delivered" | "failed" | "cancelled" | "filtered", tenant: string | null): void;
  /** Reports an inbound request that was recorded. `tenant` is that of the source. */
  receiptWritten(tag: Tag, status: "ok" | "error" | "duplicate" | "unmapped", tenant: string | null): void;
  attemptMade(attempt: AttemptSignal): void;
  /** Reports a stage of an event that ended or failed: the reaction of a subscriber. */
  stageEnded(stage: StageSignal): void;
  /** Reports an action run that ended or was undone. */
  actionEnded(tag: Tag, outcome: string, ms: number): void;
  /** Reports a call that a standing approval covers: approved, or left to people because the budget had no room. */
  standingUsed(tag: Tag, outcome: "approved" | "over_budget"): void;
  /** Reports workflow runs that a limit kept from starting: that of the workflow, or that of what reactions cause in a workspace. */
  runsLimited(tag: Tag, limit: "workflow" | "workspace", count: number): void;
  /** Reports a mail of the service that ended. */
  mailEnded(purpose: string, outcome: string): void;
  /** Reports an exchange of a portal's token. */
  portalOpened(outcome: "opened" | "refused"): void;
  /** Reports a sign-in by password or OpenID Connect that succeeded (`ok`) or failed. */
  signInEnded(method: "password" | "oidc", outcome: string): void;
  /** Reports a call of a connector's code that ended. */
  connectorCalled(hook: string, outcome: string, ms: number): void;
  requestAnswered(operation: string, status: number, ms: number): void;
  /** Reports a caller's change that has been confirmed to the caller. */
  callerWrote(tag: Tag): void;
  /** Reports a request that is missing from the request log, because there were too many. */
  requestUnlogged(tag: Tag): void;
}

export interface TracedEvent extends TraceOrigin {
  readonly scope: { readonly tag: Tag };
  readonly name: string;
  /** Null and missing: no tenant's. */
  readonly tenant?: string | null;
}

/** A delivery, and the tenant of its endpoint. */
interface DeliverySignal {
  readonly tag: Tag;
  readonly tenant: string | null;
}

/** Events that some endpoints with the same filter did not get because of it. */
export interface FilteredSignal {
  readonly tag: Tag;
  /** A text that is the same for the same endpoints. */
  readonly group: string;
  readonly events: number;
  readonly endpoints: number;
  endpointIds(): readonly Uuid[];
}

export interface AttemptSignal {
  readonly tag: Tag;
  readonly endpointId: Uuid;
  /** The tenant of the endpoint. */
  readonly tenant: string | null;
  readonly deliveryId: Uuid;
  readonly event: TraceOrigin & { readonly name: string };
  /** The number of the attempt, 1 for the first. */
  readonly number: number;
  readonly startedMs: number;
  /** The status; null if there was no response. */
  readonly statusCode: number | null;
  /** `delivered`, or the class of the error. */
  readonly outcome: string;
  readonly ms: number;
  /**
   * The time from the acceptance of the event to the end of the attempt, if the first attempt delivered; otherwise
   * null.
   */
  readonly ackMs: number | null;
}

export interface StageSignal {
  readonly event: TracedEvent;
  /** `rule`, `mirror`, `webhook`. */
  readonly kind: string;
  /** The key within its kind. */
  readonly key: string;
  /** The number of the attempt, 1 for the first. */
  readonly number: number;
  readonly startedMs: number;
  readonly ms: number;
  readonly succeeded: boolean;
}

export interface Gauges {
  /** Returns the age of the oldest delivery that is due and not in progress, in seconds; 0 if there is none. */
  oldestDueAgeSeconds(): Promise<number>;
  pendingDeliveries(): Promise<number>;
  /** Returns the age of the oldest message that a consumer of a pull endpoint has not committed, in seconds; 0 if there is none. */
  oldestUnreadAgeSeconds(): Promise<number>;
  /** Returns the largest number of messages that a consumer of a pull endpoint has not committed. */
  pullLagMessages(): Promise<number>;
  /** Returns the number of pulls of this process that wait for messages. */
  waitingPulls(): number;
  /** Returns the number of lanes that a failed delivery blocks. */
  blockedLanes(): Promise<number>;
  /** Returns for how many seconds the lane of an ordered endpoint that was blocked first has been blocked; 0 if none is. */
  blockedLaneAgeSeconds(): Promise<number>;
  /** Returns the number of unresolved issues by kind, of kinds that have some. */
  openIssues(): Promise<readonly { readonly kind: string; readonly count: number }[]>;
  inFlight(): number;
  queued(): number;
  /** Returns the seconds for which the egress proxy has failed for deliveries of this process; 0 while it works. */
  egressProxyFailingSeconds(): number;
  openProposals(): Promise<number>;
  actionsInFlight(): number;
  /** Returns how late each kind of background work is, in seconds; 0 if none of it is due. */
  taskLags(): Promise<readonly { readonly kind: string; readonly seconds: number }[]>;
  /** Returns the number of the service's mails that are not sent yet. */
  mailsWaiting(): Promise<number>;
  /** Returns the number of proposals whose announcement is late, or failed and is tried again. */
  overdueAnnouncements(): Promise<number>;
  /** Returns the number of workflow schedules that were due more than a minute ago. */
  overdueSchedules(): Promise<number>;
  /** Returns the number of scheduled events that were due more than a minute ago. */
  overdueEvents(): Promise<number>;
  /** Returns the number of connections of AI apps that have not ended. */
  connectedApps(): Promise<number>;
  /** Returns the number of open event streams of AI clients in this process. */
  mcpEventStreams(): number;
  /** Returns the number of event subscriptions of AI clients that have not ended. */
  mcpEventSubscriptions(): Promise<number>;
  /** Returns the rows of the request log that this process has not written yet. */
  unwrittenRequests(): number;
  /** Returns the counts of usage that this process could not write yet. */
  unwrittenUsage(): number;
  /** Returns the counts and last uses of keys that this process has not written yet. */
  unwrittenKeyUsage(): number;
  /** Returns the number of deletions of tenants that began more than an hour ago and have not finished. */
  overdueTenantDeletions(): Promise<number>;
  /** Returns the processes of connectors on this node, and their calls in progress. */
  connectorProcesses(): Promise<{ children: number; running: number; waiting: number }>;
  pool(): { total: number; idle: number; waiting: number };
  /** Returns the latest result; undefined before the first one. */
  selfTest(): SelfTestView | undefined;
  /** Returns the Unix time of the newest backup; 0 if none is known. */
  lastBackupSeconds(): Promise<number>;
}

export interface Telemetry {
  readonly log: Log;
  readonly signals: Signals;
  /** Adds a listener. Signals come from hot paths, so a listener may only use memory. */
  addListener(listener: Partial<Signals>): void;
  watch(gauges: Gauges): void;
  /** Begins to report what holds the event loop. Returns a function that ends that. */
  watchLoop(): () => void;
  /** Returns the metrics in the Prometheus text format. */
  metrics(): Promise<string>;
  /** Adds this process's metrics to those that the first process of a fleet collects. */
  shareMetrics(): void;
}
