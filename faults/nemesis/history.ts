import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { PlannedFault } from "./schedule.ts";

/** The facts that a client knows of an event that it fires. `n` is unique in a run. */
export interface SentEvent {
  readonly n: number;
  readonly event: string;
  readonly tenant: string | null;
  /** The number that filters judge: 0 to 9. */
  readonly f: number;
  /** The lane at ordered endpoints. */
  readonly lane: string;
  readonly deliverAtMs?: number;
}

export interface EndpointState {
  readonly events: readonly string[];
  readonly active: boolean;
  readonly tenant: string | null;
  /** Events with a smaller `f` do not match; null: all match. */
  readonly least: number | null;
}

/** The operations of clients, with what the checker has to know of them. */
export type Operation =
  | { readonly op: "fire"; readonly events: readonly SentEvent[] }
  | { readonly op: "cancel-scheduled"; readonly event: string }
  | {
      readonly op: "create";
      readonly path: string;
      readonly kind: "webhook" | "pull";
      readonly isOrdered: boolean;
      readonly state: EndpointState;
    }
  | { readonly op: "change"; readonly endpoint: string; readonly change: Partial<EndpointState> }
  | OfEndpoint<"toggle">
  | { readonly op: "rotate"; readonly endpoint: string; readonly overlapMs: number }
  | OfEndpoint<"delete">
  | OfDelivery<"replay">
  | OfDelivery<"cancel-delivery">
  | OfEndpoint<"replay-failed">
  | OfEndpoint<"backfill">
  | OfEndpoint<"lanes">
  | { readonly op: "pull"; readonly endpoint: string; readonly consumer: string }
  | { readonly op: "commit"; readonly endpoint: string; readonly consumer: string; readonly offset: number }
  | { readonly op: "seek"; readonly endpoint: string; readonly consumer: string }
  | { readonly op: "propose"; readonly n: number }
  | OfProposal<"approve">
  | OfProposal<"reject">
  | { readonly op: "make-key"; readonly tenant: string | null }
  | OfKey<"use-key">
  | OfKey<"revoke-key">
  | { readonly op: "list"; readonly what: string; readonly tenant: string }
  | { readonly op: "delete-tenant"; readonly tenant: string };

interface OfDelivery<Op> {
  readonly op: Op;
  readonly delivery: string;
}

interface OfEndpoint<Op> {
  readonly op: Op;
  readonly endpoint: string;
}

interface OfProposal<Op> {
  readonly op: Op;
  readonly proposal: string;
}

interface OfKey<Op> {
  readonly op: Op;
  readonly key: string;
}

export type Body = Readonly<Record<string, unknown>>;

/** One call of a client. Those with the same idempotency key are tries of the same operation. */
export interface Call {
  readonly kind: "call";
  readonly client: number;
  readonly operation: Operation;
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Null without a response. */
  readonly status: number | null;
  /** The response, or the problem. */
  readonly body: Body | null;
  /** The fault of the connection. */
  readonly error?: string;
}

/** One request at a receiver. */
export interface Hit {
  readonly kind: "hit";
  readonly path: string;
  /** When it was received whole. */
  readonly startMs: number;
  /** When the response was written, or the connection ended. */
  readonly endMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The status that was sent; null if none was. */
  readonly status: number | null;
}

/** A fault as it was done. */
export interface DoneFault extends Omit<PlannedFault, "startMs" | "lengthMs"> {
  readonly startMs: number;
  readonly endMs: number;
}

/** The answers of the service after the quiet end. */
export interface End {
  readonly kind: "end";
  /** Deliveries, by the API's lists. */
  readonly deliveries: readonly EndDelivery[];
  readonly pulled: Readonly<Record<string, readonly EndMessage[]>>;
  readonly proposals: readonly EndProposal[];
  readonly audit: readonly EndAuditRow[];
  readonly auditIsWhole: boolean;
  readonly usage: { readonly events: number; readonly deliveries: number };
  /** Pending work that did not end in time, by the table of what is pending. */
  readonly stuck: readonly string[];
  /** Nodes that ended although no fault ended them. */
  readonly ended: readonly string[];
}

export interface EndDelivery {
  readonly id: string;
  readonly event: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly state: string;
  readonly attempt_count: number;
  readonly last_status_code: number | null;
  readonly ordering_key?: string | null;
  readonly sequence?: number | null;
}

export interface EndMessage {
  readonly offset: number;
  readonly delivery_id: string;
  readonly body: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndProposal {
  readonly id: string;
  readonly state: string;
  readonly run_id: string | null;
  readonly parameters: { readonly n?: number };
}

export interface EndAuditRow {
  readonly seq: number;
  readonly action: string;
  readonly status: string;
  readonly proposal_id: string | null;
  readonly params_redacted: Body | null;
  readonly result_redacted: Body | null;
}

export type HistoryRecord = Call | Hit | ({ readonly kind: "fault" } & { readonly fault: DoneFault }) | End;

/** All that happened in a run, in the order in which it ended. */
export interface History {
  readonly records: readonly HistoryRecord[];
  /** The wall clock at its begin. */
  readonly originMs: number;
  /** Milliseconds since the first call. */
  now(): number;
  add(record: HistoryRecord): void;
  /** Writes everything as JSON lines. */
  keep(path: string): void;
}

export function createHistory(): History {
  const records: HistoryRecord[] = [];
  const startedMs = performance.now();
  return {
    records,
    originMs: Date.now(),
    now: () => performance.now() - startedMs,
    add: (record) => void records.push(record),
    keep(path) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
      for (const record of records) appendFileSync(path, `${JSON.stringify(record)}\n`);
    },
  };
}
