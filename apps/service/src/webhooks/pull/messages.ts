import {
  createPauses,
  createTurns,
  environmentOf,
  fromDate,
  parseJson,
  ServiceError,
  toRfc3339,
  uuidTime,
  wireId,
} from "../../lib/lib.ts";
import type { Clock, Id, Instant } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { TraceHeaders } from "../../platform/telemetry/telemetry.ts";
import { headersOf, signedRequest } from "../deliveries/envelope.ts";
import { revealHeaders } from "../requests/header-values.ts";
import type { Target } from "../endpoints/targets.ts";
import { readMessages } from "./pull.store.ts";
import type { LogKey, MessageRow } from "./pull.store.ts";

/** A message, with the headers and the body of a request that would be sent. */
export interface Message {
  readonly offset: number;
  readonly delivery_id: Id;
  readonly event: string;
  readonly created_at: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if the event was erased. */
  readonly body: string | null;
}

export interface MessagesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly traces: TraceHeaders;
}

export interface Reading {
  readonly key: LogKey;
  readonly target: Target;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The bytes of the bodies of one response. The first message may have more. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A body has at least as many bytes besides its data. */
const OVERHEAD = 512;

/** Reads the messages of a range, oldest first, signed now. */
export type ReadMessages = (reading: Reading) => Promise<Message[]>;

/** Each of these can have several copies of `MOST_BYTES` in memory. */
const MOST_AT_ONCE = 8;
const PATIENCE_MS = 10_000;

/** Creates the reader of a process. Workspaces take turns. */
export function createMessageReader(deps: MessagesDeps): ReadMessages {
  const turns = createTurns({ most: MOST_AT_ONCE, patienceMs: PATIENCE_MS, late: tooManyPulls });
  return async (reading) => {
    const end = await turns.take("pulls", reading.key.tag);
    try {
      return await messagesOf(deps, reading);
    } finally {
      end();
    }
  };
}

function tooManyPulls(): ServiceError {
  return new ServiceError("service_unavailable", {
    detail: "The service reads the messages of other pulls. Pull again.",
    headers: { "Retry-After": "1" },
  });
}

async function messagesOf(deps: MessagesDeps, { key, target, ...range }: Reading): Promise<Message[]> {
  const rows = await readMessages(deps.db, key, { ...range, overhead: OVERHEAD, bytes: MOST_BYTES });
  const at = deps.clock.now();
  const pauses = createPauses(deps.clock);
  const messages: Message[] = [];
  let bytes = 0;
  for (const row of rows) {
    const message = messageOf(deps, { key, target, at }, row);
    bytes += Buffer.byteLength(message.body ?? "");
    if (bytes > MOST_BYTES && messages.length > 0) break;
    messages.push(message);
    if (pauses.isDue()) await pauses.pause();
  }
  return messages;
}

interface Signing {
  readonly key: LogKey;
  readonly target: Target;
  readonly at: Instant;
}

function messageOf({ traces }: MessagesDeps, { key: { tag }, target, at }: Signing, row: MessageRow): Message {
  const { place, id, event_id: eventId, event_name: eventName, data, occurred_at: occurredAt } = row;
  const view = {
    offset: place,
    delivery_id: wireId("dlv", tag, id),
    event: eventName,
    created_at: toRfc3339(uuidTime(id)),
  };
  if (data === null || occurredAt === null) return { ...view, headers: {}, body: null };
  const signed = signedRequest(
    {
      tag,
      environment: environmentOf(tag),
      workspaceId: target.workspaceId,
      deliveryId: id,
      eventId,
      eventName,
      occurredAt: fromDate(occurredAt),
      data,
      traceparent: traces.of({ id: eventId, traceparent: row.traceparent }, id, row.attempt_count + 1),
    },
    target,
    at,
    row.body ?? undefined,
  );
  const made = row.headers === null ? undefined : (parseJson(row.headers) as Record<string, string>);
  return { ...view, headers: headersOf(revealHeaders(target.headers), made, signed.headers), body: signed.body };
}
